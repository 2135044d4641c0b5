"""A small corpus of the thesis."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from reproduction.flow.measures import MeasureData
from textmix.data.corpus import Corpus, Ragged, label_matrix
from textmix.experiment.splits import make_splits


@pytest.fixture(scope="package")
def data() -> MeasureData:
    """Return 80 documents of two classes over 20 words, of which 4 tell the class, in 2 random splits."""
    rng = np.random.default_rng(0)
    codes = np.arange(80) % 2
    shares = np.ones((2, 20))
    shares[0, :2] = shares[1, 2:4] = 10.0
    X = sparse.csr_array(np.vstack([rng.multinomial(12, shares[c] / shares[c].sum()) for c in codes]).astype(np.int32))
    tokens = Ragged(np.repeat(X.indices, X.data).astype(np.int32), np.append(0, np.cumsum(X.sum(axis=1))))
    labels, words = label_matrix([[code] for code in codes], 2), [f"w{word}" for word in range(20)]
    corpus = Corpus(
        "made", [str(row) for row in range(80)], ["a", "b"], labels, tokens=tokens, features=X, feature_names=words
    )
    spec = {"kind": "random", "train": 50, "test": 30, "trials": 2}
    return MeasureData(corpus, make_splits(corpus, spec, 1, "s", None))
