"""The rising factorial's logarithm and derivatives: exact sums, SciPy, limits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from textmix.models.common.special_kernels import (
    digamma,
    log_rising,
    log_rising_table,
    polygamma_rise,
    rising,
    trigamma,
)

arguments = st.floats(-9, 12).map(lambda e: 10.0**e)


@given(arguments, st.integers(0, 300))
@settings(deadline=None, derandomize=True, max_examples=300)
def test_whole_steps_equal_finite_sums(a: float, n: int) -> None:
    expected = math.fsum(math.log(a + j) for j in range(n))
    assert log_rising(a, float(n)) == pytest.approx(expected, rel=1e-13, abs=1e-13)
    slope, curvature = polygamma_rise(a, float(n))
    assert slope == pytest.approx(math.fsum(1.0 / (a + j) for j in range(n)), rel=1e-13, abs=0)
    assert curvature == pytest.approx(math.fsum(1.0 / (a + j) ** 2 for j in range(n)), rel=1e-13, abs=0)


@given(st.floats(-8, 6).map(lambda e: 10.0**e), st.floats(-2, 6).map(lambda e: 10.0**e))
@settings(deadline=None, derandomize=True, max_examples=300)
def test_any_step_equals_scipys_differences(a: float, x: float) -> None:
    # SciPy's difference loses the digits that both terms share: the error is measured against the larger one.
    size = max(1.0, abs(special.gammaln(a)), abs(special.gammaln(a + x)))
    assert abs(log_rising(a, x) - (special.gammaln(a + x) - special.gammaln(a))) <= 5e-14 * size
    slope, curvature = polygamma_rise(a, x)
    size = max(1.0, abs(special.digamma(a)), abs(special.digamma(a + x)))
    assert abs(slope - (special.digamma(a + x) - special.digamma(a))) <= 1e-14 * size
    size = special.polygamma(1, a)
    assert abs(curvature - (size - special.polygamma(1, a + x))) <= 1e-14 * size


def test_digits_survive_where_the_plain_difference_has_none() -> None:
    s, n = 1e13, 1000.0
    slope, curvature = polygamma_rise(s, n)
    assert slope == pytest.approx(n / s, rel=1e-9)
    assert curvature == pytest.approx(n / s**2, rel=1e-9)
    assert log_rising(s, n) == pytest.approx(n * math.log(s) + n * (n - 1) / (2 * s), rel=1e-14)


def test_large_counts_are_finite_and_right() -> None:
    x = 2.0**31 + 5
    assert log_rising(0.25, x) == pytest.approx(special.gammaln(x + 0.25) - special.gammaln(0.25), rel=1e-14)
    assert polygamma_rise(0.25, x)[0] == pytest.approx(special.digamma(x + 0.25) - special.digamma(0.25), rel=1e-14)


@pytest.mark.parametrize(
    ("a", "x"),
    [(0.03, 2.5), (0.7, 300.0), (3.0, 16.0), (3.0, 16.5), (9.99, 17.0), (10.0, 17.0), (25.0, 0.5), (2e18, 4.0)],
)
def test_the_three_together_are_those_of_the_two_functions(a: float, x: float) -> None:
    assert rising(a, x) == pytest.approx((log_rising(a, x), *polygamma_rise(a, x)), rel=1e-12, abs=0)


def test_table_holds_every_pair() -> None:
    a, x = np.array([0.5, 3.0]), np.array([0.0, 1.0, 12.0])
    expected = [[log_rising(0.5, n), log_rising(3.0, n)] for n in x]
    np.testing.assert_array_equal(log_rising_table(a, x), expected)


@given(arguments)
@settings(deadline=None, derandomize=True, max_examples=200)
def test_trigamma_equals_scipys(a: float) -> None:
    assert trigamma(a) == pytest.approx(float(special.polygamma(1, a)), rel=1e-12)


@given(arguments)
@settings(deadline=None, derandomize=True, max_examples=200)
def test_digamma_equals_scipys(a: float) -> None:
    assert digamma(a) == pytest.approx(float(special.digamma(a)), rel=1e-14, abs=1e-14)
