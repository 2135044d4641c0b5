"""Line vectors: one vector per document, trained in a single pass over the file with a decaying learning rate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from textmix.data.corpus import Ragged
from textmix.text.float_kernels import LANES
from textmix.text.line_vector_kernels import train_lines, train_words
from textmix.text.vector_kernels import huffman_paths


@dataclass(frozen=True)
class LineVectorSpec:
    """Settings of line vectors.

    Parameters
    ----------
    size : int, default=100
        Length of a vector.
    rate : float, default=0.025
        First learning rate; it falls linearly with the words that have been read.
    min_rate : float, default=1e-4
        Smallest learning rate.
    window : int, default=5
        Largest distance between two words of a window.
    min_count : int, default=5
        Words with fewer occurrences are dropped.
    seed : int, default=1
    """

    size: int = 100
    rate: float = 0.025
    min_rate: float = 1e-4
    window: int = 5
    min_count: int = 5
    seed: int = 1

    @classmethod
    def from_mapping(cls, entry: Mapping[str, Any]) -> LineVectorSpec:
        """Create the settings from a mapping."""
        return cls(**entry)


def line_vectors(tokens: Ragged, spec: LineVectorSpec, files: Sequence[np.ndarray] | None = None) -> np.ndarray:
    """Train one vector for each document.

    A skip-gram model of the words with hierarchical softmax is trained first, by one pass over the documents in the
    order of ``tokens``.  Its output vectors are then frozen, and the vector of each document is trained in turn.
    Because the learning rate decreases along a file, a vector encodes the position of its document in its file.

    Parameters
    ----------
    tokens : Ragged
        Word ids of the documents.
    spec : LineVectorSpec
    files : sequence of ndarray of int, optional
        Indices of the documents of each file, in the order in which their vectors are trained.  The learning rate
        starts again with each file.  By default, one file contains all documents in the order of ``tokens``.

    Returns
    -------
    vectors : ndarray of shape (n_documents, size), float64

    Notes
    -----
    This reproduces the training of the public program sentence2vec (klb3713), which Li et al. (2016) used.
    """
    generator = np.random.default_rng(spec.seed)
    counts = np.bincount(tokens.values, minlength=1)
    frequent = np.flatnonzero(counts >= spec.min_count)
    ids = np.full(len(counts), -1, dtype=np.int32)
    ids[frequent] = np.arange(len(frequent))
    learned = ids[tokens.values]
    offsets = np.concatenate([[0], np.cumsum(learned >= 0)])[tokens.offsets]
    learned = learned[learned >= 0]
    n_documents = len(tokens)
    width = -(-spec.size // LANES) * LANES
    words = _initial_vectors(generator, len(frequent), spec.size, width)
    lines = _initial_vectors(generator, n_documents, spec.size, width)
    if len(learned):
        outputs = np.zeros(len(frequent) * width, dtype=np.float32)
        paths = huffman_paths(counts[frequent])
        rates = spec.rate, spec.min_rate
        state = generator.integers(2**64, size=1, dtype=np.uint64)
        train_words(offsets, learned, rates, paths, spec.window, width, words.reshape(-1), outputs, state)
        for file in [np.arange(n_documents)] if files is None else files:
            order = np.asarray(file, dtype=np.int64)
            train_lines(offsets, learned, order, rates, paths, spec.window, width, lines.reshape(-1), outputs, state)
    return lines[:, : spec.size].astype(np.float64)


def _initial_vectors(generator: np.random.Generator, n: int, size: int, width: int) -> np.ndarray:
    """Draw vectors uniformly from +-0.5 / ``size``, float32 (n, ``width``), padded with zeros."""
    vectors = np.zeros((n, width), dtype=np.float32)
    vectors[:, :size] = (generator.random((n, size), dtype=np.float32) - np.float32(0.5)) / size
    return vectors
