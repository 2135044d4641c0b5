"""Twins of the DCM: equation (1), its likelihood and Minka's fixed point as dense loops, and every count vector."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from scipy.special import loggamma


def compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Yield every vector of ``parts`` counts that sum to ``total``."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in compositions(total - first, parts - 1):
            yield (first, *rest)


def log_pmf(x: Sequence[int], alpha: Sequence[float]) -> float:
    """Return log p(x) of equation (1), with its multinomial coefficient."""
    n, s = sum(x), sum(alpha)
    total = math.lgamma(n + 1) + math.lgamma(s) - math.lgamma(s + n)
    for count, a in zip(x, alpha, strict=True):
        total += math.lgamma(count + a) - math.lgamma(a) - math.lgamma(count + 1)
    return total


def log_likelihood(X: np.ndarray, alpha: np.ndarray) -> complex:
    """Return the log-likelihood without multinomial coefficients; alpha may be complex."""
    s = alpha.sum()
    total = 0.0
    for x in X:
        total += loggamma(s) - loggamma(s + x.sum())
        for count, a in zip(x, alpha, strict=True):
            if count:
                total += loggamma(count + a) - loggamma(a)
    return total


def fixed_point(X: np.ndarray, alpha: np.ndarray, steps: int) -> np.ndarray:
    """Return alpha after some of Minka's steps; each digamma difference is a finite sum."""
    alpha = alpha.copy()
    for _ in range(steps):
        s = alpha.sum()
        below = sum(1.0 / (s + j) for x in X for j in range(int(x.sum())))
        for w, a in enumerate(alpha):
            alpha[w] = a * sum(1.0 / (a + j) for count in X[:, w] for j in range(int(count))) / below
    return alpha
