r"""Support vector machines on a matrix of inner products, by sequential minimal optimisation.

With \beta_i = a_i y_i the dual of  min_w,b |w|^2 / 2 + \sum_i C_i max(0, 1 - y_i (w \cdot x_i + b))  is

    max_\beta \sum_i y_i \beta_i - \beta^T K \beta / 2,    \sum_i \beta_i = 0,    lower_i <= \beta_i <= upper_i,

the box being [0, C_i] for y_i = 1 and [-C_i, 0] for y_i = -1.  One step moves weight from one page to another along
the slope g_i = y_i - (K \beta)_i until nobody can gain; the second page is the one that promises most.

Source: Fan, Chen and Lin, Working set selection using second order information for training support vector machines,
JMLR 2005.
"""

from __future__ import annotations

import numpy as np

from textmix.core.jit import njit

#: Curvature below which two pages count as equal.
FLAT = 1e-12


@njit
def _giver(
    row: np.ndarray, square: np.ndarray, beta: np.ndarray, lower: np.ndarray, slope: np.ndarray, taker: int
) -> tuple[int, float]:
    """Return the page to take weight from for the largest gain, -1 if there is none, and the largest slope gap."""
    best, chosen, gap = 0.0, -1, 0.0
    own, top = square[taker], slope[taker]
    for j in range(len(beta)):
        fall = top - slope[j]
        if fall > 0.0 and beta[j] > lower[j]:
            gap = max(gap, fall)
            gain = fall * fall / max(own + square[j] - 2.0 * row[j], FLAT)
            if gain > best:
                best, chosen = gain, j
    return chosen, gap


@njit
def _taker(beta: np.ndarray, upper: np.ndarray, slope: np.ndarray) -> int:
    """Return the page with the largest slope among those that can take weight, -1 if there is none."""
    chosen, top = -1, -np.inf
    for i in range(len(beta)):
        if slope[i] > top and beta[i] < upper[i]:
            chosen, top = i, slope[i]
    return chosen


@njit
def ascend(
    gram: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    beta: np.ndarray,
    slope: np.ndarray,
    tol: float,
    max_steps: int,
) -> int:
    """Maximise the dual from a start that is feasible, in place.

    Parameters
    ----------
    gram : float64 (N, N), inner products K.
    lower, upper : float64 (N,), the box.
    beta : float64 (N,); changed.
    slope : float64 (N,), g of that start; changed.
    tol : largest difference of slopes along which weight could still move, in units of the margin.
    max_steps : most steps.

    Returns
    -------
    number of steps; ``max_steps`` if they did not suffice.
    """
    square = np.diag(gram).copy()
    for step in range(max_steps):
        taker = _taker(beta, upper, slope)
        if taker < 0:
            return step
        first = gram[taker]
        giver, gap = _giver(first, square, beta, lower, slope, taker)
        if gap <= tol:
            return step
        second = gram[giver]
        curvature = max(square[taker] + square[giver] - 2.0 * first[giver], FLAT)
        room, stock = upper[taker] - beta[taker], beta[giver] - lower[giver]
        moved = min((slope[taker] - slope[giver]) / curvature, room, stock)
        # At a bound exactly: a difference of rounding would leave the page in play for ever.
        beta[taker] = upper[taker] if moved == room else beta[taker] + moved
        beta[giver] = lower[giver] if moved == stock else beta[giver] - moved
        for i in range(len(slope)):
            slope[i] -= moved * (first[i] - second[i])
    return max_steps


@njit
def intercept(lower: np.ndarray, upper: np.ndarray, beta: np.ndarray, slope: np.ndarray) -> float:
    """Return b of a solution: the middle of the slopes between which no weight can move any more."""
    top, bottom = -np.inf, np.inf
    for i in range(len(beta)):
        if beta[i] < upper[i]:
            top = max(top, slope[i])
        if beta[i] > lower[i]:
            bottom = min(bottom, slope[i])
    return 0.5 * (top + bottom)
