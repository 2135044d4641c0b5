"""What a table of scores says, in plain words: by kind of data, with intervals, and no claim without a test.

A method is said to be above another only where a test at 0.05 tells them apart: over data sets Friedman's test (Iman
and Davenport) with Nemenyi's critical difference after it, or Wilcoxon's test where there are two methods alone; on one
data set the corrected resampled t-test over its trials, with Holm's correction.  Wilcoxon's p with Holm's correction
and the interval of the difference stand beside.  Everything else is said as measured.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from textmix.core.errors import DataFormatError
from textmix.metrics import ranking
from textmix.metrics.ranking import Estimate, Friedman
from textmix.metrics.table import METRICS, main_metric

COLUMNS = ("dataset", "task", "method", "metric", "trial", "value", "fit_seconds", "predict_seconds")
TASKS = {"single": "single-label", "multi": "multi-label"}
#: Task -> the metric by which methods are compared, unless another one is asked for.
MAIN = {task: main_metric(task) for task in TASKS}
ALPHA = 0.05
#: Texts of fewer words on the mean are called short.
SHORT = 50.0
#: With fewer data sets no outcome of Wilcoxon's test is below 0.05.
FEWEST = 6


@dataclass(frozen=True)
class Comparison:
    """One metric of K methods on N data sets of one kind.

    Parameters
    ----------
    kind : in words, "short single-label texts".
    metric : its name.
    datasets, methods : N and K names.
    trials : (data set, method) -> scores of the trials, larger is better (a loss has its sign turned).
    seconds : (N, K), mean seconds to fit and to predict one trial; nan where they were not measured.
    missing : method -> data sets on which it has no score; such a method takes no part.
    test_ratio : data set -> n_test / n_train of its trials.
    each : of all data sets of a task, the comparison on each alone, with all methods that have a score there.
    """

    kind: str
    metric: str
    datasets: Sequence[str]
    methods: Sequence[str]
    trials: Mapping[tuple[str, str], np.ndarray]
    seconds: np.ndarray
    missing: Mapping[str, Sequence[str]]
    test_ratio: Mapping[str, float]
    each: Sequence[Comparison] = ()

    @cached_property
    def scores(self) -> np.ndarray:
        """Mean over the trials, float64 (N, K)."""
        return np.array([[self.trials[data, method].mean() for method in self.methods] for data in self.datasets])

    @cached_property
    def ranks(self) -> np.ndarray:
        """Mean ranks, float64 (K,)."""
        return ranking.mean_ranks(self.scores)

    @cached_property
    def best(self) -> int:
        """Method with the best mean rank; of equal ones that with the best mean score."""
        return int(np.lexsort((-self.scores.mean(axis=0), self.ranks))[0])

    @cached_property
    def friedman(self) -> Friedman | None:
        """Friedman's test; None where there are fewer than three methods or two data sets."""
        enough = len(self.methods) > 2 and len(self.datasets) > 1
        return ranking.friedman(self.scores) if enough else None

    @property
    def differ(self) -> bool:
        """Whether Friedman's test finds that the methods differ."""
        return self.friedman is not None and self.friedman.f_p < ALPHA

    @cached_property
    def difference(self) -> float:
        """Nemenyi's critical difference."""
        return ranking.critical_difference(len(self.methods), len(self.datasets), ALPHA)

    @property
    def groups(self) -> list[tuple[int, ...]]:
        """Methods that are not told apart: all in one group unless Friedman's test rejects."""
        return ranking.cliques(self.ranks, self.difference if self.differ else np.inf)

    def pairs(self) -> dict[int, Estimate]:
        """Return by how much the best is above each other method over the data sets, p adjusted by Holm."""
        others = [k for k in range(len(self.methods)) if k != self.best]
        found = [ranking.median_difference(self.scores[:, self.best], self.scores[:, k]) for k in others]
        adjusted = ranking.holm([estimate.p for estimate in found])
        return {k: e._replace(p=float(p)) for k, e, p in zip(others, found, adjusted, strict=True)}

    def pairs_on(self, data: str) -> tuple[int, dict[int, Estimate]]:
        """Return the best method of a data set, and by how much it is above each other there, p adjusted by Holm."""
        row = self.scores[self.datasets.index(data)]
        best = int(np.argmax(row))
        others = [k for k in range(len(self.methods)) if k != best]
        at = [self.trials[data, method] for method in self.methods]
        found = [ranking.resampled_difference(at[best], at[k], self.test_ratio.get(data, 1.0)) for k in others]
        adjusted = ranking.holm([estimate.p for estimate in found])
        return best, {k: e._replace(p=float(p)) for k, e, p in zip(others, found, adjusted, strict=True)}


