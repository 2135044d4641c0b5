"""Comparison of methods by one metric on data sets of one kind: scores, ranks, and the tests that apply.

Over data sets: Friedman's test (Iman and Davenport), Nemenyi's critical difference after it, and Wilcoxon's test of
pairs with Holm's correction.  On one data set: the corrected resampled t-test over its trials, with Holm's correction.

Symbols: N data sets, K methods, J trials of a data set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from textmix.contest.rows import TRIALS
from textmix.core.errors import DataFormatError
from textmix.metrics import ranking, significance
from textmix.metrics.ranking import Friedman
from textmix.metrics.significance import LEVEL, Estimate
from textmix.metrics.table import METRICS, main_metric

TASKS = {"single": "single-label", "multi": "multi-label"}
#: Task -> the metric by which methods are compared, unless another one is asked for.
MAIN = {task: main_metric(task) for task in TASKS}
#: Texts of fewer words on the mean are called short.
SHORT = 50.0

#: Data set -> facts by name (`textmix.contest.description.corpus_facts`), as far as they are known.
Facts = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class Comparison:
    """One metric of K methods on N data sets of one kind, with the tests that compare them.

    Parameters
    ----------
    kind : in words, such as "short single-label texts".
    metric : its name.
    datasets, methods : N and K names.
    trials : (data set, method) -> scores of the trials, float64 (J,); larger is better, since a loss has its sign
        turned.
    seconds : mean seconds to fit and predict one trial, float64 (N, K); nan where they were not measured.
    missing : method -> data sets on which a score of some trial is missing; these methods are not among ``methods``.
    test_ratio : data set -> n_test / n_train of its trials, where these numbers are known.
    by_dataset : the comparisons on each data set alone, of all methods with a score there; empty unless this comparison
        is of all data sets of a task.
    """

    kind: str
    metric: str
    datasets: Sequence[str]
    methods: Sequence[str]
    trials: Mapping[tuple[str, str], np.ndarray]
    seconds: np.ndarray
    missing: Mapping[str, Sequence[str]]
    test_ratio: Mapping[str, float]
    by_dataset: Sequence[Comparison] = ()

    @cached_property
    def scores(self) -> np.ndarray:
        """Mean scores over the trials, float64 (N, K); larger is better."""
        return np.array([[self.trials[data, method].mean() for method in self.methods] for data in self.datasets])

    @cached_property
    def ranks(self) -> np.ndarray:
        """Mean ranks over the data sets, float64 (K,); 1 is the best."""
        return ranking.mean_ranks(self.scores)

    @cached_property
    def best(self) -> int:
        """Index of the method with the best mean rank; of methods with equal ranks the one with the best mean score."""
        return int(np.lexsort((-self.scores.mean(axis=0), self.ranks))[0])

    @cached_property
    def friedman(self) -> Friedman | None:
        """Friedman's test; None where there are fewer than three methods or two data sets."""
        enough = len(self.methods) > 2 and len(self.datasets) > 1
        return ranking.friedman(self.scores) if enough else None

    @property
    def differ(self) -> bool:
        """Whether Friedman's test rejects the hypothesis that all methods are alike."""
        return self.friedman is not None and self.friedman.f_p < LEVEL

    @cached_property
    def difference(self) -> float:
        """Nemenyi's critical difference of mean ranks."""
        return ranking.critical_difference(len(self.methods), len(self.datasets), LEVEL)

    @property
    def groups(self) -> list[tuple[int, ...]]:
        """Groups of indices of methods that are not statistically distinguishable; one group of all unless `differ`."""
        return ranking.cliques(self.ranks, self.difference if self.differ else np.inf)

    def pairs(self) -> dict[int, Estimate]:
        """Return, for each method k but the best, the score of the best method minus the score of method k.

        Returns
        -------
        index k -> the median difference over the data sets (`textmix.metrics.ranking.median_difference`), with its
        p-value adjusted by Holm's method.
        """
        return self._differences(
            self.best, lambda k: ranking.median_difference(self.scores[:, self.best], self.scores[:, k])
        )

    def pairs_on(self, data: str) -> tuple[int, dict[int, Estimate]]:
        """Return the differences of the best method on one data set from each other method there.

        Returns
        -------
        best : index of the method with the best mean score on the data set.
        differences : index k -> mean of the best method's score minus method k's over the trials
            (`textmix.metrics.significance.resampled_difference`), with its p-value adjusted by Holm's method.
        """
        best = int(np.argmax(self.scores[self.datasets.index(data)]))
        at = [self.trials[data, method] for method in self.methods]
        ratio = self.test_ratio.get(data, 1.0)
        return best, self._differences(best, lambda k: significance.resampled_difference(at[best], at[k], ratio))

    def _differences(self, best: int, difference: Callable[[int], Estimate]) -> dict[int, Estimate]:
        """Return index k -> ``difference(k)`` for each method but ``best``, p-values adjusted by Holm's method."""
        others = [k for k in range(len(self.methods)) if k != best]
        estimates = [difference(k) for k in others]
        adjusted = significance.holm([estimate.p for estimate in estimates])
        return {k: estimate._replace(p=float(p)) for k, estimate, p in zip(others, estimates, adjusted, strict=True)}


