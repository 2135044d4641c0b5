r"""Kernels of the solvers: search directions of L-BFGS for batches of problems, and Newton's method on small ones.

With r unknowns a Newton step requires O(n r^2 + r^3) operations, which suits small numbers of instances: the optimal
weights lie in the row space, so that r is at most n (T. Hastie and R. Tibshirani, Biostatistics 5, 2004).

Source of L-BFGS: D. C. Liu and J. Nocedal, Mathematical Programming 45, 1989 (two-loop recursion).
"""

from __future__ import annotations

import math

import numpy as np
from numba.core import types
from numba.np.linalg import _LAPACK, F_INT_nptype

from textmix.numerics.jit import njit, running

#: Products up to this are treated as 0: they have lost precision, and their inverse may be infinite.
LEAST = 1e-290
#: Maximum number of halvings of a step; if none decreases the objective sufficiently, the method stops.
HALVINGS = 30
#: LAPACK's gesv as called by Numba, and its type code for float64.
_GESV = _LAPACK().numba_xgesv(types.float64)
_DOUBLE = ord("d")


@njit
def column_dots(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Compute the inner product of each column of A with the same column of B, float64 (n,), for A and B (P, n)."""
    total = np.zeros(A.shape[1])
    for j in range(A.shape[0]):
        for b in range(A.shape[1]):
            total[b] += A[j, b] * B[j, b]
    return total


@njit
def lbfgs_direction(  # noqa: PLR0912 - the two loops
    gradient: np.ndarray, steps: np.ndarray, changes: np.ndarray, order: np.ndarray, inverse: np.ndarray
) -> np.ndarray:
    """Compute the L-BFGS direction -H g of every problem, float64 (P, B), by the two-loop recursion.

    ``steps`` and ``changes``, float64 (m, P, B), are the last steps s and gradient changes y; ``order`` lists the slots
    in use from the oldest pair to the newest.  A problem skips a pair with s'y <= `LEAST`.  ``inverse``, float64 (P,
    B), positive, is the diagonal D of the initial inverse Hessian; each problem scales it by s'y / y'Dy of its newest
    pair if both are larger than `LEAST`.
    """
    size = gradient.shape[1]
    count = len(order)
    q = gradient.copy()
    rho = np.zeros((count, size))
    alpha = np.zeros((count, size))
    scale = np.ones(size)
    for place in range(count - 1, -1, -1):
        s = steps[order[place]]
        y = changes[order[place]]
        product = column_dots(s, y)
        dot = column_dots(s, q)
        for b in range(size):
            if product[b] > LEAST:
                rho[place, b] = 1.0 / product[b]
                alpha[place, b] = rho[place, b] * dot[b]
        for j in range(q.shape[0]):
            for b in range(size):
                q[j, b] -= alpha[place, b] * y[j, b]
        if place == count - 1:
            norm = np.zeros(size)
            for j in range(q.shape[0]):
                for b in range(size):
                    norm[b] += y[j, b] * inverse[j, b] * y[j, b]
            for b in range(size):
                if product[b] > LEAST and norm[b] > LEAST:
                    scale[b] = product[b] / norm[b]
    for j in range(q.shape[0]):
        for b in range(size):
            q[j, b] *= scale[b] * inverse[j, b]
    for place in range(count):
        s = steps[order[place]]
        y = changes[order[place]]
        dot = column_dots(y, q)
        for j in range(q.shape[0]):
            for b in range(size):
                q[j, b] += (alpha[place, b] - rho[place, b] * dot[b]) * s[j, b]
    for j in range(q.shape[0]):
        for b in range(size):
            q[j, b] = -q[j, b]
    return q


@njit
def _objective(odds: np.ndarray, y: np.ndarray, weight: np.ndarray, penalty: np.ndarray, u: np.ndarray) -> float:
    """Compute the weighted log loss at log odds (n,) plus the penalty of unknowns u (r,)."""
    total = 0.0
    for i in range(len(y)):
        z = odds[i]
        total += weight[i] * (max(z, 0.0) + math.log1p(math.exp(-abs(z))) - y[i] * z)
    for j in range(len(u)):
        total += penalty[j] * u[j] * u[j] / 2.0
    return total


@njit
def _solve_by_lapack(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Do as `np.linalg.solve` for one float64 right-hand side; Numba's version takes three seconds to compile."""
    n = len(right)
    columns = matrix.T.copy()
    solution = right.copy()
    pivots = np.empty(n, dtype=F_INT_nptype)
    for i in range(n):
        for j in range(n):
            if not math.isfinite(matrix[i, j]):
                raise np.linalg.LinAlgError("Array must not contain infs or NaNs.")
        if not math.isfinite(right[i]):
            raise np.linalg.LinAlgError("Array must not contain infs or NaNs.")
    singular = _GESV(_DOUBLE, n, 1, columns.ctypes, n, pivots.ctypes, solution.ctypes, n) != 0
    # Reading their lengths here keeps the working arrays alive until this point.
    if singular or len(columns) != len(pivots):
        raise np.linalg.LinAlgError("Matrix is singular to machine precision.")
    return solution


