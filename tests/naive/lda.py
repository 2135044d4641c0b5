"""Latent Dirichlet allocation in plain loops and in NumPy: the left-to-right estimate and the variational bound."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln, psi

from textmix.models.topics.lda_kernels import drawn_anew
from textmix.numerics.basic_kernels import uniform


def draw(weights: np.ndarray, share: float) -> int:
    """Return the index at which the running sum of weights (K,) passes a share of its sum."""
    rest = share * sum(weights.tolist())
    for k, weight in enumerate(weights[:-1].tolist()):
        rest -= weight
        if rest < 0.0:
            return k
    return len(weights) - 1


def left_to_right(words: list[int], phi: np.ndarray, alpha: float, particles: int, seed: int) -> float:
    """Return the estimate of log p of one document, particle after particle; ``phi`` is (V, K)."""
    state, total = np.array([seed], dtype=np.uint64), 0.0
    topic, count = np.zeros((particles, len(words)), int), np.full((particles, phi.shape[1]), alpha)
    for n, word in enumerate(words):
        likely = np.empty(particles)
        for r in range(particles):
            for m in range(n):
                count[r, topic[r, m]] -= 1.0
                topic[r, m] = draw(phi[words[m]] * count[r], uniform(state))
                count[r, topic[r, m]] += 1.0
            likely[r] = sum((phi[word] * count[r]).tolist()) / (n + alpha * phi.shape[1])
        total += np.log(sum(likely.tolist()) / particles)
        chosen = drawn_anew(likely, uniform(state))
        topic, count = topic[chosen], count[chosen]
        for r in range(particles):
            topic[r, n] = draw(phi[word] * count[r], uniform(state))
            count[r, topic[r, n]] += 1.0
    return float(total)


def bound(x: np.ndarray, phi: np.ndarray, alpha: float, updates: int) -> float:
    """Return the variational bound of one document with counts x (V,); ``phi`` is (K, V)."""
    k, phi, x = len(phi), phi[:, x > 0], x[x > 0]
    gamma = np.full(k, alpha + x.sum() / k)
    for _ in range(updates):
        shares = np.exp(psi(gamma) - psi(gamma.sum()))
        gamma = alpha + shares * (phi @ (x / (shares @ phi)))
    logs = psi(gamma) - psi(gamma.sum())
    prior = gammaln(k * alpha) - gammaln(gamma.sum())
    prior += (gammaln(gamma) - gammaln(alpha) + (alpha - gamma) * logs).sum()
    return float(x @ np.log(np.exp(logs) @ phi) + prior)
