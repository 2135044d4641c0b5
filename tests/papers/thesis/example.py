"""Parts that several tests of the thesis share: its paper.yaml, and a small corpus of two classes."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from reproduction.flow.measures import MeasureData
from tests.papers.files import spec_of
from textmix.data.corpus import Corpus, Ragged
from textmix.experiment.splits import make_splits

SPEC = spec_of("thesis")


def source() -> MeasureData:
    """Return 60 documents of random counts, their words in the order of the vocabulary, in two random halves."""
    rng = np.random.default_rng(0)
    counts = rng.poisson(rng.gamma(0.3, 2.0, (60, 30))).astype(np.int32)
    counts[:, 0] += 1
    X = sparse.csr_array(counts)
    offsets = np.concatenate([[0], np.cumsum(np.asarray(X.sum(axis=1)))])
    corpus = Corpus(
        name="tiny",
        ids=[f"d{i}" for i in range(60)],
        label_names=["c0", "c1"],
        labels=sparse.csr_array(np.eye(2, dtype=np.int8)[np.arange(60) % 2]),
        tokens=Ragged(np.repeat(X.indices, X.data).astype(np.int32), offsets),
        features=X,
        feature_names=[f"w{i}" for i in range(30)],
    )
    return MeasureData(corpus, make_splits(corpus, {"kind": "random", "train": 0.5, "trials": 2}, 0, "half", None))
