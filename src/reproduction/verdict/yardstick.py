"""Expected verdicts of a perfect replication, for which published and true values are equal.

A mean over trials is simulated: both means are drawn around the published value with the pooled standard deviation and
the actual numbers of trials, and judged by the tests and the margin of the row.  A published single run of a stochastic
method is one more trial with the standard deviation of our trials, as in `reproduction.verdict.evidence`.  All other
rows have probability 1: their values do not vary over trials, or their variation is not published.  The observed
difference is never used.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from scipy import special

from reproduction.verdict.comparison_row import ComparisonRow
from reproduction.verdict.evidence import Evidence, margin_of
from reproduction.verdict.published import Published
from reproduction.verdict.report_rows import Item
from reproduction.verdict.resolve import Reproduced
from textmix.metrics.significance import LEVEL, Sample

#: Number of simulated replications; the standard error of a probability is at most 0.005.
N_REPLICATES = 10_000
#: A row is not decidable from the published data if a perfect replication would reproduce it less often than this.
MIN_DECIDABLE_PROBABILITY = 0.5


class Means(NamedTuple):
    """Means and sample variances of both sides in each replicate, arrays of shape (N_REPLICATES,).

    ``published_variance`` is None if the published standard deviation is unknown or the published value has no error.
    """

    reproduced: np.ndarray
    variance: np.ndarray
    published: np.ndarray
    published_variance: np.ndarray | None


@dataclass(frozen=True)
class Cell:
    """A published mean over trials, and the sizes and standard deviations of both samples.

    Parameters
    ----------
    row : ComparisonRow
        The judged row.
    printed : Published
        The published row, which defines the margin.
    ours, published : Sample
        Both samples, see `reproduction.verdict.evidence.Evidence.samples`.
    """

    row: ComparisonRow
    printed: Published
    ours: Sample
    published: Sample

    @classmethod
    def of(cls, row: ComparisonRow, printed: Published) -> Self | None:
        """Create the cell of a judged row; None if the row is not judged by tests over trials."""
        if not row.is_judged or isinstance(row.reproduced, str) or row.reproduced is None:
            return None
        evidence = Evidence(printed, Reproduced(row.reproduced, row.reproduced_sd, row.trials))
        if evidence.samples is None or printed.tolerance != "near":
            return None
        return cls(row, printed, *evidence.samples)

    @property
    def deviation(self) -> float:
        """Pooled standard deviation of both samples; that of our trials if none is published."""
        assert self.ours.deviation is not None  # noqa: S101 - ensured by `Evidence.samples`
        if not self.published.deviation or math.isinf(self.published.n):
            return self.ours.deviation
        freedom = self.ours.n - 1
        published_freedom = self.published.n - 1
        squares = freedom * self.ours.deviation**2 + published_freedom * self.published.deviation**2
        return math.sqrt(squares / (freedom + published_freedom))

    @cached_property
    def observed(self) -> Means:
        """The actual means, as arrays with one replicate."""
        assert self.ours.deviation is not None  # noqa: S101 - ensured by `Evidence.samples`
        reproduced = np.array([self.ours.mean])
        variance = np.array([self.ours.deviation**2])
        published = np.array([self.published.mean])
        spread = self.published.deviation
        if not spread or math.isinf(self.published.n):
            return Means(reproduced, variance, published, None)
        return Means(reproduced, variance, published, np.array([spread**2]))

    @cached_property
    def simulated(self) -> Means:
        """Means of perfect replications; the random numbers depend only on the id of the row."""
        rng = np.random.default_rng(zlib.crc32(self.row.id.encode()))
        reproduced, variance = _draw_sample(rng, self.published.mean, self.deviation, self.ours.n)
        if math.isinf(self.published.n):
            return Means(reproduced, variance, np.full(N_REPLICATES, self.published.mean), None)
        published, published_variance = _draw_sample(rng, self.published.mean, self.deviation, self.published.n)
        return Means(reproduced, variance, published, published_variance if self.published.deviation else None)

    def error(self, means: Means) -> tuple[np.ndarray, np.ndarray]:
        """Compute the standard errors of the differences and their degrees of freedom, as in `mean_difference`."""
        n_trials = self.ours.n
        if means.published_variance is None:
            errors = np.sqrt(means.variance * (1.0 / n_trials + 1.0 / self.published.n))
            return errors, np.full(len(errors), n_trials - 1.0)
        ours = means.variance / n_trials
        published = means.published_variance / self.published.n
        freedoms = (ours + published) ** 2 / (ours**2 / (n_trials - 1) + published**2 / (self.published.n - 1))
        return np.sqrt(ours + published), freedoms

    def p_values(self, means: Means) -> tuple[np.ndarray, np.ndarray]:
        """Compute the p-values of Welch's test and of the two one-sided tests for the margin."""
        errors, freedoms = self.error(means)
        distances = np.abs(means.reproduced - means.published)
        difference_p = 2.0 * special.stdtr(freedoms, -distances / errors)
        margins = margin_of(self.printed, means.published)  # type: ignore[arg-type]  # elementwise
        return difference_p, special.stdtr(freedoms, (distances - margins) / errors)

    @cached_property
    def simulated_p_values(self) -> tuple[np.ndarray, np.ndarray]:
        return self.p_values(self.simulated)

    @property
    def is_reproduced(self) -> np.ndarray:
        """Whether each perfect replication has the verdict ``reproduced``."""
        return self.simulated_p_values[1] < LEVEL

    @property
    def is_different(self) -> np.ndarray:
        """Whether each perfect replication has the verdict ``differs``."""
        difference_p, margin_p = self.simulated_p_values
        return (difference_p < LEVEL) & (margin_p >= LEVEL)

    @cached_property
    def probability(self) -> float:
        """Probability of the verdict ``reproduced`` in a perfect replication."""
        return float(self.is_reproduced.mean())


