"""Probability of documents under latent Dirichlet allocation: the left-to-right estimate.

Source: H. M. Wallach, I. Murray, R. Salakhutdinov and D. Mimno, Evaluation methods for topic models, ICML 2009,
algorithm 3.
"""

from __future__ import annotations

import numpy as np

from textmix.core.jit import njit
from textmix.models.label_sets.chain_kernels import uniform


@njit
def draw(weights: np.ndarray, share: float) -> int:
    """Return the index at which the running sum of weights (K,) passes a share of their sum."""
    rest, last = share * weights.sum(), len(weights) - 1
    for k in range(last):
        rest -= weights[k]
        if rest < 0.0:
            return k
    return last


@njit
def left_to_right(
    tokens: np.ndarray, offsets: np.ndarray, phi: np.ndarray, alpha: float, particles: int, seed: int
) -> np.ndarray:
    """Return the estimate of log p(d) of documents as sequences, float64 (N,), in nats.

    Each particle visits the words in order.  Before word n it draws the topics of all earlier words anew, then adds
    p(w_n | topics of the earlier words) to the mean over the particles, and draws the topic of w_n.

    Parameters
    ----------
    tokens, offsets : words of N documents, int32 (T,) and int64 (N + 1,).
    phi : float64 (V, K), probability of each word in each topic.
    alpha : pseudo-words of each topic in a document.
    particles : how many.
    seed : of the random numbers of each document.
    """
    n_topics, found = phi.shape[1], np.zeros(len(offsets) - 1)
    for d in range(len(found)):
        words = tokens[offsets[d] : offsets[d + 1]]
        state = np.array([seed + d], dtype=np.uint64)
        mean = np.zeros(len(words))
        for _ in range(particles):
            topic, count = np.zeros(len(words), np.int64), np.full(n_topics, alpha)
            for n in range(len(words)):
                for m in range(n):
                    count[topic[m]] -= 1.0
                    topic[m] = draw(phi[words[m]] * count, uniform(state))
                    count[topic[m]] += 1.0
                weights = phi[words[n]] * count
                mean[n] += weights.sum() / (n + alpha * n_topics)
                topic[n] = draw(weights, uniform(state))
                count[topic[n]] += 1.0
        found[d] = np.log(mean / particles).sum()
    return found
