"""Tables 1 to 3 of the ECIR 2016 paper: five linear learners with fixed penalties on 13 nested sets of skip-grams.

The authors tuned one penalty per learner by cross-validation on the unigrams of the training documents and used it for
all feature sets (section 3).  Every fit can therefore be warm-started from the model of the largest fitted subset.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy import stats

from reproduction.flow.measures import Measure, Repeated, Settings, Sources, Value, only
from reproduction.papers.skipgrams.feature_sets import Kind, TrainTest, column_ranges, each_split
from reproduction.papers.skipgrams.predictive import predictive_skipgrams
from textmix.core.progress import progress
from textmix.models.linear.margin_problem import MarginSolution
from textmix.models.linear.nested import NestedFits, merge_ranges
from textmix.models.linear.subspace import Subspace

#: Significance level of the paired t-test against n-grams with the same maximum n.
SIGNIFICANCE_LEVEL = 0.05

#: Accuracy and number of features with nonzero weight, by learner, maximum n and maximum slop.
Cells = dict[tuple[str, int, int], tuple[float, float]]


def accuracy_table(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Measure test accuracy and number of nonzero weights of every learner on every feature set.

    Data: two labels; skip-grams of the predefined split, or the word stream, from which the skip-grams of each split
    are extracted.
    Settings: ``kinds``, pairs of maximum n and maximum slop, each after its subsets; ``learners``, by name: ``loss``,
    ``l1_ratio``, and ``lambda`` (for the mean loss) or ``C`` (for the sum of losses); ``tol``, the relative duality gap
    for an l1_ratio of 0 (``l2``) and above (``l1``); ``skipgrams``, see `feature_sets.each_split`; ``predictive``, see
    `predictive.predictive_skipgrams`, with a ``learner``, for the predefined split.
    Result: ``<learner>_n5_s2`` is the accuracy and ``.._used`` the number of features with nonzero weight. For the
    first split, ``.._used_proportion`` is the proportion of features with nonzero weight, ``.._weight_slop0`` and
    ``.._weight_slop12`` are proportions of the sum of absolute weights, and ``.._all_n1_s0`` and ``.._used_n1_s0`` the
    proportions of an (n, slop) pair in all features and in the features with nonzero weight.
    ``<learner>_gain_n1_to_n2`` is the gain of bigrams over unigrams.  With several splits, ``.._better`` is 1 if the
    accuracy is significantly higher than with slop 0, and ``n_better`` is the number of such cases.  The tables are
    ``fits`` (one row per split and fit), ``proportions`` (by n and slop, for the first split) and, optionally,
    ``skipgrams``.
    """
    source = only(sources)
    cells: list[Cells] = []
    fits: list[dict[str, Any]] = []
    proportions: list[dict[str, Any]] = []
    tables: dict[str, Sequence[Mapping[str, Any]]] = {}
    predictive = settings.get("predictive", {})
    explained = predictive.get("learner"), tuple(settings["kinds"][-1])
    for number, data in enumerate(each_split(source, settings)):
        split_cells: Cells = {}
        for learner, largest, solution in _fit_all(data, settings):
            accuracy = data.accuracy_on(_ranges(data, largest), solution)
            used = int(np.count_nonzero(solution.w))
            split_cells[learner, *largest] = accuracy, float(used)
            fit = _fit_row(number, learner, largest, solution)
            fits.append(fit | {"accuracy": accuracy, "used": used})
            if number == 0:
                proportions += _proportions(data.kinds, learner, largest, solution.w)
            if number == 0 and (learner, largest) == explained:
                tables["skipgrams"] = predictive_skipgrams(source, data, solution, predictive)
        cells.append(split_cells)
    values = _values(cells, source.test_ratio) | _weight_values(proportions)
    for fit in fits:
        if fit["split"] == 0:
            key = f"{fit['learner']}_n{fit['n']}_s{fit['slop']}"
            values[f"{key}_used_proportion"] = fit["used"] / fit["features"]
    return Measure(values, {"fits": fits, "proportions": proportions, **tables})


def _ranges(data: TrainTest, largest: tuple[int, int]) -> tuple[tuple[int, int], ...]:
    """Return the merged column ranges of a feature set, given by its largest n and slop."""
    return merge_ranges(column_ranges(data.kinds, *largest))


def _fit_all(data: TrainTest, settings: Settings) -> Iterable[tuple[str, tuple[int, int], MarginSolution]]:
    """Yield learner, (n, slop) and model of every fit, ordered by feature set."""
    learners = {}
    for name, entry in settings["learners"].items():
        learners[name] = _nested_fits(entry, data.y, settings["tol"])
    report = progress("feature sets", len(settings["kinds"]))
    for done, (n, slop) in enumerate(settings["kinds"], start=1):
        ranges = _ranges(data, (n, slop))
        X = data.train.take(list(ranges))
        space = Subspace(X)
        for name, fits in learners.items():
            yield name, (n, slop), fits.fit(X, ranges, space)
        report(done, None)


