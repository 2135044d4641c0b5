"""Paragraph vectors (Le & Mikolov 2014): one dense vector a document, learned from its words without any label."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from textmix.core.extras import extra
from textmix.data.corpus import Ragged


def _hash(text: str) -> int:
    """Return a 64-bit hash of a word; unlike Python's own it is the same in every process."""
    return int.from_bytes(hashlib.sha256(text.encode("utf-8")).digest()[:8], "big")


def paragraph_vectors(
    tokens: Ragged, words: Sequence[str], shuffle: bool = True, models: Sequence[Any] = (), **settings: Any
) -> np.ndarray:
    """Return the vectors of N documents, float64 (N, D).

    One or more models are trained.  The vectors of all models stand side by side; D is the sum of their sizes.

    Parameters
    ----------
    tokens : N rows of ids into ``words``.
    words : the vocabulary.
    shuffle : whether training takes the documents in random order; otherwise in the order of the corpus, which often is
        class after class.
    models : for each model the settings of gensim's ``Doc2Vec`` that only this model has; empty for one model.
    settings : settings of ``Doc2Vec`` that all models share, for example ``seed``, which also seeds the random order.
    """
    with extra("vectors"):
        from gensim.models.doc2vec import Doc2Vec, TaggedDocument  # type: ignore[import-untyped]

    rows = np.arange(len(tokens))
    if shuffle:
        rows = np.random.default_rng(settings.get("seed", 1)).permutation(rows)
    documents = [TaggedDocument([words[word] for word in tokens[row]], [row]) for row in rows.tolist()]
    parts = []
    for each in models or ({},):
        # One worker: with several the order of updates, and so the vectors, would differ from run to run.
        model = Doc2Vec(documents, workers=1, hashfxn=_hash, **{**settings, **each})
        parts.append(np.asarray(model.dv.vectors, dtype=np.float64))
    return np.concatenate(parts, axis=1)
