r"""Newton's method on many small penalised logistic regressions, one after the other, in compiled code.

With r unknowns a step costs O(n r^2 + r^3): right where few instances have weight, since the weights then lie in the
space of the instances' rows and r is at most their number (T. Hastie and R. Tibshirani, Biostatistics 5, 2004).
"""

from __future__ import annotations

import math

import numpy as np

from textmix.core.jit import njit

#: Halvings of a step after which it is given up.
HALVINGS = 30


@njit
def _objective(odds: np.ndarray, y: np.ndarray, weight: np.ndarray, penalty: np.ndarray, u: np.ndarray) -> float:
    """Return the weighted log loss plus the penalty of one problem."""
    total = 0.0
    for i in range(len(y)):
        z = odds[i]
        total += weight[i] * (max(z, 0.0) + math.log1p(math.exp(-abs(z))) - y[i] * z)
    for j in range(len(u)):
        total += penalty[j] * u[j] * u[j] / 2.0
    return total


@njit
def newton_logistic(
    A: np.ndarray, Y: np.ndarray, weight: np.ndarray, penalty: np.ndarray, U: np.ndarray, steps: int, tol: float
) -> np.ndarray:
    r"""Return better unknowns of every problem, float64 (r, B); no objective rises.

    Each problem minimises \sum_n w_n log loss(a_n u, y_n) + \sum_j penalty_j u_j^2 / 2.

    Parameters
    ----------
    A : float64 (n, r), features and, last, ones.
    Y : (n, B) of 0 and 1.
    weight : float64 (n,).
    penalty : float64 (r,), 0 where free.
    U : float64 (r, B), the start.
    steps : most Newton steps.
    tol : a problem ends when a step promises a fall below ``tol`` times its objective.
    """
    n, size = A.shape
    result = U.copy()
    curvature, slope = np.zeros(n), np.zeros(n)
    for b in range(Y.shape[1]):
        u, y = U[:, b].copy(), Y[:, b].astype(np.float64)
        odds = np.dot(A, u)
        value = _objective(odds, y, weight, penalty, u)
        for _ in range(steps):
            for i in range(n):
                e = math.exp(-abs(odds[i]))
                p = 1.0 / (1.0 + e) if odds[i] >= 0.0 else e / (1.0 + e)
                slope[i] = weight[i] * (p - y[i])
                curvature[i] = math.sqrt(weight[i] * e) / (1.0 + e)
            gradient = np.dot(slope, A) + penalty * u
            scaled = A * curvature.reshape(n, 1)
            hessian = np.dot(scaled.T, scaled)
            mean = 0.0
            for j in range(size):
                hessian[j, j] += penalty[j]
                mean += hessian[j, j] / size
            for j in range(size):
                # Where all instances are sure, the curvature of the bias vanishes.
                hessian[j, j] += 1e-12 * mean + 1e-300
            change = -np.linalg.solve(hessian, gradient)
            fall = -np.dot(gradient, change)
            if not fall > 2.0 * tol * max(value, 1e-12):
                break
            ahead, t, moved = np.dot(A, change), 1.0, False
            for _ in range(HALVINGS):
                new = _objective(odds + t * ahead, y, weight, penalty, u + t * change)
                if new <= value - 1e-4 * t * fall:
                    u, odds, value, moved = u + t * change, odds + t * ahead, new, True
                    break
                t *= 0.5
            if not moved:
                break
        result[:, b] = u
    return result