def comparisons(
    rows: Iterable[Mapping[str, Any]],
    facts: Mapping[str, Mapping[str, float]] | None = None,
    metrics: Mapping[str, str] = MAIN,
) -> list[Comparison]:
    """Return a comparison for each kind of data: each task, its counts if it has reals too, its short and long texts.

    Parameters
    ----------
    rows : with `COLUMNS`, as a csv file gives them; an empty value is a score that could not be had.
    facts : data set -> ``mean_length`` (words a text), ``counts`` (1 where features are whole numbers, else 0),
        ``train`` and ``test`` (documents of a trial), where known.  Without the last two the test part is taken to be
        as large as the training part, which is cautious.
    metrics : task -> metric.

    Raises
    ------
    DataFormatError : with the line, if rows were a csv file: a column is missing, a number is none, a trial is doubled.
    """
    facts = facts or {}
    tables: dict[str, dict[tuple[str, str], dict[str, tuple[float, float]]]] = {}
    for line, row in enumerate(rows, start=2):
        _check(line, row)
        if metrics.get(row["task"]) != row["metric"]:
            continue
        cell = tables.setdefault(row["task"], {}).setdefault((row["dataset"], row["method"]), {})
        if row["trial"] in cell:
            raise DataFormatError("scores", line, f"trial {row['trial']} of {row['method']} stands there twice")
        value, *seconds = (_number(line, row, key) for key in ("value", "fit_seconds", "predict_seconds"))
        cell[row["trial"]] = (-value if METRICS[row["metric"]].loss else value, sum(seconds))
    found = []
    for task, cells in tables.items():
        names = list(dict.fromkeys(data for data, _ in cells))
        for kind, chosen in _kinds(task, names, facts).items():
            whole = _comparison(kind, metrics[task], chosen, cells, facts)
            # Of a part of a task's data sets nothing is said that is said of all of them already.
            apart = chosen if len(names) == len(chosen) > 1 else []
            alone = [_comparison(kind, metrics[task], [name], cells, facts) for name in apart]
            found.append(replace(whole, each=[comparison for comparison in alone if comparison.methods]))
    return [comparison for comparison in found if len(comparison.methods) > 1]


def _check(line: int, row: Mapping[str, Any]) -> None:
    """Check that a row has the columns and a known task."""
    lacking = [column for column in COLUMNS if row.get(column) is None]
    if lacking:
        raise DataFormatError("scores", line, f"has no {', '.join(lacking)}; the columns are {', '.join(COLUMNS)}")
    if row["task"] not in TASKS:
        raise DataFormatError("scores", line, f"the task {row['task']!r} is not one of {', '.join(TASKS)}")


def _number(line: int, row: Mapping[str, Any], key: str) -> float:
    """Return a number of a row, nan for an empty cell."""
    try:
        return float(row[key]) if row[key] != "" else np.nan
    except ValueError as error:
        raise DataFormatError("scores", line, f"{key} {row[key]!r} is no number") from error


def _kinds(task: str, names: Sequence[str], facts: Mapping[str, Mapping[str, float]]) -> dict[str, list[str]]:
    """Return the kinds of data of a task, in words, with their data sets."""
    lengths = {name: facts[name]["mean_length"] for name in names if "mean_length" in facts.get(name, {})}
    short = [name for name in lengths if lengths[name] < SHORT]
    long = [name for name in lengths if lengths[name] >= SHORT]
    counts = [name for name in names if facts.get(name, {}).get("counts")]
    kinds = {f"{TASKS[task]} data": list(names)}
    if 0 < len(counts) < len(names):
        # Methods that take whole numbers only have no score on the others, and would be compared nowhere.
        kinds[f"{TASKS[task]} counts"] = counts
    if short and len(short) == len(names):
        return {f"short {TASKS[task]} texts": short}
    if short and long:
        kinds |= {f"short {TASKS[task]} texts": short, f"long {TASKS[task]} texts": long}
    return kinds


