"""The search of a comparison: representation and parameters, chosen by cross-validation inside a training part.

First the representations race at the middle of the grid, then all points of the grid race on the best two of them.
Each race is decided by the mean over all folds: the score on one fold of few documents is noisy, and an entrant that is
dropped never comes back.  With many documents, a part of them decides which half of the entrants is fitted on the
folds.  Where the best value of a parameter is an end of its ladder, the ladder gets one more value, as long as that
helps.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from textmix.core.errors import ConfigError
from textmix.core.progress import progress
from textmix.experiment.budget import check_pace
from textmix.experiment.folds import fold_numbers, halves_of
from textmix.experiment.ladders import MOST_STEPS, beyond
from textmix.experiment.methods import variants
from textmix.experiment.predictions import true_log_proba
from textmix.experiment.represented import Views, weighting_of
from textmix.experiment.scoring import Evaluation, metric_value
from textmix.metrics.table import METRICS, check_metrics, tuning_metrics

#: Number of the best representations that meet all points of the grid.
LEADING = 2
#: Folds of up to ``FEW`` training documents, and of more.
FOLDS, FEW = (5, 3), 3000
#: With this many training documents or more a race begins on a part of them: documents of the fit, and held out.
MANY, PART = 6000, (2000, 1000)

Choice = Mapping[str, str]
Point = Mapping[str, Any]
#: An entrant of a race: a representation and a point of the grid.
Entrant = tuple[Choice, Point]


def search(
    task: str,
    make: Callable[[Point], Any],
    plan: Mapping[str, Any],
    data: tuple[Views, np.ndarray],
    generator: np.random.Generator,
) -> tuple[str, dict[str, Any], float]:
    """Return name and content of the best point (``view`` and ``weighting``, then the parameters), and its mean metric.

    The mean is over the folds of the training documents, also where one point alone was in the race.

    Parameters
    ----------
    task : ``single`` or ``multi``.
    make : returns a new estimator with the parameters of a point of the grid.
    plan : ``choices`` (mappings of ``view`` and ``weighting``), ``grid`` (parameter -> values) and ``metric``;
        ``folds``, by default `FOLDS`; ``name`` of the search for its line of progress.
    data : training documents and their classes (N,) or label indicators (N, L).
    generator : draws the folds.

    Raises
    ------
    ConfigError : there are fewer training documents than folds, or tuning cannot use the metric.
    """
    n_folds = plan.get("folds", FOLDS[len(data[1]) > FEW])
    if len(data[1]) < n_folds:
        raise ConfigError(f"tune: folds: {len(data[1])} training documents make no {n_folds} folds; lower it")
    check_metrics([plan["metric"]], tuning_metrics(task), "tune: metric")
    choices, grid = list(plan["choices"]), {key: list(values) for key, values in plan["grid"].items()}
    scores = Scores(task, make, plan["metric"], data, parts_of(len(data[1]), n_folds, generator))
    middle = {key: values[len(values) // 2] for key, values in grid.items()}
    points = [point for _, point in variants({}, grid)]
    scores.expect([len(choices), min(LEADING, len(choices)) * len(points)], plan["name"])
    leading = scores.race([(choice, middle) for choice in choices])[:LEADING]
    entrants = [(choice, point) for choice, _ in leading for point in points]
    choice, point = scores.race(entrants)[0]
    for key, values in grid.items():
        scores.expect([2], f"{plan['name']}, beyond the grid of {key}")
        point = _extended(scores, choice, point, key, values)
    name, chosen = next(variants({}, {key: [value] for key, value in {**choice, **point}.items()}))
    return name, chosen, scores.mean(choice, point)


def parts_of(n: int, n_folds: int, generator: np.random.Generator) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return fitted and held-out documents of each fold; with `MANY` documents or more a smaller part comes first.

    Parameters
    ----------
    n : number of training documents.
    n_folds : number of folds.
    generator : draws the folds, and the part.
    """
    folds = list(halves_of(fold_numbers(n, n_folds, generator)))
    if n < MANY:
        return folds
    drawn = generator.permutation(n)
    return [(np.sort(drawn[: PART[0]]), np.sort(drawn[PART[0] : sum(PART)])), *folds]


def _extended(scores: Scores, choice: Choice, point: Point, key: str, values: Sequence[Any]) -> Point:
    """Return a point after a walk beyond the end of the ladder of one parameter, as long as each step is better."""
    for _ in range(MOST_STEPS):
        step = beyond(values, point[key])
        if step is None:
            break
        further = {**point, key: step}
        if scores.race([(choice, point), (choice, further)])[0] == (choice, point):
            break
        values, point = [*values, step], further
    return point


