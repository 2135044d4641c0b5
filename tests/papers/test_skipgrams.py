"""The measures of the skip-gram slides on small made reviews, and that the paper's files name what they give."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from reproduction.pages.figures import FigureData, draw
from reproduction.papers.skipgrams import measures as skipgrams
from reproduction.papers.skipgrams import patterns
from reproduction.papers.skipgrams.figures import FIGURES
from reproduction.plan.locators import MeasureLocator, ScoreLocator, parse_locator
from reproduction.stored.measures import Measure, MeasureData, run_measure
from reproduction.stored.results import Results, RoleEntry
from reproduction.verdict.published import read_record
from tests.pages.drawings import assert_sound
from tests.text.test_features import corpus_of
from tests.verdict.reporting import META
from textmix.core.config import load_yaml_strict
from textmix.data.corpus import TEST, TRAIN, UNUSED, Ragged
from textmix.experiment.splits import make_splits
from textmix.text.features import build_features
from textmix.text.skipgrams import position_patterns
from textmix.text.stoplists import stop_words

ROOT = Path(__file__).parents[2]
PAPER = ROOT / "config/papers/skipgrams"
SPEC = load_yaml_strict(PAPER / "paper.yaml")
ENTRY = {
    **{"tokenizer": "treebank", "casing": "lower", "lemmatise": True, "fit_on": "train", "min_documents": 3},
    **{"max_n": 3, "max_slop": 2, "keep_text": True},
}
PATH = {
    "loss": "logistic",
    "n_lambdas": 4,
    "largest": 0.5,
    "smallest": 0.01,
    "folds": 3,
    "patience": 2,
    "tolerance": 1e-6,
}
KINDS = [[1, 0], [2, 0], [2, 1], [3, 2]]
CURVES = ("lr_l2_curves", "lr_l1_curves", "lr_elastic_net_curves")


def reviews(n: int) -> list[str]:
    """Return reviews, good (odd) and bad ones: "waste time" with gaps tells them apart."""
    rng = np.random.default_rng(5)
    filler = "plot actor scene music camera ending story".split()
    sayings = ["I waste {} time.", "It never fails {} here."]
    texts = []
    for i in range(n):
        words = rng.choice(filler, 6)
        texts.append(f"The {words[0]} and {words[1]}. {sayings[i % 2].format(words[2])} See {words[3]} {words[4]}!")
    return texts


def source_of(entry: dict[str, Any], n: int = 120) -> MeasureData:
    split = [TEST if i % 3 == 0 else TRAIN for i in range(n)]
    corpus = build_features(corpus_of(reviews(n), split), entry)
    return MeasureData(corpus, make_splits(corpus, {"kind": "given"}, 1, "given", None))


@pytest.fixture(scope="module")
def source() -> MeasureData:
    return source_of(ENTRY)


@pytest.fixture(scope="module")
def measured(source: MeasureData) -> dict[str, Measure]:
    """Return all measures of skip-grams."""
    settings = {
        "skipgram_counts": {"kinds": KINDS},
        **{
            name: {**PATH, "l1_ratio": ratio, "kinds": KINDS}
            for name, ratio in zip(CURVES, (0.0, 1.0, 0.1), strict=True)
        },
        **{
            name: {**PATH, "loss": "squared_hinge", "l1_ratio": ratio, "kinds": KINDS[-1:]}
            for name, ratio in (("svm_l2_curves", 0.0), ("svm_l1_curves", 1.0))
        },
        "speaking": {**PATH, "l1_ratio": 0.1, "number": 3, "least_n": 2, "stop_list": "none"},
    }
    generator = np.random.default_rng(0)
    return {
        name: run_measure("skipgrams", SPEC["measures"][name]["function"], {"imdb": source}, changed, generator)
        for name, changed in settings.items()
    }


def with_unlabelled(entry: dict[str, Any]) -> MeasureData:
    """Return made reviews of which the last thirty have no label."""
    split = [TEST if i % 3 == 0 else TRAIN for i in range(120)] + [UNUSED] * 30
    corpus = corpus_of(reviews(150), split)
    labels = sparse.csr_array(np.where(np.arange(150)[:, None] < 120, corpus.labels.toarray(), 0).astype(np.int8))
    corpus = build_features(replace(corpus, labels=labels), entry)
    return MeasureData(corpus, make_splits(corpus, {"kind": "given"}, 1, "given", None))


def test_unlabelled_reviews_take_part_in_dropout_and_in_vectors() -> None:
    words = {"tokenizer": "treebank", "casing": "lower"}
    settings = {"params": {"l2": 1e-3}, "tried": [[0.5, 0.1], [0.7, 1.0]], "folds": 3}
    measure = run_measure(
        "skipgrams", "unlabelled.dropout_unlabelled", {"a": with_unlabelled(words)}, settings, np.random.default_rng(0)
    )
    assert measure.values["accuracy"] == 1.0
    assert measure.values["discount"] == 0.1
    assert [(row["delta"], row["discount"]) for row in measure.tables["held_out"]] == [(0.5, 0.1), (0.7, 1.0)]
    vectors = {**words, "vectors": {"size": 8, "min_count": 1, "epochs": 2}}
    settings = {"splits": 2, "params": {"max_iter": 50}}
    values = run_measure(
        "skipgrams", "unlabelled.vectors_accuracy", {"a": with_unlabelled(vectors)}, settings, np.random.default_rng(0)
    ).values
    assert 0.3 < values["given"] <= 1.0
    assert 0.3 < values["random"].mean <= 1.0


def test_counts_are_those_of_the_columns(source: MeasureData, measured: dict[str, Measure]) -> None:
    names = source.corpus.feature_names
    kinds = [(len(name.partition(" ~")[0].split()), int(name.partition(" ~")[2] or 0)) for name in names]
    for n, slop in KINDS:
        expected = sum(own_n <= n and own_slop <= slop for own_n, own_slop in kinds)
        assert measured["skipgram_counts"].values[f"n{n}_s{slop}"] == expected
    assert measured["skipgram_counts"].values["most_dropped"] == ENTRY["min_documents"] - 1


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
    assert values["largest_relative_gap"] <= PATH["tolerance"]


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
    source = source_of({"tokenizer": "treebank", "casing": "lower", "lemmatise": True, "keep_tokens": True})
    phrases = {"a": ["wasted time", 1], "b": ["waste time", 0], "c": ["it never failed", 0], "d": ["no such words", 2]}
    generator = np.random.default_rng(0)
    values = run_measure("skipgrams", "measures.examples", {"imdb": source}, {"phrases": phrases}, generator)
    assert values.values == {"a": 60.0, "b": 0.0, "c": 60.0, "d": 0.0}
    classes = run_measure("skipgrams", "measures.classes", {"amazon_baby": source}, {}, generator)
    assert classes.values == {"negative": 60.0, "positive": 60.0}


def test_words_in_a_gap_are_counted_once_a_review() -> None:
    source = source_of({"tokenizer": "treebank", "casing": "lower", "lemmatise": True, "keep_tokens": True})
    settings = {"pair": ["waste", "time"], "number": 3, "asked": {"music": "music", "none": "absent"}}
    measure = run_measure("skipgrams", "patterns.gap_words", {"imdb": source}, settings, np.random.default_rng(0))
    texts = [text.replace(".", " ") for text in reviews(120)]
    expected = Counter(text.split("waste ")[1].split()[0] for text in texts if "waste " in text)
    assert measure.values == {"music": float(expected["music"]), "none": 0.0}
    counts = [row["documents"] for row in measure.tables["words"]]
    assert counts == sorted(expected.values(), reverse=True)[:3]


def test_compressive_features_tell_the_reviews_apart() -> None:
    source = source_of({"tokenizer": "treebank", "casing": "lower", "keep_tokens": True})
    params = {"l1_ratio": 0.1, "n_lambdas": 3, "largest": 0.3, "smallest": 0.01}
    settings = {"max_n": 3, "least": 3, "entries": [1, 50], "folds": 3, "params": params}
    measure = run_measure(
        "skipgrams", "compressive.compressive_features", {"imdb": source}, settings, np.random.default_rng(0)
    )
    rows = measure.tables["entries"]
    assert measure.values["accuracy"] == 1.0 and measure.values["entry"] in (1.0, 50.0)
    assert rows[0]["longer"] >= rows[1]["longer"] >= 0 and rows[0]["ngrams"] >= measure.values["features"] > 0


def test_merged_words_have_one_id() -> None:
    names = ["you", "your", "time"]
    assert patterns.merged(np.array([1, 2, 0]), names, {"your": "you", "his": "he"}).tolist() == [0, 2, 0]


@pytest.fixture
def drawn(measured: dict[str, Measure], tmp_path: Path) -> Results:
    """Return results with all measures saved."""
    for name, measure in measured.items():
        measure.save(tmp_path / "papers/skipgrams/measures" / name, META)
    roles = {role: RoleEntry("made_up") for role in SPEC["roles"]}
    return Results(tmp_path, "skipgrams", roles, SPEC)


@pytest.mark.parametrize("name", FIGURES)
def test_figures_are_the_same_bytes_every_time(name: str, drawn: Results) -> None:
    data = FigureData(drawn, {}, SPEC["figures"][name])
    first = draw("skipgrams", name, data)
    assert_sound(first)
    assert first == draw("skipgrams", name, data)
    assert first.startswith(b"<?xml")
    assert set(SPEC["figures"]) == set(FIGURES)


def test_every_source_names_what_the_measures_give(measured: dict[str, Measure]) -> None:
    record = read_record(PAPER, ROOT / "workflow/schemas")
    sources = {row.source for row in record.rows if row.source and not row.source.startswith("check:")}
    for check in record.checks.values():
        sources |= {*check["left"], *check.get("right", ())}
    settings = SPEC["measures"]
    for locator in map(parse_locator, sorted(sources)):
        if isinstance(locator, ScoreLocator):
            experiment = SPEC["experiments"][locator.experiment]
            assert locator.role in experiment["roles"] and locator.method in experiment["methods"], locator
        elif isinstance(locator, MeasureLocator) and locator.measure.endswith("_examples"):
            assert locator.key in settings[locator.measure]["settings"]["phrases"], locator
        elif isinstance(locator, MeasureLocator) and locator.measure.endswith("_curves"):
            kinds = {f"n{n}_s{slop}" for n, slop in settings[locator.measure]["settings"]["kinds"]}
            key = locator.key.removesuffix("_used").removesuffix("_most").removesuffix("_best")
            keys = key in kinds or locator.key in {"gain_n1_to_n2", "share_used"} or locator.key.endswith("_share")
            assert keys or locator.key in measured["lr_l1_curves"].values, locator


@pytest.mark.parametrize("once", ["pattern", "document"])
def test_frequencies_by_document_and_pattern_are_those_of_plain_counting(once: str) -> None:
    generator = np.random.default_rng(20160320)
    texts = [generator.integers(0, 6, size=generator.integers(1, 14)) for _ in range(40)]
    values, document = np.concatenate(texts), np.repeat(np.arange(40), [len(text) for text in texts])
    for n in (1, 2, 3):
        before: Counter[tuple[int, ...]] = Counter()
        expected = []
        for slop in range(3 if n > 1 else 1):
            frequency: Counter[tuple[int, ...]] = Counter()
            for text in texts:
                by_pattern = [
                    {tuple(int(text[i + offset]) for offset in offsets) for i in range(len(text) - offsets[-1])}
                    for offsets in position_patterns(n, slop)
                ]
                for grams in by_pattern if once == "pattern" else [set().union(*by_pattern)]:
                    frequency.update(grams)
            expected.append(sum(count >= 5 and count != before[gram] for gram, count in frequency.items()))
            before = frequency
        assert patterns.kept_sizes(values, document, (n, 2 if n > 1 else 0), (5, once)) == expected
