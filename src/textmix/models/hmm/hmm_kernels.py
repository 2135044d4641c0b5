r"""Kernels of a hidden Markov model: forward and backward passes in scaled form, and the likeliest path of states.

Source: L. R. Rabiner, "A tutorial on hidden Markov models", Proceedings of the IEEE 77(2), 1989, section V.A.

Symbols: document d, step t, state i or j, word w; S states; a_ij transition probability, b_j(w) emission probability.
The forward probabilities are scaled at each step so that they sum to 1 over the states:

    \hat\alpha_{t+1}(j) = b_j(w_{t+1}) \sum_i \hat\alpha_t(i) a_ij / c_{t+1},   log p(d) = \sum_t log c_t

and the backward probabilities are divided by the same c_t.  With all a_ij >= \epsilon a backward value lies below
1 / \epsilon, so that nothing overflows however long a document is.

Documents are processed side by side, the longest first.  The words of a group are *packed* step by step: first words
of all documents, then second words of all documents that have one, and so on.  A step of a whole group is then one
product of two matrices with contiguous rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from textmix.core.jit import njit

#: Most documents in a group, and most words unless one document alone has more: both arrays then stay in the cache.
LANES, GROUP_WORDS = 128, 1 << 15
#: A product of scales is replaced by its logarithm before it falls below the square of this number.
SMALL = 1e-150
#: A step with a smaller probability has none at all in float64, and makes its document impossible.
LEAST = 2.3e-308


class Expected(NamedTuple):
    """Expected counts, increased in place by `expect`.

    Parameters
    ----------
    start : float64 (S,), documents that begin in a state.
    pairs : float64 (S, S), transitions from i to j, over a_ij.
    words : float64 (V, S), words emitted by a state.
    """

    start: np.ndarray
    pairs: np.ndarray
    words: np.ndarray


@njit
def group_end(offsets: np.ndarray, order: np.ndarray, first: int) -> int:
    """Return the end of the group of documents that begins at place ``first`` of ``order``."""
    last, words = first, 0
    while last < len(order) and last - first < LANES:
        words += offsets[order[last] + 1] - offsets[order[last]]
        if words > GROUP_WORDS and last > first:
            break
        last += 1
    return last


@njit
def pack(values: np.ndarray, offsets: np.ndarray, documents: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the words of documents step by step, int32 (R,), and the place of each step, int64 (T + 1,).

    Parameters
    ----------
    values, offsets : the words of all documents; document d is ``values[offsets[d]:offsets[d + 1]]``.
    documents : the documents, the longest first.
    """
    at = np.zeros(offsets[documents[0] + 1] - offsets[documents[0]] + 1, np.int64)
    words = 0
    for d in documents:
        words += offsets[d + 1] - offsets[d]
    tokens, place = np.empty(words, np.int32), 0
    for t in range(len(at) - 1):
        for d in documents:
            if offsets[d] + t >= offsets[d + 1]:
                break
            tokens[place] = values[offsets[d] + t]
            place += 1
        at[t + 1] = place
    return tokens, at


# Sums over states may be taken in any order, which lets the compiler use vector registers; the order is fixed by the
# machine code, so that results are the same to the byte on one machine.
@njit(fastmath={"contract", "reassoc"})
def emit(
    tokens: np.ndarray, emissions: np.ndarray, alpha: np.ndarray, scale: np.ndarray, product: np.ndarray,
    log_likelihood: np.ndarray,
) -> None:  # fmt: skip
    """Multiply rows by their words' emission probabilities, scale them to sum 1, and gather the logarithms of the sums.

    Parameters
    ----------
    tokens : words of one step, int32 (n,).
    emissions : b, float64 (V, S).
    alpha : float64 (n, S), changed in place.
    scale : float64 (n,), set to 1 / c; 0 for a document that has become impossible.
    product, log_likelihood : float64 (at least n,); the log-likelihood so far is ``log_likelihood + log(product)``.
    """
    for lane in range(len(tokens)):
        row, word = alpha[lane], emissions[tokens[lane]]
        total = 0.0
        for j in range(len(row)):
            row[j] *= word[j]
            total += row[j]
        scale[lane] = 1.0 / total if total >= LEAST else 0.0
        for j in range(len(row)):
            row[j] *= scale[lane]
        if total < SMALL:
            log_likelihood[lane] += np.log(total) if total >= LEAST else -np.inf
            continue
        product[lane] *= total
        if product[lane] < SMALL:
            log_likelihood[lane] += np.log(product[lane])
            product[lane] = 1.0


