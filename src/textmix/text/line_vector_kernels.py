"""Kernels of line vectors: skip-grams of words with hierarchical softmax, then vectors of lines with frozen outputs.

Vectors are float32 and as long as a multiple of `textmix.text.float_kernels.LANES`.  The Huffman tree comes as
`textmix.text.vector_kernels.huffman_paths` returns it.
"""

from __future__ import annotations

import numpy as np

from textmix.numerics.basic_kernels import uniform
from textmix.numerics.jit import njit
from textmix.text.float_kernels import LANES, product
from textmix.text.vector_kernels import learn

#: Lines between two updates of the learning rate.
LINES_PER_RATE = 100


@njit
def current_rate(rates: tuple[float, float], seen: int, total: int) -> float:
    """Return the learning rate after ``seen`` of ``total`` words; ``rates`` are the first and the smallest one."""
    return max(rates[1], rates[0] * (1.0 - seen / total))


@njit
def longest_path(paths: tuple[np.ndarray, np.ndarray, np.ndarray]) -> int:
    """Return the number of inner nodes on the longest path of the Huffman tree."""
    starts, longest = paths[0], 1
    for word in range(len(starts) - 1):
        longest = max(longest, starts[word + 1] - starts[word])
    return longest


@njit
def add_scaled(target: np.ndarray, factor: float, source: np.ndarray) -> None:
    """Add ``factor`` times a vector to another one in place, float32 (D,)."""
    for i in range(len(target)):
        target[i] += factor * source[i]


@njit
def train_words(
    offsets: np.ndarray,
    tokens: np.ndarray,
    rates: tuple[float, float],
    paths: tuple[np.ndarray, np.ndarray, np.ndarray],
    window: int,
    size: int,
    words: np.ndarray,
    outputs: np.ndarray,
    state: np.ndarray,
) -> None:
    """Train the vectors of words and of inner nodes in place by one pass over the lines.

    The vector of each word in a reduced window around a word learns to predict the path of this word.

    Parameters
    ----------
    offsets : int64 (N + 1,), first token of each line.
    tokens : int32 (T,), word ids.
    rates : first and smallest learning rate.
    paths : Huffman tree.
    window : largest distance between two words; the reduced one is drawn from 1 to ``window``.
    size : length of a vector.
    words, outputs : float32, flat, vectors of words and of inner nodes.
    state : uint64 (1,), state of the random generator.
    """
    starts, nodes, branches = paths
    room = longest_path(paths)
    rows = np.zeros(room, dtype=np.int64)
    wanted = np.zeros(room)
    factors = np.zeros(room, dtype=np.float32)
    blocks = size // LANES
    rate = rates[0]
    for line in range(len(offsets) - 1):
        begin, end = offsets[line], offsets[line + 1]
        if line % LINES_PER_RATE == 0:
            rate = current_rate(rates, begin, len(tokens))
        for t in range(begin, end):
            span = 1 + int(uniform(state) * window)
            first = starts[tokens[t]]
            n_nodes = starts[tokens[t] + 1] - first
            for k in range(n_nodes):
                rows[k] = np.int64(nodes[first + k]) * size
                wanted[k] = branches[first + k]
            for other in range(max(t - span, begin), min(t + span + 1, end)):
                if other != t:
                    learn(words, tokens[other] * size, outputs, rows, wanted, n_nodes, rate, factors, blocks)


@njit
def train_lines(
    offsets: np.ndarray,
    tokens: np.ndarray,
    order: np.ndarray,
    rates: tuple[float, float],
    paths: tuple[np.ndarray, np.ndarray, np.ndarray],
    window: int,
    size: int,
    lines: np.ndarray,
    outputs: np.ndarray,
    state: np.ndarray,
) -> None:
    """Train the vectors of lines in place by one pass, with frozen vectors of inner nodes.

    A line's vector learns to predict the paths of all words in a reduced window around each of its words, that word
    included.

    Parameters
    ----------
    order : int64 (N,), the order in which the lines are trained.
    lines : float32, flat, vectors of lines.

    The others are as for `train_words`.
    """
    starts, nodes, branches = paths
    change = np.zeros(size, dtype=np.float32)
    blocks = size // LANES
    rate, seen = rates[0], 0
    for place in range(len(order)):
        begin, end = offsets[order[place]], offsets[order[place] + 1]
        at = order[place] * size
        if place % LINES_PER_RATE == 0:
            rate = current_rate(rates, seen, len(tokens))
        seen += end - begin
        for t in range(begin, end):
            span = 1 + int(uniform(state) * window)
            for other in range(max(t - span, begin), min(t + span + 1, end)):
                first = starts[tokens[other]]
                n_nodes = starts[tokens[other] + 1] - first
                change[:] = 0.0
                for k in range(n_nodes):
                    row = np.int64(nodes[first + k]) * size
                    score = np.float64(product(lines, at, outputs, row, blocks))
                    factor = np.float32(rate * (branches[first + k] - 1.0 / (1.0 + np.exp(-score))))
                    add_scaled(change, factor, outputs[row : row + size])
                add_scaled(lines[at : at + size], np.float32(1.0), change)
