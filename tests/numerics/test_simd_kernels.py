"""Arithmetic on eight documents side by side: each compiled function against its twin in plain Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from textmix.numerics import simd_kernels as lanes
from textmix.numerics.jit import njit


@njit
def compiled(
    rows: np.ndarray, weights: np.ndarray, places: np.ndarray, count: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what the functions make of rows."""
    total, sums, products = np.zeros(64), np.ones(80), np.zeros(80)
    lanes.four_weighted_rows(total, 24, rows, 8, count, weights, 5, 2, 3)
    lanes.weighted_row(total, 8, rows, 8, count, weights, 3, 2)
    lanes.add_products(sums, 8, rows, 16, rows, 0, count)
    lanes.multiply_rows(products, 8, rows, 0, rows, 8, 8, count)
    lanes.multiply_rows(products, 8, products, 8, rows, 16, 0, count)
    lanes.multiply_taken(products, 8, weights, places, count)
    return total, sums, products


@njit
def address(n: int) -> int:
    """Return the address of an aligned array."""
    return lanes.aligned(n).ctypes.data


@pytest.mark.parametrize("count", [0, 1, 7])
def test_compiled_functions_equal_their_twins(count: int) -> None:
    rng = np.random.default_rng(count)
    rows, weights = rng.normal(size=80), rng.normal(size=60)
    places = np.array([0, 50, 3, -7, 20, 20, -7, 53])
    total, sums, products = np.zeros(64), np.ones(80), np.zeros(80)
    lanes._python_four_weighted_rows(total, 24, rows, 8, count, weights, 5, 2, 3)
    lanes._python_weighted_row(total, 8, rows, 8, count, weights, 3, 2)
    lanes._python_add_products(sums, 8, rows, 16, rows, 0, count)
    lanes._python_multiply_rows(products, 8, rows, 0, rows, 8, 8, count)
    lanes._python_multiply_rows(products, 8, products, 8, rows, 16, 0, count)
    lanes._python_multiply_taken(products, 8, weights, places, count)
    for found, expected in zip(compiled(rows, weights, places, count), (total, sums, products), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-14, atol=1e-15)


@njit
def draw(drawn: np.ndarray, weights: np.ndarray, counts: np.ndarray, shares: np.ndarray, last: np.ndarray) -> None:
    """Draw for the second of two groups, among the places of the second row of weights."""
    n = len(weights) // 2
    lanes.draw_places(drawn, 16, weights, n, counts, 16 * n, n, shares, last, 16)


@pytest.mark.parametrize("draws", [draw, lambda *arrays: lanes._python_draw_places(*spread(*arrays))])
def test_a_place_is_drawn_where_the_running_sum_passes_the_share(draws: Callable[..., None]) -> None:
    weights, counts = np.array([9.0, 9.0, 9.0, 0.5, 1.0, 0.25]), np.repeat([9.0, 9.0, 9.0, 2.0, 3.0, 8.0], 16)
    drawn, last, shares = np.full(32, -1), np.full(32, -1), np.full(32, 0.5)
    shares[16:24] = [0.0, 0.1, 0.2, 0.66, 0.67, 0.99, 0.16, 0.17]
    drawn[17], last[18] = 1, 2
    draws(drawn, weights, counts, shares, last)
    assert drawn[16:24].tolist() == last[16:24].tolist() == [0, 0, 1, 1, 2, 2, 0, 1]
    assert set(drawn[:16]) == {-1}
    changed = counts.reshape(6, 16)
    assert (changed[4, 1], changed[5, 2], changed.sum()) == (2.0, 9.0, 16 * 40.0)


def spread(drawn: Any, weights: Any, counts: Any, shares: Any, last: Any) -> tuple[Any, ...]:
    """Return the arguments of `draw`'s call."""
    n = len(weights) // 2
    return drawn, 16, weights, n, counts, 16 * n, n, shares, last, 16


@pytest.mark.parametrize("n", [1, 5, 12])
def test_places_are_drawn_as_by_the_twin(n: int) -> None:
    rng = np.random.default_rng(n)
    weights, counts, shares = rng.random(2 * n), 1.0 + rng.random(32 * n), rng.random(32)
    drawn, last = rng.integers(-1, n, 32), rng.integers(-1, n, 32)
    twin = [array.copy() for array in (drawn, weights, counts, shares, last)]
    draw(drawn, weights, counts, shares, last)
    lanes._python_draw_places(*spread(*twin))
    for found, expected in zip((drawn, weights, counts, shares, last), twin, strict=True):
        assert found.tolist() == expected.tolist()


def test_rows_of_an_aligned_array_are_lines_of_the_cache() -> None:
    assert [address(n) % 64 for n in (8, 24, 1000)] == [0, 0, 0]
    assert len(lanes.aligned(24)) == 24