def _nested_fits(entry: Settings, y: np.ndarray, tol: Settings) -> NestedFits:
    """Construct the nested fits of a learner from ``C`` (for the sum of losses) or ``lambda`` (for the mean loss)."""
    penalty = entry["lambda"] if "lambda" in entry else 1.0 / (entry["C"] * len(y))
    ratio = entry["l1_ratio"]
    gap = tol["l1"] if ratio > 0 else tol["l2"]
    return NestedFits(y, entry["loss"], ratio * penalty, (1 - ratio) * penalty, gap)


def _fit_row(number: int, learner: str, largest: tuple[int, int], solution: MarginSolution) -> dict[str, Any]:
    n, slop = largest
    row: dict[str, Any] = {"split": number, "learner": learner, "n": n, "slop": slop}
    row["features"] = len(solution.w)
    row["objective"] = solution.total_objective
    row["gap"] = solution.gap
    row["iterations"] = solution.n_iter
    return row


def _values(cells: Sequence[Cells], test_ratio: float) -> dict[str, Value]:
    """Summarise all fits; for several splits, compute means and paired t-tests."""
    values: dict[str, Value] = {}
    better: list[float] = []
    for learner, n, slop in cells[0]:
        key = f"{learner}_n{n}_s{slop}"
        accuracies = [split[learner, n, slop][0] for split in cells]
        used = [split[learner, n, slop][1] for split in cells]
        if len(cells) == 1:
            values[key] = accuracies[0]
            values[f"{key}_used"] = used[0]
            continue
        values[key] = Repeated(accuracies, test_ratio)
        values[f"{key}_used"] = Repeated(used, test_ratio)
        if slop > 0 and (learner, n, 0) in cells[0]:
            ngrams = [split[learner, n, 0][0] for split in cells]
            better.append(float(is_significantly_higher(accuracies, ngrams)))
            values[f"{key}_better"] = better[-1]
    if better:
        values["n_better"] = sum(better)
    for learner in dict.fromkeys(learner for learner, _, _ in cells[0]):
        unigrams = (learner, 1, 0)
        bigrams = (learner, 2, 0)
        if unigrams in cells[0] and bigrams in cells[0]:
            gains = [split[bigrams][0] - split[unigrams][0] for split in cells]
            gain = Repeated(gains, test_ratio) if len(gains) > 1 else gains[0]
            values[f"{learner}_gain_n1_to_n2"] = gain
    return values


def is_significantly_higher(values: Sequence[float], baseline: Sequence[float]) -> bool:
    """Test whether paired values have a significantly higher mean (two-sided paired t-test, as in the paper)."""
    difference = np.subtract(values, baseline)
    if np.ptp(difference) == 0:  # the test is undefined for zero variance
        return bool(difference[0] > 0)
    p_value = stats.ttest_rel(values, baseline).pvalue
    return bool(difference.mean() > 0 and p_value < SIGNIFICANCE_LEVEL)


def _proportions(kinds: Sequence[Kind], learner: str, largest: tuple[int, int], w: np.ndarray) -> list[dict[str, Any]]:
    """Compute the proportion of each (n, slop) pair in all features, in nonzero weights, and in the sum of |w|."""
    n_used = max(int(np.count_nonzero(w)), 1)
    total = max(float(np.abs(w).sum()), np.finfo(float).tiny)
    rows = []
    first = 0
    max_n, max_slop = largest
    for n, slop, low, high in kinds:
        if n > max_n or slop > max_slop:
            continue
        weights = w[first : first + high - low]
        first += len(weights)
        row: dict[str, Any] = {"learner": learner, "largest_n": max_n, "largest_slop": max_slop}
        row["n"] = n
        row["slop"] = slop
        row["all"] = len(weights) / len(w)
        row["used"] = int(np.count_nonzero(weights)) / n_used
        row["weight"] = float(np.abs(weights).sum()) / total
        rows.append(row)
    return rows


def _weight_values(proportions: Iterable[Mapping[str, Any]]) -> dict[str, Value]:
    """Summarise the proportions of every fit: weight with slop 0 and with slop 1 or 2, and features by n and slop."""
    values: dict[str, Value] = {}
    for row in proportions:
        key = f"{row['learner']}_n{row['largest_n']}_s{row['largest_slop']}"
        for slop_key in ("slop0", "slop12"):
            values.setdefault(f"{key}_weight_{slop_key}", 0.0)
        slop_key = "slop0" if row["slop"] == 0 else "slop12"
        values[f"{key}_weight_{slop_key}"] += row["weight"]
        for column in ("all", "used"):
            values[f"{key}_{column}_n{row['n']}_s{row['slop']}"] = row[column]
    return values