@njit
def forward(
    tokens: np.ndarray, at: np.ndarray, start: np.ndarray, transitions: np.ndarray, emissions: np.ndarray,
    alpha: np.ndarray, scale: np.ndarray, log_likelihood: np.ndarray,
) -> None:  # fmt: skip
    """Compute the scaled forward probabilities of a packed group.

    Parameters
    ----------
    tokens, at : of `pack`.
    start, transitions, emissions : float64 (S,), (S, S), (V, S).
    alpha, scale : float64 (R, S) and (R,), set.
    log_likelihood : float64, one a document of the group, set.
    """
    log_likelihood[:] = 0.0
    product = np.ones(len(log_likelihood))
    for t in range(len(at) - 1):
        low, high = at[t], at[t + 1]
        if t == 0:
            for r in range(high):
                alpha[r] = start
        else:
            np.dot(alpha[at[t - 1] : at[t - 1] + high - low], transitions, alpha[low:high])
        emit(tokens[low:high], emissions, alpha[low:high], scale[low:high], product, log_likelihood)
    log_likelihood += np.log(product)


@njit(fastmath={"contract", "reassoc"})
def gather(
    tokens: np.ndarray, emissions: np.ndarray, alpha: np.ndarray, scale: np.ndarray, beta: np.ndarray, words: np.ndarray
) -> None:
    """Add the posteriors of the states of one step to ``words``, and multiply backward rows by b and 1 / c.

    Parameters
    ----------
    tokens, emissions, alpha, scale : see `emit`, after the forward pass.
    beta : scaled backward probabilities, float64 (n, S), changed in place.
    words : float64 (V, S), increased in place.
    """
    for lane in range(len(tokens)):
        word, ahead, behind, posterior = emissions[tokens[lane]], beta[lane], alpha[lane], words[tokens[lane]]
        for j in range(len(ahead)):
            posterior[j] += behind[j] * ahead[j]
            ahead[j] *= word[j] * scale[lane]


@njit
def backward(
    tokens: np.ndarray, at: np.ndarray, transitions: np.ndarray, emissions: np.ndarray, alpha: np.ndarray,
    scale: np.ndarray, expected: Expected,
) -> None:  # fmt: skip
    """Run the backward pass of a packed group and add its expected counts; arguments as for `forward`."""
    turned, beta = np.ascontiguousarray(transitions.T), np.empty_like(alpha)
    pairs = np.empty_like(transitions)
    steps = len(at) - 1
    for t in range(steps - 1, -1, -1):
        low, high = at[t], at[t + 1]
        longer = 0 if t == steps - 1 else at[t + 2] - high
        if longer:
            np.dot(beta[high : high + longer], turned, beta[low : low + longer])
        beta[low + longer : high] = 1.0
        if t == 0:
            for r in range(high):
                expected.start[:] += alpha[r] * beta[r]
        gather(tokens[low:high], emissions, alpha[low:high], scale[low:high], beta[low:high], expected.words)
        if longer:
            np.dot(alpha[low : low + longer].T, beta[high : high + longer], pairs)
            expected.pairs[:] += pairs


@njit
def expect(
    values: np.ndarray, offsets: np.ndarray, order: np.ndarray, start: np.ndarray, transitions: np.ndarray,
    emissions: np.ndarray, expected: Expected, counted: bool,
) -> np.ndarray:  # fmt: skip
    """Return log p(d) of documents, float64 (N,), and add their expected counts.

    Parameters
    ----------
    values, offsets : words of N documents, int32 (T,) and int64 (N + 1,).
    order : the documents, the longest first.
    start, transitions, emissions : float64 (S,), (S, S), (V, S).
    expected : increased in place if ``counted``; otherwise the backward pass is left out.
    """
    log_likelihood = np.zeros(len(order))
    first = 0
    while first < len(order):
        last = group_end(offsets, order, first)
        tokens, at = pack(values, offsets, order[first:last])
        alpha, scale = np.empty((len(tokens), len(start))), np.empty(len(tokens))
        found = np.empty(last - first)
        forward(tokens, at, start, transitions, emissions, alpha, scale, found)
        log_likelihood[order[first:last]] = found
        if counted:
            backward(tokens, at, transitions, emissions, alpha, scale, expected)
        first = last
    return log_likelihood


@njit
def viterbi(tokens: np.ndarray, start: np.ndarray, transitions: np.ndarray, emissions: np.ndarray) -> np.ndarray:
    """Return the likeliest path of states of one document, int32 (T,); of equally likely ones that of the first states.

    Parameters
    ----------
    tokens : words, int32 (T,).
    start, transitions, emissions : logarithms, float64 (S,), (S, S), (V, S).
    """
    n_states, path = len(start), np.empty(len(tokens), np.int32)
    if not len(tokens):
        return path
    came = np.empty((len(tokens), n_states), np.int32)
    best = start + emissions[tokens[0]]
    for t in range(1, len(tokens)):
        reached = np.full(n_states, -np.inf)
        came[t] = 0
        for i in range(n_states):
            for j in range(n_states):
                score = best[i] + transitions[i, j]
                if score > reached[j]:
                    reached[j], came[t, j] = score, i
        best = reached + emissions[tokens[t]]
    path[-1] = np.argmax(best)
    for t in range(len(tokens) - 1, 0, -1):
        path[t - 1] = came[t, path[t]]
    return path
