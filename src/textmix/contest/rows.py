"""Rows of the result tables of a comparison (scores, costs, trials), read from the files of single fits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from textmix.core import io
from textmix.core.errors import MissingResult
from textmix.experiment.methods import Method

#: Columns of scores.csv and matrix.csv: mean and sample standard deviation (``spread``) over the trials, or the reason
#: why there is no value.
SCORES = ("dataset", "method", "family", "metric", "value", "spread", "trials", "reason")
#: Columns of costs.csv, medians over the trials: seconds, processor seconds of search, fit and prediction, and peak
#: memory of the call in bytes; empty: not measured.
COSTS = (
    *("dataset", "method", "fit_seconds", "predict_seconds", "tune_seconds", "cpu_seconds"),
    *("fit_bytes", "predict_bytes"),
)
#: Columns of trials.csv: one row a metric and trial; an empty value is a missing score.
TRIALS = ("dataset", "task", "method", "metric", "trial", "value", "fit_seconds", "predict_seconds")
#: Columns of these tables that are text.
_TEXT = {"dataset", "method", "family", "metric", "reason"}


def read_scores(path: Path, dataset: str, method: Method, name: str = "") -> list[dict[str, Any]]:
    """Return the rows of `SCORES` of one method on one data set, one row for each metric.

    Parameters
    ----------
    path : of ``results/scores/.../<method>.csv``.
    dataset, method : the data set and the registry entry of the method.
    name : name of the method in the experiment, where it differs from the registry's.

    Returns
    -------
    the rows; for a missing result one row with its reason and no metric.
    """
    head = {"dataset": dataset, "method": name or method.name, "family": method.family}
    try:
        values = _read(path).groupby("metric", sort=False)["value"]
    except MissingResult as missing:
        return [{**head, "reason": missing.reason}]
    return [{**head, "metric": metric, **_mean(str(metric), value.to_numpy())} for metric, value in values]


def empty_row(dataset: str, method: Method, reason: str) -> dict[str, Any]:
    """Return the row of `SCORES` of a method that does not apply to a data set."""
    return {"dataset": dataset, "method": method.name, "family": method.family, "reason": reason}


def read_costs(path: Path, dataset: str, method: str) -> list[dict[str, Any]]:
    """Return the row of `COSTS` of one method on one data set as a list; an empty list for a missing result.

    Parameters
    ----------
    path : of the timing file, ``results/timings/.../<method>.csv``.
    dataset, method : names.
    """
    try:
        medians = _read(path)[list(COSTS[2:])].median(skipna=False)
    except MissingResult:
        return []
    return [{"dataset": dataset, "method": method, **{key: _finite(value) for key, value in medians.items()}}]


def processor_seconds(path: Path) -> float:
    """Return the processor seconds of one method over all trials: search, fit and prediction; 0 for a missing result.

    Parameters
    ----------
    path : of the timing file.
    """
    try:
        return float(_read(path)["cpu_seconds"].sum())
    except MissingResult:
        return 0.0


def read_trials(scores: Path, timings: Path, dataset: str, method: Method, name: str = "") -> list[dict[str, Any]]:
    """Return the rows of `TRIALS` of one method on one data set; an empty list for a missing result.

    Parameters
    ----------
    scores, timings : its score file and its timing file.
    dataset, method, name : see `read_scores`.
    """
    try:
        seconds = _read(timings)[["trial", *TRIALS[-2:]]]
        rows = _read(scores).merge(seconds, on="trial", how="left", validate="many_to_one")
    except MissingResult:
        return []
    head = {"dataset": dataset, "task": method.task, "method": name or method.name}
    return [
        {**head, **{key: row[key] for key in TRIALS if key in row}, "value": _finite(row["value"])}
        for row in rows.to_dict("records")
    ]


def read_table(path: str | Path) -> list[dict[str, Any]]:
    """Return the rows of a csv file of `SCORES` or `COSTS`; numbers become float, empty ones None.

    Raises
    ------
    ValueError : a cell of a column of numbers is no number.
    """
    return [
        {key: cell if key in _TEXT else float(cell) if cell else None for key, cell in row.items()}
        for row in io.read_csv(path)
    ]


def _read(path: Path) -> pd.DataFrame:
    """Return a csv file of results as a table after checking it against its record.

    Raises
    ------
    IntegrityError : the file was changed or is missing.
    ------
    MissingResult : the record gives the reason why there is no result.
    """
    io.check_result(path)
    return pd.read_csv(path)


def _mean(metric: str, values: np.ndarray) -> dict[str, Any]:
    """Return the columns of `SCORES` on values (J,), one for each trial: mean and standard deviation, or the reason."""
    if np.isnan(values).any():
        lacking = "likelihood of documents" if metric == "perplexity" else "probability"
        return {"trials": len(values), "reason": f"the method gives no {lacking}"}
    if np.isinf(values).any():
        reason = "the method finds a true label impossible, so that the mean is infinite"
        return {"trials": len(values), "reason": reason}
    deviation = float(np.std(values, ddof=1)) if len(values) > 1 else None
    return {"value": float(np.mean(values)), "spread": deviation, "trials": len(values)}


def _finite(value: float) -> float | None:
    """Return a number, None for nan and infinity."""
    return float(value) if np.isfinite(value) else None
