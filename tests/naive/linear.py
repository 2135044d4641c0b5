"""Penalised linear models by a general solver on split variables, objective by its definition."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize


def loss(kind: str, margin: np.ndarray) -> np.ndarray:
    if kind == "logistic":
        return np.log1p(np.exp(-margin))
    return np.maximum(0.0, 1.0 - margin) ** 2


def objective(
    X: np.ndarray, y: np.ndarray, c: np.ndarray, kind: str, l1: float, l2: float, w: np.ndarray, b: float
) -> float:
    value = np.sum(c * loss(kind, y * (X @ w + b))) / np.sum(c)
    return float(value + l1 * np.sum(np.abs(w)) + 0.5 * l2 * np.sum(w**2))


def smallest(X: np.ndarray, y: np.ndarray, c: np.ndarray, kind: str, l1: float, l2: float) -> float:
    """Return the smallest objective: w = p - q with p, q >= 0 makes the L1 norm smooth."""
    n = X.shape[1]

    def value(v: np.ndarray) -> float:
        return objective(X, y, c, kind, 0.0, l2, v[:n] - v[n:-1], v[-1]) + l1 * np.sum(v[:-1])

    bounds = [(0, None)] * (2 * n) + [(None, None)]
    options = {"maxiter": 5000, "maxfun": 10**6, "ftol": 1e-15, "gtol": 1e-10}
    return float(minimize(value, np.zeros(2 * n + 1), bounds=bounds, method="L-BFGS-B", options=options).fun)


def dropout_objective(
    X: np.ndarray, y: np.ndarray, weight: np.ndarray, delta: float, l2: float, v: np.ndarray
) -> float:
    """Return the quadratic dropout objective; documents after the first len(y), 0 or 1, have no label."""
    loss, noise = 0.0, 0.0
    for i, (x, share) in enumerate(zip(X, weight / weight.sum(), strict=True)):
        p = 1.0 / (1.0 + np.exp(-(sum(x * v[:-1]) + v[-1])))
        if i < len(y):
            loss -= np.log(p if y[i] else 1.0 - p) / len(y)
        noise += share * p * (1.0 - p) * sum((x * v[:-1]) ** 2)
    return float(loss + 0.5 * delta / (1.0 - delta) * noise + 0.5 * l2 * sum(v[:-1] ** 2))


def plain_lbfgs(value_and_gradient: Any, start: np.ndarray, n_iter: int, memory: int = 5) -> list[np.ndarray]:
    """Return the iterates of L-BFGS from the identity, with step lengths halved from 1, for one problem.

    The inverse Hessian is an explicit matrix: s'y / y'y of the last pair times the identity, updated by the BFGS
    formula with the last ``memory`` pairs.
    """
    w = start.copy()
    pairs: list[tuple[np.ndarray, np.ndarray]] = []
    iterates = [w]
    value, gradient = value_and_gradient(w)
    for _ in range(n_iter):
        inverse = np.eye(len(w))
        if pairs:
            s, y = pairs[-1]
            inverse *= (s @ y) / (y @ y)
        for s, y in pairs[-memory:]:
            left = np.eye(len(w)) - np.outer(s, y) / (s @ y)
            inverse = left @ inverse @ left.T + np.outer(s, s) / (s @ y)
        direction = -inverse @ gradient
        t = 1.0
        while value_and_gradient(w + t * direction)[0] > value + 1e-4 * t * (gradient @ direction):
            t /= 2.0
        new_value, new_gradient = value_and_gradient(w + t * direction)
        pairs.append((t * direction, new_gradient - gradient))
        w, value, gradient = w + t * direction, new_value, new_gradient
        iterates.append(w)
    return iterates
