"""Single fits of one job, each made by a job of its own: read and joined to what one job would have made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from textmix.core import io
from textmix.experiment.predictions import Predictions, joined


def join_parts(predictions: Sequence[str], timings: Sequence[str]) -> tuple[Predictions, list[Mapping[str, Any]]]:
    """Return the predictions and timings that `textmix.experiment.trials.run_trials` returns for all fits at once.

    Parameters
    ----------
    predictions, timings : the results of the single fits, in the order of their cells.

    Raises
    ------
    IntegrityError : a file was changed or is missing.
    MissingResult : the first fit that could not be made records why.
    """
    cells = [Predictions.load(folder) for folder in predictions]
    rows: list[Mapping[str, Any]] = []
    for path in timings:
        io.check_result(path)
        rows += io.read_csv(path)
    return joined(cells), rows
