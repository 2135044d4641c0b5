r"""Several methods on several data sets: mean ranks, and which differences chance alone would not make.

Sources: J. Demsar, Statistical Comparisons of Classifiers over Multiple Data Sets, JMLR 7, 2006 (Friedman, Iman and
Davenport, Nemenyi, the critical difference); W. J. Conover, Practical Nonparametric Statistics, 1999 (correction for
ties); F. Wilcoxon, Biometrics Bulletin 1, 1945, with J. W. Pratt's zeros split evenly as Demsar recommends; S. Holm,
Scandinavian Journal of Statistics 6, 1979; J. L. Hodges and E. L. Lehmann, Annals of Mathematical Statistics 34, 1963
(the interval that belongs to Wilcoxon's test); C. Nadeau and Y. Bengio, Machine Learning 52, 2003 (trials on one data
set, whose training parts overlap).

Symbols: N data sets, K methods; scores are (N, K), larger is better.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats


class Friedman(NamedTuple):
    """Friedman's test of all methods being alike.

    Parameters
    ----------
    chi2, chi2_p : Friedman's statistic, corrected for ties, and its p by the chi-squared distribution.
    f, f_p : Iman and Davenport's, which is less conservative, and its p by the F distribution.
    """

    chi2: float
    chi2_p: float
    f: float
    f_p: float


class Estimate(NamedTuple):
    """A difference with the ends of its interval (infinite where the data are too few for the level) and its p."""

    value: float
    low: float
    high: float
    p: float


def ranks(scores: np.ndarray) -> np.ndarray:
    """Return the rank of each method on each data set, float64 (N, K): 1 is the best, equal ones share the mean rank.

    Raises
    ------
    ValueError : scores are not (N, K) or hold nan.
    """
    scores = np.asarray(scores, dtype=np.float64)
    if scores.ndim != 2 or 0 in scores.shape or np.isnan(scores).any():
        raise ValueError(f"scores of every method on every data set (N, K) are needed, without nan, not {scores.shape}")
    return np.asarray(stats.rankdata(-scores, axis=1))


def mean_ranks(scores: np.ndarray) -> np.ndarray:
    """Return the mean rank of each method, float64 (K,); its smallest possible value, 1, is the best."""
    return np.asarray(ranks(scores).mean(axis=0))


def friedman(scores: np.ndarray) -> Friedman:
    r"""Test whether K methods are alike, from their ranks on N data sets.

    chi^2 = [12 / (N K (K + 1)) \sum_j R_j^2 - 3 N (K + 1)] / (1 - \sum (t^3 - t) / (N K (K^2 - 1))), R_j sums of ranks
    and t sizes of ties; F = (N - 1) chi^2 / (N (K - 1) - chi^2).  Methods that tie everywhere have p = 1.

    Raises
    ------
    ValueError : fewer than two methods or data sets.
    """
    rank = ranks(scores)
    n, k = rank.shape
    if n < 2 or k < 2:
        raise ValueError(f"two methods and two data sets are needed at least, not {k} and {n}")
    sizes = [np.unique(row, return_counts=True)[1] for row in rank]
    tied = sum(float(np.sum(size**3 - size)) for size in sizes)
    correction = 1.0 - tied / (n * k * (k * k - 1))
    if correction == 0.0:
        return Friedman(0.0, 1.0, 0.0, 1.0)
    sums = rank.sum(axis=0)
    chi2 = float(max(12.0 / (n * k * (k + 1)) * np.sum(sums**2) - 3.0 * n * (k + 1), 0.0) / correction)
    left = n * (k - 1) - chi2
    # The same order everywhere leaves nothing but rounding below the line.
    f = (n - 1) * chi2 / left if left > 1e-9 * n * k else np.inf
    p = stats.f.sf(f, k - 1, (k - 1) * (n - 1))
    return Friedman(chi2, float(stats.chi2.sf(chi2, k - 1)), float(f), float(p))


def critical_difference(n_methods: int, n_datasets: int, alpha: float = 0.05) -> float:
    r"""Return Nemenyi's critical difference of mean ranks: q_\alpha \sqrt{K (K + 1) / (6 N)}.

    q is the quantile of the studentised range of K means with infinite degrees of freedom, over the root of 2.
    """
    q = stats.studentized_range.ppf(1.0 - alpha, n_methods, np.inf) / np.sqrt(2.0)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6.0 * n_datasets)))


def cliques(rank: np.ndarray, difference: float) -> list[tuple[int, ...]]:
    """Return the largest groups of methods whose mean ranks differ by less than a critical difference.

    Parameters
    ----------
    rank : mean ranks (K,).
    difference : the critical one.

    Returns
    -------
    groups of at least two methods, each in order of rank; none lies inside another.
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
    """Return the two-sided p of Wilcoxon's signed-rank test on pairs, exact also with ties; 1 where none differ.

    A zero difference gives half of its rank to each side.

    Parameters
    ----------
    left, right : scores of two methods on N data sets.

    Raises
    ------
    ValueError : they differ in length, are empty or hold nan or infinity.
    """
    difference = np.asarray(left, dtype=np.float64) - np.asarray(right, dtype=np.float64)
    if difference.ndim != 1 or not len(difference) or not np.isfinite(difference).all():
        raise ValueError("two lists of as many finite scores are needed")
    rank = stats.rankdata(np.abs(difference))
    signed = rank[difference != 0.0]
    positive, negative = rank[difference > 0].sum(), rank[difference < 0].sum()
    # Ranks are whole or half: doubled they index the distribution.
    tail = _signed_rank_distribution(np.rint(2.0 * signed).astype(np.int64))
    return float(min(1.0, 2.0 * tail[: round(2.0 * min(positive, negative)) + 1].sum()))


