"""Products with a sparse matrix of N documents and P features that is held by columns.

A matrix X comes as the arrays of its CSC form: ``indptr``, int64 (P + 1,); ``indices``, integer, the row of each stored
cell; ``data``, float, its value.  Where all values are 1, ``data`` is empty and is not read, which saves most of the
memory traffic.  A vector with a number for each document fits a core's cache.  Every product therefore reads the matrix
once from memory.
"""

from __future__ import annotations

import numpy as np

from textmix.core.jit import njit


@njit(nogil=True)
def correlate(indptr: np.ndarray, indices: np.ndarray, data: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return X'v, float64 (P,), for a vector v, float64 (N,)."""
    out = np.empty(len(indptr) - 1)
    for j in range(len(out)):
        total = 0.0
        if len(data):
            for k in range(indptr[j], indptr[j + 1]):
                total += data[k] * v[indices[k]]
        else:
            for k in range(indptr[j], indptr[j + 1]):
                total += v[indices[k]]
        out[j] = total
    return out


@njit(nogil=True)
def combine_some(
    indptr: np.ndarray, indices: np.ndarray, data: np.ndarray, columns: np.ndarray, w: np.ndarray, n_rows: int
) -> np.ndarray:
    """Return the sum over k of ``w[k]`` times column ``columns[k]`` of X, float64 (N,).

    Parameters
    ----------
    columns : int64 (K,), indices of columns.
    w : float64 (K,), their weights.
    n_rows : N.
    """
    out = np.zeros(n_rows)
    for c in range(len(columns)):
        begin, end = indptr[columns[c]], indptr[columns[c] + 1]
        if len(data):
            for k in range(begin, end):
                out[indices[k]] += w[c] * data[k]
        else:
            for k in range(begin, end):
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
            for k in range(indptr[j], indptr[j + 1]):
                total += data[k] * v[indices[k]]
            for k in range(indptr[j], indptr[j + 1]):
                out[indices[k]] += total * data[k]
        else:
            for k in range(indptr[j], indptr[j + 1]):
                total += v[indices[k]]
            for k in range(indptr[j], indptr[j + 1]):
                out[indices[k]] += total
    return out
