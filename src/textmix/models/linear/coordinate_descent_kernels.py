"""Coordinate descent on a penalised quadratic over the columns of a sparse matrix.

The quadratic is the Newton model of a loss as a function of the documents' scores.  It is stored as ``state``, float64
(N, 2): each row contains the gradient g with respect to a document's score and the curvature H.  When the scores change
by d, g changes by H d.  The matrix has the format of `column_kernels`.
"""

from __future__ import annotations

import numpy as np

from textmix.models.linear.column_kernels import cells_of, correlate, transpose_columns
from textmix.numerics.basic_kernels import copy_into
from textmix.numerics.jit import njit

#: Number of coordinate descent sweeps between two conjugate gradient steps on the support.
SWEEPS_BETWEEN = 5
#: Maximum number of conjugate gradient iterations for a step on the support.
MAX_CG = 30
#: Maximum number of halvings of the length of this step.
HALVINGS = 8


@njit(nogil=True)
def _column_curvature(indptr: np.ndarray, indices: np.ndarray, data: np.ndarray, j: int, state: np.ndarray) -> float:
    """Compute the quadratic's second derivative in weight j without penalties: sum over documents of h_i x_ij^2."""
    total = 0.0
    if len(data):
        for k in cells_of(indptr, j):
            total += data[k] * data[k] * state[indices[k], 1]
    else:
        for k in cells_of(indptr, j):
            total += state[indices[k], 1]
    return total


@njit(nogil=True)
def _add_to_weight(
    indptr: np.ndarray, indices: np.ndarray, data: np.ndarray, j: int, state: np.ndarray, step: float
) -> None:
    """Update the documents' gradients in place for a change of weight j by ``step``: add step h_i x_ij."""
    if len(data):
        for k in cells_of(indptr, j):
            i = indices[k]
            state[i, 0] += step * data[k] * state[i, 1]
    else:
        for k in cells_of(indptr, j):
            i = indices[k]
            state[i, 0] += step * state[i, 1]


@njit(nogil=True)
def _column_gradient(indptr: np.ndarray, indices: np.ndarray, data: np.ndarray, j: int, state: np.ndarray) -> float:
    """Compute the quadratic's gradient in weight j without penalties: sum over documents of x_ij g_i."""
    total = 0.0
    if len(data):
        for k in cells_of(indptr, j):
            total += data[k] * state[indices[k], 0]
    else:
        for k in cells_of(indptr, j):
            total += state[indices[k], 0]
    return total


@njit(nogil=True)
def _column_product(indptr: np.ndarray, indices: np.ndarray, data: np.ndarray, j: int, v: np.ndarray) -> float:
    """Compute the product of column j and a vector v, float64 (N,)."""
    total = 0.0
    if len(data):
        for k in cells_of(indptr, j):
            total += data[k] * v[indices[k]]
    else:
        for k in cells_of(indptr, j):
            total += v[indices[k]]
    return total


@njit(nogil=True)
def _quadratic(state: np.ndarray, w: np.ndarray, l1: float, l2: float) -> float:
    """Compute the penalised quadratic up to a constant: sum over documents of g_i^2 / (2 h_i), plus the penalties."""
    total = 0.0
    for i in range(len(state)):
        if state[i, 1] > 0:
            total += 0.5 * state[i, 0] * state[i, 0] / state[i, 1]
    for k in range(len(w)):
        total += l1 * abs(w[k]) + 0.5 * l2 * w[k] * w[k]
    return total


