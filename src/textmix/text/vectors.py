"""Paragraph vectors (Le & Mikolov 2014): one dense vector per document, learned without labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from textmix.core.errors import ConfigError
from textmix.data.corpus import Ragged
from textmix.text.float_kernels import LANES
from textmix.text.vector_kernels import alias_table, huffman_paths, train_bags, train_words_and_bags

#: Losses: negative sampling, or hierarchical softmax along the path of the word in a binary tree.
LOSSES = ("negative", "hierarchical")


@dataclass(frozen=True)
class VectorSpec:
    """Settings of paragraph vectors: the keys of ``vectors`` in a ``features`` entry.

    Parameters
    ----------
    size : int
        Dimension of the vectors.
    loss : {"negative", "hierarchical"}
        Negative sampling, or hierarchical softmax over a Huffman tree of the words.
    negative : int
        Number of noise words per word, drawn in proportion to their counts to the power 3/4.
    sample : float
        Subsampling threshold t: an occurrence of a word with relative frequency s is used with probability
        ``sqrt(t/s) + t/s``; 0 disables subsampling.
    window : int
        If positive, word vectors are trained in alternation with the document vectors, to predict the words up to this
        distance away (skip-grams; ``dbow_words`` of gensim); 0 trains document vectors only.
    min_count : int
        Minimum number of occurrences of a word.
    epochs : int
        Number of passes over the documents.
    rate : float
        Initial learning rate of gradient descent; it decreases linearly.
    shuffle : bool
        Whether each pass visits the documents in random order; otherwise in corpus order, which often is sorted by
        class.
    seed : int
        Random seed.
    """

    size: int = 100
    loss: str = "negative"
    negative: int = 5
    sample: float = 0.0
    window: int = 0
    min_count: int = 2
    epochs: int = 20
    rate: float = 0.025
    shuffle: bool = True
    seed: int = 1

    @classmethod
    def from_mapping(cls, entry: Mapping[str, Any]) -> VectorSpec:
        """Create the settings from a mapping and validate them."""
        defaults = asdict(cls())
        for key, value in entry.items():
            if key not in defaults:
                raise ConfigError(f"features: vectors: {key!r} is unknown; the keys are {', '.join(defaults)}")
            kind = type(defaults[key])
            if type(value) is not kind and not (kind is float and type(value) is int):
                raise ConfigError(f"features: vectors.{key}: is {value!r}; write one like {defaults[key]!r}")
        spec = cls(**entry)
        if spec.loss not in LOSSES:
            raise ConfigError(f"features: vectors.loss: {spec.loss!r} is not known; choose one of {', '.join(LOSSES)}")
        for key in ("size", "negative", "min_count", "epochs", "rate"):
            if getattr(spec, key) <= 0:
                raise ConfigError(f"features: vectors.{key}: is {getattr(spec, key)}; write a number above 0")
        if min(spec.sample, spec.seed, spec.window) < 0:
            raise ConfigError("features: vectors: sample, seed or window is negative; write a number from 0")
        return spec


def paragraph_vectors(tokens: Ragged, spec: VectorSpec) -> np.ndarray:
    """Train paragraph vectors by the distributed bag of words (PV-DBOW).

    Parameters
    ----------
    tokens : Ragged
        Word ids of the N documents.
    spec : VectorSpec
        Settings.

    Returns
    -------
    vectors : ndarray of shape (N, size), float64

    References
    ----------
    Le & Mikolov, ICML 2014, section 2.3. The defaults are those of Mikolov's word2vec.
    """
    generator = np.random.default_rng(spec.seed)
    n = len(tokens)
    counts = np.bincount(tokens.values, minlength=1)
    frequent = np.flatnonzero(counts >= spec.min_count)
    words = np.full(len(counts), -1, dtype=np.int32)
    words[frequent] = np.arange(len(frequent))
    learned = words[tokens.values]
    offsets = np.concatenate([[0], np.cumsum(learned >= 0)])[tokens.offsets]
    counts = counts[frequent]
    order = generator.permutation(n) if spec.shuffle else np.arange(n)
    width = -(-spec.size // LANES) * LANES
    vectors = np.zeros((n, width), dtype=np.float32)
    vectors[:, : spec.size] = _start(generator, n, spec.size)
    if len(counts):
        flat = vectors.reshape(-1)
        outputs = np.zeros(len(counts) * width, dtype=np.float32)
        learned_in = (offsets, learned[learned >= 0], order, _chances(counts, spec.sample), (spec.rate, spec.epochs))
        targets = huffman_paths(counts), (spec.negative if spec.loss == "negative" else 0, *alias_table(counts**0.75))
        state = generator.integers(2**64, size=1, dtype=np.uint64)
        if spec.window:
            of_words = np.zeros((len(counts), width), dtype=np.float32)
            of_words[:, : spec.size] = _start(generator, len(counts), spec.size)
            rows = of_words.reshape(-1)
            train_words_and_bags(*learned_in, *targets, spec.window, width, flat, rows, outputs, state)
        else:
            train_bags(*learned_in, *targets, width, flat, outputs, state)
    return vectors[:, : spec.size].astype(np.float64)


def _start(generator: np.random.Generator, n: int, size: int) -> np.ndarray:
    """Draw the initial vectors of n documents or words, float32 (n, ``size``)."""
    return (generator.random((n, size), dtype=np.float32) - np.float32(0.5)) / size


def _chances(counts: np.ndarray, sample: float) -> np.ndarray:
    """Compute the probability that an occurrence of each word is used for training, float64 (V,)."""
    if sample == 0:
        return np.ones(len(counts))
    ratio = sample * counts.sum() / counts
    return np.minimum(np.sqrt(ratio) + ratio, 1.0)
