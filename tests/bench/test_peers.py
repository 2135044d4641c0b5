"""Scikit-learn's pipelines on own data: texts, label sets and numbers; our method is tested against them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from reproduction.bench import peers
from reproduction.bench.own import parts_of
from tests.bench.test_own import CORPUS
from textmix.data.corpus import Corpus, label_matrix

SPLITS = parts_of(CORPUS)
SETS = [[0], [0, 1], [1], [0, 1, 2]] * 15


def matrix() -> Corpus:
    """Return counts with several labels, of which one is on every training document but one."""
    labels = label_matrix(SETS, 4)
    features = sparse.csr_array(labels.toarray().astype(np.int32) * 3)
    return replace(
        CORPUS, text=None, features=features, feature_names=list("wxyz"), labels=labels, label_names=list("abcd")
    )


def test_texts_of_one_class_are_told_apart_by_all_pipelines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "TEXTS", {"words": peers.TEXTS["words"]})
    pipelines = peers.run_peers(CORPUS, SPLITS, "single")
    assert [(peer.model, peer.right.all()) for peer in pipelines] == [("LinearSVC", True), ("LogisticRegression", True)]
    assert all(peer.seconds > 0 and peer.tuned == 1.0 for peer in pipelines)


def test_label_sets_of_counts_have_four_models_and_two_representations() -> None:
    pipelines = peers.run_peers(matrix(), SPLITS, "multi")
    assert {peer.representation for peer in pipelines} == {"TF-IDF", "scaled"}
    assert {peer.model for peer in pipelines} == set(peers.SEVERAL)
    assert np.mean([peer.right.mean() for peer in pipelines]) > 0.9


def test_our_method_is_tested_against_their_choice_and_their_best() -> None:
    right = np.array([True] * 8 + [False] * 2)
    few, many = (
        peers.Peer("words", model, 1.0, tuned, np.arange(10) < number, 2.0)
        for model, tuned, number in (("a", 0.9, 2), ("b", 0.8, 9))
    )
    ours = {"recommended": "m", "recommended_value": 0.8, "recommended_cpu_seconds": 3.0}
    rows = peers.beside([few, many], right, ours, 1)
    assert [tuple(row) for row in rows] != []
    assert [(row["model"], row["best"], row["value"]) for row in rows] == [("b", False, 0.9), ("a", True, 0.2)]
    assert rows[0]["difference"] == pytest.approx(-0.1)
    assert rows[1]["p"] == pytest.approx(2 * 0.5**6)
    lines = peers.sentences(rows)
    assert lines[0].startswith("m: 0.8000; the pipeline that scikit-learn's search prefers (a on words): 0.2000;")
    assert lines[2] == "processor seconds: 3.0 for m, 4.0 for all pipelines"
    assert set(rows[0]) == set(peers.COLUMNS)
