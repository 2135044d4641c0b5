"""Multinomial logistic regression: one document's step by bisection, and a sweep over all documents in plain loops."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from scipy.special import wrightomega


def best_shares(scores: np.ndarray, start: np.ndarray, square: float) -> np.ndarray:
    """Return p with p = softmax(scores - square (p - start)); the shares for a multiplier are Wright's omega."""
    raised = scores + square * start

    def shares(nu: float) -> np.ndarray:
        return np.real(wrightomega(raised - nu + np.log(square))) / square

    low, high = raised.min() - square - 50.0, raised.max() + 50.0
    return shares(brentq(lambda nu: shares(nu).sum() - 1.0, low, high, xtol=1e-14))


def sweep(
    X: np.ndarray, truth: np.ndarray, order: np.ndarray, variance: float, room: float, shares: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return shares, weights and biases after one sweep; both are computed anew from the shares for each document."""
    shares = shares.copy()
    for i in order:
        weights, bias = variance * X.T @ (truth - shares), room * (truth - shares).sum(axis=0)
        shares[i] = best_shares(X[i] @ weights + bias, shares[i], variance * X[i] @ X[i] + room)
    return shares, variance * X.T @ (truth - shares), room * (truth - shares).sum(axis=0)
