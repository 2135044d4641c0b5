"""Is one method better than another on the same documents: bootstrap intervals and tests on pairs.

Sources: B. Efron and R. J. Tibshirani, An Introduction to the Bootstrap, 1993; Q. McNemar, Psychometrika 12, 1947 (with
the exact binomial distribution: the sign test on the documents on which two methods disagree).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import stats


class Interval(NamedTuple):
    """A mean with the ends of its interval."""

    mean: float
    low: float
    high: float


def bootstrap_interval(
    values: np.ndarray, rng: np.random.Generator, level: float = 0.95, resamples: int = 2000
) -> Interval:
    """Return the mean of values of documents, (N,), with its percentile interval.

    For the difference of two methods, give the differences document by document.

    Parameters
    ----------
    values : float (N,), one a document.
    rng : draws the resamples.
    level : share of the resamples' means inside the interval.
    resamples : how many.
    """
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 1 or not len(values):
        raise ValueError(f"values of at least one document (N,) are needed, not {values.shape}")
    means = np.array([values[rng.integers(len(values), size=len(values))].mean() for _ in range(resamples)])
    low, high = np.quantile(means, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    return Interval(float(values.mean()), float(low), float(high))


def sign_test(first: np.ndarray, second: np.ndarray) -> float:
    """Return how likely chance alone makes two methods differ so much or more (two-sided exact McNemar test).

    Parameters
    ----------
    first, second : (N,), whether each method is right on each document, or any score: only which is larger counts.
    """
    first, second = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if first.shape != second.shape or first.ndim != 1:
        raise ValueError(f"two lists over the same documents (N,) are needed, not {first.shape} and {second.shape}")
    above, below = int(np.sum(first > second)), int(np.sum(first < second))
    return float(stats.binomtest(above, above + below).pvalue) if above + below else 1.0
