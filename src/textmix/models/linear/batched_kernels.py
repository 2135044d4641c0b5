r"""Losses of batched linear classifiers along a line, and the direction of many L-BFGS iterations at once.

A batch holds B independent problems over the same instances.  Linear predictors are Z + t D: a step of any length needs
no further product with the features, so that an iteration costs two products whatever its line search tries.

    logistic:  \sum_n w_n (log(1 + exp z_nb) - y_nb z_nb), one problem a column
    softmax:   \sum_n w_n (log \sum_c exp z_nc - \sum_c y_nc z_nc), one problem over all columns, \sum_c y_nc = 1

Source: C. Li et al., ICML 2016, M step; D. C. Liu and J. Nocedal, Mathematical Programming 45, 1989 (two loops).
"""

from __future__ import annotations

import math

import numpy as np

from textmix.core.jit import njit


@njit
def softplus(z: float) -> float:
    """Return log(1 + exp z) without overflow or cancellation."""
    return max(z, 0.0) + math.log1p(math.exp(-abs(z)))


@njit
def set_log_likelihood(Z: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Return log of the product over the labels of b(y_nl), float64 (N,), from log odds Z and Y of 0 and 1, (N, L)."""
    total = np.zeros(len(Z))
    for i in range(len(Z)):
        value = 0.0
        for label in range(Z.shape[1]):
            value -= softplus(-Z[i, label] if Y[i, label] else Z[i, label])
        total[i] = value
    return total


@njit
def logistic_ray(
    Z: np.ndarray, D: np.ndarray, t: np.ndarray, Y: np.ndarray, weight: np.ndarray, residual: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return loss, first and second derivative in t of each column's problem at Z + t D, float64 (B,) each.

    Parameters
    ----------
    Z, D : float64 (N, B), predictors and their change.
    t : float64 (B,), the step of each problem.
    Y : (N, B) of 0 and 1.
    weight : float64 (N,) of the instances.
    residual : float64 (N, B), set to w (sigmoid(z + t d) - y), the loss's gradient in the predictors.
    """
    n, size = Z.shape
    value, slope, curvature = np.zeros(size), np.zeros(size), np.zeros(size)
    for i in range(n):
        w = weight[i]
        for b in range(size):
            d = D[i, b]
            z = Z[i, b] + t[b] * d
            e = math.exp(-abs(z))
            p = 1.0 / (1.0 + e)
            if z < 0.0:
                p = 1.0 - p if e > 0.5 else e * p
            y = Y[i, b]
            r = w * (p - y)
            residual[i, b] = r
            value[b] += w * (max(z, 0.0) + math.log1p(e) - y * z)
            slope[b] += r * d
            curvature[b] += w * e / ((1.0 + e) * (1.0 + e)) * d * d
    return value, slope, curvature


@njit
def softmax_ray(
    Z: np.ndarray, D: np.ndarray, t: float, Y: np.ndarray, weight: np.ndarray, residual: np.ndarray
) -> tuple[float, float, float]:
    """Return loss, first and second derivative in t of the multinomial problem at Z + t D.

    Parameters
    ----------
    Z, D : float64 (N, C).
    t : the step.
    Y : float64 (N, C), shares of the classes, rows sum to 1.
    weight : float64 (N,).
    residual : float64 (N, C), set to w (p - y).
    """
    n, size = Z.shape
    value, slope, curvature = 0.0, 0.0, 0.0
    for i in range(n):
        w, top = weight[i], -np.inf
        for c in range(size):
            z = Z[i, c] + t * D[i, c]
            residual[i, c] = z
            top = max(top, z)
        total, mean, square, inner, fall = 0.0, 0.0, 0.0, 0.0, 0.0
        for c in range(size):
            y, z, d = Y[i, c], residual[i, c], D[i, c]
            inner += y * z
            fall += y * d
            p = math.exp(z - top)
            residual[i, c] = p
            total += p
            mean += p * d
            square += p * d * d
        mean /= total
        value += w * (top + math.log(total) - inner)
        slope += w * (mean - fall)
        curvature += w * (square / total - mean * mean)
        for c in range(size):
            residual[i, c] = w * (residual[i, c] / total - Y[i, c])
    return value, slope, max(curvature, 0.0)


@njit
def class_ray(
    Z: np.ndarray, D: np.ndarray, t: float, code: np.ndarray, weight: np.ndarray, residual: np.ndarray
) -> tuple[float, float, float]:
    """Return what `softmax_ray` does where each instance is wholly of class ``code[n]``, int64 (N,)."""
    n, size = Z.shape
    value, slope, curvature = 0.0, 0.0, 0.0
    for i in range(n):
        w, top = weight[i], -np.inf
        for c in range(size):
            z = Z[i, c] + t * D[i, c]
            residual[i, c] = z
            top = max(top, z)
        value -= w * residual[i, code[i]]
        total, mean, square = 0.0, 0.0, 0.0
        for c in range(size):
            d = D[i, c]
            p = math.exp(residual[i, c] - top)
            residual[i, c] = p
            total += p
            mean += p * d
            square += p * d * d
        mean /= total
        value += w * (top + math.log(total))
        slope += w * (mean - D[i, code[i]])
        curvature += w * (square / total - mean * mean)
        for c in range(size):
            residual[i, c] *= w / total
        residual[i, code[i]] -= w
    return value, slope, max(curvature, 0.0)


@njit
def column_dots(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Return the inner product of each column of A with that of B, (P, B) -> (B,)."""
    total = np.zeros(A.shape[1])
    for j in range(A.shape[0]):
        for b in range(A.shape[1]):
            total[b] += A[j, b] * B[j, b]
    return total


@njit
def lbfgs_direction(  # noqa: PLR0912 - the two loops
    gradient: np.ndarray, steps: np.ndarray, changes: np.ndarray, order: np.ndarray, inverse: np.ndarray
) -> np.ndarray:
    """Return the L-BFGS direction -H g of every problem, float64 (P, B), by the two-loop recursion.

    Parameters
    ----------
    gradient : float64 (P, B).
    steps, changes : float64 (m, P, B), the last steps s and changes of the gradient y; s'y <= 0 marks an empty place.
    order : int64, places of the history from the oldest to the newest.
    inverse : float64 (P, B), diagonal of the inverse Hessian to start from, up to a factor that is fitted.
    """
    size, count = gradient.shape[1], len(order)
    q = gradient.copy()
    rho, alpha = np.zeros((count, size)), np.zeros((count, size))
    scale = np.ones(size)
    for place in range(count - 1, -1, -1):
        s, y = steps[order[place]], changes[order[place]]
        product = column_dots(s, y)
        dot = column_dots(s, q)
        for b in range(size):
            if product[b] > 0.0:
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
                if product[b] > 0.0:
                    scale[b] = product[b] / norm[b]
    for j in range(q.shape[0]):
        for b in range(size):
            q[j, b] *= scale[b] * inverse[j, b]
    for place in range(count):
        s, y = steps[order[place]], changes[order[place]]
        dot = column_dots(y, q)
        for j in range(q.shape[0]):
            for b in range(size):
                q[j, b] += (alpha[place, b] - rho[place, b] * dot[b]) * s[j, b]
    return -q
