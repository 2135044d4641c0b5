"""Dual coordinate ascent for multinomial logistic regression: the step of one document, and a sweep over all.

Source: H.-F. Yu, F.-L. Huang and C.-J. Lin, Machine Learning 85, 2011, section 5.  The subproblem is theirs; here
Newton's method solves it for all classes simultaneously.
"""

from __future__ import annotations

import math

import numpy as np

from textmix.numerics.basic_kernels import copy_into
from textmix.numerics.jit import njit

#: Maximum number of Newton steps for one document, and tolerance on the change of a probability.
NEWTON_STEPS = 50
SMALL = 1e-8
#: Maximum change of the logarithm of a probability in a Newton step, upwards and downwards.
UP = 3.0
DOWN = -30.0


@njit
def best_shares(scores: np.ndarray, shares: np.ndarray, logs: np.ndarray, square: float) -> None:
    """Solve p = softmax(scores - square (p - start)) for the probabilities p of one document, in place.

    The logarithms u of the probabilities are the unknowns of Newton's method: u + square e^u + nu = scores + square
    start, where nu normalises the probabilities to sum 1.  ``scores``, (C,), is overwritten; ``shares`` and ``logs``,
    (C,), are the start (positive, with sum 1) and then the solution.
    """
    size = len(scores)
    nu = 0.0
    for c in range(size):
        scores[c] += square * shares[c]
        nu += shares[c] * (scores[c] - logs[c] - square * shares[c])
    for _ in range(NEWTON_STEPS):
        total = -1.0
        slope = 0.0
        for c in range(size):
            p = math.exp(logs[c])
            shares[c] = p
            total += p + p * (scores[c] - nu - logs[c] - square * p) / (1.0 + square * p)
            slope += p / (1.0 + square * p)
        change_nu = total / slope
        change = 0.0
        for c in range(size):
            p = shares[c]
            step = (scores[c] - nu - logs[c] - square * p - change_nu) / (1.0 + square * p)
            step = min(max(step, DOWN), UP)
            logs[c] += step
            change = max(change, abs(step) * p)
        nu += change_nu
        if change < SMALL:
            break
    total = 0.0
    for c in range(size):
        shares[c] = math.exp(logs[c])
        total += shares[c]
    for c in range(size):
        shares[c] /= total
        logs[c] -= math.log(total)


@njit
def sweep(
    indptr: np.ndarray,
    indices: np.ndarray,
    data: np.ndarray,
    order: np.ndarray,
    importance: np.ndarray,
    variance: float,
    room: float,
    shares: np.ndarray,
    logs: np.ndarray,
    weights: np.ndarray,
    bias: np.ndarray,
) -> None:
    """Take the optimal step of each document in turn, in place.

    The features are float64 CSR (N, V).  ``importance`` are the document weights, float64 (N,), or (1,) if they are
    equal.  ``variance`` and ``room`` are the changes of a weight and of a bias per unit change of a probability for a
    feature value of 1 and a document weight of 1.  ``shares`` and ``logs``, (N, C), are the dual variables and their
    logarithms; ``weights``, (V, C), and ``bias``, (C,), are kept consistent with them.
    """
    size = shares.shape[1]
    scores = np.empty(size)
    moved = np.empty(size)
    for i in order:
        copy_into(scores, bias)
        unit = importance[min(i, len(importance) - 1)]
        feature_step = variance * unit
        bias_step = room * unit
        square = bias_step
        for j in range(indptr[i], indptr[i + 1]):
            value = data[j]
            row = weights[indices[j]]
            square += feature_step * value * value
            for c in range(size):
                scores[c] += value * row[c]
        copy_into(moved, shares[i])
        best_shares(scores, shares[i], logs[i], square)
        for c in range(size):
            moved[c] -= shares[i, c]
            bias[c] += bias_step * moved[c]
            moved[c] *= feature_step
        for j in range(indptr[i], indptr[i + 1]):
            value = data[j]
            row = weights[indices[j]]
            for c in range(size):
                row[c] += value * moved[c]
