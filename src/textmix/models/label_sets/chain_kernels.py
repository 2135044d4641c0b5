"""Label chains: the likeliest label set by beam search, and Gibbs sampling in a dependency network.

Source: J. Read et al., Machine Learning 85, 2011 (classifier chains); K. Dembczynski et al., ICML 2010 (probabilistic
chains); Y. Guo and S. Gu, IJCAI 2011 (conditional dependency networks).

``Z``, float64 (N, L), are the log odds from the features alone, labels in the order of the chain.  ``V``, float64
(L, L), are the links: V[j, l] is added to the log odds of label l where label j is in the set; in a chain j < l.
"""

from __future__ import annotations

import math

import numpy as np

from textmix.models.linear.loss_kernels import softplus
from textmix.numerics.copy_kernels import copy_into
from textmix.numerics.jit import njit
from textmix.numerics.random_kernels import uniform
from textmix.numerics.sort_kernels import stable_order


@njit
def odds_given(z: np.ndarray, V: np.ndarray, member: np.ndarray, label: int, depth: int) -> float:
    """Return the log odds of a label given the choice of the first ``depth`` labels of a chain.

    ``member``, bool (L,), is the choice; labels from ``label`` on count nothing.
    """
    odds = z[label]
    for j in range(min(label, depth)):
        if member[j]:
            odds += V[j, label]
    return odds


@njit
def search_chain(Z: np.ndarray, V: np.ndarray, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the likeliest label set found by a beam, bool (N, L), and its log probability, float64 (N,).

    ``width`` is the most partial label sets that the search goes on with after each label; 1 is the greedy chain.
    """
    n, n_labels = Z.shape
    found, log_probability = np.zeros((n, n_labels), dtype=np.bool_), np.zeros(n)
    for i in range(n):
        beam, score = np.zeros((1, n_labels), dtype=np.bool_), np.zeros(1)
        for label in range(n_labels):
            size = len(score)
            grown = np.zeros(2 * size)
            for b in range(size):
                z = odds_given(Z[i], V, beam[b], label, label)
                grown[b] = score[b] - softplus(-z)
                grown[size + b] = score[b] - softplus(z)
            order = stable_order(-grown)[:width]
            following = np.zeros((len(order), n_labels), dtype=np.bool_)
            for place in range(len(order)):
                copy_into(following[place], beam[order[place] % size])
                following[place, label] = order[place] < size
            beam, score = following, grown[order]
        copy_into(found[i], beam[0])
        log_probability[i] = score[0]
    return found, log_probability


@njit
def gibbs_marginals(Z: np.ndarray, V: np.ndarray, sweeps: int, counted: int, seeds: np.ndarray) -> np.ndarray:
    """Return the share of the last ``counted`` of a Gibbs sampler's sweeps in which each label is on, float64 (N, L).

    At the start each label is on with probability 1/2.  The diagonal of ``V`` is zero; ``seeds`` are uint64 (N,).
    """
    n, n_labels = Z.shape
    marginal = np.zeros((n, n_labels))
    for i in range(n):
        state = seeds[i : i + 1].copy()
        on, odds = np.zeros(n_labels, dtype=np.bool_), Z[i].copy()
        for label in range(n_labels):
            if uniform(state) < 0.5:
                on[label] = True
                odds += V[label]
        for sweep in range(sweeps):
            for label in range(n_labels):
                value = uniform(state) * (1.0 + math.exp(-odds[label])) < 1.0
                if value != on[label]:
                    on[label] = value
                    if value:
                        odds += V[label]
                    else:
                        odds -= V[label]
                if value and sweep >= sweeps - counted:
                    marginal[i, label] += 1.0
    return marginal / counted
