"""The parameters that tuning chose in the trials of one fit, and whether its grid was wide enough."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from textmix.core.errors import MissingResult
from textmix.experiment.methods import point_of
from textmix.experiment.predictions import Predictions


def chosen_points(folder: Path) -> dict[str, int]:
    """Return the points of the grid that tuning chose, and how many trials chose each of them.

    Parameters
    ----------
    folder : result folder of the predictions.

    Returns
    -------
    name of the point (``key=value`` joined by ``;``) -> number of trials; empty for a missing result and for a method
    without a grid.
    """
    try:
        fits = Predictions.load(folder).fits
    except MissingResult:
        return {}
    return dict(sorted(Counter(str(fit["chosen"]) for fit in fits if fit["chosen"]).items()))


def unconverged(folder: Path) -> int:
    """Return the number of fits of a method that stopped before they converged; 0 for a missing result."""
    try:
        return sum(fit["converged"] == "False" for fit in Predictions.load(folder).fits)
    except MissingResult:
        return 0


def at_the_end(points: Mapping[str, int], grid: Mapping[str, list[Any]]) -> list[str]:
    """Return the parameters whose most frequent choice is the smallest or the largest value of the grid.

    Parameters
    ----------
    points : see `chosen_points`.
    grid : parameter -> values; a parameter with fewer than three values, or with other values than numbers, is passed
        over.
    """
    found = []
    for name, values in grid.items():
        if len(values) < 3 or not all(isinstance(value, (int, float)) for value in values):
            continue
        trials: Counter[str] = Counter()
        for point, number in points.items():
            trials[point_of(point)[name]] += number
        if trials and max(trials, key=lambda value: trials[value]) in (str(min(values)), str(max(values))):
            found.append(name)
    return found