_solve = running(_solve_by_lapack, np.linalg.solve)


@njit
def _column(table: np.ndarray, b: int) -> np.ndarray:
    """Return a column of a table (n, B), float64 (n,)."""
    column = np.empty(len(table))
    for i in range(len(table)):
        column[i] = table[i, b]
    return column


@njit
def _moved(start: np.ndarray, t: float, change: np.ndarray) -> np.ndarray:
    """Compute start + t change, float64 (n,)."""
    moved = np.empty(len(start))
    for i in range(len(start)):
        moved[i] = start[i] + t * change[i]
    return moved


@njit
def newton_logistic(
    A: np.ndarray, Y: np.ndarray, weight: np.ndarray, penalty: np.ndarray, U: np.ndarray, max_iter: int, tol: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    r"""Minimise \sum_n w_n logloss(a_n u, y_n) + \sum_j penalty_j u_j^2 / 2 for each problem; no objective increases.

    Here a_n u is the log odds of y_n = 1.  ``A``, float64 (n, r), contains the features and a final column of ones;
    ``Y`` is (n, B), the start ``U`` is (r, B).  A problem has converged when a step predicts a decrease below ``tol``
    times its objective; it has not converged if no tried step length decreases the objective.  Return the unknowns (r,
    B), the objectives (B,), convergence flags (B,), and the maximum number of steps over the problems.
    """
    n, size = A.shape
    unknowns = U.copy()
    objective = np.zeros(Y.shape[1])
    converged = np.zeros(Y.shape[1], dtype=np.bool_)
    n_iter = 0
    residual = np.zeros(n)
    scaled = np.zeros((n, size))
    for b in range(Y.shape[1]):
        u = _column(U, b)
        y = _column(Y, b)
        odds = np.dot(A, u)
        value = _objective(odds, y, weight, penalty, u)
        for iteration in range(max_iter):
            for i in range(n):
                e = math.exp(-abs(odds[i]))
                p = 1.0 / (1.0 + e) if odds[i] >= 0.0 else e / (1.0 + e)
                residual[i] = weight[i] * (p - y[i])
                root = math.sqrt(weight[i] * e) / (1.0 + e)
                for j in range(size):
                    scaled[i, j] = A[i, j] * root
            gradient = np.dot(residual, A)
            hessian = np.dot(scaled.T, scaled)
            mean = 0.0
            for j in range(size):
                gradient[j] += penalty[j] * u[j]
                hessian[j, j] += penalty[j]
                mean += hessian[j, j] / size
            for j in range(size):
                # If all predictions are certain, the second derivative in the bias vanishes.
                hessian[j, j] += 1e-12 * mean + 1e-300
            step = -_solve(hessian, gradient)
            decrease = -np.dot(gradient, step)
            if not decrease > 2.0 * tol * max(value, 1e-12):
                converged[b] = True
                break
            change = np.dot(A, step)
            t = 1.0
            moved = False
            for _ in range(HALVINGS):
                new_u = _moved(u, t, step)
                new_odds = _moved(odds, t, change)
                new = _objective(new_odds, y, weight, penalty, new_u)
                if new <= value - 1e-4 * t * decrease:
                    u = new_u
                    odds = new_odds
                    value = new
                    moved = True
                    break
                t *= 0.5
            if not moved:
                break
            n_iter = max(n_iter, iteration + 1)
        objective[b] = value
        for j in range(size):
            unknowns[j, b] = u[j]
    return unknowns, objective, converged, n_iter
