"""A small problem of several labels, and predictions of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from reproduction.flow.measures import MeasureData
from textmix.data.corpus import Corpus, Ragged
from textmix.experiment.splits import Splits

N, V, L = 160, 50, 4


def source(seed: int, predictions: Any = None) -> MeasureData:
    """Return pages drawn from a PMM1 whose labels have words of their own, half for training."""
    rng = np.random.default_rng(seed)
    theta = rng.dirichlet(np.full(V, 0.1), L)
    Y = np.eye(L, dtype=np.int8)[rng.integers(L, size=N)] | np.eye(L, dtype=np.int8)[rng.integers(L, size=N)]
    phi = Y / Y.sum(axis=1, keepdims=True) @ theta
    X = np.array([rng.multinomial(80, row / row.sum()) for row in phi]).astype(np.int32)
    corpus = Corpus(
        name="made",
        ids=[str(i) for i in range(N)],
        label_names=[f"label{i}" for i in range(L)],
        labels=sparse.csr_array(Y),
        features=sparse.csr_array(X),
        feature_names=[f"word{i}" for i in range(V)],
    )
    half = np.array([0, N // 2], dtype=np.int64)
    return MeasureData(
        corpus, Splits(Ragged(np.arange(N // 2), half), Ragged(np.arange(N // 2, N), half)), predictions or {}
    )


def rng() -> np.random.Generator:
    return np.random.default_rng(0)
