"""Scorecard of a reproduction: counts, what a perfect replication would score, and several replication criteria.

The criteria are those of the Reproducibility Projects: the direction of effects, the published value in our prediction
interval, our value in the published one, and no significant difference; in addition, equivalence within the margin,
which decides the verdicts.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy import special

from reproduction.flow.curves import Curve
from reproduction.flow.results import rounded
from reproduction.verdict.comparison_row import ComparisonRow
from reproduction.verdict.evidence_levels import known_rows, matches_any, results_of
from reproduction.verdict.published import NUMBER
from reproduction.verdict.report_rows import Item
from reproduction.verdict.wording import (
    CRITERION_DIRECTION,
    CRITERION_EQUIVALENT,
    CRITERION_NOT_DIFFERENT,
    CRITERION_OURS_IN_THEIRS,
    CRITERION_THEIRS_IN_OURS,
    DIFFERS,
    REPRODUCED,
    UNDECIDED,
    agreement_text,
    alternatives_text,
    certain_text,
    expected_text,
    false_differs_text,
    holm_text,
    number,
    own_methods_text,
    undecidable_text,
)
from reproduction.verdict.yardstick import Cell, Expectation, Means, Yardstick
from textmix.metrics.significance import LEVEL

#: Unit of a score -> factor to percentage points.
POINTS_OF_UNIT = {"percent": 1.0, "fraction": 100.0}
#: Minimum number of scores for a correlation.
MIN_SCORES_FOR_CORRELATION = 3


@dataclass(frozen=True)
class Counts:
    """Numbers of results of methods: all that were evaluated, and by verdict."""

    evaluated: int
    reproduced: int
    differs: int
    undecided: int

    @classmethod
    def of(cls, rows: Sequence[ComparisonRow]) -> Counts:
        """Count judged rows."""
        verdicts = Counter(row.verdict for row in rows)
        return cls(len(rows), verdicts[REPRODUCED], verdicts[DIFFERS], verdicts[UNDECIDED])


@dataclass(frozen=True)
class HolmCount:
    """Means over trials whose verdict ``reproduced`` survives Holm's correction of both tests over each table.

    Parameters
    ----------
    tests : int
        Number of means over trials.
    surviving : int
        Number of surviving means.
    expected_surviving : float
        Expected number in a perfect replication.
    """

    tests: int
    surviving: int
    expected_surviving: float


@dataclass(frozen=True)
class Criterion:
    """A criterion of replication: the number of cases that satisfy it, of all cases, and the expected number."""

    name: str
    count: int
    of: int
    expected: float


@dataclass(frozen=True)
class Headline:
    """Verdicts on results of methods, and how many of them a perfect replication would reproduce."""

    counts: Counts
    expected: Expectation

    @classmethod
    def of(cls, rows: Sequence[ComparisonRow], yardstick: Yardstick) -> Headline:
        """Count judged rows and compute the expected number."""
        return cls(Counts.of(rows), yardstick.expected(row.id for row in rows))

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self.counts), "expected": asdict(self.expected)}


@dataclass(frozen=True)
class Agreement:
    """Agreement of published and reproduced scores.

    Parameters
    ----------
    median_absolute_difference : float or None
        In percentage points; None without scores.
    correlation : float or None
        Pearson correlation; None for fewer than `MIN_SCORES_FOR_CORRELATION` scores.
    scores : int
        Number of scores.
    """

    median_absolute_difference: float | None
    correlation: float | None
    scores: int

    @classmethod
    def of(cls, rows: Iterable[ComparisonRow]) -> Agreement:
        """Compare the scores among judged rows."""
        pairs = _score_pairs(rows)
        differences = [abs(reproduced - published) for published, reproduced in pairs]
        median = statistics.median(differences) if differences else None
        return cls(median, _correlation(pairs), len(pairs))


@dataclass(frozen=True)
class OwnMethods:
    """Values of the papers' own methods: reproduced, all judged ones, and the expected number of reproduced ones."""

    reproduced: int
    of: int
    expected: float


