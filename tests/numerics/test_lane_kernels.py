"""Arithmetic on eight documents side by side: each compiled function against its twin in plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from textmix.numerics import lane_kernels as lanes
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


def test_rows_of_an_aligned_array_are_lines_of_the_cache() -> None:
    assert [address(n) % 64 for n in (8, 24, 1000)] == [0, 0, 0]
    assert len(lanes.aligned(24)) == 24
