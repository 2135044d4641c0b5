"""The suite of own data: both paths solve an easy task on the same documents, and the note says how well."""

from __future__ import annotations

import numpy as np
import pytest

from reproduction.bench import own
from textmix.data.corpus import Corpus, Ragged, label_matrix

TEXTS = ["goal ball team", "paint music stage", "ball team match", "stage colour paint"] * 15
CORPUS = Corpus(
    name="toy",
    ids=[str(row) for row in range(60)],
    label_names=["art", "sport"],
    labels=label_matrix([[int("team" in text)] for text in TEXTS], 2),
    text=Ragged.from_texts(text.encode() for text in TEXTS),
)


def test_both_paths_are_measured_on_the_same_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own, "GRID", [{"svm__C": [1.0]}])
    rows = own.bench_own(CORPUS, repeats=1)
    assert [row["note"] for row in rows] == ["accuracy 1.0000, peer 1.0000"] * 2
    assert [row["candidate"] for row in rows] == ["textmix", own.PEER]


def test_parts_are_thinned_evenly() -> None:
    splits = own.parts_of(CORPUS, 10)
    assert (len(splits.train[0]), len(splits.test[0])) == (10, 10)
    assert not np.intersect1d(splits.train[0], splits.test[0]).size