@dataclass(frozen=True)
class Changed:
    """Results whose verdict changes under a registered alternative, of those with a specification curve."""

    changed: int
    of: int


@dataclass(frozen=True)
class Scorecard:
    """What a reproduction and a perfect replication score on the results of methods.

    Parameters
    ----------
    headline : Headline
        All results of methods.
    decidable : Headline
        Without the results that are not decidable from the published data.
    undecidable_rows : sequence of str
        Ids of these results.
    holm : HolmCount
        Means over trials that survive Holm's correction.
    criteria : sequence of Criterion
        Replication criteria side by side.
    agreement : Agreement
        Agreement of the scores.
    own_methods : OwnMethods
        Values of the papers' own methods.
    expected_false_differs : float
        Expected number of means with the verdict ``differs`` in a perfect replication.
    changed_by_alternatives : Changed
        Effect of the registered alternatives on the verdicts.
    """

    headline: Headline
    decidable: Headline
    undecidable_rows: Sequence[str]
    holm: HolmCount
    criteria: Sequence[Criterion]
    agreement: Agreement
    own_methods: OwnMethods
    expected_false_differs: float
    changed_by_alternatives: Changed

    @property
    def sentences(self) -> list[str]:
        """The scorecard in sentences, without empty ones; empty without results."""
        counts = self.headline.counts
        if not counts.evaluated:
            return []
        texts = self._expected_texts()
        values = self.own_methods
        texts.append(own_methods_text(values.reproduced, values.of, values.expected))
        holm = self.holm
        texts.append(holm_text(holm.surviving, holm.tests, holm.expected_surviving))
        texts.append(false_differs_text(self.expected_false_differs, counts.differs))
        alternatives = self.changed_by_alternatives
        texts.append(alternatives_text(alternatives.changed, alternatives.of))
        texts.append(self._agreement_text())
        return [text for text in texts if text]

    def _expected_texts(self) -> list[str]:
        counts = self.headline.counts
        expected = self.headline.expected
        texts = [expected_text(counts.reproduced, counts.evaluated, expected.mean, expected.p5, expected.p95)]
        if expected.rows_by_simulation:
            texts.append(certain_text(expected.rows_by_simulation, expected.rows_with_probability_one))
        decidable = self.decidable.counts
        mean = self.decidable.expected.mean
        texts.append(undecidable_text(expected.undecidable, decidable.reproduced, decidable.evaluated, mean))
        return texts

    def _agreement_text(self) -> str:
        agreement = self.agreement
        if agreement.median_absolute_difference is None:
            return ""
        return agreement_text(agreement.median_absolute_difference, agreement.correlation, agreement.scores)

    def as_json(self) -> dict[str, Any]:
        """Return the content of an entry of ``summary.json``."""
        content = self.headline.as_json()
        content["decidable"] = self.decidable.as_json()
        content["undecidable_rows"] = list(self.undecidable_rows)
        content["holm"] = asdict(self.holm)
        content["criteria"] = [asdict(criterion) for criterion in self.criteria]
        content |= asdict(self.agreement)
        content["own_methods"] = asdict(self.own_methods)
        content["expected_false_differs"] = self.expected_false_differs
        content["changed_by_alternatives"] = asdict(self.changed_by_alternatives)
        content["sentences"] = self.sentences
        return {key: _rounded_values(value) for key, value in content.items()}


def _rounded_values(value: Any) -> Any:
    """Round all floats of a JSON value."""
    if isinstance(value, dict):
        return {key: _rounded_values(element) for key, element in value.items()}
    if isinstance(value, list):
        return [_rounded_values(element) for element in value]
    return rounded(value) if isinstance(value, float) else value


