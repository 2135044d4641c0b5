"""Comparisons over data sets: worked examples of Demsar (2006), and SciPy as twin."""

from __future__ import annotations

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


@pytest.mark.parametrize("scores", [np.ones(3), np.ones((0, 2)), np.array([[1.0, np.nan]])])
def test_incomplete_tables_are_refused(scores: np.ndarray) -> None:
    with pytest.raises(ValueError, match="shape"):
        ranking.ranks(scores)
    with pytest.raises(ValueError, match="at least three methods"):
        ranking.friedman(np.ones((1, 3)))
