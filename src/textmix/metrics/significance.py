"""Comparison of two methods, or of a published and a rebuilt value: intervals and tests.

Sources: B. Efron and R. J. Tibshirani, An Introduction to the Bootstrap, 1993; Q. McNemar, Psychometrika 12, 1947 (with
the exact binomial distribution: the sign test on the documents on which two methods disagree); B. L. Welch, Biometrika
34, 1947; C. Nadeau and Y. Bengio, Machine Learning 52, 2003 (trials on one data set, whose training parts overlap); S.
Holm, Scandinavian Journal of Statistics 6, 1979.  The distribution of t comes from `scipy.special`, since `scipy.stats`
takes a second to import.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import special

#: The level of significance of all tests of this project, and 1 less the confidence of all intervals.
LEVEL = 0.05


class Interval(NamedTuple):
    """A mean and the ends of its confidence interval, in the unit of the values."""

    mean: float
    low: float
    high: float


def bootstrap_interval(
    values: np.ndarray, rng: np.random.Generator, level: float = 1.0 - LEVEL, resamples: int = 2000
) -> Interval:
    """Return the mean of N documents' values, or of the differences of two methods, with its percentile interval.

    `scipy.stats.bootstrap` rounds the two quantiles differently, which would change stored results in the last digit.
    """
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 1 or not len(values):
        raise ValueError(f"values of at least one document (N,) are needed, not {values.shape}")
    means = np.array([values[rng.integers(len(values), size=len(values))].mean() for _ in range(resamples)])
    low, high = np.quantile(means, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    return Interval(float(values.mean()), float(low), float(high))


def wilson(share: float, n: float) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share that was seen in ``n`` independent trials (E. B. Wilson, JASA 1927)."""
    z = 1.959964
    middle, half = share + z * z / (2 * n), z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return tuple((middle + sign * half) / (1 + z * z / n) for sign in (-1, 1))  # type: ignore[return-value]


class Sample(NamedTuple):
    """A mean of n independent values with their sample standard deviation (ddof = 1), all that a paper prints of them.

    ``n`` of infinity is a number without error.  A deviation of None is not known, and taken to be that of the sample
    that it is compared with; then ``n`` may be 1, one further draw.
    """

    mean: float
    deviation: float | None
    n: float


class Estimate(NamedTuple):
    """A difference of two methods in the unit of the scores, its confidence interval and its two-sided p-value.

    The ends of the interval are infinite where the data are too few for its level.
    """

    value: float
    low: float
    high: float
    p: float


def standard_error(left: Sample, right: Sample) -> tuple[float, float]:
    """Return the standard error of the difference of two means, and its degrees of freedom; see `mean_difference`."""
    return _welch(left, right)[1:]


def mean_difference(left: Sample, right: Sample, level: float = 1.0 - LEVEL) -> Estimate:
    """Return the difference ``left - right`` of two independent means (B. L. Welch, Biometrika 34, 1947).

    The degrees of freedom are those of Welch and Satterthwaite; those of one sample where the other has no error, or no
    deviation of its own.  Means over random splits of the same documents are independent, given these documents, even
    if the splits overlap.
    """
    value, error, freedom = _welch(left, right)
    reach = _quantile((1.0 + level) / 2.0, freedom) * error
    return Estimate(value, value - reach, value + reach, _two_sided(value / error, freedom))


def from_error(
    value: float, error: float, freedom: float, margin: float, level: float = 1.0 - LEVEL
) -> tuple[Estimate, float]:
    """Return a difference with a known standard error as an estimate, and the p-value of `equivalence` for a margin."""
    reach = _quantile((1.0 + level) / 2.0, freedom) * error
    estimate = Estimate(value, value - reach, value + reach, _two_sided(value / error, freedom))
    return estimate, float(special.stdtr(freedom, (abs(value) - margin) / error))


def equivalence(left: Sample, right: Sample, margin: float) -> float:
    """Return the p-value of the two one-sided tests that two independent means differ by less than a margin >= 0.

    It is the larger one of both tests (D. J. Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15, 1987); it
    is below p where the interval of `mean_difference` of level 1 - 2 p lies within the margin.
    """
    value, error, freedom = _welch(left, right)
    return float(special.stdtr(freedom, (abs(value) - margin) / error))


