"""Comparisons of methods on data that no paper names: a method that does not apply leaves its reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from textmix.core import io
from textmix.core.errors import ConfigError, MissingResult
from textmix.data.corpus import Corpus
from textmix.experiment.predictions import Predictions
from textmix.experiment.splits import Splits
from textmix.experiment.trials import run_trials
from textmix.plan.methods import TAKES, Method, point_of

#: Columns of scores.csv and matrix.csv: mean and sample standard deviation over the trials, or why there is no value.
COLUMNS = ("dataset", "method", "family", "metric", "value", "spread", "trials", "reason")
#: Columns of costs.csv, medians over the trials: seconds; bytes above what was taken before (empty: not measured).
COSTS = ("dataset", "method", "fit_seconds", "predict_seconds", "tune_seconds", "fit_bytes", "predict_bytes")
#: Columns of trials.csv: one row a metric and trial, empty where there is no value.
TRIALS = ("dataset", "task", "method", "metric", "trial", "value", "fit_seconds", "predict_seconds")


def run_compared(
    corpus: Corpus, splits: Splits, method: Method, entry: Mapping[str, Any], seed: int
) -> tuple[Predictions, list[dict[str, Any]]]:
    """Do as `run_trials`, but raise `MissingResult` where the method does not apply to the data or fails on them."""
    reason = misfit(corpus, len(splits.train[0]), method)
    if reason:
        raise MissingResult(reason)
    try:
        return run_trials(corpus, splits, method, entry, seed)
    except (ConfigError, ValueError) as error:
        said = " ".join(str(error).split())[:300]
        raise MissingResult(f"{method.name} cannot be fitted to {corpus.name}: {said}") from error


def misfit(corpus: Corpus, n_train: int, method: Method) -> str:
    """Return why a method does not apply to a corpus with so many training documents, in one sentence, or nothing."""
    if corpus.features is None:
        return f"{corpus.name} has no features"
    if method.takes == "counts" and corpus.features.dtype.kind not in "iu":
        return f"{method.name} takes {TAKES['counts']}; {corpus.name} has other values"
    found = {"documents": n_train, "labels": len(corpus.label_names), "features": corpus.features.shape[1]}
    over = [f"{found[key]:,} {key}" for key, most in method.most.items() if found[key] > most]
    if over:
        limits = ", ".join(f"{most:,} {key}" for key, most in method.most.items())
        return f"{method.name} is left out above {limits} to save time and memory; {corpus.name} has {', '.join(over)}"
    return ""


def read_scores(path: Path, dataset: str, method: Method, name: str = "") -> list[dict[str, Any]]:
    """Return the cells (`COLUMNS`) of one method on one data set from its score file.

    Parameters
    ----------
    path : of ``results/scores/.../<method>.csv``.
    dataset, method : which.
    name : of the method in the experiment, where it is not the registry's.
    """
    head = {"dataset": dataset, "method": name or method.name, "family": method.family}
    try:
        io.check_result(path)
    except MissingResult as missing:
        return [{**head, "reason": missing.reason}]
    found: dict[str, list[float]] = {}
    for row in io.read_csv(path):
        found.setdefault(row["metric"], []).append(float(row["value"]))
    return [{**head, "metric": metric, **_mean(values)} for metric, values in found.items()]


def read_trials(scores: Path, timings: Path, dataset: str, method: Method, name: str = "") -> list[dict[str, Any]]:
    """Return the scores and seconds of one method on one data set, trial by trial (`TRIALS`); none if they are missing.

    Parameters
    ----------
    scores, timings : its files.
    dataset, method, name : see `read_scores`.
    """
    try:
        io.check_result(scores)
        io.check_result(timings)
    except MissingResult:
        return []
    seconds = {row["trial"]: {key: float(row[key]) for key in TRIALS[-2:]} for row in io.read_csv(timings)}
    head = {"dataset": dataset, "task": method.task, "method": name or method.name}
    rows = ((row, float(row["value"])) for row in io.read_csv(scores))
    return [
        {
            **head,
            "metric": row["metric"],
            "trial": row["trial"],
            "value": value if np.isfinite(value) else None,
            **seconds[row["trial"]],
        }
        for row, value in rows
    ]


def _mean(values: list[float]) -> dict[str, Any]:
    """Return mean and spread of a metric over the trials, or why there is none."""
    if np.isnan(values).any():
        return {"trials": len(values), "reason": "the method gives no probability"}
    if np.isinf(values).any():
        return {
            "trials": len(values),
            "reason": "the method finds a true label impossible, so that the mean is infinite",
        }
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else None
    return {"value": float(np.mean(values)), "spread": spread, "trials": len(values)}


def empty_cell(dataset: str, method: Method, reason: str) -> dict[str, Any]:
    """Return the cell of a method that does not apply."""
    return {"dataset": dataset, "method": method.name, "family": method.family, "reason": reason}


def read_costs(path: Path, dataset: str, method: str) -> list[dict[str, Any]]:
    """Return the row of `COSTS` of one method on one data set from its timing file; none if it is missing."""
    try:
        io.check_result(path)
    except MissingResult:
        return []
    rows = io.read_csv(path)
    return [{"dataset": dataset, "method": method, **{key: _median(row[key] for row in rows) for key in COSTS[2:]}}]


def _median(cells: Iterable[str]) -> float | None:
    """Return the median of cells, None if one is empty."""
    values = list(cells)
    return float(np.median([float(value) for value in values])) if values and all(values) else None


def read_table(path: str | Path) -> list[dict[str, Any]]:
    """Return the rows of a scores.csv, matrix.csv or costs.csv, numbers as numbers, None for an empty one."""
    words = {"dataset", "method", "family", "metric", "reason"}
    return [
        {key: cell if key in words else float(cell) if cell else None for key, cell in row.items()}
        for row in io.read_csv(path)
    ]


def at_the_end(points: Mapping[str, int], grid: Mapping[str, list[Any]]) -> list[str]:
    """Return the parameters that tuning mostly set to the least or largest value it was offered.

    Parameters
    ----------
    points : of `chosen_points`.
    grid : parameter -> values; only those of three numbers or more have ends.
    """
    found = []
    for name, values in grid.items():
        if len(values) < 3 or not all(isinstance(value, (int, float)) for value in values):
            continue
        times: dict[str, int] = {}
        for point, number in points.items():
            value = point_of(point)[name]
            times[value] = times.get(value, 0) + number
        if times and max(times, key=lambda value: times[value]) in (str(min(values)), str(max(values))):
            found.append(name)
    return found


def chosen_points(folder: Path) -> dict[str, int]:
    """Return how often tuning chose each point, from a folder of predictions; empty if missing or untuned."""
    try:
        fits = Predictions.load(folder).fits
    except MissingResult:
        return {}
    names = [str(fit["chosen"]) for fit in fits if fit["chosen"]]
    return {name: names.count(name) for name in sorted(set(names))}
