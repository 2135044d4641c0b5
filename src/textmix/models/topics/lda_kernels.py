"""Latent Dirichlet allocation: a sweep of variational training, the bound and the left-to-right estimate of documents.

Sources: D. M. Blei, A. Y. Ng and M. I. Jordan, Latent Dirichlet allocation, JMLR 3, 2003; H. M. Wallach, I. Murray, R.
Salakhutdinov and D. Mimno, Evaluation methods for topic models, ICML 2009, algorithm 3, whose particles never meet; its
estimate is biased, by 0.1 nats for six words of two opposite topics.  Here the particles are drawn anew in proportion
to their probability of each word, as a particle filter draws them, which makes the estimate of p(d) unbiased (P. Del
Moral, Feynman-Kac formulae, 2004).

The particles of a document draw side by side, sixteen at a time: a draw is a chain of additions, and sixteen chains
take the time of one.  The random numbers are those of one sequence, particle after particle.
"""

from __future__ import annotations

import math

import numpy as np

from textmix.models.common.special_kernels import digamma
from textmix.numerics.basic_kernels import STEP, copy_into, hashed
from textmix.numerics.jit import njit
from textmix.numerics.simd_kernels import LANES, draw_places

#: Particles that draw side by side.
TOGETHER = 2 * LANES
#: Added to the probability of a word, so that none is 0; as scikit-learn's estimator adds it.
TINY = float(np.finfo(np.float64).eps)
#: A smaller share of a topic is rounded to fewer digits, or to 0.
SMALLEST = float(np.finfo(np.float64).tiny)


@njit
def expectations(counts: np.ndarray, rest: np.ndarray) -> np.ndarray:
    """Return exp E log p(word | topic) under Dirichlet distributions, float64 (W, K).

    ``counts``, (W, K), are the parameters of some words in each topic, positive; ``rest``, (K,), is the sum of those of
    all further words of the vocabulary.
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
    """Return E log p(topic k) under the Dirichlet distribution with parameters gamma, float64 (K,)."""
    return digamma(gamma[k]) - digamma(gamma.sum())


@njit
def rows_and_columns(indices: np.ndarray, words: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of ``words``, float64 (V, K), of a document's n words, (n, K), and their transpose, (K, n)."""
    rows, columns = np.empty((len(indices), words.shape[1])), np.empty((words.shape[1], len(indices)))
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

    p_w is the sum over the topics of shares (K,) times probability of the word, plus ``least``; the sums are those of
    x_w, ``data``, times probability of the word over p_w.  ``rows`` and ``columns`` are those of `rows_and_columns`:
    the words' probabilities are read side by side, and the topics' sums too.
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
        a, b, c, d = part[i], part[i + 1], part[i + 2], part[i + 3]
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
    """Return the expected counts of words by topic, float64 (W, K), after the topics of each document were estimated.

    ``X`` are CSR counts (N, W); ``words``, (W, K), are exp E log p(word | topic); ``gamma``, (N, K), holds the start of
    each document's parameters, and then its estimate.  A document has most ``updates`` updates; it has converged when
    the mean change is below ``tol``.
    """
    indptr, indices, data = X
    n_topics, found = words.shape[1], np.zeros_like(words)
    shares, ratios = np.empty(n_topics), np.empty(n_topics)
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
            w, total = indices[i], TINY
            for k in range(n_topics):
                total += shares[k] * words[w, k]
            for k in range(n_topics):
                found[w, k] += shares[k] * (data[i] / total)
    return found * words


@njit
def bounds(
    X: tuple[np.ndarray, np.ndarray, np.ndarray], words: np.ndarray, alpha: float, updates: int
) -> np.ndarray:  # fmt: skip
    """Return the variational bound of log p of documents' words in their order, float64 (N,), in nats.

    ``words``, (V, K), are the probabilities of each word in each topic, positive; ``updates`` those of each document.
    """
    indptr, indices, data = X
    n_topics, found = words.shape[1], np.empty(len(indptr) - 1)
    gamma, shares, ratios = np.empty(n_topics), np.empty(n_topics), np.empty(n_topics)
    for d in range(len(found)):
        cells = slice(indptr[d], indptr[d + 1])
        rows, columns = rows_and_columns(indices[cells], words)
        likely, length = np.empty(len(rows)), data[cells].sum()
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
            # With a small alpha the share of a topic without words is too small for float64; its logarithm is not.
            log = math.log(shares[k]) if shares[k] >= SMALLEST else log_share(gamma, k)
            total += math.lgamma(gamma[k]) - math.lgamma(alpha) + (alpha - gamma[k]) * log
        found[d] = total
    return found


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
def draw_topics(
    words: np.ndarray, start: int, stop: int, phi: np.ndarray, topic: np.ndarray, count: np.ndarray, state: np.ndarray
) -> None:
    """Draw the topics of the words from ``start`` to ``stop - 1``, of which those drawn before are drawn anew.

    ``phi`` is (V, K), p(word | topic).  ``topic``, int64 (G, T, `TOGETHER`), of each particle and word, is -1 if not
    drawn yet; ``count``, float64 (G, K, `TOGETHER`), are pseudo-words and words of each topic, kept up to date;
    ``state``, uint64 (P,), P = G times `TOGETHER`, those of the random numbers of each particle.
    """
    groups, n_topics = count.shape[:2]
    share, last = np.empty(len(state)), np.full(len(state), -1)
    weights, drawn, counts = phi.ravel(), topic.ravel(), count.ravel()
    for m in range(start, stop):
        for r in range(len(state)):
            state[r] += STEP
            share[r] = hashed(state[r])
        for g in range(groups):
            at, first = (g * len(words) + m) * TOGETHER, g * n_topics * TOGETHER
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
    """Return the estimate of log p(d) of documents as sequences, float64 (N,), in nats.

    Before each word every particle draws the topics of all earlier words once more.  The mean over the particles of
    p(word | topics of the earlier words) is the next factor; then the particles are drawn anew by these probabilities,
    and each draws the topic of the word.  ``phi`` is (V, K), p(word | topic); the seed is that of each document.
    """
    n_topics, found = phi.shape[1], np.zeros(len(offsets) - 1)
    # Particles beyond R fill the last group; nothing is read from them.
    groups = (particles + TOGETHER - 1) // TOGETHER
    width = groups * TOGETHER
    likely, state, order = np.empty(particles), np.empty(width, np.uint64), np.arange(width).astype(np.uint64)
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
