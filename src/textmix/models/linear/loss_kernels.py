r"""Losses of batches of linear classifiers along a line in the space of linear predictors.

The predictors are Z + t D, so that a step of any length t requires no additional product with the features.

    logistic:  \sum_n w_n (log(1 + exp z_nb) - y_nb z_nb), one problem a column
    softmax:   \sum_n w_n (log \sum_c exp z_nc - \sum_c y_nc z_nc), one problem over all columns, \sum_c y_nc = 1
"""

from __future__ import annotations

import math

import numpy as np

from textmix.numerics.jit import njit


@njit
def softplus(z: float) -> float:
    """Compute log(1 + exp z) without overflow or cancellation."""
    return max(z, 0.0) + math.log1p(math.exp(-abs(z)))


@njit
def set_log_likelihood(Z: np.ndarray, Y: np.ndarray) -> np.ndarray:
    r"""Compute the log-likelihood of each instance's independent labels, (N,): \sum_l log p(y_nl); Z are log odds."""
    total = np.zeros(len(Z))
    for i in range(len(Z)):
        value = 0.0
        for label in range(Z.shape[1]):
            value -= softplus(-Z[i, label] if Y[i, label] else Z[i, label])
        total[i] = value
    return total


@njit
def logistic_line(
    Z: np.ndarray, D: np.ndarray, t: np.ndarray, Y: np.ndarray, weight: np.ndarray, residual: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Compute loss, first and second derivative in t of each column's problem at Z + t D, float64 (B,) each.

    Z, D and Y are (N, B), ``t`` (B,), ``weight`` (N,).  ``residual`` is set to w (sigmoid(z + t d) - y), the gradient
    of the loss with respect to the predictors.
    """
    n, size = Z.shape
    value = np.zeros(size)
    derivative = np.zeros(size)
    curvature = np.zeros(size)
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
            derivative[b] += r * d
            curvature[b] += w * e / ((1.0 + e) * (1.0 + e)) * d * d
    return value, derivative, curvature


@njit
def softmax_line(
    Z: np.ndarray, D: np.ndarray, t: float, Y: np.ndarray, weight: np.ndarray, residual: np.ndarray
) -> tuple[float, float, float]:
    """Compute loss, first and second derivative in t of the multinomial problem at Z + t D.

    Z, D and the class probabilities Y are (N, C), ``weight`` (N,).  ``residual`` is set to w (p - y), the gradient of
    the loss with respect to the predictors; p is the softmax of z + t d.
    """
    n, size = Z.shape
    value = 0.0
    derivative = 0.0
    curvature = 0.0
    for i in range(n):
        w = weight[i]
        top = -np.inf
        for c in range(size):
            z = Z[i, c] + t * D[i, c]
            residual[i, c] = z
            top = max(top, z)
        total = 0.0
        mean = 0.0
        square = 0.0
        target = 0.0
        target_change = 0.0
        for c in range(size):
            y = Y[i, c]
            z = residual[i, c]
            d = D[i, c]
            target += y * z
            target_change += y * d
            p = math.exp(z - top)
            residual[i, c] = p
            total += p
            mean += p * d
            square += p * d * d
        mean /= total
        value += w * (top + math.log(total) - target)
        derivative += w * (mean - target_change)
        curvature += w * (square / total - mean * mean)
        for c in range(size):
            residual[i, c] = w * (residual[i, c] / total - Y[i, c])
    return value, derivative, max(curvature, 0.0)


@njit
def class_line(
    Z: np.ndarray, D: np.ndarray, t: float, code: np.ndarray, weight: np.ndarray, residual: np.ndarray
) -> tuple[float, float, float]:
    """Compute loss, first and second derivative in t like `softmax_line`, for class indices ``code``, int64 (N,)."""
    n, size = Z.shape
    value = 0.0
    derivative = 0.0
    curvature = 0.0
    for i in range(n):
        w = weight[i]
        top = -np.inf
        for c in range(size):
            z = Z[i, c] + t * D[i, c]
            residual[i, c] = z
            top = max(top, z)
        value -= w * residual[i, code[i]]
        total = 0.0
        mean = 0.0
        square = 0.0
        for c in range(size):
            d = D[i, c]
            p = math.exp(residual[i, c] - top)
            residual[i, c] = p
            total += p
            mean += p * d
            square += p * d * d
        mean /= total
        value += w * (top + math.log(total))
        derivative += w * (mean - D[i, code[i]])
        curvature += w * (square / total - mean * mean)
        for c in range(size):
            residual[i, c] *= w / total
        residual[i, code[i]] -= w
    return value, derivative, max(curvature, 0.0)