def scorecard(
    items: Sequence[Item], own_patterns: Iterable[str], curves: Iterable[Curve], yardstick: Yardstick
) -> Scorecard:
    """Score the results of one or several papers.

    Parameters
    ----------
    items : sequence of Item
        The judged items, see `reproduction.verdict.evidence_levels.known_items`.
    own_patterns : iterable of str
        Patterns of row ids of the papers' own methods.
    curves : iterable of Curve
        Specification curves.
    yardstick : Yardstick
        Simulated perfect replications of the same papers.
    """
    rows = known_rows(results_of(items))
    row_ids = [row.id for row in rows]
    undecidable_rows = [row_id for row_id in row_ids if not yardstick.is_decidable(row_id)]
    decidable = [row for row in rows if row.id not in undecidable_rows]
    cells = [yardstick.cells[row_id] for row_id in row_ids if row_id in yardstick.cells]
    headline = Headline.of(rows, yardstick)
    decidable_headline = Headline.of(decidable, yardstick)
    holm = _holm_count(cells, yardstick)
    criteria = [_direction(rows, yardstick), *_cell_criteria(cells)]
    own_methods = _own_methods(rows, list(own_patterns), yardstick)
    return Scorecard(
        headline=headline,
        decidable=decidable_headline,
        undecidable_rows=undecidable_rows,
        holm=holm,
        criteria=criteria,
        agreement=Agreement.of(rows),
        own_methods=own_methods,
        expected_false_differs=yardstick.expected_false_differs(row_ids),
        changed_by_alternatives=_changed(rows, curves),
    )


def _own_methods(rows: Iterable[ComparisonRow], patterns: Sequence[str], yardstick: Yardstick) -> OwnMethods:
    numbers = [row for row in rows if row.kind == NUMBER]
    selected = [row for row in numbers if matches_any(row.id, patterns)]
    n_reproduced = sum(row.is_reproduced for row in selected)
    expectation = yardstick.expected(row.id for row in selected)
    return OwnMethods(n_reproduced, len(selected), expectation.mean)


def _changed(rows: Iterable[ComparisonRow], curves: Iterable[Curve]) -> Changed:
    ids = {row.id for row in rows}
    compared = [curve for curve in curves if curve.row in ids and len(curve.evaluated) > 1]
    n_changed = sum(map(changes_verdict, compared))
    return Changed(n_changed, len(compared))


def changes_verdict(curve: Curve) -> bool:
    """Check whether a registered alternative leaves the tolerance that the table's choice satisfies, or vice versa."""
    return len({point.inside for point in curve.evaluated}) > 1


def _holm_count(cells: Sequence[Cell], yardstick: Yardstick) -> HolmCount:
    n_surviving = sum(cell.row.corrected == REPRODUCED for cell in cells)
    survivors = yardstick.holm_survivors
    expected = sum(survivors[cell.row.id].mean() for cell in cells)
    return HolmCount(len(cells), n_surviving, float(expected))


def _score_pairs(rows: Iterable[ComparisonRow]) -> list[tuple[float, float]]:
    """Return published and reproduced scores in percent."""
    scores = []
    for row in rows:
        published = number(row.published)
        reproduced = number(row.reproduced)
        if row.kind == NUMBER and row.unit in POINTS_OF_UNIT and published is not None and reproduced is not None:
            points = POINTS_OF_UNIT[row.unit]
            scores.append((published * points, reproduced * points))
    return scores


def _correlation(scores: Sequence[tuple[float, float]]) -> float | None:
    if len(scores) < MIN_SCORES_FOR_CORRELATION:
        return None
    published, reproduced = zip(*scores, strict=True)
    if len(set(published)) == 1 or len(set(reproduced)) == 1:
        return None
    return statistics.correlation(published, reproduced)


def _direction(rows: Iterable[ComparisonRow], yardstick: Yardstick) -> Criterion:
    """Count the pairs of methods in the same column of a table that are in the published order."""
    count = 0
    n_pairs = 0
    expected = 0.0
    for first, second in _pairs_of_methods(rows):
        published = _published(first) - _published(second)
        if not published:
            continue
        n_pairs += 1
        count += published * (_reproduced(first) - _reproduced(second)) > 0
        expected += _probability_of_same_order(first, second, yardstick)
    return Criterion(CRITERION_DIRECTION, count, n_pairs, expected)


