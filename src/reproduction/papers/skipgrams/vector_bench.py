"""Bench: paragraph vectors beside gensim's, with the same settings, on the same reviews."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from reproduction.bench.roofline import Work
from reproduction.bench.timing import compare, judge
from textmix.core.errors import ConfigError
from textmix.data.corpus import Corpus, Ragged
from textmix.text.vectors import VectorSpec, paragraph_vectors

OURS, PEER = "textmix", "gensim Doc2Vec, one worker"
#: Largest share of gensim's time.
TARGET = 0.25
#: Number of reviews, from the first on, and of passes over them.
REVIEWS, EPOCHS = 5000, 2


def bench_vectors(corpus: Corpus, repeats: int = 3) -> list[dict[str, Any]]:
    """Time the distributed bag of words with negative sampling and with hierarchical softmax.

    Parameters
    ----------
    corpus : with tokens.
    repeats : rounds; in each, every candidate runs once.

    Returns
    -------
    rows of `reproduction.bench.timing.COLUMNS`.

    Raises
    ------
    ConfigError : the corpus has no tokens.
    """
    from gensim.models.doc2vec import Doc2Vec, TaggedDocument  # type: ignore[import-untyped]

    names, whole = corpus.feature_names, corpus.tokens
    if names is None or whole is None:
        raise ConfigError("bench: vectors: the features hold no sequence of words; name features with keep_tokens")
    n = min(REVIEWS, len(whole))
    tokens = Ragged(np.asarray(whole.values[: whole.offsets[n]]), np.asarray(whole.offsets[: n + 1]))
    documents = [TaggedDocument([names[word] for word in tokens[row]], [row]) for row in range(n)]
    shared = {"vector_size": 100, "epochs": EPOCHS, "min_count": 2, "sample": 1e-4, "dm": 0, "seed": 1, "workers": 1}
    rows = []
    for loss, peer in (("negative", {"negative": 5, "hs": 0}), ("hierarchical", {"negative": 0, "hs": 1})):
        spec = VectorSpec(loss=loss, epochs=EPOCHS, sample=1e-4)
        paragraph_vectors(Ragged(tokens.values[:50], np.array([0, 50])), spec)  # compiles the kernels
        candidates = {
            OURS: partial(paragraph_vectors, tokens, spec),
            PEER: partial(Doc2Vec, documents, **shared, **peer),
        }
        work = Work(operations=EPOCHS * operations(tokens.values, spec))
        rows += judge(f"vectors_{loss}", compare(candidates, repeats), PEER, {OURS: TARGET}, work)
    return rows


def operations(words: np.ndarray, spec: VectorSpec) -> float:
    """Return the operations of an epoch over words (T,); they are of single precision, which counts half.

    A word that the subsampling keeps takes a product of two vectors and two sums for each output: those of the word
    and of the negative samples, or of the nodes of its code, whose mean length is the entropy at least.
    """
    counts = np.bincount(words)
    shares = counts[counts >= spec.min_count] / len(words)
    ratio = spec.sample / shares
    kept = len(words) * float(shares @ np.minimum(1.0, np.sqrt(ratio) + ratio))
    outputs = 1 + spec.negative if spec.loss == "negative" else -float(shares @ np.log2(shares))
    return kept * outputs * 6.0 * spec.size / 2.0
