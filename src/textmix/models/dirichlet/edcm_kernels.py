r"""Kernels of the EDCM: the concentration s of a class from its document lengths (EDCM paper, section 3), and scores.

Setting the derivative of the log-likelihood to zero yields \beta_w = df_w / B(s) with df_w = \sum_d I(x_dw >= 1) and
B(s) = \sum_d \Psi(s + n_d) - |D| \Psi(s) (equation 4 with its sign corrected), and, summed over the words,

    s B(s) = M,    M = \sum_w df_w

The left side increases from |D| (s -> 0) to \sum_d n_d (s -> infinity), where |D| counts the nonempty documents.
"""

from __future__ import annotations

import numpy as np

from textmix.models.dirichlet.length_kernels import concentration_bound, length_derivatives
from textmix.numerics.basic_kernels import copy_into, total_of
from textmix.numerics.jit import njit
from textmix.numerics.prefetch_kernels import prefetch_row

#: Relative accuracy of s.
TOLERANCE = 1e-14
#: Maximum number of Newton steps.
MAX_STEPS = 200
#: Logarithms of integer document frequencies below this are precomputed once per class and looked up.
KNOWN = 64
#: Number of words with parameters written at a time: their document frequencies fill one cache line of each class.
BLOCK = 8


@njit
def solve_concentration(words: float, lengths: np.ndarray, number: np.ndarray) -> tuple[float, int, bool]:
    """Solve s B(s) = M by Newton's method on log s, safeguarded by a shrinking bracket.

    Parameters
    ----------
    words : float
        M.
    lengths : ndarray of shape (K,), float64
        Distinct positive document lengths.
    number : ndarray of shape (K,), float64
        Number of documents of each length.

    Returns
    -------
    s : float
        Root. If no root exists, the bound that s approaches: Q if no word repeats, else 1 / Q (`concentration_bound`).
    n_iter : int
        Number of Newton steps.
    capped : bool
        Whether no root exists.
    """
    high = concentration_bound(lengths, number)
    low = 1.0 / high
    if high * length_derivatives(high, lengths, number)[0] <= words:
        return high, 0, True
    if low * length_derivatives(low, lengths, number)[0] >= words:
        return low, 0, True
    s = min(max(words / max(total_of(number), 1.0), low), high)
    for step in range(1, MAX_STEPS + 1):
        derivative, curvature = length_derivatives(s, lengths, number)
        if s * derivative > words:
            high = s
        else:
            low = s
        # Newton's method on log(s B) as a function of log s, with derivative 1 + s B'/B.
        gradient = 1.0 - s * curvature / derivative
        trial = s * np.exp(np.log(words / (s * derivative)) / gradient) if gradient > 0 else 0.0
        if not low <= trial <= high:
            trial = np.sqrt(low * high)
        if abs(trial - s) <= TOLERANCE * s:
            return trial, step, False
        s = trial
    return s, MAX_STEPS, False


@njit
def add_presence(
    indptr: np.ndarray,
    indices: np.ndarray,
    data: np.ndarray,
    y: np.ndarray,
    order: np.ndarray,
    weight: np.ndarray,
    table: np.ndarray,
) -> np.ndarray:
    """Add sum over d in class c of weight_d I(x_dw > 0) to ``table[c, w]``, float64 (C, V); return n_d, float64 (N,).

    The counts are CSR (N, V) without explicit zeros.  ``order`` sorts the documents by class, so that the row of the
    table that is being updated stays in the L2 cache; the order within a class is preserved.
    """
    length = np.zeros(len(y))
    row = np.empty(table.shape[1])
    first = 0
    while first < len(order):
        c = y[order[first]]
        copy_into(row, table[c])
        while first < len(order) and y[order[first]] == c:
            d = order[first]
            n = 0.0
            for i in range(indptr[d], indptr[d + 1]):
                row[np.uint64(indices[i])] += weight[d]  # unsigned: avoids the check for negative indices
                n += data[i]
            length[d] = n
            first += 1
        copy_into(table[c], row)
    return length


@njit
def log_parameters(table: np.ndarray, scale: np.ndarray, added: np.ndarray, result: np.ndarray) -> None:
    """Set result[w, c] = log(table[c, w] scale[c] + added[c]) from document frequencies (C, V).

    Most document frequencies are integers below `KNOWN`; their logarithms are looked up.
    """
    known = np.empty((table.shape[0], KNOWN))
    for c in range(table.shape[0]):
        for x in range(KNOWN):
            known[c, x] = np.log(x * scale[c] + added[c])
    for first in range(0, table.shape[1], BLOCK):
        for c in range(table.shape[0]):
            for w in range(first, min(first + BLOCK, table.shape[1])):
                x = table[c, w]
                k = np.int64(x)
                result[w, c] = known[c, k] if x < KNOWN and k == x else np.log(x * scale[c] + added[c])


@njit
def presence_scores(
    indptr: np.ndarray, indices: np.ndarray, data: np.ndarray, log_beta: np.ndarray, score: np.ndarray
) -> np.ndarray:
    """Add the sum over words with x_dw > 0 of log_beta[w, c], equation (3), to ``score[d, c]``; return n_d, (N,).

    The counts are CSR (N, V) without explicit zeros.
    """
    length = np.zeros(len(indptr) - 1)
    for d in range(len(length)):
        n = 0.0
        last = indptr[d + 1]
        four = last - (last - indptr[d]) % 4
        # Process four words at a time, so that each score is loaded and stored once; the summation order is unchanged.
        for i in range(indptr[d], four, 4):
            for k in range(i, i + 4):
                prefetch_row(log_beta, indices, k)
                n += data[k]
            w0 = indices[i]
            w1 = indices[i + 1]
            w2 = indices[i + 2]
            w3 = indices[i + 3]
            for c in range(score.shape[1]):
                score[d, c] = score[d, c] + log_beta[w0, c] + log_beta[w1, c] + log_beta[w2, c] + log_beta[w3, c]
        for i in range(four, last):
            n += data[i]
            for c in range(score.shape[1]):
                score[d, c] += log_beta[indices[i], c]
        length[d] = n
    return length