def _comparison(
    kind: str,
    metric: str,
    names: Sequence[str],
    cells: Mapping[tuple[str, str], Mapping[str, tuple[float, float]]],
    facts: Mapping[str, Mapping[str, float]],
) -> Comparison:
    """Return the comparison of the methods that have a finite score in the same trials of every data set."""
    methods = list(dict.fromkeys(method for data, method in cells if data in names))
    trials = {
        data: sorted({trial for key, cell in cells.items() if key[0] == data for trial in cell}) for data in names
    }

    def scored(data: str, method: str) -> bool:
        cell = cells.get((data, method), {})
        return sorted(cell) == trials[data] and bool(np.isfinite([value for value, _ in cell.values()]).all())

    lacks = {method: [data for data in names if not scored(data, method)] for method in methods}
    kept = [method for method in methods if not lacks[method]]
    values = {
        (data, method): np.array([cells[data, method][trial][0] for trial in trials[data]])
        for data in names
        for method in kept
    }
    seconds = [[np.mean([second for _, second in cells[data, method].values()]) for method in kept] for data in names]
    known = {name: facts[name] for name in names if {"train", "test"} <= facts.get(name, {}).keys()}
    ratio = {name: fact["test"] / fact["train"] for name, fact in known.items()}
    missing = {method: without for method, without in lacks.items() if without}
    return Comparison(kind, metric, names, kept, values, np.array(seconds).reshape(len(names), -1), missing, ratio)


@dataclass(frozen=True)
class Paragraph:
    """What is said of one kind of data: the first sentence stands at the top of the page, the others below it."""

    kind: str
    lead: str
    details: Sequence[str]


def summarise(comparison: Comparison) -> Paragraph:
    """Return what a comparison says."""
    if len(comparison.datasets) == 1:
        lead, details = _on(comparison, comparison.datasets[0], shown=True), _by_trials(comparison)
    else:
        lead, details = _lead(comparison), [_overall(comparison), *_by_pairs(comparison)]
        details += [_on(alone, alone.datasets[0]) for alone in comparison.each]
    details += [*_time(comparison), *_left_out(comparison)]
    return Paragraph(comparison.kind, lead, details)


def text(paragraphs: Iterable[Paragraph]) -> str:
    """Return paragraphs as plain text: the leads first, then everything."""
    paragraphs = list(paragraphs)
    leads = "\n".join(f"- {paragraph.lead}" for paragraph in paragraphs)
    rest = (
        "\n".join([paragraph.kind.capitalize(), *(f"  - {s}" for s in paragraph.details)]) for paragraph in paragraphs
    )
    return "\n\n".join([leads, *rest]) + "\n"


def _lead(c: Comparison) -> str:
    """Return the first sentence of several data sets."""
    where = f"On {c.kind} ({_count(len(c.datasets), 'data set')}, {_said(c.metric)})"
    best, pairs = c.best, c.pairs()
    if len(c.methods) == 2:
        below = [k for k, pair in pairs.items() if pair.p < ALPHA]
    else:
        below = [k for k in pairs if c.differ and c.ranks[k] - c.ranks[best] >= c.difference]
    rest = [k for k in pairs if k not in below]
    name = c.methods[best]
    if not below:
        return f"{where} no method is told above {name}, nor {name} above any other."
    tail = f"; it is not told apart from {_names(c, rest)}" if rest else ""
    return f"{where} {name} is above {_names(c, below, pairs)}{tail}."


def _told(c: Comparison) -> bool:
    """Tell whether pairs may be looked at: two methods alone, or Friedman's test has rejected."""
    return c.differ or len(c.methods) == 2


def _overall(c: Comparison) -> str:
    """Say mean ranks and Friedman's test."""
    order = np.lexsort((-c.scores.mean(axis=0), c.ranks))
    ranked = ", ".join(f"{c.methods[k]} {c.ranks[k]:.2f}" for k in order)
    said = f"Mean ranks of {_count(len(c.methods), 'method')}, 1 is best: {ranked}."
    if c.friedman is None:
        return said
    p = f"Friedman's test, F = {c.friedman.f:.3g}, p {_p(c.friedman.f_p)}"
    if not c.differ:
        return f"{said} Chance alone makes such ranks ({p}), so that none is said to be above another."
    return f"{said} The methods differ ({p}); ranks {c.difference:.2f} or more apart are told apart (Nemenyi, {ALPHA})."


def _by_pairs(c: Comparison) -> list[str]:
    """Say by how much the best is above each other, over the data sets."""
    n = len(c.datasets)
    if not _told(c):
        return []
    if n < FEWEST:
        return [f"{n} data sets are too few to tell two methods apart by Wilcoxon's test, which needs {FEWEST}."]
    said = []
    for k, pair in c.pairs().items():
        interval = f"median difference {pair.value:.3f}, 95% interval {pair.low:.3f} to {pair.high:.3f}"
        said.append(f"{c.methods[c.best]} beside {c.methods[k]}: {interval}, p {_p(pair.p)} (Wilcoxon, Holm).")
    return said


