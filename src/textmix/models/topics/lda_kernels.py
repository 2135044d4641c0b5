"""Kernels of latent Dirichlet allocation: variational training, variational bound and left-to-right estimate.

Sources: D. M. Blei, A. Y. Ng and M. I. Jordan, Latent Dirichlet allocation, JMLR 3, 2003; H. M. Wallach, I. Murray, R.
Salakhutdinov and D. Mimno, Evaluation methods for topic models, ICML 2009, algorithm 3, with independent particles; its
estimate is biased, by 0.1 nats for six words of two opposite topics.  Here the particles are resampled in proportion to
their probability of each word, as in a particle filter, which makes the estimate of p(d) unbiased (P. Del Moral,
Feynman-Kac formulae, 2004).

The particles of a document are sampled in parallel, sixteen at a time: each sample is a chain of dependent additions,
and sixteen interleaved chains take the time of one.  All particles use one random sequence, one particle after another.
"""

from __future__ import annotations

import math

import numpy as np

from textmix.models.common.special_kernels import digamma
from textmix.numerics.basic_kernels import STEP, copy_into, hashed
from textmix.numerics.jit import njit
from textmix.numerics.simd_kernels import LANES, draw_places

#: Number of particles that are sampled in parallel.
TOGETHER = 2 * LANES
#: Constant added to the probability of a word to avoid zeros, as in scikit-learn's estimator.
TINY = float(np.finfo(np.float64).eps)
#: A smaller topic proportion loses precision or underflows to 0.
SMALLEST = float(np.finfo(np.float64).tiny)


@njit
def expectations(counts: np.ndarray, rest: np.ndarray) -> np.ndarray:
    """Compute exp E log p(word | topic) under Dirichlet distributions, float64 (W, K).

    ``counts``, (W, K), are the positive parameters of W words in each topic; ``rest``, (K,), is the sum of the
    parameters of all other words of the vocabulary.
    """
    n_words, n_topics = counts.shape
    total = rest.copy()
    for w in range(n_words):
        for k in range(n_topics):
            total[k] += counts[w, k]
    for k in range(n_topics):
        total[k] = digamma(total[k])
    found = np.empty_like(counts)
    for w in range(n_words):
        for k in range(n_topics):
            found[w, k] = math.exp(digamma(counts[w, k]) - total[k])
    return found


@njit
def set_shares(gamma: np.ndarray, shares: np.ndarray) -> None:
    """Set ``shares`` to exp E log p(topic) under the Dirichlet distribution with parameters gamma, both (K,)."""
    total = 0.0
    for k in range(len(gamma)):
        total += gamma[k]
    total = digamma(total)
    for k in range(len(gamma)):
        shares[k] = math.exp(digamma(gamma[k]) - total)


@njit
def log_share(gamma: np.ndarray, k: int) -> float:
    """Compute E log p(topic k) under the Dirichlet distribution with parameters gamma, float64 (K,)."""
    return digamma(gamma[k]) - digamma(gamma.sum())


