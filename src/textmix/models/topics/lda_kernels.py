"""Probability of documents under latent Dirichlet allocation: the left-to-right estimate, with particles drawn anew.

Source: H. M. Wallach, I. Murray, R. Salakhutdinov and D. Mimno, Evaluation methods for topic models, ICML 2009,
algorithm 3, whose particles never meet; its estimate is biased, by 0.1 nats for six words of two opposite topics.  Here
the particles are drawn anew in proportion to their probability of each word, as a particle filter draws them, which
makes the estimate of p(d) unbiased (P. Del Moral, Feynman-Kac formulae, 2004).
"""

from __future__ import annotations

import numpy as np

from textmix.core.jit import njit
from textmix.core.random_kernels import uniform


@njit
def draw(likely: np.ndarray, count: np.ndarray, weights: np.ndarray, share: float) -> int:
    """Return the index at which the running sum of ``likely * count`` (K,) passes a share of its sum.

    ``weights`` (K,) holds the products, so that a draw allocates nothing: a document of T words takes T^2 / 2 of them.
    """
    total, last = 0.0, len(weights) - 1
    for k in range(len(weights)):
        weights[k] = likely[k] * count[k]
        total += weights[k]
    rest = share * total
    for k in range(last):
        rest -= weights[k]
        if rest < 0.0:
            return k
    return last


@njit
def drawn_anew(weights: np.ndarray, share: float) -> np.ndarray:
    """Return R indices in proportion to weights (R,), by systematic resampling from one number in [0, 1)."""
    total, n = weights.sum(), len(weights)
    chosen, passed, at = np.empty(n, np.int64), weights[0], 0
    for r in range(n):
        while passed < total * (r + share) / n and at < n - 1:
            at += 1
            passed += weights[at]
        chosen[r] = at
    return chosen


@njit
def left_to_right(
    tokens: np.ndarray, offsets: np.ndarray, phi: np.ndarray, alpha: float, particles: int, seed: int
) -> np.ndarray:
    """Return the estimate of log p(d) of documents as sequences, float64 (N,), in nats.

    Before each word every particle draws the topics of all earlier words once more.  The mean over the particles of
    p(word | topics of the earlier words) is the next factor; then the particles are drawn anew by these probabilities,
    and each draws the topic of the word.

    Parameters
    ----------
    tokens, offsets : words of N documents, int32 (T,) and int64 (N + 1,).
    phi : float64 (V, K), probability of each word in each topic.
    alpha : pseudo-words of each topic in a document.
    particles : R.
    seed : of the random numbers of each document.
    """
    n_topics, found = phi.shape[1], np.zeros(len(offsets) - 1)
    weights = np.empty(n_topics)
    for d in range(len(found)):
        words = tokens[offsets[d] : offsets[d + 1]]
        state = np.array([seed + d], dtype=np.uint64)
        topic = np.zeros((particles, len(words)), np.int64)
        count = np.full((particles, n_topics), alpha)
        likely = np.empty(particles)
        for n in range(len(words)):
            for r in range(particles):
                for m in range(n):
                    count[r, topic[r, m]] -= 1.0
                    topic[r, m] = draw(phi[words[m]], count[r], weights, uniform(state))
                    count[r, topic[r, m]] += 1.0
                likely[r] = (phi[words[n]] * count[r]).sum() / (n + alpha * n_topics)
            found[d] += np.log(likely.mean())
            chosen = drawn_anew(likely, uniform(state))
            topic, count = topic[chosen], count[chosen]
            for r in range(particles):
                topic[r, n] = draw(phi[words[n]], count[r], weights, uniform(state))
                count[r, topic[r, n]] += 1.0
    return found
