"""Is one method better than another on the same documents or trials: bootstrap intervals and tests on pairs.

Sources: B. Efron and R. J. Tibshirani, An Introduction to the Bootstrap, 1993; Q. McNemar, Psychometrika 12, 1947 (with
the exact binomial distribution: the sign test on the documents on which two methods disagree).  The EDCM paper (section
6) calls one kernel "significantly better using a t-test" without saying which; ours is paired, since both methods see
the same splits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats
from scipy.special import stdtr


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


def paired_t_test(left: Sequence[float], right: Sequence[float]) -> float:
    """Return the two-sided p of a paired t-test; 1 where it is not defined (fewer than two trials, no difference).

    Parameters
    ----------
    left, right : values on the same trials, in the same order.

    Raises
    ------
    ValueError : they are not of one length.
    """
    difference = np.subtract(left, right, dtype=np.float64) if len(left) == len(right) else None
    if difference is None:
        raise ValueError(f"a paired t-test needs the same trials on both sides, not {len(left)} and {len(right)}")
    n = len(difference)
    if n < 2 or not difference.any():
        return 1.0
    spread = difference.std(ddof=1)
    if spread == 0:
        return 0.0
    return float(2.0 * stdtr(n - 1, -abs(difference.mean()) * np.sqrt(n) / spread))
