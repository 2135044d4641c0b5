r"""Comparison of several methods on several data sets: mean ranks and tests of their differences.

Sources: J. Demsar, Statistical Comparisons of Classifiers over Multiple Data Sets, JMLR 7, 2006 (Friedman, Iman and
Davenport, Nemenyi, the critical difference); W. J. Conover, Practical Nonparametric Statistics, 1999 (correction for
ties).

Symbols: N data sets, K methods; scores are (N, K), larger is better.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import stats

from textmix.metrics.significance import LEVEL


class Friedman(NamedTuple):
    """Friedman's test of the hypothesis that all methods are alike.

    ``chi2``, corrected for ties, has its p-value by the chi-squared distribution; ``f``, of Iman and Davenport, which
    is less conservative, by the F distribution.
    """

    chi2: float
    chi2_p: float
    f: float
    f_p: float


def ranks(scores: np.ndarray) -> np.ndarray:
    """Return the rank of each method on each data set, float64 (N, K): 1 is best, equal scores share the mean rank."""
    scores = np.asarray(scores, dtype=np.float64)
    if scores.ndim != 2 or 0 in scores.shape or np.isnan(scores).any():
        raise ValueError(f"scores of every method on every data set (N, K) are needed, without nan, not {scores.shape}")
    return np.asarray(stats.rankdata(-scores, axis=1))


def mean_ranks(scores: np.ndarray) -> np.ndarray:
    """Return the mean rank of each method over the data sets, float64 (K,), from 1, the best, to K."""
    return np.asarray(ranks(scores).mean(axis=0))


def friedman(scores: np.ndarray) -> Friedman:
    r"""Test whether K methods are alike, from their ranks on N data sets.

    F = (N - 1) chi^2 / (N (K - 1) - chi^2), with K - 1 and (K - 1) (N - 1) degrees of freedom.  It is infinite where
    the methods have the same order on every data set.  Where all methods tie on every data set both p-values are 1.
    """
    rank = ranks(scores)
    n, k = rank.shape
    if n < 2 or k < 3:
        raise ValueError(f"three methods and two data sets are needed at least, not {k} and {n}")
    if np.all(rank == rank[:, :1]):
        return Friedman(0.0, 1.0, 0.0, 1.0)
    # Rounding could leave a statistic of 0 just below it.
    chi2, chi2_p = (float(value) for value in stats.friedmanchisquare(*rank.T))
    chi2 = max(chi2, 0.0)
    left = n * (k - 1) - chi2
    # The same order everywhere leaves nothing but rounding in the denominator.
    f = (n - 1) * chi2 / left if left > 1e-9 * n * k else np.inf
    return Friedman(chi2, chi2_p, float(f), float(stats.f.sf(f, k - 1, (k - 1) * (n - 1))))


def critical_difference(n_methods: int, n_datasets: int, alpha: float = LEVEL) -> float:
    r"""Return Nemenyi's critical difference of mean ranks: q_\alpha \sqrt{K (K + 1) / (6 N)}.

    q is the 1 - alpha quantile of the studentised range of K means with infinite degrees of freedom, divided by the
    square root of 2.  Two of K >= 2 methods whose mean ranks differ by it or more are statistically distinguishable.
    """
    q = stats.studentized_range.ppf(1.0 - alpha, n_methods, np.inf) / np.sqrt(2.0)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6.0 * n_datasets)))
