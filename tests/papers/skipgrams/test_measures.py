"""The measures of the skip-grams paper, on small made reviews."""

from __future__ import annotations

import numpy as np
import pytest

from reproduction.flow.measures import Measure, MeasureData, run_measure
from reproduction.papers.skipgrams import measures as skipgrams
from tests.papers.skipgrams.example import CURVES, ENTRY, KINDS, PATH, source_of
from textmix.data.corpus import Ragged
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


def test_l1_uses_few_features_and_shares_sum_to_one(source: MeasureData, measured: dict[str, Measure]) -> None:
    used = [measured[name].values["n3_s2_used"] for name in CURVES]
    assert used[1] < used[2] < used[0] == len(source.corpus.feature_names)
    for name in CURVES:
        shares = measured[name].tables["shares"]
        for part in ("all", "selected", "weight"):
            assert sum(row[part] for row in shares) == pytest.approx(1.0)
        values = measured[name].values
        assert values["weight_slop0_share"] + values["weight_slop12_share"] == pytest.approx(1.0)
        assert values["gain_n1_to_n2"] == values["n2_s0"] - values["n1_s0"]


def test_speaking_skipgrams_come_with_a_sentence_of_their_class(measured: dict[str, Measure]) -> None:
    rows = measured["speaking"].tables["skipgrams"]
    assert [row["weight"] > 0 for row in rows] == [True] * 3 + [False] * 3
    for row in rows:
        good = row["weight"] > 0
        assert " " in row["skipgram"].partition(" ~")[0]
        assert row["positive_share"] == pytest.approx(float(good))
        assert ("It never fails" if good else "I waste") in row["example"]


def test_speaking_skipgrams_hold_a_word_outside_the_stop_list(source: MeasureData) -> None:
    settings = {**PATH, "l1_ratio": 0.1, "number": 3, "least_n": 2, "stop_list": "smart"}
    rows = run_measure("skipgrams", "measures.speaking", {"imdb": source}, settings, np.random.default_rng(0)).tables[
        "skipgrams"
    ]
    assert rows
    for row in rows:
        words = row["skipgram"].partition(" ~")[0].split(" ")
        assert any(word.isalpha() and word.lower() not in stop_words("smart") for word in words)


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
