"""A copy of numbers that compiles at once: Numba's assignment to a slice compiles texts of errors, for two seconds."""

from __future__ import annotations

import numpy as np

from textmix.numerics.jit import njit


@njit(nogil=True)
def copy_into(target: np.ndarray, source: np.ndarray) -> None:
    """Set ``target`` to ``source``, (n,) each, or to its first n numbers."""
    for i in range(len(target)):
        target[i] = source[i]
