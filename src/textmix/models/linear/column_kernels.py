"""Products with a sparse matrix of N documents and P features that is held by columns.

A matrix X comes as the arrays of its CSC form: ``indptr``, int64 (P + 1,); ``indices``, integer, the row of each stored
cell; ``data``, float, its value.  Where all values are 1, ``data`` is empty and is not read, which saves most of the
memory traffic.  A vector with a number for each document fits a core's cache.  Every product therefore reads the matrix
once from memory.
"""

from __future__ import annotations

import numpy as np

from textmix.numerics.jit import njit


@njit(inline="always")
def cells_of(indptr: np.ndarray, j: int) -> range:
    """Return the places of column j's cells in ``indices`` and ``data``.

    They have no sign: Numba tests a signed place for being negative at each cell, a third of a pass.
    """
    return range(np.uint64(indptr[j]), np.uint64(indptr[j + 1]))


@njit(nogil=True)
def correlate(indptr: np.ndarray, indices: np.ndarray, data: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return X'v, float64 (P,), for a vector v, float64 (N,)."""
    out = np.empty(len(indptr) - 1)
    for j in range(len(out)):
        total = 0.0
        if len(data):
            for k in cells_of(indptr, j):
                total += data[k] * v[indices[k]]
        else:
            for k in cells_of(indptr, j):
                total += v[indices[k]]
        out[j] = total
    return out


@njit(nogil=True)
def combine_some(
    indptr: np.ndarray, indices: np.ndarray, data: np.ndarray, columns: np.ndarray, w: np.ndarray, n_rows: int
) -> np.ndarray:
    """Return the sum over k of ``w[k]`` times column ``columns[k]`` of X, float64 (N,); ``columns`` is int64 (K,)."""
    out = np.zeros(n_rows)
    for c in range(len(columns)):
        if len(data):
            for k in cells_of(indptr, columns[c]):
                out[indices[k]] += w[c] * data[k]
        else:
            for k in cells_of(indptr, columns[c]):
                out[indices[k]] += w[c]
    return out


@njit(nogil=True)
def gram_product(indptr: np.ndarray, indices: np.ndarray, data: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return XX'v, float64 (N,), for a vector v, float64 (N,).

    A column's product with v and its addition to the result follow each other, while the column is in the cache.
    """
    out = np.zeros(len(v))
    for j in range(len(indptr) - 1):
        total = 0.0
        if len(data):
            for k in cells_of(indptr, j):
                total += data[k] * v[indices[k]]
            for k in cells_of(indptr, j):
                out[indices[k]] += total * data[k]
        else:
            for k in cells_of(indptr, j):
                total += v[indices[k]]
            for k in cells_of(indptr, j):
                out[indices[k]] += total
    return out


@njit(nogil=True)
def combine_squares(
    indptr: np.ndarray, indices: np.ndarray, data: np.ndarray, W: np.ndarray, n_rows: int
) -> np.ndarray:
    """Return X w and Y v, float64 (N, 2), where ``W`` is w and v (P, 2), and Y holds the squares of X's cells."""
    out = np.zeros((n_rows, 2))
    for j in range(len(indptr) - 1):
        w, v = W[j, 0], W[j, 1]
        if len(data):
            for k in cells_of(indptr, j):
                out[indices[k], 0] += w * data[k]
                out[indices[k], 1] += v * data[k] * data[k]
        else:
            for k in cells_of(indptr, j):
                out[indices[k], 0] += w
                out[indices[k], 1] += v
    return out


@njit(nogil=True)
def correlate_squares(indptr: np.ndarray, indices: np.ndarray, data: np.ndarray, V: np.ndarray) -> np.ndarray:
    """Return X'u and Y'v, float64 (P, 2), where ``V`` is u and v (N, 2), and Y holds the squares of X's cells."""
    out = np.empty((len(indptr) - 1, 2))
    for j in range(len(out)):
        first, second = 0.0, 0.0
        if len(data):
            for k in cells_of(indptr, j):
                first += data[k] * V[indices[k], 0]
                second += data[k] * data[k] * V[indices[k], 1]
        else:
            for k in cells_of(indptr, j):
                first += V[indices[k], 0]
                second += V[indices[k], 1]
        out[j, 0], out[j, 1] = first, second
    return out
