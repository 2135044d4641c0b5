r"""Comparison of several methods on several data sets: mean ranks, significance tests and confidence intervals.

Sources: J. Demsar, Statistical Comparisons of Classifiers over Multiple Data Sets, JMLR 7, 2006 (Friedman, Iman and
Davenport, Nemenyi, the critical difference); W. J. Conover, Practical Nonparametric Statistics, 1999 (correction for
ties); F. Wilcoxon, Biometrics Bulletin 1, 1945, where a zero difference gives half of its rank to each side, as Demsar
recommends; J. L. Hodges and E. L. Lehmann, Annals of Mathematical
Statistics 34, 1963 (the interval that belongs to Wilcoxon's test).

SciPy supplies ranks, Friedman's statistic and all distributions.  The exact signed-rank test for tied differences is
ours: `scipy.stats.wilcoxon` with ``method="exact"`` ignores ties.

Symbols: N data sets, K methods; scores are (N, K), larger is better.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

from textmix.metrics.significance import LEVEL, Estimate


class Friedman(NamedTuple):
    """Friedman's test of the hypothesis that all methods are alike.

    Parameters
    ----------
    chi2, chi2_p : Friedman's statistic, corrected for ties, and its p-value by the chi-squared distribution.
    f, f_p : the statistic of Iman and Davenport, which is less conservative, and its p-value by the F distribution.
    """

    chi2: float
    chi2_p: float
    f: float
    f_p: float


def ranks(scores: np.ndarray) -> np.ndarray:
    """Return the rank of each method on each data set, float64 (N, K): 1 is the best, equal scores share the mean rank.

    Parameters
    ----------
    scores : float (N, K).

    Raises
    ------
    ValueError : scores are not (N, K) or hold nan.
    """
    scores = np.asarray(scores, dtype=np.float64)
    if scores.ndim != 2 or 0 in scores.shape or np.isnan(scores).any():
        raise ValueError(f"scores of every method on every data set (N, K) are needed, without nan, not {scores.shape}")
    return np.asarray(stats.rankdata(-scores, axis=1))


def mean_ranks(scores: np.ndarray) -> np.ndarray:
    """Return the mean rank of each method over the data sets, float64 (K,), from 1, the best, to K.

    Parameters
    ----------
    scores : float (N, K).

    Raises
    ------
    ValueError : see `ranks`.
    """
    return np.asarray(ranks(scores).mean(axis=0))


def friedman(scores: np.ndarray) -> Friedman:
    r"""Test whether K methods are alike, from their ranks on N data sets.

    F = (N - 1) chi^2 / (N (K - 1) - chi^2), with K - 1 and (K - 1) (N - 1) degrees of freedom.  It is infinite where
    the methods have the same order on every data set.  Where all methods tie on every data set both p-values are 1.

    Parameters
    ----------
    scores : float (N, K).

    Raises
    ------
    ValueError : fewer than three methods or two data sets, or a score is nan.
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
    square root of 2.

    Parameters
    ----------
    n_methods, n_datasets : K, at least 2, and N.
    alpha : level of the test, from 0 to 1.

    Returns
    -------
    a difference in ranks; two methods whose mean ranks differ by it or more are statistically distinguishable.
    """
    q = stats.studentized_range.ppf(1.0 - alpha, n_methods, np.inf) / np.sqrt(2.0)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6.0 * n_datasets)))


def cliques(rank: np.ndarray, difference: float) -> list[tuple[int, ...]]:
    """Return the maximal groups of methods any two of which differ in mean rank by less than a critical difference.

    Parameters
    ----------
    rank : mean ranks, float (K,).
    difference : the critical difference; infinity puts all methods into one group.

    Returns
    -------
    groups of at least two methods, each as indices into ``rank`` in order of rank; no group lies inside another.
    """
    order = np.argsort(rank, kind="stable")
    ordered = np.asarray(rank)[order]
    found: list[tuple[int, ...]] = []
    reached = 0
    for first in range(len(order)):
        end = int(np.searchsorted(ordered, ordered[first] + difference, side="left"))
        if end > max(reached, first + 1):
            found.append(tuple(order[first:end].tolist()))
            reached = end
    return found


def wilcoxon(left: Sequence[float] | np.ndarray, right: Sequence[float] | np.ndarray) -> float:
    """Return the two-sided p-value of Wilcoxon's signed-rank test on pairs, exact also with ties; 1 where none differ.

    A zero difference gives half of its rank to each side.

    Parameters
    ----------
    left, right : scores of two methods on the same data sets, float (N,).

    Raises
    ------
    ValueError : they differ in length, are empty or hold nan or infinity.
    """
    difference = np.asarray(left, dtype=np.float64) - np.asarray(right, dtype=np.float64)
    if difference.ndim != 1 or not len(difference) or not np.isfinite(difference).all():
        raise ValueError("two lists of finite scores of the same length (N,) are needed, at least one score in each")
    rank = stats.rankdata(np.abs(difference))
    signed = rank[difference != 0.0]
    positive, negative = rank[difference > 0].sum(), rank[difference < 0].sum()
    # Ranks are whole or half: doubled they index the distribution.
    tail = _signed_rank_distribution(np.rint(2.0 * signed).astype(np.int64))
    return float(min(1.0, 2.0 * tail[: round(2.0 * min(positive, negative)) + 1].sum()))


def _signed_rank_distribution(weights: np.ndarray) -> np.ndarray:
    """Return the distribution of a sum to which each weight contributes with probability 1/2."""
    probability = np.zeros(int(weights.sum()) + 1)
    probability[0] = 1.0
    for weight in weights:
        taken = np.zeros_like(probability)
        taken[weight:] = probability[: len(probability) - weight]
        probability = 0.5 * (probability + taken)
    return probability


def median_difference(
    left: Sequence[float] | np.ndarray, right: Sequence[float] | np.ndarray, level: float = 1.0 - LEVEL
) -> Estimate:
    """Return the difference ``left - right`` of two methods on N data sets by the estimator of Hodges and Lehmann.

    It is the median of the means of any two of the N differences, each difference taken with itself too.  The interval
    contains every difference that Wilcoxon's test without ties does not reject at ``1 - level``; the p-value is that of
    `wilcoxon`.  With five data sets or fewer the test rejects nothing at 0.05, so that the interval is infinite.

    Parameters
    ----------
    left, right : scores of the two methods on the same data sets, float (N,).
    level : confidence level of the interval, from 0 to 1.

    Raises
    ------
    ValueError : see `wilcoxon`.
    """
    p = wilcoxon(left, right)
    difference = np.asarray(left, dtype=np.float64) - np.asarray(right, dtype=np.float64)
    n = len(difference)
    first, second = np.triu_indices(n)
    means = np.sort((difference[first] + difference[second]) / 2.0)
    below = np.cumsum(_signed_rank_distribution(np.arange(1, n + 1)))
    cut = int(np.searchsorted(below, (1.0 - level) / 2.0, side="right"))
    low, high = (means[cut - 1], means[-cut]) if cut else (-np.inf, np.inf)
    return Estimate(float(np.median(means)), float(low), float(high), p)
