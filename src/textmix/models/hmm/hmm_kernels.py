r"""Kernels of a hidden Markov model: scaled forward and backward passes, and the most probable state sequence.

Source: L. R. Rabiner, "A tutorial on hidden Markov models", Proceedings of the IEEE 77(2), 1989, section V.A.

Symbols: document d, step t, state i or j, word w; S states; a_ij transition probability, b_j(w) emission probability.
The forward probabilities are scaled at each step so that they sum to 1 over the states:

    \hat\alpha_{t+1}(j) = b_j(w_{t+1}) \sum_i \hat\alpha_t(i) a_ij / c_{t+1},   log p(d) = \sum_t log c_t

and the backward probabilities are divided by the same c_t.  With all a_ij >= \epsilon, backward values are below
1 / \epsilon, so that no overflow occurs regardless of document length.

Documents are processed in parallel lanes, `LANES` at a time, the longest first: one *block*.  An array of a block is
flat and contains one number per document, ordered by step and then by state.  After its end a document has scale 0, so
that it does not contribute to any sum.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from textmix.numerics.jit import njit
from textmix.numerics.simd_kernels import (
    LANES,
    add_products,
    aligned,
    multiply_rows,
    multiply_taken,
    weighted_row,
    weighted_rows,
)

#: A product of scales is replaced by its logarithm before it falls below the square of this number.
SMALL = 1e-150
#: A smaller step probability underflows in float64 and makes its document impossible.
LEAST = 2.3e-308


class Block(NamedTuple):
    """The documents of one block and its arrays, which are set by `forward`.

    Attributes
    ----------
    begin, length : ndarray of shape (n,), int64
        Position of a document's words in ``values`` and their number, the longest document first.
    alpha : ndarray of shape (T * S * LANES,), float64
        Scaled forward probabilities, T being the maximum length.
    scale : ndarray of shape (T * LANES,), float64
        1 / c; 0 for a document that has ended or has become impossible.
    """

    values: np.ndarray
    begin: np.ndarray
    length: np.ndarray
    alpha: np.ndarray
    scale: np.ndarray


class Expected(NamedTuple):
    """Expected counts, accumulated in place by `expect`.

    Attributes
    ----------
    start : ndarray of shape (S,), float64
        Expected number of documents that begin in each state.
    pairs : ndarray of shape (S, S), float64
        Expected number of transitions from i to j, divided by a_ij.
    words : ndarray of shape (V, S), float64
        Expected number of times that a word is emitted by a state; (0, S) if not counted.
    """

    start: np.ndarray
    pairs: np.ndarray
    words: np.ndarray


@njit
def words_at(block: Block, t: int, n: int, n_states: int, places: np.ndarray) -> None:
    """Set ``places``, int64 (LANES,), to the positions of a step's words in a flat table (V, S).

    Only the first ``n`` documents have a word; the positions of the others are -S.
    """
    for k in range(LANES):
        places[k] = block.values[block.begin[k] + t] * n_states if k < n else -n_states


@njit(error_model="numpy")
def take_scales(
    total: np.ndarray, n: int, scale: np.ndarray, at: int, product: np.ndarray, log_likelihood: np.ndarray
) -> None:
    """Set the scales of a step, at ``at``, to 1 / total, and accumulate the logarithms of the totals.

    ``total``, float64 (LANES,), is c, or 0 for a document that has ended; ``n`` documents have this step.  The
    log-likelihood up to this step is ``log_likelihood + log(product)``.
    """
    for k in range(LANES):
        scale[at + k] = 1.0 / total[k] if total[k] >= LEAST else 0.0
    for k in range(n):
        if total[k] < SMALL:
            log_likelihood[k] += np.log(total[k]) if total[k] >= LEAST else -np.inf
            continue
        product[k] *= total[k]
        if product[k] < SMALL:
            log_likelihood[k] += np.log(product[k])
            product[k] = 1.0


@njit
def forward(
    block: Block, start: np.ndarray, transitions: np.ndarray, emissions: np.ndarray, log_likelihood: np.ndarray
) -> None:
    """Compute the scaled forward probabilities of a block, and set its ``log_likelihood``, float64 (n,).

    ``start``, ``transitions`` and ``emissions`` are float64 (S,), (S * S,) and (V * S,), in row-major order.
    """
    log_likelihood[:] = 0.0
    n = len(block.begin)
    n_states = len(start)
    alpha = block.alpha
    one = np.ones(1)
    product = np.ones(n)
    total = aligned(LANES)
    places = np.empty(LANES, np.int64)
    size = n_states * LANES
    for t in range(block.length[0]):
        while block.length[n - 1] <= t:
            n -= 1
        at = t * size
        if t:
            weighted_rows(alpha, at, alpha, at - size, n_states, transitions, n_states, 1)
        else:
            for i in range(size):
                alpha[i] = start[i // LANES]
        words_at(block, t, n, n_states, places)
        multiply_taken(alpha, at, emissions, places, n_states)
        weighted_row(total, 0, alpha, at, n_states, one, 0, 0)
        take_scales(total, n, block.scale, t * LANES, product, log_likelihood)
        multiply_rows(alpha, at, alpha, at, block.scale, t * LANES, 0, n_states)
    log_likelihood += np.log(product)


@njit
def backward(
    block: Block,
    transitions: np.ndarray,
    emissions: np.ndarray,
    first: np.ndarray,
    pairs: np.ndarray,
    words: np.ndarray,
) -> None:
    """Run the backward pass of a block after `forward` and accumulate its expected counts in place, see `Expected`.

    ``pairs`` is float64 (S * S * LANES,), separate for each lane; ``words`` is (V * S,), empty if not counted.
    """
    n_states = len(first)
    size = n_states * LANES
    n = 0
    beta = aligned(2 * size)
    posterior = aligned(size)
    places = np.empty(LANES, np.int64)
    beta[:] = 0.0
    ahead = 0  # half of ``beta`` that belongs to the step after t, times b and 1 / c; the other half belongs to step t
    for t in range(block.length[0] - 1, -1, -1):
        here = size - ahead
        weighted_rows(beta, here, beta, ahead, n_states, transitions, 1, n_states)
        for i in range(n_states):
            add_products(pairs, i * size, block.alpha, t * size + i * LANES, beta, ahead, n_states)
        while n < len(block.begin) and block.length[n] > t:
            for j in range(n_states):
                beta[here + j * LANES + n] = 1.0
            n += 1
        multiply_rows(posterior, 0, block.alpha, t * size, beta, here, LANES, n_states)
        words_at(block, t, n, n_states, places)
        for k in range(n if len(words) else 0):
            for j in range(n_states):
                words[places[k] + j] += posterior[j * LANES + k]
        multiply_taken(beta, here, emissions, places, n_states)
        multiply_rows(beta, here, beta, here, block.scale, t * LANES, 0, n_states)
        ahead = here
    if block.length[0]:
        for j in range(n_states):
            first[j] += posterior[j * LANES : j * LANES + n].sum()


@njit
def expect(
    values: np.ndarray, offsets: np.ndarray, order: np.ndarray, start: np.ndarray, transitions: np.ndarray,
    emissions: np.ndarray, expected: Expected, counted: bool,
) -> np.ndarray:  # fmt: skip
    """Compute log p(d) of documents, float64 (N,), and accumulate their expected counts if ``counted``.

    ``order`` sorts the documents by decreasing length; ``emissions`` are (V, S).
    """
    log_likelihood = np.zeros(len(order))
    n_states = len(start)
    flat = transitions.copy().reshape(-1)
    table = emissions.reshape(-1)
    words = expected.words.reshape(-1)
    pairs = aligned(n_states * n_states * LANES)
    pairs[:] = 0.0
    for first in range(0, len(order), LANES):
        documents = order[first : first + LANES]
        begin = np.empty(len(documents), np.int64)
        length = np.empty(len(documents), np.int64)
        for i in range(len(documents)):
            begin[i] = offsets[documents[i]]
            length[i] = offsets[documents[i] + 1] - begin[i]
        alpha = aligned(length[0] * n_states * LANES)
        scale = aligned(length[0] * LANES)
        block = Block(values, begin, length, alpha, scale)
        found = np.empty(len(documents))
        forward(block, start, flat, table, found)
        for i in range(len(documents)):
            log_likelihood[documents[i]] = found[i]
        if counted:
            backward(block, flat, table, expected.start, pairs, words)
    for i in range(n_states):
        for j in range(n_states):
            expected.pairs[i, j] += pairs[(i * n_states + j) * LANES : (i * n_states + j + 1) * LANES].sum()
    return log_likelihood


@njit
def viterbi(tokens: np.ndarray, start: np.ndarray, transitions: np.ndarray, emissions: np.ndarray) -> np.ndarray:
    """Compute the most probable state sequence of one document, int32 (T,); ties are resolved towards the first states.

    ``start`` (S,), ``transitions`` (S, S) and ``emissions`` (V, S) are log probabilities.
    """
    n_states = len(start)
    path = np.empty(len(tokens), np.int32)
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
