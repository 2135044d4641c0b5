"""Comparisons over data sets: worked examples of Demsar (2006), SciPy as twin, and enumeration where SciPy has none."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from textmix.metrics import ranking

#: Demsar (2006), Table 6: ranks of C4.5, C4.5+m, C4.5+cf, C4.5+m+cf on 14 data sets.
TABLE6 = np.array(
    [
        *([4, 3, 2, 1], [1, 2, 3, 4], [4, 1, 2, 3], [4, 1, 3, 2], [4, 2, 3, 1], [1, 2.5, 4, 2.5], [3, 2, 4, 1]),
        *([2.5, 2.5, 4, 1], [4, 3, 2, 1], [2.5, 2.5, 2.5, 2.5], [4, 2.5, 1, 2.5], [3, 2, 4, 1], [4, 1, 2, 3]),
        [3, 1, 4, 2],
    ]
)
#: Demsar (2006), Table 2: C4.5 with the parameter m set, minus plain C4.5.
TABLE2 = [0.005, -0.008, 0.017, 0.033, 0.006, -0.005, 0.007, 0.0, 0.063, 0.0, 0.022, 0.047, 0.009, 0.021]
#: Demsar (2006), Table 5(a): q at 0.05 for 2 to 10 methods.
Q05 = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]

small_scores = st.integers(3, 5).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 4), min_size=k, max_size=k), min_size=2, max_size=7)
)


def test_demsar_mean_ranks_and_friedman() -> None:
    np.testing.assert_allclose(ranking.mean_ranks(-TABLE6), [3.143, 2.000, 2.893, 1.964], atol=5e-4)
    np.testing.assert_array_equal(ranking.ranks(-TABLE6), TABLE6)
    tied = sum(float(np.sum(c**3 - c)) for c in (np.unique(row, return_counts=True)[1] for row in TABLE6))
    found = ranking.friedman(-TABLE6)
    uncorrected = found.chi2 * (1 - tied / (14 * 4 * 15))
    # He leaves ties uncorrected: 9.28, and F = 3.69 from it.
    assert uncorrected == pytest.approx(9.28, abs=0.01)
    assert 13 * uncorrected / (14 * 3 - uncorrected) == pytest.approx(3.69, abs=0.01)
    assert found.f > 3.69 and found.f_p < 0.05


def test_demsar_critical_differences() -> None:
    assert ranking.critical_difference(4, 14) == pytest.approx(1.25, abs=0.005)
    assert ranking.critical_difference(4, 14, alpha=0.10) == pytest.approx(1.12, abs=0.005)
    scale = [np.sqrt(k * (k + 1) / 6.0) for k in range(2, 11)]
    found = [ranking.critical_difference(k, 1) / s for k, s in zip(range(2, 11), scale, strict=True)]
    np.testing.assert_allclose(found, Q05, atol=1.1e-3)


def test_demsar_groups() -> None:
    # Section 3.2.2 (figure 1a): at 0.10, C4.5 is worse than C4.5+m and C4.5+m+cf; nothing is told of C4.5+cf.
    groups = ranking.cliques(ranking.mean_ranks(-TABLE6), 1.12)
    assert groups == [(3, 1, 2), (2, 0)]


def test_demsar_wilcoxon() -> None:
    # R+ = 93 and R- = 12, which for 14 data sets is below the critical value 21 at 0.05.
    p = ranking.wilcoxon(TABLE2, np.zeros(14))
    assert p < 0.05
    z = (12 - 14 * 15 / 4) / np.sqrt(14 * 15 * 29 / 24)
    assert p == pytest.approx(2 * stats.norm.cdf(z), rel=0.5)


@settings(deadline=None, derandomize=True, max_examples=60)
@given(small_scores)
def test_friedman_is_scipys(rows: list[list[int]]) -> None:
    scores = np.array(rows, dtype=float)
    found = ranking.friedman(scores)
    if np.all(scores == scores[:, :1]):
        assert found == (0.0, 1.0, 0.0, 1.0)
        return
    expected = stats.friedmanchisquare(*scores.T)
    assert found.chi2 == pytest.approx(expected.statistic, abs=1e-9)
    assert found.chi2_p == pytest.approx(expected.pvalue, abs=1e-9)


def test_friedman_with_the_same_order_everywhere_is_certain_and_without_any_order_says_nothing() -> None:
    assert ranking.friedman(np.tile([1.0, 2.0, 3.0], (6, 1))).f == np.inf
    assert ranking.friedman(np.tile([1.0, 2.0, 3.0], (6, 1))).f_p == 0.0
    assert ranking.friedman(np.ones((6, 3))) == (0.0, 1.0, 0.0, 1.0)


def test_iman_davenport_is_the_analysis_of_variance_of_ranks() -> None:
    scores = np.random.default_rng(0).integers(0, 6, size=(9, 4)).astype(float)
    rank = ranking.ranks(scores)
    residual = rank - rank.mean(axis=0)
    between = 9 * np.sum((rank.mean(axis=0) - rank.mean()) ** 2) / 3
    # Rows all have the same mean, so that they take away no variance but do take degrees of freedom.
    within = np.sum(residual**2) / (3 * 8)
    found = ranking.friedman(scores)
    assert found.f == pytest.approx(between / within)
    assert found.f_p == pytest.approx(stats.f.sf(between / within, 3, 3 * 8), rel=1e-9)


@settings(deadline=None, derandomize=True, max_examples=60)
@given(st.lists(st.integers(-5, 5), min_size=1, max_size=9))
def test_wilcoxon_is_exact_with_ties_and_zeros(differences: list[int]) -> None:
    d = np.array(differences, dtype=float)
    rank = stats.rankdata(np.abs(d))[d != 0]
    observed = min(rank[d[d != 0] > 0].sum(), rank[d[d != 0] < 0].sum())
    sums = [sum(r for r, sign in zip(rank, signs, strict=True) if sign) for signs in _signs(len(rank))]
    expected = min(1.0, 2 * float(np.mean([s <= observed + 1e-9 for s in sums])))
    assert ranking.wilcoxon(d, np.zeros(len(d))) == pytest.approx(expected)


def _signs(n: int) -> list[tuple[int, ...]]:
    return list(itertools.product((0, 1), repeat=n))


@pytest.mark.parametrize("n", [1, 5, 12, 30])
def test_wilcoxon_without_ties_is_scipys(n: int) -> None:
    rng = np.random.default_rng(n)
    left, right = rng.normal(0.3, 1, n), rng.normal(0, 1, n)
    assert ranking.wilcoxon(left, right) == pytest.approx(stats.wilcoxon(left, right, method="exact").pvalue)
    assert ranking.wilcoxon(left, left) == 1.0


@pytest.mark.parametrize("n", [6, 8, 15])
def test_a_shift_lies_in_its_interval_exactly_if_the_test_does_not_reject_it(n: int) -> None:
    rng = np.random.default_rng(n)
    left, right = rng.normal(0.5, 1, n), rng.normal(0, 1, n)
    found = ranking.median_difference(left, right)
    assert found.low <= found.value <= found.high and found.p == ranking.wilcoxon(left, right)
    for delta in (found.low + 1e-9, found.high - 1e-9):
        assert ranking.wilcoxon(left - delta, right) > 0.05
    for delta in (found.low - 1e-9, found.high + 1e-9):
        assert ranking.wilcoxon(left - delta, right) <= 0.05


def test_five_data_sets_are_too_few_for_an_interval() -> None:
    found = ranking.median_difference([1.0, 2.0, 3.0, 4.0, 5.0], [0.0] * 5)
    assert (found.low, found.high) == (-np.inf, np.inf) and found.p == pytest.approx(2 / 32) and found.value == 3.0
    assert np.isfinite(ranking.median_difference(np.arange(1.0, 7.0), np.zeros(6)).low)


def test_groups_are_largest_and_hold_two_at_least() -> None:
    assert ranking.cliques(np.array([1.0, 1.5, 2.4, 4.0]), 1.0) == [(0, 1), (1, 2)]
    assert ranking.cliques(np.array([4.0, 1.0, 2.5]), 1.0) == []
    assert ranking.cliques(np.array([3.0, 1.0, 2.0]), 5.0) == [(1, 2, 0)]


@pytest.mark.parametrize("scores", [np.ones(3), np.ones((0, 2)), np.array([[1.0, np.nan]])])
def test_incomplete_tables_are_refused(scores: np.ndarray) -> None:
    with pytest.raises(ValueError, match="every method on every data set"):
        ranking.ranks(scores)
    with pytest.raises(ValueError, match="three methods and two data sets"):
        ranking.friedman(np.ones((1, 3)))
    with pytest.raises(ValueError, match="finite scores"):
        ranking.wilcoxon([1.0, np.inf], [1.0, 1.0])