def _draw_sample(rng: np.random.Generator, mean: float, deviation: float, n: float) -> tuple[np.ndarray, np.ndarray]:
    """Draw means and variances of samples of n values; the variances of single values are 0."""
    means = rng.normal(mean, deviation / math.sqrt(n), N_REPLICATES)
    if n < 2:
        return means, np.zeros(N_REPLICATES)
    return means, deviation**2 * rng.chisquare(n - 1, N_REPLICATES) / (n - 1)


@dataclass(frozen=True)
class Expectation:
    """Expected number of reproduced rows in a perfect replication.

    Parameters
    ----------
    mean, p5, p95 : float
        Mean number, and the quantiles 0.05 and 0.95 of its distribution.
    rows_by_simulation, rows_with_probability_one : int
        Numbers of rows whose verdict was simulated, and of all others.
    undecidable : int
        Number of rows with a probability below `MIN_DECIDABLE_PROBABILITY`.
    """

    mean: float
    p5: float
    p95: float
    rows_by_simulation: int
    rows_with_probability_one: int
    undecidable: int


def expected_reproduced(outcomes: Iterable[np.ndarray], n_certain: int) -> Expectation:
    """Sum simulated outcomes.

    Parameters
    ----------
    outcomes : iterable of ndarray of shape (N_REPLICATES,)
        Whether each perfect replication reproduces a row, for each simulated row.
    n_certain : int
        Number of rows with probability 1.
    """
    simulated = list(outcomes)
    totals = np.full(N_REPLICATES, float(n_certain))
    for outcome in simulated:
        totals += outcome
    low, high = np.quantile(totals, [0.05, 0.95])
    return Expectation(
        mean=float(totals.mean()),
        p5=float(low),
        p95=float(high),
        rows_by_simulation=len(simulated),
        rows_with_probability_one=n_certain,
        undecidable=sum(float(outcome.mean()) < MIN_DECIDABLE_PROBABILITY for outcome in simulated),
    )


def survives_holm(cells: Sequence[Cell]) -> dict[str, np.ndarray]:
    """Return id -> whether ``reproduced`` survives Holm's correction over its table, in each perfect replication."""
    survivors = {}
    for artefact in dict.fromkeys(cell.row.artefact for cell in cells):
        table = [cell for cell in cells if cell.row.artefact == artefact]
        adjusted = holm_columns(np.array([cell.simulated_p_values[1] for cell in table]))
        survivors.update({cell.row.id: row < LEVEL for cell, row in zip(table, adjusted, strict=True)})
    return survivors


def holm_columns(p: np.ndarray) -> np.ndarray:
    """Adjust each column of an array of shape (M, R) as `textmix.metrics.significance.holm` does."""
    order = np.argsort(p, axis=0, kind="stable")
    factors = np.arange(len(p), 0, -1)[:, None]
    stepped = np.maximum.accumulate(np.take_along_axis(p, order, axis=0) * factors, axis=0)
    adjusted = np.empty_like(p)
    np.put_along_axis(adjusted, order, np.minimum(stepped, 1.0), axis=0)
    return adjusted


@dataclass(frozen=True)
class Yardstick:
    """Simulated perfect replications of the rows of one or several papers.

    Parameters
    ----------
    cells : mapping of str to Cell
        Row id -> mean over trials, for all judged means, including rows that are not counted.
    claims : mapping of str to ndarray
        Row id -> whether each perfect replication reproduces a claim over cells.
    """

    cells: Mapping[str, Cell] = field(default_factory=dict)
    claims: Mapping[str, np.ndarray] = field(default_factory=dict)

    @classmethod
    def of(cls, items: Iterable[Item]) -> Self:
        """Simulate the means over trials among the judged items, of this run or the recorded one."""
        cells = {}
        for item in items:
            cell = Cell.of(item.known, item.printed) if item.known and item.printed else None
            if cell is not None:
                cells[item.row.id] = cell
        return cls(cells)

    @classmethod
    def merge(cls, yardsticks: Iterable[Yardstick]) -> Self:
        """Combine the yardsticks of several papers."""
        cells: dict[str, Cell] = {}
        claims: dict[str, np.ndarray] = {}
        for yardstick in yardsticks:
            cells.update(yardstick.cells)
            claims.update(yardstick.claims)
        return cls(cells, claims)

    @cached_property
    def outcomes(self) -> dict[str, np.ndarray]:
        """Row id -> whether each perfect replication reproduces the row, for the simulated rows."""
        return {**{row: cell.is_reproduced for row, cell in self.cells.items()}, **self.claims}

    def probability(self, row: str) -> float:
        """Return the probability that a perfect replication reproduces a row."""
        return float(self.outcomes[row].mean()) if row in self.outcomes else 1.0

    def is_decidable(self, row: str) -> bool:
        """Check whether the published data allow a perfect replication to be recognised."""
        return self.probability(row) >= MIN_DECIDABLE_PROBABILITY

    def expected(self, rows: Iterable[str]) -> Expectation:
        """Compute the expected number of reproduced rows among judged rows."""
        row_ids = list(rows)
        simulated = [self.outcomes[row] for row in row_ids if row in self.outcomes]
        return expected_reproduced(simulated, len(row_ids) - len(simulated))

    def expected_false_differs(self, rows: Iterable[str]) -> float:
        """Compute the expected number of means with the verdict ``differs`` in a perfect replication."""
        return sum(float(self.cells[row].is_different.mean()) for row in rows if row in self.cells)

    @cached_property
    def holm_survivors(self) -> dict[str, np.ndarray]:
        """Row id -> whether ``reproduced`` survives Holm's correction over its table, in each perfect replication."""
        return survives_holm(list(self.cells.values()))