def _by_trials(c: Comparison) -> list[str]:
    """Say by how much the best is above each other on the one data set, over its trials."""
    best, pairs = c.pairs_on(c.datasets[0])
    said = []
    for k in sorted(pairs, key=lambda k: -c.scores[0, k]):
        if np.isfinite(pairs[k].low):
            interval = f"{pairs[k].value:.3f}, 95% interval {pairs[k].low:.3f} to {pairs[k].high:.3f}"
            said.append(
                f"{c.methods[best]} beside {c.methods[k]}: mean difference {interval}, p {_p(pairs[k].p)} (Holm)."
            )
    return said


def _on(c: Comparison, data: str, shown: bool = False) -> str:
    """Say what the trials of one data set tell; ``shown`` with the name of the metric."""
    best, pairs = c.pairs_on(data)
    j = len(c.trials[data, c.methods[best]])
    value = abs(c.scores[c.datasets.index(data), best])
    extreme, metric = "smallest" if METRICS[c.metric].loss else "largest", f" {_said(c.metric)}" if shown else ""
    said = f"On {data} the {extreme} mean{metric} is that of {c.methods[best]}"
    if j == 1:
        return f"{said}, {value:.3f}; one split tells of no difference."
    below = [k for k, pair in pairs.items() if pair.p < ALPHA]
    rest = [k for k in pairs if k not in below]
    above = f"it is above {_names(c, below, pairs)}" if below else "it is told apart from no other"
    tail = f", and not told apart from {_names(c, rest)}" if below and rest else ""
    return f"{said}, {value:.3f} over {j} trials; {above}{tail} (corrected resampled t-test, Holm)."


def _time(c: Comparison) -> list[str]:
    """Say how long the best takes beside the fastest."""
    if np.isnan(c.seconds).any() or (c.seconds <= 0).any():
        return []
    log = np.log(c.seconds)
    fastest = int(np.argmin(log.mean(axis=0)))
    typical = np.exp(np.median(log, axis=0))
    said = f"{c.methods[c.best]} takes {typical[c.best]:.3g} s to fit and predict one trial"
    if len(c.datasets) == 1:
        least = f"{c.methods[fastest]}, the fastest, {typical[fastest]:.3g} s"
        return [f"{said}, the least of all." if fastest == c.best else f"{said}; {least}."]
    said += " (median over data sets)"
    if fastest == c.best:
        return [f"{said}, the least of all on the mean."]
    ratio = np.exp(log[:, c.best] - log[:, fastest])
    span = f"{ratio.min():.3g} to {ratio.max():.3g} times what {c.methods[fastest]} takes"
    if len(c.datasets) < FEWEST:
        return [f"{said}, as measured {span}."]
    found = ranking.median_difference(log[:, c.best], log[:, fastest])
    times = f"{np.exp(found.value):.3g} times, 95% interval {np.exp(found.low):.3g} to {np.exp(found.high):.3g}"
    return [f"{said}, {span} ({times}, p {_p(found.p)}, Wilcoxon)."]


def _left_out(c: Comparison) -> list[str]:
    """Name the methods that take no part, with the data sets they lack."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for method, where in c.missing.items():
        alike.setdefault(tuple(where), []).append(method)
    return [
        f"Left out, with no score, or not in all trials, on {_joined(where)}: {_joined(methods)}."
        for where, methods in alike.items()
    ]


def _names(c: Comparison, places: Sequence[int], pairs: Mapping[int, Estimate] | None = None) -> str:
    """Return names in a row, best rank first, with the differences where those are finite."""
    names = []
    for k in sorted(places, key=lambda k: c.ranks[k]):
        pair = (pairs or {}).get(k)
        shown = f" (by {pair.value:.3f}, {pair.low:.3f} to {pair.high:.3f})" if pair and np.isfinite(pair.low) else ""
        names.append(f"{c.methods[k]}{shown}")
    return _joined(names)


def _joined(names: Sequence[str]) -> str:
    """Return names in a row."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _count(number: int, what: str) -> str:
    """Return a number of things."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def _said(metric: str) -> str:
    """Return a metric in words."""
    return metric.replace("_", " ")


def _p(p: float) -> str:
    """Return a p in words."""
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"
