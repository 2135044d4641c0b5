"""Paragraph vectors by the distributed bag of words: a document's vector is trained to predict its words one by one.

Source: Q. Le and T. Mikolov, Distributed Representations of Sentences and Documents, ICML 2014, section 2.3; negative
sampling and hierarchical softmax follow T. Mikolov et al., Distributed Representations of Words and Phrases and
their Compositionality, NIPS 2013, sections 2.1 and 2.2.

Vectors are float32 and padded to a multiple of `textmix.text.float_kernels.LANES`.
"""

from __future__ import annotations

import numpy as np

from textmix.numerics.basic_kernels import copy_into, stable_order, uniform
from textmix.numerics.jit import njit
from textmix.text.float_kernels import LANES, product, step

#: Final learning rate as a fraction of the initial one.
LAST_RATE = 1e-4 / 0.025


@njit
def learn(
    vectors: np.ndarray,
    at: int,
    outputs: np.ndarray,
    rows: np.ndarray,
    wanted: np.ndarray,
    targets: int,
    rate: float,
    factors: np.ndarray,
    blocks: int,
) -> None:
    """Take one gradient step of a vector and of some output vectors, each a logistic regression on the vector.

    The logistic function of the inner product of the vector and an output vector is the probability of a 1; the step,
    with learning rate ``rate``, increases the sum of the log-likelihoods.  ``wanted``, float64 (K,), contains the
    targets 1 or 0 of ``targets`` output vectors; ``factors``, float32 (K,), is overwritten; the other parameters are as
    in `textmix.text.float_kernels.step`.
    """
    for k in range(targets):
        factors[k] = product(vectors, at, outputs, rows[k], blocks)
    for k in range(targets):
        factors[k] = rate * (wanted[k] - 1.0 / (1.0 + np.exp(-np.float64(factors[k]))))
    step(vectors, at, outputs, rows, factors, targets, blocks)


@njit
def noise_word(limits: np.ndarray, others: np.ndarray, state: np.ndarray) -> int:
    """Draw a word by Walker's alias method; see `alias_table` for the tables."""
    position = uniform(state) * len(limits)
    word = int(position)
    return word if position - word < limits[word] else others[word]


@njit
def noisy_targets(
    word: int, noise: tuple[int, np.ndarray, np.ndarray], state: np.ndarray, rows: np.ndarray, wanted: np.ndarray
) -> int:
    """Write a word (positive target) and the noise words drawn for it, except itself; return the number of targets."""
    number, limits, others = noise
    rows[0], wanted[0], n_targets = word, 1.0, 1
    for _ in range(number):
        drawn = noise_word(limits, others, state)
        if drawn != word:
            rows[n_targets], wanted[n_targets] = drawn, 0.0
            n_targets += 1
    return n_targets


