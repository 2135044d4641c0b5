"""The measures of the skip-grams paper, on small made reviews."""

from __future__ import annotations

import numpy as np
import pytest

from reproduction.flow.measures import Measure, MeasureData, run_measure
from reproduction.papers.skipgrams import measures as skipgrams
from reproduction.papers.skipgrams.predictive import standard_deviations
from tests.papers.skipgrams.example import CURVES, ENTRY, KINDS, PATH, TABLE, source_of
from textmix.data.corpus import Ragged
from textmix.models.linear.margin_problem import Columns
from textmix.text.stoplists import stop_words


def test_counts_are_those_of_the_columns(source: MeasureData, measured: dict[str, Measure]) -> None:
    names = source.corpus.feature_names
    kinds = [(len(name.partition(" ~")[0].split()), int(name.partition(" ~")[2] or 0)) for name in names]
    for n, slop in KINDS:
        expected = sum(own_n <= n and own_slop <= slop for own_n, own_slop in kinds)
        assert measured["skipgram_counts"].values[f"n{n}_s{slop}"] == expected
    assert measured["skipgram_counts"].values["most_dropped"] == ENTRY["min_df"] - 1


@pytest.mark.parametrize("name", CURVES)
def test_chosen_lambda_is_the_best_on_held_out_documents(name: str, measured: dict[str, Measure]) -> None:
    values, rows = measured[name].values, measured[name].tables["path"]
    for n, slop in KINDS:
        of_kind = [row for row in rows if (row["n"], row["slop"]) == (n, slop)]
        (chosen,) = [row for row in of_kind if row["chosen"]]
        assert chosen["held_out_accuracy"] == max(row["held_out_accuracy"] for row in of_kind)
        assert values[f"n{n}_s{slop}"] == chosen["test_accuracy"]
        assert values[f"n{n}_s{slop}_best"] == max(row["test_accuracy"] for row in of_kind)
        assert values[f"n{n}_s{slop}_used"] == chosen["features"]
    assert values["n3_s2"] > 0.95
    assert values["largest_relative_gap"] <= PATH["tol"]


def test_paths_of_l1_use_fewest_features(source: MeasureData, measured: dict[str, Measure]) -> None:
    used = [measured[name].values["n3_s2_used"] for name in CURVES]
    assert used[1] < used[2] < used[0] == len(source.corpus.feature_names or ())


def test_predictive_skipgrams_come_with_a_sentence_of_their_class(table: Measure) -> None:
    rows = table.tables["skipgrams"]
    assert [row["weight"] > 0 for row in rows] == [True] * 3 + [False] * 3
    for row in rows:
        is_good = row["weight"] > 0
        assert " " in row["skipgram"].partition(" ~")[0]
        assert row["positive_proportion"] == pytest.approx(float(is_good))
        assert ("It never fails" if is_good else "I waste") in row["example"]


def test_predictive_skipgrams_contain_a_word_outside_the_stop_list(source: MeasureData) -> None:
    predictive = {**TABLE["predictive"], "stop_list": "smart"}
    settings = {**TABLE, "learners": {"lr_elastic_net": TABLE["learners"]["lr_elastic_net"]}, "predictive": predictive}
    generator = np.random.default_rng(0)
    measure = run_measure("skipgrams", "accuracy_tables.accuracy_table", {"imdb": source}, settings, generator)
    rows = measure.tables["skipgrams"]
    assert rows
    for row in rows:
        words = row["skipgram"].partition(" ~")[0].split(" ")
        assert any(word.isalpha() and word.lower() not in stop_words("smart") for word in words)


def test_standard_deviations_are_those_of_the_columns(source: MeasureData) -> None:
    X = source.first().train.X
    np.testing.assert_allclose(standard_deviations(Columns.of(X)), X.toarray().std(axis=0), atol=1e-6)
    binary = (X != 0).astype(np.float32)
    np.testing.assert_allclose(standard_deviations(Columns.of(binary)), binary.toarray().std(axis=0), atol=1e-6)


def test_documents_match_in_order_within_the_slop_and_not_across_reviews() -> None:
    tokens = Ragged(np.array([0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 1, 0], dtype=np.int32), np.array([0, 3, 6, 11, 12]))
    assert skipgrams.matching_documents(tokens, [0, 1], 0).tolist() == [0]
    assert skipgrams.matching_documents(tokens, [0, 1], 1).tolist() == [0, 1]
    assert skipgrams.matching_documents(tokens, [0, 1], 2).tolist() == [0, 1, 2]
    assert skipgrams.matching_documents(tokens, [0, -1], 2).tolist() == []


def test_examples_and_classes_are_counted_in_reviews() -> None:
    source = source_of({"tokenizer": "treebank", "lowercase": True, "lemmatise": True, "keep_tokens": True})
    phrases = {"a": ["wasted time", 1], "b": ["waste time", 0], "c": ["it never failed", 0], "d": ["no such words", 2]}
    generator = np.random.default_rng(0)
    values = run_measure("skipgrams", "measures.examples", {"imdb": source}, {"phrases": phrases}, generator)
    assert values.values == {"a": 60.0, "b": 0.0, "c": 60.0, "d": 0.0}
    classes = run_measure("skipgrams", "measures.classes", {"amazon_baby": source}, {}, generator)
    assert classes.values == {"negative": 60.0, "positive": 60.0}