class Scores:
    """The values of the metric, larger is better, of each entrant (choice and point) on each part, computed once.

    Parameters
    ----------
    task, make, metric, data : see `search`.
    parts : documents of the fit and held out, of `parts_of`.
    weighted : weighted documents by choice and part, which the scores of several methods share and whose owner bounds
        them; None keeps those of the last choice.
    """

    def __init__(
        self,
        task: str,
        make: Callable[[Point], Any],
        metric: str,
        data: tuple[Views, np.ndarray],
        parts: Sequence[tuple[np.ndarray, np.ndarray]],
        *,
        weighted: dict[tuple[str, int], tuple[Any, Any]] | None = None,
    ) -> None:
        self.task, self.make, self.metric, self.data, self.parts = task, make, metric, data, parts
        self.first = len(data[1]) >= MANY
        self.sign = -1.0 if METRICS[metric].loss else 1.0
        self.computed: dict[tuple[str, int], float] = {}
        self.weighted, self.shared = {} if weighted is None else weighted, weighted is not None
        self.warm: dict[tuple[str, int], Any] = {}
        self.total, self.report = 0, progress("search")

    def expect(self, races: Sequence[int], name: str) -> None:
        """Set up the line of progress for races of some numbers of entrants; in a race of one nothing is fitted."""
        folds = len(self.parts) - self.first
        fits = sum(number * self.first + folds * self._entrants_left(number) for number in races if number > 1)
        self.total = len(self.computed) + fits
        self.report = progress(name, self.total)

    def _entrants_left(self, number: int) -> int:
        """Return how many of ``number`` entrants go on after the first part: half of them, at least two."""
        return max(LEADING, -(-number // 2)) if self.first else number

    def race(self, entrants: Sequence[Entrant]) -> list[Entrant]:
        """Return the entrants that were fitted on all folds, the best first."""
        if len(entrants) == 1:
            return list(entrants)
        entered = list(entrants)
        if self.first and len(entered) > LEADING:
            entered = self._ordered(entered, [0])[: self._entrants_left(len(entered))]
        return self._ordered(entered, self._folds())

    def mean(self, choice: Choice, point: Point) -> float:
        """Return the mean of the metric of one entrant over the folds; a fold without a value is fitted now."""
        self.total = len(self.computed) + len(self.parts)
        return float(self.sign * np.mean([self.value(choice, point, part) for part in self._folds()]))

    def _folds(self) -> range:
        """Return the numbers of the parts that are folds, without the smaller part that comes first."""
        return range(self.first, len(self.parts))

    def _ordered(self, entrants: Sequence[Entrant], parts: Sequence[int]) -> list[Entrant]:
        """Return entrants by their mean over some parts, the best first; ties keep their order."""
        values = np.empty((len(entrants), len(parts)))
        by_choice = sorted(range(len(entrants)), key=lambda i: _name(entrants[i][0]))
        for _, rows in itertools.groupby(by_choice, key=lambda i: _name(entrants[i][0])):
            # All points of one choice in turn: they share the weighted documents, and the last solution as a start.
            for column, row in itertools.product(range(len(parts)), list(rows)):
                values[row, column] = self.value(*entrants[row], parts[column])
        # nan, of a metric that takes probabilities which the method does not give, is the worst.
        means = np.nan_to_num(values.mean(axis=1), nan=-np.inf)
        return [entrants[i] for i in np.argsort(-means, kind="stable")]

    def value(self, choice: Choice, point: Point, part: int) -> float:
        """Return the value of the metric of one entrant on one part."""
        key = (repr((sorted(choice.items()), sorted(point.items()))), part)
        if key not in self.computed:
            self.computed[key] = self.sign * self._held_out(choice, point, part)
            self.report(len(self.computed), None)
            check_pace(len(self.computed), self.total)
        return self.computed[key]

    def _held_out(self, choice: Choice, point: Point, part: int) -> float:
        """Fit an estimator to the documents of the fit of a part and return the metric on those held out."""
        fit, held = (self.data[1][rows] for rows in self.parts[part])
        train, test = self._weighted(choice, part)
        estimator = self._estimator(choice, point, part)
        estimator.fit(train, fit)
        evaluation = Evaluation(held, estimator.predict(test), true_log_proba(self.task, estimator, test, held))
        return metric_value(self.metric, evaluation)

    def _estimator(self, choice: Choice, point: Point, part: int) -> Any:
        """Return an estimator at a point; with ``warm_start`` the estimator of the last point goes on."""
        key = (_name(choice), part)
        if key not in self.warm:
            estimator = self._uncalibrated(self.make(point))
            if "warm_start" not in estimator.get_params():
                return estimator
            self.warm = {other: warm for other, warm in self.warm.items() if other[0] == key[0]}
            self.warm[key] = estimator.set_params(warm_start=True)
        return self.warm[key].set_params(**point)

    def _uncalibrated(self, estimator: Any) -> Any:
        """Return an estimator without calibration, which costs fits, where the metric takes no probabilities."""
        spare = METRICS[self.metric].takes == "decisions" and "calibrate" in estimator.get_params()
        return estimator.set_params(calibrate=False) if spare else estimator

    def _weighted(self, choice: Choice, part: int) -> tuple[Any, Any]:
        """Return the weighted fitted and held-out documents of a part; those of the last choice are kept."""
        key = (_name(choice), part)
        if key not in self.weighted:
            if not self.shared:
                self.weighted = {other: pair for other, pair in self.weighted.items() if other[0] == key[0]}
            counts, least = self.data[0].counts[choice["view"]], self.data[0].least[choice["view"]]
            weighting = weighting_of(choice, least)
            fit, held = self.parts[part]
            train = weighting.fit_transform(counts[fit])
            self.weighted[key] = train, weighting.transform(counts[held])
        return self.weighted[key]


def _name(choice: Choice) -> str:
    """Return a choice as text."""
    return repr(sorted(choice.items()))
