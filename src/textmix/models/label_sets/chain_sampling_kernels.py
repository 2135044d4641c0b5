"""Label chains: the likeliest of some label sets drawn from the chain, and the probability of each label.

Source: J. Read, L. Martino and D. Luengo, Efficient Monte Carlo optimization for multi-dimensional classifier chains,
Pattern Recognition 47, 2014.
"""

from __future__ import annotations

import math

import numpy as np

from textmix.models.label_sets.chain_kernels import odds_given, search_chain
from textmix.models.linear.loss_kernels import softplus
from textmix.numerics.jit import njit
from textmix.numerics.random_kernels import uniform


@njit
def search_samples(Z: np.ndarray, V: np.ndarray, samples: int, seed: int) -> np.ndarray:
    """Return the likeliest of the greedy label set and of ``samples`` label sets drawn from the chain, bool (N, L).

    ``Z`` and ``V`` as of `textmix.models.label_sets.chain_kernels`.  The seed is the same for each instance, so that
    none depends on another.
    """
    found, best = search_chain(Z, V, 1)
    n, n_labels = Z.shape
    drawn = np.zeros(n_labels, dtype=np.bool_)
    for i in range(n):
        state = np.array([seed], dtype=np.uint64)
        for _ in range(samples):
            value = 0.0
            for label in range(n_labels):
                z = odds_given(Z[i], V, drawn, label, label)
                drawn[label] = uniform(state) * (1.0 + math.exp(-z)) < 1.0
                value -= softplus(-z) if drawn[label] else softplus(z)
            if value > best[i]:
                best[i] = value
                found[i] = drawn
    return found


@njit
def chain_marginals(Z: np.ndarray, V: np.ndarray, samples: int, seed: int) -> np.ndarray:
    """Return p(label in the set | x), float64 (N, L), by label sets drawn from the chain, see `search_samples`.

    It is the mean over the draws of p(label | x, labels drawn before), which varies less than the share of the draws
    that have the label.
    """
    n, n_labels = Z.shape
    total = np.zeros((n, n_labels))
    drawn = np.zeros(n_labels, dtype=np.bool_)
    for i in range(n):
        state = np.array([seed], dtype=np.uint64)
        for _ in range(samples):
            for label in range(n_labels):
                z = odds_given(Z[i], V, drawn, label, label)
                p = 1.0 / (1.0 + math.exp(-z))
                total[i, label] += p
                drawn[label] = uniform(state) < p
    return total / samples
