"""The Bayesian signed-rank test and rank correlation: clear cases, symmetry, and SciPy's value."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from textmix.metrics.bayesian import rank_correlation, signed_rank


def draws(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_clear_differences_are_clear_and_small_ones_are_none():
    assert signed_rank(np.full(8, 0.2), 0.01, draws()).above > 0.99
    assert signed_rank(np.full(8, -0.2), 0.01, draws()).below > 0.99
    assert signed_rank(np.full(8, 0.001), 0.01, draws()).within == 1.0


def test_probabilities_sum_to_one_and_turn_with_the_sign():
    difference = np.array([0.1, -0.05, 0.03, 0.2, -0.01])
    there, back = signed_rank(difference, 0.01, draws()), signed_rank(-difference, 0.01, draws())
    assert sum(there) == pytest.approx(1.0)
    assert (there.above, there.below) == (back.below, back.above)


def test_the_posterior_is_that_of_plain_draws():
    difference, rng = np.array([0.1, -0.08, 0.03]), draws(1)
    values, heaviest = [0.0, *difference], []
    for weight in rng.dirichlet([0.5, 1, 1, 1], size=3000):
        mass = {"within": 0.0, "above": 0.0, "below": 0.0}
        for i, j in itertools.product(range(4), repeat=2):
            mean = (values[i] + values[j]) / 2
            mass["above" if mean > 0.01 else "below" if mean < -0.01 else "within"] += weight[i] * weight[j]
        heaviest.append(max(mass, key=mass.__getitem__))
    found = signed_rank(difference, 0.01, draws())
    assert found.above == pytest.approx(heaviest.count("above") / 3000, abs=0.03)
    assert found.below == pytest.approx(heaviest.count("below") / 3000, abs=0.03)


def test_the_mean_of_a_difference_and_of_none_is_half_the_difference():
    # Half of 0.15 is within the region.  The difference is heaviest where its weight, Beta(1, 1/2), has a square over
    # 1/2.
    found = signed_rank([0.15], 0.1, draws())
    assert found.above == pytest.approx((1 - 0.5**0.5) ** 0.5, abs=0.02)
    assert found.within == pytest.approx(1 - found.above)


def test_a_difference_that_is_not_finite_is_refused():
    for wrong in ([], [np.nan], [np.inf, 0.1]):
        with pytest.raises(ValueError, match="finite differences"):
            signed_rank(wrong, 0.01, draws())


def test_rank_correlation_is_spearmans():
    rng = draws(2)
    x, y = rng.normal(size=9), rng.normal(size=9)
    r, p = rank_correlation(x, y, draws())
    assert r == pytest.approx(stats.spearmanr(x, y).statistic)
    assert 0 < p <= 1
    assert rank_correlation(np.arange(8), np.arange(8) ** 3, draws())[1] < 0.01
    assert rank_correlation([1, 1, 1], [1, 2, 3], draws()) == (0.0, 1.0)
    with pytest.raises(ValueError, match="at least 3"):
        rank_correlation([1, 2], [1, 2], draws())


@pytest.mark.parametrize("x", [[3.0, 1.0, 2.0, 5.0, 4.0, 6.0], [1.0, 1.0, 2.0, 6.0, 4.0, 5.0]])
def test_the_p_value_is_the_share_of_all_orders_that_correlate_as_much(x: list[float]) -> None:
    y = np.arange(6.0)
    r, p = rank_correlation(x, y, draws())
    every = np.corrcoef(stats.rankdata(x), list(itertools.permutations(y)))[0, 1:]
    assert r == pytest.approx(stats.spearmanr(x, y).statistic)
    assert p == pytest.approx(np.mean(np.abs(every) >= abs(r) - 1e-9), abs=0.01)
