"""Dual coordinate descent for linear support vector machines on one matrix, all machines in one sweep.

Source: C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. S. Keerthi and S. Sundararajan, ICML 2008 (squared hinge loss).  Here a
document's features are read once for all machines; the weights of a feature in all machines are adjacent in memory.
"""

from __future__ import annotations

import numpy as np

from textmix.numerics.basic_kernels import copy_into
from textmix.numerics.jit import njit


@njit(nogil=True)
def sweep(
    indptr: np.ndarray,
    indices: np.ndarray,
    data: np.ndarray,
    order: np.ndarray,
    squares: np.ndarray,
    signs: np.ndarray,
    ridges: np.ndarray,
    alpha: np.ndarray,
    weights: np.ndarray,
    intercept: bool = True,
) -> None:
    """Take the optimal step of each document in each machine in turn; ``alpha`` and ``weights`` are updated in place.

    The dual problem of machine k is to minimise |sum_i a_i y_i x_i|^2 / 2 + sum_i ridge_ik a_i^2 / 2 - sum_i a_i over
    a >= 0.  ``ridges``, float64 (N, K), are 1 / (2 C_ik), or (1, K) if they are equal for all documents.  The documents
    are float64 CSR (N, V), ``order`` is the order of the sweep; ``squares``, (N,), is |x_i|^2, plus 1 with a bias;
    ``signs``, int8 (N, K), is 1 for a document of the positive class of a machine, else -1.  ``alpha`` is float64
    (N, K); ``weights``, (V + 1, K), is sum_i a_i y_i x_i with the bias last.
    """
    bias = len(weights) - 1
    n_machines = weights.shape[1]
    scores = np.empty(n_machines)
    steps = np.empty(n_machines)
    for i in order:
        ridge = ridges[min(i, len(ridges) - 1)]
        copy_into(scores, weights[bias])
        for place in range(indptr[i], indptr[i + 1]):
            row = weights[indices[place]]
            value = data[place]
            for k in range(n_machines):
                scores[k] += value * row[k]
        moved = False
        for k in range(n_machines):
            before = alpha[i, k]
            gradient = signs[i, k] * scores[k] - 1.0 + ridge[k] * before
            alpha[i, k] = max(before - gradient / (squares[i] + ridge[k]), 0.0)
            steps[k] = signs[i, k] * (alpha[i, k] - before)
            moved = moved or steps[k] != 0.0
        if not moved:
            continue
        if intercept:
            weights[bias] += steps
        for place in range(indptr[i], indptr[i + 1]):
            row = weights[indices[place]]
            value = data[place]
            for k in range(n_machines):
                row[k] += value * steps[k]


@njit(nogil=True)
def sweep_one(
    indptr: np.ndarray,
    indices: np.ndarray,
    data: np.ndarray,
    order: np.ndarray,
    squares: np.ndarray,
    signs: np.ndarray,
    ridges: np.ndarray,
    alpha: np.ndarray,
    weights: np.ndarray,
    intercept: bool = True,
) -> None:
    """Do the same as `sweep` for a single machine, with the same result; ``signs`` and ``alpha`` are of shape (N,).

    ``ridges`` is of shape (N,) or (1,), and ``weights`` of shape (V + 1,).  Its scores and steps stay in registers.
    """
    bias = len(weights) - 1
    for i in order:
        ridge = ridges[min(i, len(ridges) - 1)]
        first, last = indptr[i], indptr[i + 1]
        score = weights[bias]
        for place in range(first, last):
            score += data[place] * weights[indices[place]]
        before = alpha[i]
        gradient = signs[i] * score - 1.0 + ridge * before
        after = max(before - gradient / (squares[i] + ridge), 0.0)
        alpha[i] = after
        step = signs[i] * (after - before)
        if step == 0.0:
            continue
        if intercept:
            weights[bias] += step
        for place in range(first, last):
            weights[indices[place]] += data[place] * step