@njit
def rows_and_columns(indices: np.ndarray, words: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Gather the rows of ``words``, float64 (V, K), of a document's n words, (n, K), and their transpose, (K, n)."""
    rows = np.empty((len(indices), words.shape[1]))
    columns = np.empty((words.shape[1], len(indices)))
    for i in range(len(indices)):
        for k in range(words.shape[1]):
            rows[i, k] = columns[k, i] = words[indices[i], k]
    return rows, columns


@njit
def set_ratios(
    rows: np.ndarray, columns: np.ndarray, data: np.ndarray, shares: np.ndarray, least: float, likely: np.ndarray,
    ratios: np.ndarray,
) -> None:  # fmt: skip
    """Set ``likely``, float64 (n,), to p_w of a document's words, and ``ratios``, float64 (K,), to sums over them.

    p_w is the sum over the topics of ``shares`` (K,) times the probability of the word, plus ``least``; the ratios are
    the sums of x_w, ``data``, times the probability of the word divided by p_w.  ``rows`` and ``columns`` come from
    `rows_and_columns`: contiguous access in both loops allows vectorisation.
    """
    n, n_topics = rows.shape
    likely[:] = 0.0
    for k in range(n_topics):
        for i in range(n):
            likely[i] += shares[k] * columns[k, i]
    ratios[:], part = 0.0, np.empty(n)
    for i in range(n):
        likely[i] += least
        part[i] = data[i] / likely[i]
    whole = n // 4 * 4
    for i in range(0, whole, 4):
        a = part[i]
        b = part[i + 1]
        c = part[i + 2]
        d = part[i + 3]
        for k in range(n_topics):
            sum_of_two = (ratios[k] + a * rows[i, k]) + b * rows[i + 1, k]
            ratios[k] = (sum_of_two + c * rows[i + 2, k]) + d * rows[i + 3, k]
    for i in range(whole, n):
        for k in range(n_topics):
            ratios[k] += part[i] * rows[i, k]


@njit
def sweep_documents(
    X: tuple[np.ndarray, np.ndarray, np.ndarray], words: np.ndarray, gamma: np.ndarray, alpha: float, updates: int,
    tol: float,
) -> np.ndarray:  # fmt: skip
    """Estimate the topics of each document and compute the expected counts of words by topic, float64 (W, K).

    ``X`` are CSR counts (N, W); ``words``, (W, K), are exp E log p(word | topic); ``gamma``, (N, K), contains the
    initial parameters of each document and is overwritten by the estimates.  A document is updated at most ``updates``
    times; it has converged when the mean change is below ``tol``.
    """
    indptr, indices, data = X
    n_topics = words.shape[1]
    found = np.zeros_like(words)
    shares = np.empty(n_topics)
    ratios = np.empty(n_topics)
    for d in range(len(gamma)):
        cells = slice(indptr[d], indptr[d + 1])
        rows, columns = rows_and_columns(indices[cells], words)
        likely = np.empty(len(rows))
        set_shares(gamma[d], shares)
        for _ in range(updates):
            set_ratios(rows, columns, data[cells], shares, TINY, likely, ratios)
            change = 0.0
            for k in range(n_topics):
                new = alpha + shares[k] * ratios[k]
                change += abs(new - gamma[d, k])
                gamma[d, k] = new
            set_shares(gamma[d], shares)
            if change / n_topics < tol:
                break
        for i in range(indptr[d], indptr[d + 1]):
            w = indices[i]
            total = TINY
            for k in range(n_topics):
                total += shares[k] * words[w, k]
            for k in range(n_topics):
                found[w, k] += shares[k] * (data[i] / total)
    return found * words


@njit
def bounds(
    X: tuple[np.ndarray, np.ndarray, np.ndarray], words: np.ndarray, alpha: float, updates: int
) -> np.ndarray:  # fmt: skip
    """Compute the variational bound of log p of documents as word sequences, float64 (N,), in nats.

    ``words``, (V, K), are the positive probabilities of each word in each topic; ``updates`` is the number of updates
    per document.
    """
    indptr, indices, data = X
    n_topics = words.shape[1]
    found = np.empty(len(indptr) - 1)
    gamma = np.empty(n_topics)
    shares = np.empty(n_topics)
    ratios = np.empty(n_topics)
    for d in range(len(found)):
        cells = slice(indptr[d], indptr[d + 1])
        rows, columns = rows_and_columns(indices[cells], words)
        likely = np.empty(len(rows))
        length = data[cells].sum()
        gamma[:] = alpha + length / n_topics
        set_shares(gamma, shares)
        for _ in range(updates):
            set_ratios(rows, columns, data[cells], shares, 0.0, likely, ratios)
            for k in range(n_topics):
                gamma[k] = alpha + shares[k] * ratios[k]
            set_shares(gamma, shares)
        set_ratios(rows, columns, data[cells], shares, 0.0, likely, ratios)
        total = 0.0
        for i in range(len(rows)):
            total += data[indptr[d] + i] * math.log(likely[i])
        total += math.lgamma(n_topics * alpha) - math.lgamma(gamma.sum())
        for k in range(n_topics):
            # For small alpha the proportion of an empty topic underflows in float64, but its logarithm does not.
            log = math.log(shares[k]) if shares[k] >= SMALLEST else log_share(gamma, k)
            total += math.lgamma(gamma[k]) - math.lgamma(alpha) + (alpha - gamma[k]) * log
        found[d] = total
    return found


@njit
def drawn_anew(weights: np.ndarray, share: float) -> np.ndarray:
    """Sample R indices in proportion to weights (R,), by systematic resampling from one number in [0, 1)."""
    total = weights.sum()
    n = len(weights)
    chosen = np.empty(n, np.int64)
    passed = weights[0]
    at = 0
    for r in range(n):
        while passed < total * (r + share) / n and at < n - 1:
            at += 1
            passed += weights[at]
        chosen[r] = at
    return chosen


@njit
def draw_topics(
    words: np.ndarray, start: int, stop: int, phi: np.ndarray, topic: np.ndarray, count: np.ndarray, state: np.ndarray
) -> None:
    """Resample the topic assignments of tokens ``start:stop``; assign those without a topic for the first time.

    ``phi`` is (V, K), p(word | topic).  ``topic``, int64 (G, T, `TOGETHER`), contains the topic of each particle and
    token, or -1 if not assigned yet; ``count``, float64 (G, K, `TOGETHER`), contains pseudo-words plus words of each
    topic and is updated; ``state``, uint64 (P,), P = G times `TOGETHER`, contains the random state of each particle.
    """
    groups, n_topics = count.shape[:2]
    share = np.empty(len(state))
    last = np.full(len(state), -1)
    weights = phi.ravel()
    drawn = topic.ravel()
    counts = count.ravel()
    for m in range(start, stop):
        for r in range(len(state)):
            state[r] += STEP
            share[r] = hashed(state[r])
        for g in range(groups):
            at = (g * len(words) + m) * TOGETHER
            first = g * n_topics * TOGETHER
            draw_places(drawn, at, weights, words[m] * n_topics, counts, first, n_topics, share, last, g * TOGETHER)
    for r in range(len(state) if stop > start else 0):
        count[r // TOGETHER, last[r], r % TOGETHER] += 1.0


@njit
def take_particles(chosen: np.ndarray, n: int, table: np.ndarray) -> None:
    """Overwrite particle r by particle ``chosen[r]``, int64 (R,), in the first n rows of a table (G, n, `TOGETHER`)."""
    groups = len(table)
    row = np.empty((groups, TOGETHER), table.dtype)
    for m in range(n):
        for g in range(groups):
            copy_into(row[g], table[g, m])
        for r in range(len(chosen)):
            table[r // TOGETHER, m, r % TOGETHER] = row[chosen[r] // TOGETHER, chosen[r] % TOGETHER]


@njit
def left_to_right(
    tokens: np.ndarray, offsets: np.ndarray, phi: np.ndarray, alpha: float, particles: int, seed: int
) -> np.ndarray:
    """Estimate log p(d) of documents as sequences by the left-to-right algorithm, float64 (N,), in nats.

    Before each word, every particle resamples the topics of all earlier words. The mean over the particles of p(word |
    topics of the earlier words) is the next factor; then the particles are resampled with these probabilities, and each
    samples the topic of the word.  ``phi`` is (V, K), p(word | topic); document d uses ``seed`` + d.
    """
    n_topics = phi.shape[1]
    found = np.zeros(len(offsets) - 1)
    # Particles beyond R pad the last group and are never read.
    groups = (particles + TOGETHER - 1) // TOGETHER
    width = groups * TOGETHER
    likely = np.empty(particles)
    state = np.empty(width, np.uint64)
    order = np.arange(width).astype(np.uint64)
    for d in range(len(found)):
        words = tokens[offsets[d] : offsets[d + 1]]
        topic = np.full((groups, len(words), TOGETHER), -1)
        count = np.full((groups, n_topics, TOGETHER), alpha)
        now = np.uint64(seed + d)
        for n in range(len(words)):
            copy_into(state, now + order * np.uint64(n) * STEP)
            draw_topics(words, 0, n, phi, topic, count, state)
            now += np.uint64(particles) * np.uint64(n) * STEP
            for r in range(particles):
                total = 0.0
                for k in range(n_topics):
                    total += phi[words[n], k] * count[r // TOGETHER, k, r % TOGETHER]
                likely[r] = total / (n + alpha * n_topics)
            found[d] += np.log(likely.mean())
            now += STEP
            chosen = drawn_anew(likely, hashed(now))
            take_particles(chosen, n, topic)
            take_particles(chosen, n_topics, count)
            copy_into(state, now + order * STEP)
            draw_topics(words, n, n + 1, phi, topic, count, state)
            now += np.uint64(particles) * STEP
    return found
