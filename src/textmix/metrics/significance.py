"""Comparison of two methods on the same documents or trials: bootstrap intervals and paired tests.

Sources: B. Efron and R. J. Tibshirani, An Introduction to the Bootstrap, 1993; Q. McNemar, Psychometrika 12, 1947 (with
the exact binomial distribution: the sign test on the documents on which two methods disagree).  The EDCM paper (section
6) calls one kernel "significantly better using a t-test" without naming the variant; ours is paired, since both methods
see the same splits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit


class Interval(NamedTuple):
    """A mean and the ends of its confidence interval, in the unit of the values."""

    mean: float
    low: float
    high: float


def bootstrap_interval(
    values: np.ndarray, rng: np.random.Generator, level: float = 0.95, resamples: int = 2000
) -> Interval:
    """Return the mean over the documents with its percentile interval.

    `scipy.stats.bootstrap` rounds the two quantiles differently, which would change stored results in the last digit.

    Parameters
    ----------
    values : one value a document, float (N,); for two methods the differences of their values.
    rng : draws the resamples.
    level : confidence level, the share of the resamples whose mean lies inside the interval.
    resamples : number of resamples, each of N documents drawn with replacement.

    Raises
    ------
    ValueError : there is no document, or the values have more than one dimension.
    """
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 1 or not len(values):
        raise ValueError(f"values of at least one document (N,) are needed, not {values.shape}")
    means = np.array([values[rng.integers(len(values), size=len(values))].mean() for _ in range(resamples)])
    low, high = np.quantile(means, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    return Interval(float(values.mean()), float(low), float(high))


class Sample(NamedTuple):
    """A mean of n independent values with their sample standard deviation (ddof = 1), all that a paper prints of them.

    ``n`` of infinity is a number without error.
    """

    mean: float
    deviation: float
    n: float


class Difference(NamedTuple):
    """A difference of two means with its standard error, and the degrees of freedom of Student's t behind it."""

    value: float
    error: float
    freedom: float

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the ends of the confidence interval."""
        half = float(stdtrit(self.freedom, (1.0 + level) / 2.0)) * self.error
        return self.value - half, self.value + half


def welch(left: Sample, right: Sample) -> Difference:
    """Return the difference ``left - right`` of two independent means (B. L. Welch, Biometrika 34, 1947).

    The degrees of freedom are those of Welch and Satterthwaite; those of one sample where the other has no error.

    Raises
    ------
    ValueError : a sample has fewer than two values, or neither has an error.
    """
    if min(left.n, right.n) < 2:
        raise ValueError(f"two values a sample are needed, not {left.n} and {right.n}")
    parts = [sample.deviation**2 / sample.n for sample in (left, right)]
    if not sum(parts):
        raise ValueError("a difference of two means without spread has no interval")
    squares = (part**2 / (sample.n - 1) for part, sample in zip(parts, (left, right), strict=True))
    return Difference(left.mean - right.mean, math.sqrt(sum(parts)), sum(parts) ** 2 / sum(squares))


def sign_test(first: np.ndarray, second: np.ndarray) -> float:
    """Return the two-sided p-value of the exact McNemar test: the sign test on the documents where two methods differ.

    Parameters
    ----------
    first, second : bool (N,), whether each method is right on each document, or float (N,), any score of it: only the
        sign of ``first - second`` counts.

    Returns
    -------
    the p-value; 1 where the methods differ on no document.

    Raises
    ------
    ValueError : the lists differ in length or have more than one dimension.
    """
    first, second = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if first.shape != second.shape or first.ndim != 1:
        raise ValueError(f"two lists over the same documents (N,) are needed, not {first.shape} and {second.shape}")
    above, below = int(np.sum(first > second)), int(np.sum(first < second))
    from scipy import stats  # here, for it takes a second to import and most claims need no test

    return float(stats.binomtest(above, above + below).pvalue) if above + below else 1.0


def paired_t_test(left: Sequence[float], right: Sequence[float]) -> float:
    """Return the two-sided p-value of a paired t-test over J trials.

    Parameters
    ----------
    left, right : values on the same J trials, in the same order, float (J,).

    Returns
    -------
    the p-value; 1 for fewer than two trials and where all differences are 0; 0 where all differences have one other
    value.

    Raises
    ------
    ValueError : they differ in length.
    """
    if len(left) != len(right):
        raise ValueError(f"a paired t-test needs the same trials on both sides, not {len(left)} and {len(right)}")
    difference = np.subtract(left, right, dtype=np.float64)
    if len(difference) < 2 or not difference.any():
        return 1.0
    if difference.std() == 0:
        return 0.0  # SciPy gives the same, with a warning of lost precision.
    from scipy import stats  # here, for it takes a second to import and most claims need no test

    return float(stats.ttest_rel(left, right).pvalue)