@njit
def alias_table(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Create the alias tables of `noise_word`, which draws word ``w`` in proportion to ``weights[w]`` > 0.

    They contain the probability of word ``w`` in its own bin, float64 (V,), and the alias word of the bin, int32.
    Source: A. J. Walker, ACM Transactions on Mathematical Software 3 (1977).
    """
    n = len(weights)
    limits = weights * (n / weights.sum())
    others = np.arange(n).astype(np.int32)
    small = np.flatnonzero(limits < 1.0)
    large = np.flatnonzero(limits >= 1.0)
    wide = np.empty(n, dtype=np.int64)
    copy_into(wide[: len(small)], small)
    below = len(small)
    above = 0
    while below > 0 and above < len(large):
        below -= 1
        word = wide[below]
        giver = large[above]
        others[word] = giver
        limits[giver] -= 1.0 - limits[word]
        if limits[giver] < 1.0:
            wide[below] = giver
            below += 1
            above += 1
    return limits, others


@njit
def huffman_parents(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Build the Huffman tree of words from ``counts``, int64 (V,): parent, int64, and branch, int8, of each node.

    Both are (2 V - 1,), first words and then inner nodes; the root is last and has 0.  A branch is 1 for the second of
    the two merged nodes.
    """
    n = len(counts)
    weights = np.concatenate((counts, np.zeros(max(n - 1, 0), dtype=np.int64)))
    parents = np.zeros(len(weights), dtype=np.int64)
    branches = np.zeros(len(weights), dtype=np.int8)
    words = stable_order(counts)
    word = 0
    inner = n
    for node in range(n, len(weights)):
        for branch in range(2):
            # Inner nodes are created in increasing order of weight: the minimum is at the head of one of two queues.
            if word < n and (inner >= node or weights[words[word]] <= weights[inner]):
                least = words[word]
                word = word + 1
            else:
                least = inner
                inner = inner + 1
            weights[node] += weights[least]
            parents[least], branches[least] = node, branch
    return parents, branches


@njit
def huffman_paths(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Compute the path of each word, with ``counts`` int64 (V,), in the Huffman tree, from the word to the root.

    The result is the offsets of each word's path, int64 (V + 1,), the inner nodes on the paths, int32 from 0 to V - 2
    with the root last, and the branch at each node, int8, 0 or 1.  Source: D. A. Huffman, Proceedings of the IRE 40
    (1952).
    """
    parents, branch_of = huffman_parents(counts)
    n = len(counts)
    root = len(parents) - 1
    offsets = np.zeros(n + 1, dtype=np.int64)
    for word in range(n):
        node = word
        while node != root:
            node = parents[node]
            offsets[word + 1] += 1
        offsets[word + 1] += offsets[word]
    nodes = np.empty(offsets[n], dtype=np.int32)
    branches = np.empty(offsets[n], dtype=np.int8)
    for word in range(n):
        node = word
        for index in range(offsets[word], offsets[word + 1]):
            branches[index], node = branch_of[node], parents[node]
            nodes[index] = node - n
    return offsets, nodes, branches


@njit
def targets_at_most(
    paths: tuple[np.ndarray, np.ndarray, np.ndarray], noise: tuple[int, np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Allocate the rows, targets and factors for any word; the parameters are as in `train_bags`."""
    starts = paths[0]
    most = 1 + noise[0]
    for word in range(len(starts) - 1):
        most = max(most, starts[word + 1] - starts[word])
    return np.zeros(most, dtype=np.int64), np.zeros(most), np.zeros(most, dtype=np.float32)


@njit
def targets_of(
    word: int,
    paths: tuple[np.ndarray, np.ndarray, np.ndarray],
    noise: tuple[int, np.ndarray, np.ndarray],
    size: int,
    state: np.ndarray,
    rows: np.ndarray,
    wanted: np.ndarray,
) -> int:
    """Write the positions of the output vectors of a word's targets and the target values; return their number."""
    starts, nodes, branches = paths
    if noise[0] > 0:
        targets = noisy_targets(word, noise, state, rows, wanted)
    else:
        targets = starts[word + 1] - starts[word]
        copy_into(rows[:targets], nodes[starts[word] : starts[word + 1]])
        copy_into(wanted[:targets], branches[starts[word] : starts[word + 1]])
    rows[:targets] *= size
    return int(targets)


@njit
def train_bags(
    offsets: np.ndarray,
    tokens: np.ndarray,
    order: np.ndarray,
    chances: np.ndarray,
    rates: tuple[float, int],
    paths: tuple[np.ndarray, np.ndarray, np.ndarray],
    noise: tuple[int, np.ndarray, np.ndarray],
    size: int,
    vectors: np.ndarray,
    outputs: np.ndarray,
    state: np.ndarray,
) -> None:
    """Train the vectors of documents, float32 (N * D,), in place.

    Parameters
    ----------
    offsets : ndarray of shape (N + 1,), int64
        Document ``d`` has the words ``tokens[offsets[d]:offsets[d + 1]]``.
    tokens : ndarray of shape (T,), int32
        Word ids.
    order : ndarray of shape (N,), int64
        Order of the documents in each pass.
    chances : ndarray of shape (V,), float64
        Probability that an occurrence of a word is used in a pass; negative for a word that is never used.
    rates : tuple of (float, int)
        Initial learning rate, which decreases linearly with every word, and number of passes.
    paths : tuple of ndarray
        Result of `huffman_paths`, used without noise words.
    noise : tuple of (int, ndarray, ndarray)
        Number of noise words per word, 0 for hierarchical softmax, and the tables of `noise_word`.
    size : int
        Dimension D of the vectors.
    vectors : ndarray of shape (N * D,), float32
        Document vectors.
    outputs : ndarray of shape (rows * D,), float32
        Output vectors of each word, or of each inner node.
    state : ndarray of shape (1,), uint64
        State of the random generator.
    """
    first_rate, passes = rates
    rows, wanted, factors = targets_at_most(paths, noise)
    seen = 0
    total = passes * len(tokens)
    for _ in range(passes):
        for d in order:
            rate = max(first_rate * (1.0 - seen / total), first_rate * LAST_RATE)
            seen += offsets[d + 1] - offsets[d]
            for token in range(offsets[d], offsets[d + 1]):
                word = tokens[token]
                if uniform(state) >= chances[word]:
                    continue
                targets = targets_of(word, paths, noise, size, state, rows, wanted)
                learn(vectors, d * size, outputs, rows, wanted, targets, rate, factors, size // LANES)


@njit
def train_words_and_bags(
    offsets: np.ndarray,
    tokens: np.ndarray,
    order: np.ndarray,
    chances: np.ndarray,
    rates: tuple[float, int],
    paths: tuple[np.ndarray, np.ndarray, np.ndarray],
    noise: tuple[int, np.ndarray, np.ndarray],
    window: int,
    size: int,
    vectors: np.ndarray,
    words: np.ndarray,
    outputs: np.ndarray,
    state: np.ndarray,
) -> None:
    """Train the vectors of documents and of words, float32 (V * D,), in alternation, in place, with the same outputs.

    Before a document's vector is trained to predict a word, the vectors of its neighbours are: kept occurrences at most
    ``window`` (at least 1) away, where the reduced window is drawn for each word.  The others are as in `train_bags`.
    """
    first_rate, passes = rates
    rows, wanted, factors = targets_at_most(paths, noise)
    kept = np.empty(max(np.max(np.diff(offsets)), 1), dtype=np.int64)
    seen = 0
    total = passes * len(tokens)
    blocks = size // LANES
    for _ in range(passes):
        for d in order:
            rate = max(first_rate * (1.0 - seen / total), first_rate * LAST_RATE)
            seen += offsets[d + 1] - offsets[d]
            n = 0
            for token in range(offsets[d], offsets[d + 1]):
                if uniform(state) < chances[tokens[token]]:
                    kept[n] = tokens[token]
                    n += 1
            for i in range(n):
                span = 1 + int(uniform(state) * window)
                for j in range(max(i - span, 0), min(i + span + 1, n)):
                    if j != i:
                        targets = targets_of(kept[i], paths, noise, size, state, rows, wanted)
                        learn(words, kept[j] * size, outputs, rows, wanted, targets, rate, factors, blocks)
                targets = targets_of(kept[i], paths, noise, size, state, rows, wanted)
                learn(vectors, d * size, outputs, rows, wanted, targets, rate, factors, blocks)