def _signed_rank_distribution(weights: np.ndarray) -> np.ndarray:
    """Return the probability of each sum of a random half of some whole weights, float64 (sum + 1,)."""
    probability = np.zeros(int(weights.sum()) + 1)
    probability[0] = 1.0
    for weight in weights:
        taken = np.zeros_like(probability)
        taken[weight:] = probability[: len(probability) - weight]
        probability = 0.5 * (probability + taken)
    return probability


def holm(p: Sequence[float] | np.ndarray) -> np.ndarray:
    """Return p adjusted for as many tests by Holm's step-down method, float64 (M,), in the order given."""
    p = np.asarray(p, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)) if len(p) else p
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def shift(left: Sequence[float] | np.ndarray, right: Sequence[float] | np.ndarray, level: float = 0.95) -> Estimate:
    """Return by how much one method is above another on N data sets: the median of all means of two differences.

    The interval holds every shift that Wilcoxon's test does not reject at ``1 - level`` (Hodges and Lehmann), and the p
    is that of `wilcoxon`.  Five data sets or fewer cannot reject anything at 0.05: their interval is infinite.
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


def resampled_difference(
    left: Sequence[float] | np.ndarray,
    right: Sequence[float] | np.ndarray,
    test_ratio: float,
    level: float = 0.95,
) -> Estimate:
    r"""Return the mean difference of two methods over trials of one data set, by the corrected resampled t-test.

    Its variance is s^2 (1 / J + n_test / n_train) for J trials: the training parts of random splits overlap, so that
    the plain t-test (s^2 / J) finds differences where there are none.

    Parameters
    ----------
    left, right : scores of the two on the same J trials.
    test_ratio : n_test / n_train; 0 for the plain paired t-test.
    level : of the interval.

    Returns
    -------
    the estimate; with fewer than two trials the interval is infinite and p is 1.  Differences without any spread leave
    nothing to divide by: then p is that of the sign test, and the interval is infinite unless it rejects.
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
    reach = float(stats.t.ppf((1.0 + level) / 2.0, n - 1)) * error
    p = float(2.0 * stats.t.sf(abs(mean) / error, n - 1))
    return Estimate(mean, mean - reach, mean + reach, p)
