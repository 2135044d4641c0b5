"""Unlabelled reviews in dropout and in vectors of documents."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import svm

from reproduction.flow.measures import Measure, MeasureData, run_measure
from reproduction.papers.skipgrams.line_vectors import predict_in_blocks
from tests.papers.skipgrams.example import SPEC, reviews, source_of
from tests.text.test_features import corpus_of
from textmix.data.corpus import TEST, TRAIN, UNUSED
from textmix.experiment.splits import make_splits
from textmix.text.features import build_features


def with_unlabelled(entry: dict[str, Any]) -> MeasureData:
    """Return made reviews of which the last thirty have no label."""
    split = [TEST if i % 3 == 0 else TRAIN for i in range(120)] + [UNUSED] * 30
    corpus = corpus_of(reviews(150), split)
    labels = sparse.csr_array(np.where(np.arange(150)[:, None] < 120, corpus.labels.toarray(), 0).astype(np.int8))
    corpus = build_features(replace(corpus, labels=labels), entry)
    return MeasureData(corpus, make_splits(corpus, {"kind": "given"}, 1, "given", None))


def test_unlabelled_reviews_take_part_in_dropout_and_in_vectors() -> None:
    words = {"tokenizer": "treebank", "lowercase": True}
    settings = {"params": {"l2": 1e-3}, "tried": [[0.5, 0.1], [0.7, 1.0]], "folds": 3}
    measure = run_measure(
        "skipgrams",
        "cited_methods.dropout_unlabelled",
        {"a": with_unlabelled(words)},
        settings,
        np.random.default_rng(0),
    )
    assert measure.values["accuracy"] == 1.0
    assert measure.values["discount"] == 0.1
    assert [(row["delta"], row["discount"]) for row in measure.tables["held_out"]] == [(0.5, 0.1), (0.7, 1.0)]
    vectors = {**words, "vectors": {"size": 8, "min_count": 1, "epochs": 2}}
    settings = {"splits": 2, "params": {"max_iter": 50}}
    values = run_measure(
        "skipgrams",
        "cited_methods.vectors_accuracy",
        {"a": with_unlabelled(vectors)},
        settings,
        np.random.default_rng(0),
    ).values
    assert 0.3 < values["given"] <= 1.0
    assert 0.3 < values["random"].mean <= 1.0


def test_compressive_features_tell_the_reviews_apart() -> None:
    source = source_of({"tokenizer": "treebank", "lowercase": True, "keep_tokens": True})
    params = {"l1_ratio": 0.1, "n_lambdas": 3, "largest": 0.3, "smallest": 0.01}
    settings = {"max_n": 3, "least": 3, "entries": [1, 50], "folds": 3, "params": params}
    measure = run_measure(
        "skipgrams", "cited_methods.compressive_features", {"imdb": source}, settings, np.random.default_rng(0)
    )
    rows = measure.tables["entries"]
    assert measure.values["accuracy"] == 1.0 and measure.values["entry"] in (1.0, 50.0)
    assert rows[0]["longer"] >= rows[1]["longer"] >= 0 and rows[0]["ngrams"] >= measure.values["features"] > 0


def test_line_vectors_give_an_accuracy_for_each_split(measured: dict[str, Measure]) -> None:
    for measure in ("line_vectors", "line_vectors_file_per_part", "line_vectors_shuffled"):
        order = SPEC["measures"][measure]["settings"]["order"]
        values = measured[measure].values
        assert 0.3 < values[f"{order}_given"] <= 1.0
        assert len(values[f"{order}_random"].values) == SPEC["measures"][measure]["settings"]["random_halves"]


def test_blocks_of_kernel_values_give_the_predictions_of_the_library() -> None:
    generator = np.random.default_rng(0)
    X = generator.normal(size=(1300, 5))
    y = np.where(X[:, 0] * X[:, 1] + 0.3 * generator.normal(size=1300) > 0, "pos", "neg")
    model = svm.SVC(kernel="rbf", C=32, gamma=0.3).fit(X[:200], y[:200])
    np.testing.assert_array_equal(predict_in_blocks(model, X[200:]), model.predict(X[200:]))
