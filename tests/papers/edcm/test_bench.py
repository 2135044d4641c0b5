"""The EDCM's bench: every target has a verdict, and memory counts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from reproduction.bench.timing import COLUMNS
from reproduction.papers.edcm import bench as edcm
from tests.naive.multinomial import corpus
from textmix.models.neighbors.representations import REPRESENTATIONS


@pytest.fixture(scope="module")
def data() -> tuple[sparse.csr_array, np.ndarray]:
    X, y = corpus(0, n=60)
    columns = X.sum(axis=1) > 0
    return sparse.csr_array(X[columns]), y[columns]


def test_every_row_has_the_columns_and_every_target_a_verdict(data) -> None:
    X, y = data
    Y = sparse.csr_array(np.eye(y.max() + 1, dtype=np.int8)[y])
    rows = edcm.bench_edcm(X, Y, X[:10], Y[:10], repeats=1)
    assert all(set(row) == set(COLUMNS) for row in rows)
    assert {row["candidate"] for row in rows if row["target"] is not None} == {*REPRESENTATIONS, "sweep"}
    assert all(isinstance(row["met"], bool) for row in rows if row["target"] is not None)


def test_a_search_that_takes_too_much_memory_has_not_met_its_target(data, monkeypatch) -> None:
    X, y = data
    monkeypatch.setattr(edcm, "KNN_MIB", 0.0)
    monkeypatch.setattr(edcm, "KNN_TARGET", 1e9)
    rows = edcm.bench_knn(X, y, X[:10], repeats=3, k=3)
    assert [row["met"] for row in rows if row["candidate"] != edcm.PEER] == [False] * len(REPRESENTATIONS)
