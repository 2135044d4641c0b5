"""Kernels of line vectors: skip-grams of words with hierarchical softmax, then vectors of lines with frozen outputs.

Vectors are float32 and padded to a multiple of `textmix.text.float_kernels.LANES`.  The Huffman tree has the format
returned by `textmix.text.vector_kernels.huffman_paths`.
"""

from __future__ import annotations

import numpy as np

from textmix.numerics.basic_kernels import uniform
from textmix.numerics.jit import njit
from textmix.text.float_kernels import LANES, product
from textmix.text.vector_kernels import learn

#: Number of lines between two updates of the learning rate.
LINES_PER_RATE = 100


@njit
def current_rate(rates: tuple[float, float], seen: int, total: int) -> float:
    """Compute the learning rate after ``seen`` of ``total`` words; ``rates`` are the initial and the minimum rate."""
    return max(rates[1], rates[0] * (1.0 - seen / total))


@njit
def longest_path(paths: tuple[np.ndarray, np.ndarray, np.ndarray]) -> int:
    """Compute the number of inner nodes on the longest path of the Huffman tree."""
    starts = paths[0]
    longest = 1
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

    The vector of each word in a reduced window around a word is trained to predict the path of this word.

    Parameters
    ----------
    offsets : ndarray of shape (N + 1,), int64
        First token of each line.
    tokens : ndarray of shape (T,), int32
        Word ids.
    rates : tuple of (float, float)
        Initial and minimum learning rate.
    paths : tuple of ndarray
        Huffman tree.
    window : int
        Maximum distance between two words; the reduced window size is drawn from 1 to ``window``.
    size : int
        Dimension of the vectors.
    words, outputs : ndarray, float32
        Flat arrays of the vectors of words and of inner nodes.
    state : ndarray of shape (1,), uint64
        State of the random generator.
    """
    starts, nodes, branches = paths
    room = longest_path(paths)
    rows = np.zeros(room, dtype=np.int64)
    wanted = np.zeros(room)
    factors = np.zeros(room, dtype=np.float32)
    blocks = size // LANES
    rate = rates[0]
    for line in range(len(offsets) - 1):
        begin = offsets[line]
        end = offsets[line + 1]
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

    The vector of a line is trained to predict the paths of all words in a reduced window around each of its words,
    including that word.

    Parameters
    ----------
    order : ndarray of shape (N,), int64
        Order of the lines during training.
    lines : ndarray, float32
        Flat array of the vectors of lines.

    The other parameters are as in `train_words`.
    """
    starts, nodes, branches = paths
    change = np.zeros(size, dtype=np.float32)
    blocks = size // LANES
    rate = rates[0]
    seen = 0
    for place in range(len(order)):
        begin = offsets[order[place]]
        end = offsets[order[place] + 1]
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
