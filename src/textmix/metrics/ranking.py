r"""Comparison of several methods on several data sets: mean ranks and the Friedman and Nemenyi tests.

Sources: J. Demsar, Statistical Comparisons of Classifiers over Multiple Data Sets, JMLR 7, 2006 (Friedman, Iman and
Davenport, Nemenyi, the critical difference); W. J. Conover, Practical Nonparametric Statistics, 1999 (correction for
ties).

Symbols: N data sets, K methods; scores have shape (N, K), higher is better.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import stats

from textmix.metrics.significance import LEVEL


class Friedman(NamedTuple):
    """Result of Friedman's test of the null hypothesis that all methods are equivalent.

    Attributes
    ----------
    chi2, chi2_p : float
        Statistic, corrected for ties, and its p-value from the chi-squared distribution.
    f, f_p : float
        Statistic of Iman and Davenport, which is less conservative, and its p-value from the F distribution.
    """

    chi2: float
    chi2_p: float
    f: float
    f_p: float


def ranks(scores: np.ndarray) -> np.ndarray:
    """Rank methods on each data set, ndarray of shape (N, K): rank 1 is best, ties share their mean rank."""
    scores = np.asarray(scores, dtype=np.float64)
    if scores.ndim != 2 or 0 in scores.shape or np.isnan(scores).any():
        raise ValueError(f"scores must have shape (N, K) and contain no nan, got {scores.shape}")
    return np.asarray(stats.rankdata(-scores, axis=1))


def mean_ranks(scores: np.ndarray) -> np.ndarray:
    """Compute the mean rank of each method, ndarray of shape (K,), from 1 (best) to K."""
    return np.asarray(ranks(scores).mean(axis=0))


def friedman(scores: np.ndarray) -> Friedman:
    r"""Run Friedman's test on the ranks of K >= 3 methods on N >= 2 data sets.

    F = (N - 1) chi^2 / (N (K - 1) - chi^2), with K - 1 and (K - 1) (N - 1) degrees of freedom.  It is infinite if
    the methods have the same order on every data set.  If all methods tie on every data set, both p-values are 1.
    """
    rank = ranks(scores)
    n, k = rank.shape
    if n < 2 or k < 3:
        raise ValueError(f"at least three methods and two data sets are required, got {k} and {n}")
    if np.all(rank == rank[:, :1]):
        return Friedman(0.0, 1.0, 0.0, 1.0)
    # Rounding can make a statistic of 0 slightly negative.
    chi2, chi2_p = (float(value) for value in stats.friedmanchisquare(*rank.T))
    chi2 = max(chi2, 0.0)
    denominator = n * (k - 1) - chi2
    # If the order is the same everywhere, the denominator is 0 up to rounding.
    f = (n - 1) * chi2 / denominator if denominator > 1e-9 * n * k else np.inf
    return Friedman(chi2, chi2_p, float(f), float(stats.f.sf(f, k - 1, (k - 1) * (n - 1))))


def critical_difference(n_methods: int, n_datasets: int, alpha: float = LEVEL) -> float:
    r"""Compute Nemenyi's critical difference of mean ranks: q_\alpha \sqrt{K (K + 1) / (6 N)}.

    q is the 1 - alpha quantile of the studentised range of K means with infinite degrees of freedom, divided by the
    square root of 2.  Two of K >= 2 methods are significantly different at level ``alpha`` if their mean ranks
    differ by at least this much.
    """
    q = stats.studentized_range.ppf(1.0 - alpha, n_methods, np.inf) / np.sqrt(2.0)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6.0 * n_datasets)))
