"""A small corpus of documents with several labels, and its splits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from textmix.data.corpus import Corpus, label_matrix
from textmix.experiment.splits import make_splits


@pytest.fixture
def corpus() -> Corpus:
    """Synthetic: 80 documents, 11 labels (more than one byte of them), counts that depend on the labels."""
    generator = np.random.default_rng(3)
    Y = (generator.random((80, 11)) < 0.3).astype(int)
    counts = generator.poisson(0.3 + 2.0 * Y @ generator.random((11, 15)))
    rows = [np.flatnonzero(row).tolist() for row in Y]
    names = [f"label {i}" for i in range(11)]
    matrix = sparse.csr_array(counts.astype(np.int32))
    return Corpus("sets", [str(i) for i in range(80)], names, label_matrix(rows, 11), features=matrix)


@pytest.fixture
def splits(corpus):
    return make_splits(corpus, {"kind": "random", "train": 0.75, "trials": 2}, 5, "random", None)
