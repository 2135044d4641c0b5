"""Passes over the columns of a sparse matrix, and coordinate descent on a penalised quadratic, for linear models.

A matrix X of N documents and P features comes as the arrays ``indptr``, ``indices`` and ``data`` of its CSC form; where
all its values are 1, ``data`` is empty and is not read, which saves most of the memory traffic.  Vectors over documents
fit a core's cache, so that every pass streams the matrix once.
"""

from __future__ import annotations

import numpy as np

from textmix.core.jit import njit

#: Sweeps of coordinate descent between two leaps, most conjugate gradients of a leap, and most halvings of its step.
STRIDE, LEAP, HALVINGS = 5, 30, 8


@njit(nogil=True)
def correlate(indptr: np.ndarray, indices: np.ndarray, data: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return X'v, float64 (P,), of v (N,)."""
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
    """Return the sum over columns of ``w[k]`` times column ``columns[k]``, float64 (N,)."""
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
    """Return XX'v, float64 (N,), of v (N,): each column is met once and is still at hand when it is added."""
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


@njit(nogil=True)
def _curvature(indptr: np.ndarray, indices: np.ndarray, data: np.ndarray, j: int, state: np.ndarray) -> float:
    """Return sum over documents of h_i x_ij^2."""
    total = 0.0
    if len(data):
        for k in range(indptr[j], indptr[j + 1]):
            total += data[k] * data[k] * state[indices[k], 1]
    else:
        for k in range(indptr[j], indptr[j + 1]):
            total += state[indices[k], 1]
    return total


@njit(nogil=True)
def _update(indptr: np.ndarray, indices: np.ndarray, data: np.ndarray, j: int, state: np.ndarray, step: float) -> None:
    """Add ``step`` to a weight: every document's gradient moves by h_i x_ij times it."""
    if len(data):
        for k in range(indptr[j], indptr[j + 1]):
            i = indices[k]
            state[i, 0] += step * data[k] * state[i, 1]
    else:
        for k in range(indptr[j], indptr[j + 1]):
            i = indices[k]
            state[i, 0] += step * state[i, 1]


@njit(nogil=True)
def _slope(indptr: np.ndarray, indices: np.ndarray, data: np.ndarray, j: int, state: np.ndarray) -> float:
    """Return sum over documents of x_ij times the gradient."""
    total = 0.0
    if len(data):
        for k in range(indptr[j], indptr[j + 1]):
            total += data[k] * state[indices[k], 0]
    else:
        for k in range(indptr[j], indptr[j + 1]):
            total += state[indices[k], 0]
    return total


@njit(nogil=True)
def _height(state: np.ndarray, w: np.ndarray, l1: float, l2: float) -> float:
    """Return the penalised quadratic up to a constant: with g = g_0 + H d it is g'(1/H)g / 2 plus the penalty."""
    total = 0.0
    for i in range(len(state)):
        if state[i, 1] > 0:
            total += 0.5 * state[i, 0] * state[i, 0] / state[i, 1]
    for k in range(len(w)):
        total += l1 * abs(w[k]) + 0.5 * l2 * w[k] * w[k]
    return total


@njit(nogil=True)
def _leap(
    indptr: np.ndarray,
    indices: np.ndarray,
    data: np.ndarray,
    columns: np.ndarray,
    w: np.ndarray,
    state: np.ndarray,
    curvature: np.ndarray,
    l1: float,
    l2: float,
) -> float:
    """Move all weights but those of 0 at once, and the intercept, whose change is returned; the quadratic never rises.

    With their signs held the quadratic is smooth: a few conjugate gradients, scaled by its diagonal, lead along the
    valleys that coordinate descent only creeps through.  A weight that would change its sign ends at 0.
    """
    support, h = np.flatnonzero((w != 0.0) & (curvature > 0.0)), state[:, 1]
    weights, scale, chosen = w[support], 1.0 / curvature[support], columns[support]
    total = np.sum(h)
    if not total > 0.0:
        return 0.0
    r, r_b = np.empty(len(support)), -np.sum(state[:, 0])
    for k in range(len(support)):
        r[k] = -(_slope(indptr, indices, data, chosen[k], state) + l2 * weights[k] + l1 * np.sign(weights[k]))
    p, p_b = scale * r, r_b / total
    step, step_b, moved = np.zeros(len(support)), 0.0, np.zeros(len(h))
    norm = first = np.sum(r * p) + r_b * p_b
    image = np.empty_like(state)
    for _ in range(LEAP):
        if not norm > 0.01 * first:
            break
        ahead = combine_some(indptr, indices, data, chosen, p, len(h)) + p_b
        image[:, 0] = h * ahead
        product = np.empty(len(support))
        for k in range(len(support)):
            product[k] = _slope(indptr, indices, data, chosen[k], image) + l2 * p[k]
        product_b = np.sum(image[:, 0])
        bend = np.sum(p * product) + p_b * product_b
        if not bend > 0:
            break
        size = norm / bend
        step, step_b = step + size * p, step_b + size * p_b
        moved += size * image[:, 0]
        r, r_b = r - size * product, r_b - size * product_b
        before, norm = norm, np.sum(r * scale * r) + r_b * r_b / total
        p, p_b = scale * r + norm / before * p, r_b / total + norm / before * p_b
    height, slope, size = _height(state, weights, l1, l2), state[:, 0].copy(), 1.0
    for _ in range(HALVINGS):
        guess = weights + size * step
        state[:, 0] = slope + size * moved
        for k in range(len(support)):
            if not guess[k] * weights[k] > 0.0:
                _update(indptr, indices, data, chosen[k], state, -guess[k])
                guess[k] = 0.0
        if _height(state, guess, l1, l2) < height:
            w[support] = guess
            return size * step_b
        size *= 0.5
    state[:, 0] = slope
    return 0.0


@njit(nogil=True)
def descend(
    indptr: np.ndarray,
    indices: np.ndarray,
    data: np.ndarray,
    columns: np.ndarray,
    w: np.ndarray,
    state: np.ndarray,
    l1: float,
    l2: float,
    tolerance: float,
    max_sweeps: int,
) -> tuple[float, float, int]:
    """Minimise g'd + d'Hd / 2 + l1 |w|_1 + l2 / 2 |w|^2 over some weights and the free intercept.

    Here d = X (w - w_0) + b is the change of the documents' scores and H is diagonal.  After a sweep over all columns,
    only those with weight or just moved are swept until they settle, with a leap now and then; then all are looked at
    again.

    Parameters
    ----------
    columns : int64 (K,), the features whose weights may move.
    w : float64 (K,), their weights, changed in place.
    state : float64 (N, 2), gradient g and curvature H of each document, both 0 or H positive; the gradient is moved
        along.
    l1, l2 : penalties.
    tolerance : it ends when in a sweep over all columns no weight's step times its curvature, which is how far its
        condition of optimality was broken, is larger than this or than a tenth of what it was in the first.
    max_sweeps : at most so many sweeps.

    Returns
    -------
    intercept : its change.
    broken : how far the conditions were broken at most in the first sweep.
    sweeps : how many were done.
    """
    n = len(columns)
    curvature = np.empty(n)
    for k in range(n):
        curvature[k] = _curvature(indptr, indices, data, columns[k], state) + l2
    total_curvature = np.sum(state[:, 1])
    active = np.ones(n, np.bool_)
    intercept, sweep, full, first = 0.0, 0, True, 0.0
    while sweep < max_sweeps:
        sweep += 1
        broken = 0.0
        if total_curvature > 0:
            step = -np.sum(state[:, 0]) / total_curvature
            intercept += step
            broken = abs(total_curvature * step)
            for i in range(len(state)):
                state[i, 0] += step * state[i, 1]
        for k in range(n):
            if (full or active[k]) and curvature[k] > 0:
                gradient = _slope(indptr, indices, data, columns[k], state) + l2 * w[k]
                target = w[k] - gradient / curvature[k]
                limit = l1 / curvature[k]
                new = target - limit if target > limit else target + limit if target < -limit else 0.0
                step = new - w[k]
                active[k] = new != 0.0 or step != 0.0
                if step != 0.0:
                    w[k] = new
                    broken = max(broken, abs(curvature[k] * step))
                    _update(indptr, indices, data, columns[k], state, step)
        if sweep == 1:
            first = broken
        if broken <= max(tolerance, 0.1 * first):
            if full:
                break
            full = True
        else:
            full = False
        if sweep % STRIDE == 0:
            intercept += _leap(indptr, indices, data, columns, w, state, curvature, l1, l2)
    return intercept, first, sweep
