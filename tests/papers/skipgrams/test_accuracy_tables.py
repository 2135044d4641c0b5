"""Tables 1 to 3, on small synthetic reviews: the given split from features, and random splits from the word stream."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from reproduction.flow.measures import Measure, MeasureData, Repeated, run_measure
from reproduction.papers.skipgrams.accuracy_tables import is_significantly_higher
from reproduction.papers.skipgrams.feature_sets import column_ranges, each_split
from tests.papers.skipgrams.example import ENTRY, SPEC, TABLE, source_of
from textmix.experiment.splits import make_splits

#: The data of Amazon are not available: these are synthetic reviews with stratified random test sets.
RANDOM = {"skipgrams": {"max_n": 3, "max_slop": 2, "min_df": 3, "weighting": "sqrt_frequency", "scaling": "feature"}}


def table_of(source: MeasureData, settings: dict[str, Any]) -> Measure:
    return run_measure("skipgrams", "accuracy_tables.accuracy_table", {"a": source}, settings, np.random.default_rng(0))


@pytest.mark.parametrize("learner", ["svm_l2", "svm_l1", "lr_l2"])
def test_models_of_nested_feature_sets_have_the_objectives_of_scikit_learn(learner: str, source: MeasureData) -> None:
    settings = {**TABLE, "tol": {"l1": 1e-7, "l2": 1e-7}, "learners": {learner: TABLE["learners"][learner]}}
    fits = table_of(source, settings).tables["fits"]
    (data,) = each_split(source, {})
    X, y = source.first().train.X.toarray().astype(np.float64), data.y
    entry = TABLE["learners"][learner]
    for fit in fits:
        columns = [np.arange(low, high) for low, high in column_ranges(data.kinds, fit["n"], fit["slop"])]
        part = X[:, np.concatenate(columns)]
        if learner == "lr_l2":
            penalty = entry["lambda"]
            peer = LogisticRegression(C=1 / (penalty * len(y)), tol=1e-10, max_iter=10_000).fit(part, y)
        else:
            penalty = 1 / (entry["C"] * len(y))
            norm = "l1" if entry["l1_ratio"] else "l2"
            peer = LinearSVC(C=entry["C"], penalty=norm, dual=False, intercept_scaling=1e3, tol=1e-8, max_iter=100_000)
            peer.fit(part, y)
        margins = y * peer.decision_function(part)
        w = peer.coef_.ravel()
        losses = np.logaddexp(0, -margins) if learner == "lr_l2" else np.square(np.maximum(0, 1 - margins))
        size = np.abs(w).sum() if entry["l1_ratio"] else w @ w / 2
        assert fit["objective"] == pytest.approx(losses.mean() + penalty * size, rel=2e-3)


def test_given_split_has_accuracy_and_size_of_every_fit(source: MeasureData, table: Measure) -> None:
    values = table.values
    for learner in TABLE["learners"]:
        assert values[f"{learner}_n3_s2"] > 0.95
        proportions = [row for row in table.tables["proportions"] if row["learner"] == learner]
        for n, slop in TABLE["kinds"]:
            of_fit = [row for row in proportions if (row["largest_n"], row["largest_slop"]) == (n, slop)]
            for column in ("all", "used", "weight"):
                assert sum(row[column] for row in of_fit) == pytest.approx(1.0)
            parts = values[f"{learner}_n{n}_s{slop}_weight_slop0"] + values[f"{learner}_n{n}_s{slop}_weight_slop12"]
            assert parts == pytest.approx(1.0)
    n_features = len(source.corpus.feature_names or ())
    used = [values[f"{learner}_n3_s2_used"] for learner in ("lr_l1", "lr_elastic_net", "lr_l2")]
    assert used[0] < used[1] < used[2] == n_features


def test_random_splits_extract_the_skipgrams_of_their_training_documents() -> None:
    stream = source_of({"tokenizer": "treebank", "lowercase": True, "lemmatise": True, "keep_tokens": True})
    split = SPEC["splits"]["stratified_fifths"]
    source = MeasureData(stream.corpus, make_splits(stream.corpus, split, 1, "fifths", None))
    measure = table_of(source, {**TABLE, **RANDOM, "predictive": {}})
    for learner in TABLE["learners"]:
        accuracies = measure.values[f"{learner}_n3_s2"]
        assert isinstance(accuracies, Repeated) and len(accuracies.values) == split["trials"] == 5
        assert accuracies.mean > 0.95
        assert measure.values[f"{learner}_n2_s1_better"] in (0.0, 1.0)
    assert 0 <= measure.values["n_better"] <= len(TABLE["learners"])
    first, second, *_ = each_split(source, RANDOM)
    assert first.train.n_rows == second.train.n_rows == 96 and first.test.n_rows == 24
    assert max(first.train.data) == 1.0


def test_given_split_from_the_word_stream_equals_the_features() -> None:
    stream = source_of({"tokenizer": "treebank", "lowercase": True, "lemmatise": True, "keep_tokens": True})
    (ours,) = each_split(stream, RANDOM)
    (features,) = each_split(source_of(ENTRY), {})
    assert ours.kinds == features.kinds
    np.testing.assert_array_equal(ours.test.data, features.test.data)


def test_paired_t_test() -> None:
    assert is_significantly_higher([0.91, 0.92, 0.93], [0.90, 0.91, 0.921])
    assert not is_significantly_higher([0.90, 0.91, 0.921], [0.91, 0.92, 0.93])
    assert not is_significantly_higher([0.91, 0.90], [0.90, 0.91])
    assert is_significantly_higher([0.75, 0.75], [0.5, 0.5]) and not is_significantly_higher([0.5], [0.5])
