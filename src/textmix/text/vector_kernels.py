"""Paragraph vectors by the distributed bag of words: a document's vector learns to predict its words, one by one.

Source: Q. Le and T. Mikolov, Distributed Representations of Sentences and Documents, ICML 2014, section 2.3; negative
sampling and hierarchical softmax are those of T. Mikolov et al., Distributed Representations of Words and Phrases and
their Compositionality, NIPS 2013, sections 2.1 and 2.2.

Vectors are float32 and as long as a multiple of `textmix.text.float_kernels.LANES`.
"""

from __future__ import annotations

import numpy as np

from textmix.numerics.basic_kernels import copy_into, stable_order, uniform
from textmix.numerics.jit import njit
from textmix.text.float_kernels import LANES, product, step

#: The rate of the last step, as a share of the first one.
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

    The logistic function of the scalar product of the vector and an output vector is the probability of a 1; the step,
    of length ``rate``, raises the sum of the log likelihoods.  ``wanted`` float64 (K,), 1 or 0, of ``targets`` output
    vectors; ``factors`` float32 (K,), overwritten; the others are as for `textmix.text.float_kernels.step`.
    """
    for k in range(targets):
        factors[k] = product(vectors, at, outputs, rows[k], blocks)
    for k in range(targets):
        factors[k] = rate * (wanted[k] - 1.0 / (1.0 + np.exp(-np.float64(factors[k]))))
    step(vectors, at, outputs, rows, factors, targets, blocks)


@njit
def noise_word(limits: np.ndarray, others: np.ndarray, state: np.ndarray) -> int:
    """Return a word drawn by Walker's alias method; see `alias_table` for the tables."""
    position = uniform(state) * len(limits)
    word = int(position)
    return word if position - word < limits[word] else others[word]


@njit
def noisy_targets(
    word: int, noise: tuple[int, np.ndarray, np.ndarray], state: np.ndarray, rows: np.ndarray, wanted: np.ndarray
) -> int:
    """Write a word, which is wanted, and the noise words drawn for it but itself; return their number."""
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
    """Return the tables by which `noise_word` draws word ``w`` with a chance proportional to ``weights[w]`` > 0.

    They are the share of word ``w`` in its own place, float64 (V,), and the word that has the rest of the place, int32.
    Source: A. J. Walker, ACM Transactions on Mathematical Software 3 (1977).
    """
    n = len(weights)
    limits, others = weights * (n / weights.sum()), np.arange(n).astype(np.int32)
    small, large = np.flatnonzero(limits < 1.0), np.flatnonzero(limits >= 1.0)
    wide = np.empty(n, dtype=np.int64)
    copy_into(wide[: len(small)], small)
    below, above = len(small), 0
    while below > 0 and above < len(large):
        below -= 1
        word, giver = wide[below], large[above]
        others[word] = giver
        limits[giver] -= 1.0 - limits[word]
        if limits[giver] < 1.0:
            wide[below] = giver
            below += 1
            above += 1
    return limits, others


@njit
def huffman_parents(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the Huffman tree of words by ``counts``, int64 (V,): of each node the parent, int64, and the branch, int8.

    Both are (2 V - 1,), of the words and then of the inner nodes; the root, the last one, has 0.  A branch is 1 for the
    second of the two nodes that were joined.
    """
    n = len(counts)
    weights = np.concatenate((counts, np.zeros(max(n - 1, 0), dtype=np.int64)))
    parents, branches = np.zeros(len(weights), dtype=np.int64), np.zeros(len(weights), dtype=np.int8)
    words = stable_order(counts)
    word, inner = 0, n
    for node in range(n, len(weights)):
        for branch in range(2):
            # Inner nodes are made in the order of their weights: the smallest weight heads one of two queues.
            if word < n and (inner >= node or weights[words[word]] <= weights[inner]):
                least, word = words[word], word + 1
            else:
                least, inner = inner, inner + 1
            weights[node] += weights[least]
            parents[least], branches[least] = node, branch
    return parents, branches


@njit
def huffman_paths(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the path of each word, with ``counts`` int64 (V,), in the Huffman tree, from the word to the root.

    It is the places of each word's path, int64 (V + 1,), the inner nodes on the paths, int32, 0 to V - 2, of which the
    last is the root, and the branch taken at each, int8, 0 or 1.  Source: D. A. Huffman, Proceedings of the IRE 40
    (1952).
    """
    parents, branch_of = huffman_parents(counts)
    n, root = len(counts), len(parents) - 1
    offsets = np.zeros(n + 1, dtype=np.int64)
    for word in range(n):
        node = word
        while node != root:
            node = parents[node]
            offsets[word + 1] += 1
        offsets[word + 1] += offsets[word]
    nodes, branches = np.empty(offsets[n], dtype=np.int32), np.empty(offsets[n], dtype=np.int8)
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
    """Return room for the rows, wanted values and factors of any word's targets; the parameters are of `train_bags`."""
    starts, most = paths[0], 1 + noise[0]
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
    """Write where the output vectors of a word's targets begin, and what is wanted of each; return their number."""
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

    Document ``d`` has the words ``tokens[offsets[d]:offsets[d + 1]]``; ``order``, int64 (N,), is that in which each
    pass takes them.  ``chances``, float64 (V,), is the probability that an occurrence of a word is learned in a pass;
    negative for a word that is never learned.  ``rates`` are the length of the first step, which falls linearly, word
    by word, and the number of passes.  ``paths`` are those of `huffman_paths`, read without noise words; ``noise`` is
    the number of noise words for each word, 0 for hierarchical softmax, and the tables of `noise_word`.  ``size`` is D;
    ``outputs``, float32 (rows * D,), has a row for each word, or for each inner node; ``state``, uint64 (1,), is that
    of the generator.
    """
    first_rate, passes = rates
    rows, wanted, factors = targets_at_most(paths, noise)
    seen, total = 0, passes * len(tokens)
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
    """Train the vectors of documents and of words, float32 (V * D,), in turns, in place, with the same outputs.

    Before a document's vector learns to predict a word, so do the vectors of the words near it: at most ``window`` (at
    least 1) kept occurrences away, a number that is drawn anew for each word.  The others are as in `train_bags`.
    """
    first_rate, passes = rates
    rows, wanted, factors = targets_at_most(paths, noise)
    kept = np.empty(max(np.max(np.diff(offsets)), 1), dtype=np.int64)
    seen, total, blocks = 0, passes * len(tokens), size // LANES
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
