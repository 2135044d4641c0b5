"""Single fits of one job, each made by a job of its own, and joined to what one job would have made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from textmix.core import io
from textmix.experiment.predictions import Predictions, joined
from textmix.experiment.trials import TIMINGS


def save_part(
    folder: str, predictions: Predictions, timings: Sequence[Mapping[str, Any]], meta: Mapping[str, Any]
) -> None:
    """Write one fit to a result folder.

    Parameters
    ----------
    folder, meta : place and record of the result, see `textmix.core.io.new_folder`.
    predictions, timings : as `textmix.experiment.trials.run_trials` returns them for one cell.
    """
    with io.new_folder(folder, meta) as target:
        predictions.write(target)
        io.write_text(target / "timings.csv", io.format_csv(timings, TIMINGS))


def join_parts(folders: Sequence[str]) -> tuple[Predictions, list[Mapping[str, Any]]]:
    """Return the predictions and timings that `textmix.experiment.trials.run_trials` returns for all fits at once.

    Parameters
    ----------
    folders : the results of the single fits, in the order of their cells.

    Raises
    ------
    IntegrityError : a file was changed or is missing.
    MissingResult : the first fit that could not be made records why.
    """
    cells = [Predictions.load(folder) for folder in folders]
    return joined(cells), [row for folder in folders for row in io.read_csv(Path(folder, "timings.csv"))]
