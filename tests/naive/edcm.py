"""Twins of the EDCM: equations (2) and (4) as dense loops, s by bisection over finite sums."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np


def log_q(x: Sequence[int], beta: Sequence[float]) -> float:
    """Return log q(x) of equation (2)."""
    n, s = sum(x), sum(beta)
    total = math.lgamma(n + 1) + math.lgamma(s) - math.lgamma(s + n)
    for count, b in zip(x, beta, strict=True):
        if count >= 1:
            total += math.log(b) - math.log(count)
    return total


def slope(s: float, lengths: Sequence[int]) -> float:
    """Return sum_d Psi(s + n_d) - |D| Psi(s) as finite sums."""
    return math.fsum(1.0 / (s + i) for n in lengths for i in range(int(n)))


def fit(X: np.ndarray) -> np.ndarray:
    """Return beta of the documents of one class, for which s B(s) = M must have a root."""
    lengths, frequency = X.sum(axis=1), (X >= 1).sum(axis=0)
    low, high = 1e-9, 1e9
    for _ in range(200):
        middle = math.sqrt(low * high)
        if middle * slope(middle, lengths) < frequency.sum():
            low = middle
        else:
            high = middle
    return frequency / slope(low, lengths)
