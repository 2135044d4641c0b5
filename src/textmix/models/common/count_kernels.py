"""Sums of counts over documents and classes, in one pass over the positive cells of a CSR matrix.

Symbols: document d, word w, class c; N documents, V words, C classes; x_dw count, n_d document length.  The arrays of
the matrix are ``indptr``, integer (N + 1,); ``indices``, integer (cells,), the word of each cell; ``data``, its count.
Tables that score documents are (V, C), so that scoring reads C adjacent numbers for each positive count.
"""

from __future__ import annotations

import numpy as np

from textmix.numerics.jit import njit
from textmix.numerics.prefetch_kernels import prefetch_row

#: Entries compared in parallel.
LANES = 8


@njit
def add_counts(
    indptr: np.ndarray, indices: np.ndarray, data: np.ndarray, y: np.ndarray, weight: np.ndarray, table: np.ndarray
) -> None:
    """Add the weighted counts to ``table[w, c]``: c(w, T_c) = sum over d in class c of weight_d x_dw.

    ``y`` is the class of each document, integer (N,); ``weight`` float64 (N,); ``table`` float64 (V, C).
    """
    for d in range(len(y)):
        c = y[d]
        for i in range(indptr[d], indptr[d + 1]):
            table[indices[i], c] += weight[d] * data[i]


@njit
def row_sums(indptr: np.ndarray, data: np.ndarray) -> np.ndarray:
    """Return the lengths n_d of the documents, float64 (N,)."""
    length = np.zeros(len(indptr) - 1)
    for d in range(len(length)):
        for i in range(indptr[d], indptr[d + 1]):
            length[d] += data[i]
    return length


@njit
def smallest_positive(table: np.ndarray) -> np.ndarray:
    """Return the smallest positive entry of each row of a table (n, m), float64 (n,); infinity where there is none."""
    smallest = np.empty(table.shape[0])
    lanes = np.empty(LANES)
    for i in range(table.shape[0]):
        for lane in range(LANES):
            lanes[lane] = np.inf
        whole = table.shape[1] // LANES * LANES
        # In parallel and without a branch, which would be mispredicted: zeros are scattered among positive entries.
        for j in range(0, whole, LANES):
            for lane in range(LANES):
                x = table[i, j + lane] if table[i, j + lane] > 0 else np.inf
                lanes[lane] = x if x < lanes[lane] else lanes[lane]
        smallest[i] = np.inf
        for j in range(whole, table.shape[1]):
            if 0 < table[i, j] < smallest[i]:
                smallest[i] = table[i, j]
        for lane in range(LANES):
            smallest[i] = min(smallest[i], lanes[lane])
    return smallest


@njit
def count_scores(
    indptr: np.ndarray, indices: np.ndarray, data: np.ndarray, log_weight: np.ndarray, score: np.ndarray
) -> None:
    """Add sum_w x_dw log_weight[w, c], the multinomial log-likelihood, to ``score[d, c]``, float64 (N, C)."""
    for d in range(len(indptr) - 1):
        last = indptr[d + 1]
        four = last - (last - indptr[d]) % 4
        # Four words at a time, so that a score is read and written once for them; the order of the sum is the same.
        for i in range(indptr[d], four, 4):
            for k in range(i, i + 4):
                prefetch_row(log_weight, indices, k)
            w0 = indices[i]
            w1 = indices[i + 1]
            w2 = indices[i + 2]
            w3 = indices[i + 3]
            x0 = data[i]
            x1 = data[i + 1]
            x2 = data[i + 2]
            x3 = data[i + 3]
            for c in range(score.shape[1]):
                pair = score[d, c] + x0 * log_weight[w0, c] + x1 * log_weight[w1, c]
                score[d, c] = pair + x2 * log_weight[w2, c] + x3 * log_weight[w3, c]
        for i in range(four, last):
            for c in range(score.shape[1]):
                score[d, c] += data[i] * log_weight[indices[i], c]
