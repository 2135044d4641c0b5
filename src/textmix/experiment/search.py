"""The search of a comparison: representation and parameters, chosen by cross-validation inside a training part.

First the representations race at the middle of the grid, then the points of the grid race on the best representation.
In a race all entrants are fitted on the first fold, and after each fold the better half goes on (successive halving).
Where the best value of a parameter is an end of its ladder, the ladder gets one more value, as long as that helps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from textmix.core.errors import ConfigError
from textmix.core.runtime import progress
from textmix.experiment.predictions import true_log_proba
from textmix.experiment.represented import Views, weighting_of
from textmix.experiment.scoring import Evaluation, metric_value
from textmix.experiment.tuning import folds_of
from textmix.metrics.table import METRICS, check_metrics, tuning_metrics
from textmix.plan.methods import variants

#: Most values that a ladder gets beyond one of its ends.
MOST_STEPS = 4
#: Least ratio of two neighbouring values of a ladder that may be made longer.
LEAST_RATIO = 2.0

Choice = Mapping[str, str]
Point = Mapping[str, Any]


def search(
    task: str,
    make: Callable[[Point], Any],
    plan: Mapping[str, Any],
    data: tuple[Views, np.ndarray],
    generator: np.random.Generator,
) -> tuple[str, dict[str, Any]]:
    """Return name and content of the best point: ``view`` and ``weighting``, then the parameters.

    Parameters
    ----------
    task : ``single`` or ``multi``.
    make : returns a new estimator with the parameters of a point of the grid.
    plan : ``choices`` (mappings of ``view`` and ``weighting``), ``grid`` (parameter -> values), ``folds`` and
        ``metric``; ``name`` of the search for its line of progress.
    data : training documents and their classes (N,) or label indicators (N, L).
    generator : draws the folds.

    Raises
    ------
    ConfigError : there are fewer training documents than folds, or tuning cannot use the metric.
    """
    if len(data[1]) < plan["folds"]:
        raise ConfigError(f"tune: folds: {len(data[1])} training documents make no {plan['folds']} folds; lower it")
    check_metrics([plan["metric"]], tuning_metrics(task), "tune: metric")
    choices, grid = list(plan["choices"]), {key: list(values) for key, values in plan["grid"].items()}
    scores = _Scores(task, make, plan["metric"], data, folds_of(len(data[1]), plan["folds"], generator))
    middle = {key: values[len(values) // 2] for key, values in grid.items()}
    points = [point for _, point in variants({}, grid)]
    scores.expect([len(choices), len(points)], plan["name"])
    choice = choices[scores.race([(choice, middle) for choice in choices])]
    point: Point = points[scores.race([(choice, point) for point in points])]
    for key, values in grid.items():
        scores.expect([2], f"{plan['name']}, beyond the grid of {key}")
        point = _extended(scores, choice, point, key, values)
    found = {**choice, **point}
    return next(variants({}, {key: [value] for key, value in found.items()}))


def _extended(scores: _Scores, choice: Choice, point: Point, key: str, values: Sequence[Any]) -> Point:
    """Return a point after a walk beyond the end of the ladder of one parameter, as long as each step is better."""
    for _ in range(MOST_STEPS):
        step = beyond(values, point[key])
        if step is None:
            break
        further = {**point, key: step}
        if scores.race([(choice, point), (choice, further)]) == 0:
            break
        values, point = [*values, step], further
    return point


def beyond(values: Sequence[Any], best: Any) -> Any | None:
    """Return the next value of a ladder beyond the end that is best; None where best is no end or there is no ladder.

    A ladder is two or more positive numbers of one ratio, at least `LEAST_RATIO`.  A ladder of whole numbers ends at 1.
    """
    if len(values) < 2 or not all(isinstance(value, (int, float)) and value > 0 for value in values):
        return None
    ladder = np.sort(np.asarray(values, dtype=float))
    ratio = ladder[1] / ladder[0]
    if ratio < LEAST_RATIO or not np.allclose(ladder[1:] / ladder[:-1], ratio, rtol=1e-6):
        return None
    if best not in (ladder[0], ladder[-1]):
        return None
    step = float(best * ratio if best == ladder[-1] else best / ratio)
    if not all(isinstance(value, int) for value in values):
        return float(f"{step:.12g}")
    return int(step) if step >= 1 and step.is_integer() else None


class _Scores:
    """The values of the metric, larger is better, of each entrant (choice and point) on each fold, computed once.

    Parameters
    ----------
    task, make, metric, data : see `search`.
    folds : rows of each fold.
    """

    def __init__(
        self,
        task: str,
        make: Callable[[Point], Any],
        metric: str,
        data: tuple[Views, np.ndarray],
        folds: Sequence[np.ndarray],
    ) -> None:
        self.task, self.make, self.metric, self.data, self.folds = task, make, metric, data, folds
        self.sign = -1.0 if METRICS[metric].loss else 1.0
        self.known: dict[tuple[str, int], float] = {}
        self.weighted: dict[tuple[str, int], tuple[Any, Any]] = {}

    def expect(self, races: Sequence[int], name: str) -> None:
        """Set up the line of progress for races of some numbers of entrants; in a race of one nothing is fitted."""
        fits, left = 0, [number for number in races if number > 1]
        for _ in self.folds:
            fits += sum(left)
            left = [max(2, -(-number // 2)) for number in left]
        self.report = progress(name, len(self.known) + fits)

    def race(self, entrants: Sequence[tuple[Choice, Point]]) -> int:
        """Return the index of the best entrant; after each fold the better half of the entrants goes on."""
        left = list(range(len(entrants)))
        if len(left) == 1:
            return 0
        for fold in range(len(self.folds)):
            means = {i: np.mean([self.value(*entrants[i], seen) for seen in range(fold + 1)]) for i in left}
            # nan, of a metric that takes probabilities which the method does not give, is the worst.
            order = sorted(left, key=lambda i: (-np.nan_to_num(means[i], nan=-np.inf), i))
            left = order[: max(2, -(-len(order) // 2))]
        return left[0]

    def value(self, choice: Choice, point: Point, fold: int) -> float:
        """Return the value of the metric of one entrant on one fold."""
        key = (repr((sorted(choice.items()), sorted(point.items()))), fold)
        if key not in self.known:
            self.known[key] = self.sign * self._held_out(choice, point, fold)
            self.report(len(self.known), None)
        return self.known[key]

    def _held_out(self, choice: Choice, point: Point, fold: int) -> float:
        """Fit an estimator to all rows outside a fold and return the value of the metric on the rows of the fold."""
        _, y = self.data
        held, rest = self.folds[fold], self._rest(fold)
        train, test = self._weighted(choice, fold)
        estimator = self.make(point)
        estimator.fit(train, y[rest])
        evaluation = Evaluation(y[held], estimator.predict(test), true_log_proba(self.task, estimator, test, y[held]))
        return metric_value(self.metric, evaluation)

    def _rest(self, fold: int) -> np.ndarray:
        """Return the rows outside a fold."""
        return np.setdiff1d(np.arange(len(self.data[1])), self.folds[fold], assume_unique=True)

    def _weighted(self, choice: Choice, fold: int) -> tuple[Any, Any]:
        """Return the weighted documents outside and in a fold; those of the last choice are kept, a pair a fold."""
        name = repr(sorted(choice.items()))
        if (name, fold) not in self.weighted:
            self.weighted = {key: pair for key, pair in self.weighted.items() if key[0] == name}
            counts, least = self.data[0].counts[choice["view"]], self.data[0].least[choice["view"]]
            weighting = weighting_of(choice, least)
            train = weighting.fit_transform(counts[self._rest(fold)])
            self.weighted[name, fold] = train, weighting.transform(counts[self.folds[fold]])
        return self.weighted[name, fold]