def comparisons(
    rows: Iterable[Mapping[str, Any]], facts: Facts | None = None, metrics: Mapping[str, str] = MAIN
) -> list[Comparison]:
    """Return a comparison for each kind of data on which two methods or more have a score in all trials.

    A task has up to four kinds of data: all its data sets; the data sets of counts, where there are data sets of other
    numbers too; the short texts and the long texts (`SHORT`), where there are both.  Where all data sets of a task are
    short texts, these are its only kind.

    Parameters
    ----------
    rows : with the columns `TRIALS`, as a csv file gives them; an empty value is a missing score.
    facts : data set -> ``mean_length`` (words a text), ``counts`` (1 where features are whole numbers, else 0),
        ``train`` and ``test`` (documents of a trial), where known.  Without the last two the test part is taken to be
        as large as the training part, which makes wider intervals.
    metrics : task -> metric.

    Raises
    ------
    DataFormatError : a column is missing, a task is unknown, a cell is no number, or a trial occurs twice; the message
        names the line of the csv file.
    """
    facts = facts or {}
    table = _table(rows)
    all_kinds = []
    for task, scores in table[table["metric"] == table["task"].map(metrics)].groupby("task", sort=False):
        names = list(scores["dataset"].unique())
        for kind, chosen in _kinds(task, names, facts).items():
            whole = _comparison(kind, chosen, scores, facts)
            # A part of the data sets of a task repeats nothing that the comparison of all of them says.
            apart = chosen if len(names) == len(chosen) > 1 else []
            alone = [_comparison(kind, [name], scores, facts) for name in apart]
            all_kinds.append(replace(whole, by_dataset=[comparison for comparison in alone if comparison.methods]))
    return [comparison for comparison in all_kinds if len(comparison.methods) > 1]


def _table(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return checked rows of `TRIALS` as a table: numbers as float64, and a loss with its sign turned."""
    table = pd.DataFrame([_typed(line, row) for line, row in enumerate(rows, start=2)], columns=TRIALS)
    twice = table.duplicated(["dataset", "task", "method", "metric", "trial"])
    if twice.any():
        line = int(twice.argmax())
        trial, method = table.loc[line, ["trial", "method"]]
        raise DataFormatError("scores", line + 2, f"trial {trial} of {method} occurs twice")
    losses = [name for name, metric in METRICS.items() if metric.loss]
    table["value"] = table["value"].where(~table["metric"].isin(losses), -table["value"])
    table["seconds"] = table["fit_seconds"] + table["predict_seconds"]
    return table


def _typed(line: int, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of `TRIALS` with numbers for its last three cells, nan for an empty one.

    Raises
    ------
    DataFormatError : a column is missing, the task is unknown, or one of the three cells is no number.
    """
    lacking = [column for column in TRIALS if row.get(column) is None]
    if lacking:
        raise DataFormatError("scores", line, f"has no {', '.join(lacking)}; the columns are {', '.join(TRIALS)}")
    if row["task"] not in TASKS:
        raise DataFormatError("scores", line, f"the task {row['task']!r} is not one of {', '.join(TASKS)}")
    return {**{key: row[key] for key in TRIALS}, **{key: _number(line, row, key) for key in TRIALS[-3:]}}


def _number(line: int, row: Mapping[str, Any], key: str) -> float:
    """Return the cell ``key`` of a row as a number, nan for an empty cell; else raise DataFormatError."""
    try:
        return float(row[key]) if row[key] != "" else np.nan
    except ValueError as error:
        raise DataFormatError("scores", line, f"{key} {row[key]!r} is no number") from error


def _kinds(task: str, names: Sequence[str], facts: Facts) -> dict[str, list[str]]:
    """Return kind of data, in words -> its data sets, for one task."""
    lengths = {name: facts[name]["mean_length"] for name in names if "mean_length" in facts.get(name, {})}
    short = [name for name in lengths if lengths[name] < SHORT]
    long = [name for name in lengths if lengths[name] >= SHORT]
    counts = [name for name in names if facts.get(name, {}).get("counts")]
    kinds = {f"{TASKS[task]} data": list(names)}
    if 0 < len(counts) < len(names):
        # A method that takes whole numbers alone has no score on the remaining data: here it takes part.
        kinds[f"{TASKS[task]} counts"] = counts
    if short and len(short) == len(names):
        return {f"short {TASKS[task]} texts": short}
    if short and long:
        kinds |= {f"short {TASKS[task]} texts": short, f"long {TASKS[task]} texts": long}
    return kinds


def _comparison(kind: str, names: Sequence[str], rows: pd.DataFrame, facts: Facts) -> Comparison:
    """Return the comparison of the methods that have a finite score in every trial of every data set named."""
    rows = rows[rows["dataset"].isin(names)]
    values, seconds = (
        rows.pivot(index=["dataset", "trial"], columns="method", values=of) for of in ("value", "seconds")
    )
    scored = np.isfinite(values).groupby(level="dataset").all()
    lacks = {method: [data for data in names if not scored.loc[data, method]] for method in rows["method"].unique()}
    methods = [method for method, without in lacks.items() if not without]
    sizes = {name: facts[name] for name in names if {"train", "test"} <= facts.get(name, {}).keys()}
    return Comparison(
        kind,
        str(rows["metric"].iloc[0]),
        names,
        methods,
        {(data, method): values.loc[data, method].to_numpy() for data in names for method in methods},
        np.array([[seconds.loc[data, method].to_numpy().mean() for method in methods] for data in names]),
        {method: without for method, without in lacks.items() if without},
        {name: fact["test"] / fact["train"] for name, fact in sizes.items()},
    )
