"""Confidence intervals and tests for two methods, or for a published and a reproduced value.

Sources: B. Efron and R. J. Tibshirani, An Introduction to the Bootstrap, 1993; Q. McNemar, Psychometrika 12, 1947 (with
the exact binomial distribution: the sign test on the documents on which two methods disagree); B. L. Welch, Biometrika
34, 1947; C. Nadeau and Y. Bengio, Machine Learning 52, 2003 (trials on one data set, whose training parts overlap); S.
Holm, Scandinavian Journal of Statistics 6, 1979.  Student's t distribution comes from `scipy.special`, because
`scipy.stats` takes a second to import.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import special

#: Significance level of all tests; intervals have confidence 1 - LEVEL.
LEVEL = 0.05


class Interval(NamedTuple):
    """A mean and its confidence limits, in the unit of the values."""

    mean: float
    low: float
    high: float


def bootstrap_interval(
    values: np.ndarray, rng: np.random.Generator, level: float = 1.0 - LEVEL, resamples: int = 2000
) -> Interval:
    """Compute a mean with its percentile bootstrap interval.

    `scipy.stats.bootstrap` rounds the quantiles differently, which would change stored results in the last digit.

    Parameters
    ----------
    values : array-like of shape (N,)
        One value per document, or the differences between two methods.
    rng : Generator
        Random generator for the resamples.
    level : float, default=0.95
        Confidence level.
    resamples : int, default=2000
        Number of bootstrap resamples.

    Raises
    ------
    ValueError
        If ``values`` is not one-dimensional or is empty.
    """
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 1 or not len(values):
        raise ValueError(f"values must have shape (N,) with N >= 1, got {values.shape}")
    means = np.array([values[rng.integers(len(values), size=len(values))].mean() for _ in range(resamples)])
    low, high = np.quantile(means, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    return Interval(float(values.mean()), float(low), float(high))


def wilson(share: float, n: float) -> tuple[float, float]:
    """Compute Wilson's 95 % interval of a proportion observed in ``n`` independent trials (E. B. Wilson, JASA 1927)."""
    z = 1.959964
    centre = share + z * z / (2 * n)
    half_width = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    return (centre - half_width) / scale, (centre + half_width) / scale


class Sample(NamedTuple):
    """Mean, sample standard deviation (ddof = 1) and size of a sample, which is all that a paper publishes.

    An infinite ``n`` marks a value without error.  If ``deviation`` is None, it is unknown and assumed to equal that of
    the other sample of a comparison; ``n`` may then be 1.
    """

    mean: float
    deviation: float | None
    n: float


class Estimate(NamedTuple):
    """A difference in the unit of the scores, its confidence limits and its two-sided p-value.

    The limits are infinite if the sample is too small for the confidence level.
    """

    value: float
    low: float
    high: float
    p: float


def standard_error(left: Sample, right: Sample) -> tuple[float, float]:
    """Compute the standard error of a difference of means and its degrees of freedom; see `mean_difference`."""
    return _welch(left, right)[1:]


def mean_difference(left: Sample, right: Sample, level: float = 1.0 - LEVEL) -> Estimate:
    """Estimate the difference ``left - right`` of two independent means by Welch's t-test (Biometrika 34, 1947).

    The degrees of freedom are Welch and Satterthwaite's, or those of one sample if the other has no error or no
    standard deviation of its own.  Means over random splits of the same documents are independent given these
    documents, even if the splits overlap.
    """
    value, error, freedom = _welch(left, right)
    return _estimate(value, error, freedom, level)


def from_error(
    value: float, error: float, freedom: float, margin: float, level: float = 1.0 - LEVEL
) -> tuple[Estimate, float]:
    """Estimate a difference with a given standard error; return it with the p-value of `equivalence` for a margin."""
    return _estimate(value, error, freedom, level), float(special.stdtr(freedom, (abs(value) - margin) / error))


def _estimate(value: float, error: float, freedom: float, level: float) -> Estimate:
    """Build the estimate of a difference from its standard error and degrees of freedom."""
    half_width = _quantile((1.0 + level) / 2.0, freedom) * error
    return Estimate(value, value - half_width, value + half_width, _two_sided(value / error, freedom))


def equivalence(left: Sample, right: Sample, margin: float) -> float:
    """Test whether two independent means differ by less than a margin (two one-sided tests, TOST).

    The p-value is the larger one of both tests (D. J. Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15,
    1987).  It is below p if and only if the interval of `mean_difference` at level 1 - 2 p lies within the margin.
    """
    value, error, freedom = _welch(left, right)
    return float(special.stdtr(freedom, (abs(value) - margin) / error))