def _welch(left: Sample, right: Sample) -> tuple[float, float, float]:
    """Return the difference of two means, its standard error and the degrees of freedom of its test."""
    if min(left.n, right.n if right.deviation is not None else 2) < 2:
        raise ValueError(f"two values a sample are needed, not {left.n} and {right.n}")
    if right.deviation is None:
        if not left.deviation:
            raise ValueError("a difference of two means without spread has no interval")
        return left.mean - right.mean, left.deviation * math.sqrt(1.0 / left.n + 1.0 / right.n), left.n - 1
    parts = [(sample.deviation or 0.0) ** 2 / sample.n for sample in (left, right)]
    if not sum(parts):
        raise ValueError("a difference of two means without spread has no interval")
    freedom = sum(parts) ** 2 / sum(part**2 / (s.n - 1) for part, s in zip(parts, (left, right), strict=True))
    return left.mean - right.mean, math.sqrt(sum(parts)), freedom


def _quantile(share: float, freedom: float) -> float:
    """Return the quantile of Student's t."""
    return float(special.stdtrit(freedom, share))


def _two_sided(t: float, freedom: float) -> float:
    """Return the two-sided p-value of a value of Student's t."""
    return 2.0 * float(special.stdtr(freedom, -abs(t)))


def resampled_difference(
    left: Sequence[float] | np.ndarray,
    right: Sequence[float] | np.ndarray,
    test_ratio: float,
    level: float = 1.0 - LEVEL,
) -> Estimate:
    r"""Return the mean of ``left - right``, float (J,), over J trials of one data set, by the resampled t-test.

    The corrected test takes s^2 (1 / J + rho / (1 - rho)) as the variance of this mean, with s the sample standard
    deviation of the differences, and rho the share of all documents that a test part has, which is how far two random
    test parts overlap.  ``test_ratio`` is rho / (1 - rho) = n_test / (n - n_test); 0 gives the plain paired t-test,
    which rejects too often as random splits overlap.  Source: Nadeau and Bengio (2003).

    With one trial the interval is infinite and the p-value 1.  Where all differences are 0 the interval is the point 0
    and the p-value 1.  Where all differences have one other value, the p-value is that of the sign test; the interval
    is that value alone if the test rejects, else infinite.
    """
    difference = np.asarray(left, dtype=np.float64) - np.asarray(right, dtype=np.float64)
    n, mean = len(difference), float(difference.mean())
    if n < 2:
        return Estimate(mean, -np.inf, np.inf, 1.0)
    error = float(difference.std(ddof=1) * np.sqrt(1.0 / n + test_ratio))
    if error <= 1e-12 * abs(mean):
        p = 2.0 ** (1 - n) if mean else 1.0
        reach = np.inf if mean and p > 1.0 - level else 0.0
        return Estimate(mean, mean - reach, mean + reach, p)
    reach = _quantile((1.0 + level) / 2.0, n - 1) * error
    p = _two_sided(mean / error, n - 1)
    return Estimate(mean, mean - reach, mean + reach, p)


def holm(p: Sequence[float] | np.ndarray) -> np.ndarray:
    """Return the p-values of M tests adjusted by Holm's step-down method, float64 (M,), in the order given."""
    p = np.asarray(p, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)) if len(p) else p
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def sign_test(first: np.ndarray, second: np.ndarray) -> float:
    """Return the two-sided p-value of the exact McNemar test: the sign test on the documents where two methods differ.

    ``first`` and ``second`` say whether each method is right, bool (N,), or are any score: only the sign of their
    difference counts.  It is 1 where the methods differ on no document.
    """
    first, second = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if first.shape != second.shape or first.ndim != 1:
        raise ValueError(f"two lists over the same documents (N,) are needed, not {first.shape} and {second.shape}")
    above, below = int(np.sum(first > second)), int(np.sum(first < second))
    from scipy import stats  # here, for it takes a second to import and most claims need no test

    return float(stats.binomtest(above, above + below).pvalue) if above + below else 1.0
