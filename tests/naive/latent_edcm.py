"""Twins of the latent-topic EDCM: its log-likelihood, one step of each block, and the evidence, as dense loops."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import digamma, loggamma
from scipy.stats import beta as beta_distribution


def log_likelihood(X: np.ndarray, theta: np.ndarray, beta: np.ndarray) -> complex:
    """Return L of counts (N, V), shares (N, K) and parameters (K, V), without terms in x alone; may be complex."""
    total = 0.0
    for x, shares in zip(X, theta, strict=True):
        mixed = shares @ beta
        total += loggamma(mixed.sum()) - loggamma(mixed.sum() + x.sum()) + np.log(mixed[x > 0]).sum()
    return total


def responsibilities(X: np.ndarray, weight: np.ndarray, beta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return R (N, K) and the sums of r by word (V, K)."""
    share, table = np.zeros(weight.shape), np.zeros(beta.T.shape)
    for d, x in enumerate(X):
        for w in np.flatnonzero(x):
            r = weight[d] * beta[:, w]
            share[d] += r / r.sum()
            table[w] += r / r.sum()
    return share, table


def update_beta(X: np.ndarray, theta: np.ndarray, beta: np.ndarray) -> np.ndarray:
    """Return beta after one step with the shares held, (K, V)."""
    _, table = responsibilities(X, theta, beta)
    s, n = theta @ beta.sum(axis=1), X.sum(axis=1)
    slope = digamma(s + n) - digamma(s)
    return (table / (slope @ theta)).T


def log_evidence(x: np.ndarray, beta: np.ndarray, prior: float, points: int = 1000) -> float:
    """Return the log of exp(L) averaged over the Dirichlet of two shares, by the midpoint rule on its quantiles."""
    share = beta_distribution(prior, prior).ppf((np.arange(points) + 0.5) / points)
    values = [float(log_likelihood(x[np.newaxis], np.array([[t, 1 - t]]), beta).real) for t in share]
    top = max(values)
    return top + math.log(sum(math.exp(v - top) for v in values) / points)