def _welch(left: Sample, right: Sample) -> tuple[float, float, float]:
    """Compute the difference of two means, its standard error and its degrees of freedom."""
    if min(left.n, right.n if right.deviation is not None else 2) < 2:
        raise ValueError(f"each sample needs at least two values, got {left.n} and {right.n}")
    if right.deviation is None:
        if not left.deviation:
            raise ValueError(
                "both samples have standard deviation 0, so that the difference has no confidence interval"
            )
        return left.mean - right.mean, left.deviation * math.sqrt(1.0 / left.n + 1.0 / right.n), left.n - 1
    variances = [(sample.deviation or 0.0) ** 2 / sample.n for sample in (left, right)]
    if not sum(variances):
        raise ValueError("both samples have standard deviation 0, so that the difference has no confidence interval")
    pairs = zip(variances, (left, right), strict=True)
    freedom = sum(variances) ** 2 / sum(variance**2 / (sample.n - 1) for variance, sample in pairs)
    return left.mean - right.mean, math.sqrt(sum(variances)), freedom


def _quantile(probability: float, freedom: float) -> float:
    """Compute a quantile of Student's t distribution."""
    return float(special.stdtrit(freedom, probability))


def _two_sided(t: float, freedom: float) -> float:
    """Compute the two-sided p-value of a t statistic."""
    return 2.0 * float(special.stdtr(freedom, -abs(t)))


def resampled_difference(
    left: Sequence[float] | np.ndarray,
    right: Sequence[float] | np.ndarray,
    test_ratio: float,
    level: float = 1.0 - LEVEL,
) -> Estimate:
    r"""Estimate the mean difference of two methods over J random splits by the corrected resampled t-test.

    The variance of the mean is s^2 (1 / J + rho / (1 - rho)), where s is the sample standard deviation of the
    differences and rho the proportion of test documents, which accounts for the overlap of random splits.  Source:
    Nadeau and Bengio (2003).

    Parameters
    ----------
    left, right : array-like of shape (J,)
        Scores of the two methods in each trial.
    test_ratio : float
        rho / (1 - rho) = n_test / (n - n_test); 0 gives the paired t-test, which rejects too often for random splits.
    level : float, default=0.95
        Confidence level.

    Returns
    -------
    Estimate
        With one trial, the interval is infinite and the p-value is 1.  If all differences are 0, the interval is the
        point 0 and the p-value is 1.  If all differences are equal but not 0, the p-value is that of the sign test, and
        the interval is this value if the test rejects, else infinite.
    """
    difference = np.asarray(left, dtype=np.float64) - np.asarray(right, dtype=np.float64)
    n = len(difference)
    mean = float(difference.mean())
    if n < 2:
        return Estimate(mean, -np.inf, np.inf, 1.0)
    error = float(difference.std(ddof=1) * np.sqrt(1.0 / n + test_ratio))
    if error <= 1e-12 * abs(mean):
        p = 2.0 ** (1 - n) if mean else 1.0
        half_width = np.inf if mean and p > 1.0 - level else 0.0
        return Estimate(mean, mean - half_width, mean + half_width, p)
    return _estimate(mean, error, n - 1, level)


def holm(p: Sequence[float] | np.ndarray) -> np.ndarray:
    """Adjust the p-values of M tests by Holm's step-down method; return an ndarray of shape (M,) in the same order."""
    p = np.asarray(p, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)) if len(p) else p
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def sign_test(first: np.ndarray, second: np.ndarray) -> float:
    """Compute the two-sided p-value of the exact McNemar test, a sign test on documents where two methods differ.

    Parameters
    ----------
    first, second : array-like of shape (N,)
        Whether each method is correct on each document, or a score per document; only the sign of the difference
        counts.

    Returns
    -------
    float
        1 if the methods agree on every document.
    """
    from scipy import stats  # imported late because it takes a second and most claims need no test

    first = np.asarray(first, dtype=np.float64)
    second = np.asarray(second, dtype=np.float64)
    if first.shape != second.shape or first.ndim != 1:
        raise ValueError(f"both arrays must have the same shape (N,), got {first.shape} and {second.shape}")
    above = int(np.sum(first > second))
    below = int(np.sum(first < second))

    return float(stats.binomtest(above, above + below).pvalue) if above + below else 1.0
