r"""Support vector machines on a matrix of inner products, by sequential minimal optimisation.

With \beta_i = a_i y_i the dual of  min_w,b |w|^2 / 2 + \sum_i C_i max(0, 1 - y_i (w \cdot x_i + b))  is

    max_\beta \sum_i y_i \beta_i - \beta^T K \beta / 2,    \sum_i \beta_i = 0,    lower_i <= \beta_i <= upper_i,

with the box [0, C_i] for y_i = 1 and [-C_i, 0] for y_i = -1.  One step increases \beta_i of a document i and decreases
\beta_j of a document j by the same amount: i has the largest gradient g_i = y_i - (K \beta)_i among the documents below
their upper bound, and j is chosen to maximise the predicted increase of the dual.  The algorithm stops when the KKT
conditions are satisfied up to ``tol``.

Source: Fan, Chen and Lin, Working set selection using second order information for training support vector machines,
JMLR 2005.
"""

from __future__ import annotations

import numpy as np

from textmix.numerics.jit import njit

#: Minimum curvature |x_i - x_j|^2 of a step; documents closer than this are considered equal.
LEAST_CURVATURE = 1e-12


@njit
def _falling(
    row: np.ndarray, square: np.ndarray, beta: np.ndarray, lower: np.ndarray, gradient: np.ndarray, rising: int
) -> tuple[int, float]:
    """Select the document with decreasing beta; also return the largest KKT violation of a pair with ``rising``.

    It maximises the second-order prediction of the increase of the dual; -1 if no pair increases it.
    """
    best = 0.0
    chosen = -1
    violation = 0.0
    own = square[rising]
    top = gradient[rising]
    for j in range(len(beta)):
        difference = top - gradient[j]
        if difference > 0.0 and beta[j] > lower[j]:
            violation = max(violation, difference)
            gain = difference * difference / max(own + square[j] - 2.0 * row[j], LEAST_CURVATURE)
            if gain > best:
                best = gain
                chosen = j
    return chosen, violation


@njit
def _rising(beta: np.ndarray, upper: np.ndarray, gradient: np.ndarray) -> int:
    """Return the document with the largest gradient among those with beta below its upper bound, or -1."""
    chosen = -1
    top = -np.inf
    for i in range(len(beta)):
        if gradient[i] > top and beta[i] < upper[i]:
            chosen = i
            top = gradient[i]
    return chosen


@njit
def ascend(
    gram: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    beta: np.ndarray,
    gradient: np.ndarray,
    tol: float,
    max_steps: int,
) -> int:
    """Maximise the dual from a feasible start, in place; return the number of steps, ``max_steps`` if not converged.

    ``gram``, float64 (N, N), is K; ``beta`` and ``gradient``, float64 (N,), are updated.  At convergence the largest
    KKT violation is at most ``tol``: a difference of gradients, in units of the margin.
    """
    square = np.diag(gram).copy()
    for step in range(max_steps):
        rising = _rising(beta, upper, gradient)
        if rising < 0:
            return step
        first = gram[rising]
        falling, violation = _falling(first, square, beta, lower, gradient, rising)
        if violation <= tol:
            return step
        second = gram[falling]
        curvature = max(square[rising] + square[falling] - 2.0 * first[falling], LEAST_CURVATURE)
        room = upper[rising] - beta[rising]
        surplus = beta[falling] - lower[falling]
        moved = min((gradient[rising] - gradient[falling]) / curvature, room, surplus)
        # Set exactly to the bound: with a rounding error the document would be selected again indefinitely.
        beta[rising] = upper[rising] if moved == room else beta[rising] + moved
        beta[falling] = lower[falling] if moved == surplus else beta[falling] - moved
        for i in range(len(gradient)):
            gradient[i] -= moved * (first[i] - second[i])
    return max_steps


@njit
def intercept(lower: np.ndarray, upper: np.ndarray, beta: np.ndarray, gradient: np.ndarray) -> float:
    """Compute the intercept b of a solution, in units of the margin.

    It is the mean of two gradients: the largest among the documents with beta below its upper bound, and the smallest
    among the documents with beta above its lower bound.
    """
    top = -np.inf
    bottom = np.inf
    for i in range(len(beta)):
        if beta[i] < upper[i]:
            top = max(top, gradient[i])
        if beta[i] > lower[i]:
            bottom = min(bottom, gradient[i])
    return 0.5 * (top + bottom)
