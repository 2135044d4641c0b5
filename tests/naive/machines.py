"""Plain twin of `textmix.models.linear.machine_kernels`: one machine and one document at a time."""

from __future__ import annotations

import numpy as np


def sweep(
    X: np.ndarray, signs: np.ndarray, order: np.ndarray, ridge: float, alpha: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the dual solution (N, K) and the weights (V + 1, K) after the best step of each document in turn.

    Parameters
    ----------
    X : documents (N, V).
    signs : (N, K) of 1 and -1.
    order : documents in the order of the sweep.
    ridge : 1 / (2 C).
    alpha : (N, K), the start.
    """
    alpha, rows = alpha.copy(), np.column_stack([X, np.ones(len(X))])
    for k in range(signs.shape[1]):
        for i in order:
            w = rows.T @ (alpha[:, k] * signs[:, k])
            gradient = signs[i, k] * (rows[i] @ w) - 1.0 + ridge * alpha[i, k]
            alpha[i, k] = max(alpha[i, k] - gradient / (rows[i] @ rows[i] + ridge), 0.0)
    return alpha, rows.T @ (alpha * signs)
