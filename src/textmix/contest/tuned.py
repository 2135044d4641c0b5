"""The parameters that tuning chose in the trials of one fit, and whether its grid was wide enough."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from textmix.core.errors import MissingResult
from textmix.experiment.ladders import MOST_STEPS, beyond
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
    """Return the parameters whose most frequent choice is an end of all that was tried.

    A search goes on beyond an end of the grid (`textmix.experiment.ladders.beyond`), so that an end beyond which a
    value was tried and was worse is none.

    Parameters
    ----------
    points : see `chosen_points`.
    grid : parameter -> values; a parameter with fewer than three values, or with other values than numbers, is passed
        over.
    """
    names = []
    for name, values in grid.items():
        if len(values) < 3 or not all(isinstance(value, (int, float)) for value in values):
            continue
        trials: Counter[str] = Counter()
        for point, number in points.items():
            trials[point_of(point)[name]] += number
        if trials and _is_end(max(trials, key=lambda value: trials[value]), values):
            names.append(name)
    return names


def _is_end(chosen: str, values: list[Any]) -> bool:
    """Return whether a chosen value is an end of all that a search over a grid tries."""
    ends = [ladder_end(values, end) for end in (min(values), max(values))]
    return any(end is not None and chosen == str(end) for end in ends)


def ladder_end(values: list[Any], end: Any) -> Any:
    """Return the last value that a search tries beyond an end of a grid; the end itself where it goes no further."""
    ladder = list(values)
    for _ in range(MOST_STEPS):
        step = beyond(ladder, end)
        if step is None:
            break
        ladder, end = [*ladder, step], step
    return end
