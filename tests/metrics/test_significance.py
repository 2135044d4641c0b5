"""Intervals and tests on pairs: exact where a formula is known, and fair where nothing differs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from textmix.metrics import significance
from textmix.metrics.significance import (
    Sample,
    bootstrap_interval,
    equivalence,
    mean_difference,
    sign_test,
    wilson,
)


@pytest.mark.parametrize(("seen", "n"), [(0, 5), (9, 10), (30, 40)])
def test_wilsons_interval_is_scipys(seen: int, n: int):
    expected = stats.binomtest(seen, n).proportion_ci(0.95, method="wilson")
    assert wilson(seen / n, n) == pytest.approx((expected.low, expected.high), abs=1e-6)


def test_the_interval_of_a_share_is_the_normal_one_for_many_documents():
    values = np.repeat([0.0, 1.0], [700, 300])
    found = bootstrap_interval(values, np.random.default_rng(0), resamples=4000)
    half = 1.96 * np.sqrt(0.3 * 0.7 / 1000)
    assert found.mean == 0.3
    np.testing.assert_allclose([found.low, found.high], [0.3 - half, 0.3 + half], atol=0.003)


def test_equal_documents_have_an_interval_of_no_width():
    assert bootstrap_interval(np.full(5, 0.25), np.random.default_rng(0)) == (0.25, 0.25, 0.25)


def test_the_sign_test_is_binomial_on_the_documents_that_differ():
    first = np.array([1, 1, 1, 1, 1, 0, 1, 0])
    second = np.array([0, 0, 0, 0, 0, 0, 1, 0])
    np.testing.assert_allclose(sign_test(first, second), 2 * 0.5**5)
    assert sign_test(first, second) == sign_test(second, first)
    assert sign_test(first, first) == 1.0


def test_lists_of_other_documents_are_refused():
    with pytest.raises(ValueError, match="same shape"):
        sign_test(np.ones(3), np.ones(4))
    with pytest.raises(ValueError, match="N >= 1"):
        bootstrap_interval(np.array([]), np.random.default_rng(0))


def test_the_difference_of_two_means_is_welchs():
    left, right = Sample(0.72, 0.03, 4), Sample(0.80, 0.01, 10)
    found = mean_difference(left, right)
    known = stats.ttest_ind_from_stats(*left, *right, equal_var=False)
    assert (found.value, found.p) == (pytest.approx(-0.08), pytest.approx(known.pvalue))
    parts = 0.03**2 / 4, 0.01**2 / 10
    half = stats.t.ppf(0.975, sum(parts) ** 2 / (parts[0] ** 2 / 3 + parts[1] ** 2 / 9)) * np.sqrt(sum(parts))
    assert (found.low, found.high) == (pytest.approx(-0.08 - half), pytest.approx(-0.08 + half))


@pytest.mark.parametrize("margin", [0.02, 0.08, 0.095, 0.2])
def test_equivalence_is_the_larger_one_of_two_one_sided_tests(margin):
    left, right = Sample(0.72, 0.03, 4), Sample(0.80, 0.01, 10)
    known = [
        stats.ttest_ind_from_stats(
            left.mean + shift, left.deviation, left.n, *right, equal_var=False, alternative=side
        ).pvalue
        for shift, side in ((margin, "greater"), (-margin, "less"))
    ]
    found = equivalence(left, right, margin)
    assert found == pytest.approx(max(known))
    narrow = mean_difference(left, right, 0.9)
    assert (found < 0.05) == (-margin < narrow.low and narrow.high < margin)


def test_a_number_without_error_gives_the_t_interval_of_one_sample():
    values = [0.70, 0.71, 0.75, 0.69]
    sample = Sample(float(np.mean(values)), float(np.std(values, ddof=1)), 4)
    found = mean_difference(sample, Sample(0.8, 0.0, np.inf))
    low, high = stats.t.interval(0.95, 3, loc=sample.mean - 0.8, scale=stats.sem(values))
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))
    assert found.p == pytest.approx(stats.ttest_1samp(values, 0.8).pvalue)


@pytest.mark.parametrize("right", [Sample(0, 0.0, 5), Sample(0, 1.0, 1)])
def test_samples_without_a_spread_are_refused(right):
    with pytest.raises(ValueError, match=r"at least two values|standard deviation 0"):
        mean_difference(Sample(0, 0.0, 5), right)


def test_holm_worked_example() -> None:
    # Holm (1979) step by step: 0.01 x 4, 0.013 x 3, 0.03 x 2, 0.04 x 1, never falling.
    np.testing.assert_allclose(significance.holm([0.04, 0.01, 0.03, 0.013]), [0.06, 0.04, 0.06, 0.04])
    np.testing.assert_allclose(significance.holm([0.6, 0.7]), [1.0, 1.0])
    assert len(significance.holm([])) == 0


@settings(deadline=None, derandomize=True, max_examples=60)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_holm_rejects_what_stepping_down_rejects(p: list[float]) -> None:
    adjusted = significance.holm(p)
    order, rejected = np.argsort(p, kind="stable"), set()
    for step, place in enumerate(order):
        if p[place] * (len(p) - step) > 0.05:
            break
        rejected.add(place)
    assert {place for place in range(len(p)) if adjusted[place] <= 0.05} == rejected


def test_the_corrected_t_test_is_the_paired_one_without_overlap_and_wider_with() -> None:
    rng = np.random.default_rng(3)
    left, right = rng.normal(0.1, 1, 10), rng.normal(0, 1, 10)
    plain, wide = (
        significance.resampled_difference(left, right, 0.0),
        significance.resampled_difference(left, right, 0.25),
    )
    expected = stats.ttest_rel(left, right)
    assert plain.p == pytest.approx(expected.pvalue)
    assert [plain.low, plain.high] == pytest.approx(list(expected.confidence_interval()))
    # Nadeau and Bengio: 1/10 + 1/4 in the place of 1/10.
    assert (wide.high - wide.value) / (plain.high - plain.value) == pytest.approx(np.sqrt(3.5))
    assert wide.p > plain.p


def test_trials_that_cannot_tell_do_not_tell() -> None:
    assert significance.resampled_difference([0.9], [0.1], 0.25) == (pytest.approx(0.8), -np.inf, np.inf, 1.0)
    assert significance.resampled_difference([0.5, 0.6], [0.5, 0.6], 0.25) == (0.0, 0.0, 0.0, 1.0)
    three, ten = (significance.resampled_difference(np.full(j, 0.7), np.full(j, 0.5), 0.25) for j in (3, 10))
    assert three[1:] == (-np.inf, np.inf, 0.25) and ten[1:] == (pytest.approx(0.2), pytest.approx(0.2), 2**-9)