def _pairs_of_methods(rows: Iterable[ComparisonRow]) -> Iterator[tuple[ComparisonRow, ComparisonRow]]:
    """Yield the pairs of numbers of different methods with the same table, data set, metric and unit."""
    groups: dict[tuple[str, ...], list[ComparisonRow]] = {}
    for row in rows:
        if (
            row.kind == NUMBER
            and row.method
            and number(row.published) is not None
            and number(row.reproduced) is not None
        ):
            column = (row.paper, row.artefact, row.dataset, row.metric, row.unit)
            groups.setdefault(column, []).append(row)
    for group in groups.values():
        yield from itertools.combinations(group, 2)


def _published(row: ComparisonRow) -> float:
    return float(row.published)


def _reproduced(row: ComparisonRow) -> float:
    value = number(row.reproduced)
    assert value is not None  # noqa: S101 - ensured by `_pairs_of_methods`
    return value


def _probability_of_same_order(first: ComparisonRow, second: ComparisonRow, yardstick: Yardstick) -> float:
    """Estimate the probability that published and reproduced order agree if the true values are the published ones."""
    published: list[Any] = []
    reproduced: list[Any] = []
    for row in (first, second):
        cell = yardstick.cells.get(row.id)
        published.append(cell.simulated.published if cell else _published(row))
        reproduced.append(cell.simulated.reproduced if cell else _published(row))
    published_difference = published[0] - published[1]
    reproduced_difference = reproduced[0] - reproduced[1]
    is_same = published_difference * reproduced_difference > 0
    return float(np.mean(is_same))


def _cell_criteria(cells: Sequence[Cell]) -> list[Criterion]:
    """Evaluate the criteria for means over trials; a cell without the required standard deviation is excluded."""
    criteria = []
    for name, holds in _CELL_CRITERIA.items():
        observed = [holds(cell, cell.observed) for cell in cells]
        applicable = [(cell, outcome) for cell, outcome in zip(cells, observed, strict=True) if outcome is not None]
        expected = 0.0
        for cell, _ in applicable:
            simulated = holds(cell, cell.simulated)
            assert simulated is not None  # noqa: S101 - depends on the sizes of the samples only
            expected += float(simulated.mean())
        count = sum(bool(outcome[0]) for _, outcome in applicable)
        criteria.append(Criterion(name, count, len(applicable), expected))
    return criteria


def _published_in_our_interval(cell: Cell, means: Means) -> np.ndarray | None:
    """Check whether the published value is in the 95 % prediction interval of our trials."""
    return _in_prediction_interval(cell, means, means.variance, cell.ours.n)


def _ours_in_published_interval(cell: Cell, means: Means) -> np.ndarray | None:
    """Check whether our value is in the 95 % prediction interval of the published trials; None without their spread."""
    if means.published_variance is None:
        return None
    return _in_prediction_interval(cell, means, means.published_variance, cell.published.n)


def _in_prediction_interval(cell: Cell, means: Means, variance: np.ndarray, n_trials: float) -> np.ndarray:
    """Check whether the two means are within a 95 % prediction interval, from the variance of ``n_trials`` trials."""
    factor = math.sqrt(1.0 / cell.ours.n + 1.0 / cell.published.n)
    quantile = special.stdtrit(n_trials - 1, 1.0 - LEVEL / 2.0)
    half_width = quantile * np.sqrt(variance) * factor
    return np.abs(means.published - means.reproduced) <= half_width


def _not_different(cell: Cell, means: Means) -> np.ndarray | None:
    return cell.p_values(means)[0] >= LEVEL


def _equivalent(cell: Cell, means: Means) -> np.ndarray | None:
    return cell.p_values(means)[1] < LEVEL


_CELL_CRITERIA = {
    CRITERION_THEIRS_IN_OURS: _published_in_our_interval,
    CRITERION_OURS_IN_THEIRS: _ours_in_published_interval,
    CRITERION_NOT_DIFFERENT: _not_different,
    CRITERION_EQUIVALENT: _equivalent,
}
