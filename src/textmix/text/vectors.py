"""Paragraph vectors (Le & Mikolov 2014): one dense vector a document, learned from its words without any label."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from textmix.core.errors import ConfigError
from textmix.data.corpus import Ragged
from textmix.text.float_kernels import LANES
from textmix.text.vector_kernels import alias_table, huffman_paths, train_bags, train_words_and_bags

#: The losses: each word against the noise words drawn for it, or along the word's path in a binary tree.
LOSSES = ("negative", "hierarchical")


@dataclass(frozen=True)
class VectorSpec:
    """How paragraph vectors are learned: the keys of ``vectors`` in a ``features`` entry.

    Parameters
    ----------
    size : length of a vector.
    loss : ``negative`` sampling, or ``hierarchical`` softmax over a Huffman tree of the words.
    negative : number of noise words for each word, drawn by their counts to the power 3/4.
    sample : a word with a share ``s`` of all occurrences is learned with the chance ``sqrt(t/s) + t/s``, where t is
        ``sample``; 0 learns every occurrence.
    window : words get vectors of their own, too, which learn to predict the words up to so many places away, in turns
        with the documents' (skip-grams; ``dbow_words`` of gensim); 0: they get none.
    min_count : least count of a word that is learned.
    epochs : passes over the documents.
    rate : length of the first step of gradient descent; it falls linearly.
    shuffle : whether the passes take the documents in a random order; otherwise in the order of the corpus, which often
        is class after class.
    seed : of all random numbers.
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
        """Return the checked form of an entry."""
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
    """Return the vectors of N documents by the distributed bag of words, float64 (N, ``size``).

    Source: Le & Mikolov, ICML 2014, section 2.3; the defaults are those of Mikolov's word2vec.
    """
    generator, n = np.random.default_rng(spec.seed), len(tokens)
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
        flat, outputs = vectors.reshape(-1), np.zeros(len(counts) * width, dtype=np.float32)
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
    """Return the vectors with which n documents or words begin, float32 (n, ``size``)."""
    return (generator.random((n, size), dtype=np.float32) - np.float32(0.5)) / size


def _chances(counts: np.ndarray, sample: float) -> np.ndarray:
    """Return the chance of an occurrence of each word to be learned, float64 (V,)."""
    if sample == 0:
        return np.ones(len(counts))
    ratio = sample * counts.sum() / counts
    return np.minimum(np.sqrt(ratio) + ratio, 1.0)
