"""Products with a sparse matrix of N documents and P features in CSC format.

A matrix X is passed as its CSC arrays: ``indptr``, int64 (P + 1,); ``indices``, integer row indices; ``data``, float
values.  If all values are 1, ``data`` is empty and is not read, which avoids most of the memory traffic.  A vector with
one number per document fits into the cache of a core, so every product reads the matrix once from memory.
"""

from __future__ import annotations

import numpy as np

from textmix.numerics.jit import njit


@njit(inline="always")
def cells_of(indptr: np.ndarray, j: int) -> range:
    """Return the range of column j's elements in ``indices`` and ``data``.

    The range is unsigned: for signed positions Numba would check for negative values, which costs a third of a pass.
    """
    return range(np.uint64(indptr[j]), np.uint64(indptr[j + 1]))


@njit(nogil=True)
def correlate(indptr: np.ndarray, indices: np.ndarray, data: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Compute X'v, float64 (P,), for a vector v, float64 (N,)."""
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
    """Compute the sum over k of ``w[k]`` times column ``columns[k]`` of X, float64 (N,); ``columns`` is int64 (K,)."""
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
def copy_columns(
    indptr: np.ndarray, indices: np.ndarray, data: np.ndarray, columns: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Copy the columns ``columns``, int64 (K,), of X to a matrix of their own, in the same format.

    Repeated passes over a few columns of a large matrix are several times faster on a copy, which is contiguous.
    """
    starts = np.zeros(len(columns) + 1, np.int64)
    for c in range(len(columns)):
        starts[c + 1] = starts[c] + indptr[columns[c] + 1] - indptr[columns[c]]
    rows = np.empty(starts[-1], indices.dtype)
    values = np.empty(starts[-1] if len(data) else 0, data.dtype)
    for c in range(len(columns)):
        end = np.uint64(starts[c])
        for k in cells_of(indptr, columns[c]):
            rows[end] = indices[k]
            if len(data):
                values[end] = data[k]
            end += np.uint64(1)
    return starts, rows, values


@njit(nogil=True)
def transpose_columns(
    indptr: np.ndarray, indices: np.ndarray, data: np.ndarray, columns: np.ndarray, n_rows: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Copy the columns ``columns``, int64 (K,), of X in CSR format, with positions in ``columns`` as column indices.

    `correlate` of the result and w (K,) is `combine_some`, with the same rounding, but faster: it reads w, which is
    short, at random positions, where `combine_some` writes to them.
    """
    starts = np.zeros(n_rows + 1, np.int64)
    for column in columns:
        for k in cells_of(indptr, column):
            starts[indices[k] + 1] += 1
    starts = np.cumsum(starts)
    positions = np.empty(starts[-1], np.int32)
    values = np.empty(starts[-1] if len(data) else 0, data.dtype)
    ends = starts.copy()
    for c in range(len(columns)):
        for k in cells_of(indptr, columns[c]):
            end = ends[indices[k]]
            positions[end] = c
            if len(data):
                values[end] = data[k]
            ends[indices[k]] = end + 1
    return starts, positions, values


@njit(nogil=True)
def gram_product(indptr: np.ndarray, indices: np.ndarray, data: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Compute XX'v, float64 (N,), for a vector v, float64 (N,).

    Each column is multiplied by v and immediately added to the result, while it is still in the cache.
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
    """Compute X w and Y v, float64 (N, 2); ``W`` contains w and v (P, 2), and Y is the elementwise square of X."""
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
    """Compute X'u and Y'v, float64 (P, 2); ``V`` contains u and v (N, 2), and Y is the elementwise square of X."""
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
