"""Dual coordinate descent for linear machines on one matrix: the squared hinge and the logistic loss, in one sweep.

Sources: C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. S. Keerthi and S. Sundararajan, ICML 2008 (squared hinge loss);
H.-F. Yu, F.-L. Huang and C.-J. Lin, Machine Learning 85, 2011 (logistic loss).  A document's features are read once for
all machines; the weights of a feature in all machines are adjacent in memory.
"""

from __future__ import annotations

import math

import numpy as np

from textmix.numerics.jit import njit

#: Maximum number and length of Newton steps for one unknown of the logistic loss, and tolerance on their change.
NEWTON_STEPS = 20
LONGEST = 4.0
SMALL = 1e-4


@njit(nogil=True, inline="always")
def _log_odds(margin: float, square: float, cost: float, start: float) -> float:
    """Solve square (cost s(u) - cost s(start)) + margin + u = 0 for u, where s is the logistic function."""
    u = start
    before = cost / (1.0 + math.exp(-start))
    for _ in range(NEWTON_STEPS):
        share = 1.0 / (1.0 + math.exp(-u))
        step = (square * (cost * share - before) + margin + u) / (1.0 + square * cost * share * (1.0 - share))
        step = min(max(step, -LONGEST), LONGEST)
        u -= step
        if abs(step) < SMALL:
            break
    return u


@njit(nogil=True)
def sweep(
    indptr: np.ndarray,
    indices: np.ndarray,
    data: np.ndarray,
    order: np.ndarray,
    squares: np.ndarray,
    signs: np.ndarray,
    costs: np.ndarray,
    logistic: bool,
    dual: np.ndarray,
    weights: np.ndarray,
) -> None:
    """Take the optimal step of each document in each machine in turn; ``dual`` and ``weights`` are updated in place.

    The documents are float32 CSR; ``order`` is the order of the sweep; ``squares``, (N,), is |x_i|^2 + 1, including the
    bias feature; ``signs``, int8 (N, K), is 1 for a document of the positive class of a machine, else -1.  ``costs``,
    float32 (N, K), are the loss weights of each document.  ``dual``, float32 (N, K), is the dual variable a of the
    squared hinge loss, or with ``logistic`` the log odds of a / C.  ``weights``, float32 (V + 1, K), is sum_i a_i y_i
    x_i with the bias last.
    """
    bias = len(weights) - 1
    n_machines = weights.shape[1]
    scores = np.empty(n_machines, np.float32)
    steps = np.empty(n_machines, np.float32)
    for i in order:
        for k in range(n_machines):
            scores[k] = weights[bias, k]
        for place in range(indptr[i], indptr[i + 1]):
            row = weights[indices[place]]
            value = data[place]
            for k in range(n_machines):
                scores[k] += value * row[k]
        moved = False
        for k in range(n_machines):
            margin = signs[i, k] * scores[k]
            cost = costs[i, k]
            before = dual[i, k]
            if logistic:
                found = _log_odds(margin, squares[i], cost, before)
                dual[i, k] = np.float32(found)
                step = cost * (1.0 / (1.0 + math.exp(-dual[i, k])) - 1.0 / (1.0 + math.exp(-before)))
            else:
                ridge = np.float32(0.5) / cost
                dual[i, k] = max(before - (margin - np.float32(1.0) + ridge * before) / (squares[i] + ridge), 0.0)
                step = dual[i, k] - before
            steps[k] = signs[i, k] * np.float32(step)
            moved = moved or steps[k] != 0.0
        if not moved:
            continue
        for k in range(n_machines):
            weights[bias, k] += steps[k]
        for place in range(indptr[i], indptr[i + 1]):
            row = weights[indices[place]]
            value = data[place]
            for k in range(n_machines):
                row[k] += value * steps[k]


@njit(nogil=True)
def gap(
    indptr: np.ndarray,
    indices: np.ndarray,
    data: np.ndarray,
    signs: np.ndarray,
    costs: np.ndarray,
    logistic: bool,
    dual: np.ndarray,
    weights: np.ndarray,
) -> float:
    """Compute the duality gap of all machines together, as a fraction of their objective; arguments as in `sweep`."""
    n_machines = weights.shape[1]
    loss = 0.0
    conjugate = 0.0
    square = 0.0
    scores = np.empty(n_machines, np.float32)
    for i in range(len(indptr) - 1):
        for k in range(n_machines):
            scores[k] = weights[-1, k]
        for place in range(indptr[i], indptr[i + 1]):
            row = weights[indices[place]]
            value = data[place]
            for k in range(n_machines):
                scores[k] += value * row[k]
        for k in range(n_machines):
            margin = signs[i, k] * scores[k]
            cost = float(costs[i, k])
            if logistic:
                share = 1.0 / (1.0 + math.exp(-dual[i, k]))
                loss += cost * (math.log1p(math.exp(-abs(margin))) + max(-margin, 0.0))
                if 0.0 < share < 1.0:
                    conjugate -= cost * (share * math.log(share) + (1.0 - share) * math.log1p(-share))
            else:
                loss += cost * max(1.0 - margin, 0.0) ** 2
                conjugate += dual[i, k] - dual[i, k] ** 2 / (4.0 * cost)
    for j in range(len(weights)):
        for k in range(n_machines):
            square += weights[j, k] * weights[j, k]
    objective = 0.5 * square + loss
    return (objective - (conjugate - 0.5 * square)) / objective
