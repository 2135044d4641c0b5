"""Copies and sums of numbers that compile at once, where Numba's own take a second or two.

Numba's assignment to a slice compiles texts of errors; an index that is an array compiles the general case.
"""

from __future__ import annotations

import numpy as np

from textmix.numerics.jit import njit


@njit(nogil=True)
def copy_into(target: np.ndarray, source: np.ndarray) -> None:
    """Set ``target`` to ``source``, (n,) each, or to its first n numbers."""
    for i in range(len(target)):
        target[i] = source[i]


@njit(nogil=True)
def taken(values: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Return the numbers at some places, (n,), of an array (m,) of float64."""
    result = np.empty(len(places))
    for i in range(len(places)):
        result[i] = values[places[i]]
    return result


@njit(nogil=True)
def total_of(values: np.ndarray) -> float:
    """Return the sum of numbers (n,), added one after the other."""
    total = 0.0
    for i in range(len(values)):
        total += values[i]
    return total