@njit(nogil=True)
def _support_step(
    indptr: np.ndarray,
    indices: np.ndarray,
    data: np.ndarray,
    w: np.ndarray,
    state: np.ndarray,
    curvature: np.ndarray,
    l1: float,
    l2: float,
    intercept: bool = True,
) -> float:
    """Update all nonzero weights in one step, in place; return the update of the intercept.

    While no weight changes its sign, the penalised quadratic is smooth: conjugate gradients with a diagonal
    preconditioner advance along valleys in which coordinate descent is slow.  A weight that would change its sign
    becomes 0.  The step is halved until the penalised quadratic decreases, and rejected if it never does.
    """
    support = np.flatnonzero((w != 0.0) & (curvature > 0.0))
    h = state[:, 1].copy()
    total = np.sum(h)
    if not total > 0.0:
        return 0.0
    weights = w[support]
    scale = 1.0 / curvature[support]
    r = np.empty(len(support))
    for k in range(len(support)):
        gradient = _column_gradient(indptr, indices, data, support[k], state)
        r[k] = -(gradient + l2 * weights[k] + l1 * np.sign(weights[k]))
    r_b = -np.sum(state[:, 0]) if intercept else 0.0
    p = scale * r
    p_b = r_b / total
    step = np.zeros(len(support))
    step_b = 0.0
    change = np.zeros(len(h))
    norm = np.sum(r * p) + r_b * p_b
    first = norm
    product = np.empty(len(support))
    starts, positions, values = transpose_columns(indptr, indices, data, support, len(h))
    for _ in range(MAX_CG):
        if not norm > 0.01 * first:
            break
        image = h * (correlate(starts, positions, values, p) + p_b)
        for k in range(len(support)):
            product[k] = _column_product(indptr, indices, data, support[k], image) + l2 * p[k]
        product_b = np.sum(image) if intercept else 0.0
        along = np.sum(p * product) + p_b * product_b
        if not along > 0:
            break
        size = norm / along
        step += size * p
        step_b += size * p_b
        change += size * image
        r -= size * product
        r_b -= size * product_b
        before = norm
        norm = np.sum(r * scale * r) + r_b * r_b / total
        p = scale * r + norm / before * p
        p_b = r_b / total + norm / before * p_b
    value = _quadratic(state, weights, l1, l2)
    residual = state[:, 0].copy()
    size = 1.0
    for _ in range(HALVINGS):
        guess = weights + size * step
        copy_into(state[:, 0], residual + size * change)
        for k in range(len(support)):
            if not guess[k] * weights[k] > 0.0:
                _add_to_weight(indptr, indices, data, support[k], state, -guess[k])
                guess[k] = 0.0
        if _quadratic(state, guess, l1, l2) < value:
            for k in range(len(support)):
                w[support[k]] = guess[k]
            return size * step_b
        size *= 0.5
    copy_into(state[:, 0], residual)
    return 0.0


@njit(nogil=True)
def descend(
    indptr: np.ndarray,
    indices: np.ndarray,
    data: np.ndarray,
    w: np.ndarray,
    state: np.ndarray,
    l1: float,
    l2: float,
    tol: float,
    max_sweeps: int,
    intercept: bool = True,
) -> tuple[float, float, int]:
    """Minimise g'd + d'Hd / 2 + l1 |w|_1 + l2 / 2 |w|^2 over all weights and the intercept.

    Here w_0 are the initial weights, b is the change of the intercept, d = X (w - w_0) + b is the change of the
    documents' scores, and H is diagonal, positive or 0 where g is.  After a sweep over all columns, the following
    sweeps visit only columns with a weight that is nonzero or has just become 0.  When their largest KKT violation (the
    step of a weight times its second derivative) is within the tolerance, all columns are swept again.  After every
    `SWEEPS_BETWEEN` sweeps all nonzero weights are updated jointly.

    ``w``, float64 (K,), and the gradients in ``state`` are updated in place.  The descent stops when the largest KKT
    violation in a sweep over all columns is at most ``tol``, or a tenth of the violation in the first sweep.  Return b
    (0 without ``intercept``), the violation in the first sweep, and the number of sweeps.
    """
    n = len(w)
    curvature = np.empty(n)
    for k in range(n):
        curvature[k] = _column_curvature(indptr, indices, data, k, state) + l2
    total_curvature = np.sum(state[:, 1])
    active = np.ones(n, np.bool_)
    change = 0.0
    first = 0.0
    full = True
    sweep = 0
    while sweep < max_sweeps:
        sweep += 1
        violation = 0.0
        if intercept and total_curvature > 0:
            step = -np.sum(state[:, 0]) / total_curvature
            change += step
            violation = abs(total_curvature * step)
            for i in range(len(state)):
                state[i, 0] += step * state[i, 1]
        for k in range(n):
            if (full or active[k]) and curvature[k] > 0:
                gradient = _column_gradient(indptr, indices, data, k, state) + l2 * w[k]
                target = w[k] - gradient / curvature[k]
                limit = l1 / curvature[k]
                new = target - limit if target > limit else target + limit if target < -limit else 0.0
                step = new - w[k]
                active[k] = new != 0.0 or step != 0.0
                if step != 0.0:
                    w[k] = new
                    violation = max(violation, abs(curvature[k] * step))
                    _add_to_weight(indptr, indices, data, k, state, step)
        if sweep == 1:
            first = violation
        if violation <= max(tol, 0.1 * first):
            if full:
                break
            full = True
        else:
            full = False
        if sweep % SWEEPS_BETWEEN == 0:
            change += _support_step(indptr, indices, data, w, state, curvature, l1, l2, intercept)
    return change, first, sweep
