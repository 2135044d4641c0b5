"""A model is scored on labelled texts, whatever form their labels have."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from textmix import LabelNaiveBayes, LinearSVM, WordVectorizer
from textmix.core.errors import ConfigError
from textmix.data.corpus import Corpus, Ragged, label_matrix
from textmix.serve.evaluate import compute_scores, format_report, predict_corpus, read_labelled_texts
from textmix.serve.model import PersistedModel

TEXTS = ["good film", "bad film", "very good", "very bad", "a good day", "a bad day"] * 3
CORPUS = Corpus(
    name="mine",
    ids=[str(row) for row in range(len(TEXTS))],
    label_names=["no", "yes"],
    labels=label_matrix([[int("good" in text)] for text in TEXTS], 2),
    text=Ragged.from_texts(text.encode() for text in TEXTS),
)


def test_a_model_is_scored_on_labelled_texts(tmp_path: Path) -> None:
    words = WordVectorizer(ngram_range=(1, 2)).fit(TEXTS)
    estimator = LinearSVM().fit(words.transform(TEXTS), CORPUS.classes())
    steps = [("words", words), ("model", estimator)]
    model = PersistedModel(steps, "single", CORPUS.label_names, card={"text column": "words"})
    (tmp_path / "new.csv").write_text("words,label\ngood film,yes\nbad day,no\na good day,no\n", encoding="utf-8")
    found = predict_corpus(model, read_labelled_texts(tmp_path / "new.csv", model))
    assert compute_scores(model, found)["accuracy"] == pytest.approx(2 / 3)
    table = [line.split() for line in format_report(model, found)]
    assert ["no", "2", "1.0000", "0.5000", "0.6667"] in table
    assert ["yes", "1", "0.5000", "1.0000", "0.6667"] in table
    assert all("\n" not in line for line in format_report(model, found))
    (tmp_path / "odd.csv").write_text("words,label\ngood film,perhaps\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="unknown label 'perhaps'; the labels of the model are no, yes"):
        predict_corpus(model, read_labelled_texts(tmp_path / "odd.csv", model))


def test_columns_of_0_and_1_are_the_labels_of_a_model_for_several(tmp_path: Path) -> None:
    words = WordVectorizer().fit(TEXTS)
    estimator = LabelNaiveBayes().fit(words.transform(TEXTS), CORPUS.indicators())
    model = PersistedModel([("words", words), ("model", estimator)], "multi", CORPUS.label_names)
    (tmp_path / "new.csv").write_text("text,yes,no\ngood film,1,0\nbad day,0,1\na film,0,0\n", encoding="utf-8")
    found = predict_corpus(model, read_labelled_texts(tmp_path / "new.csv", model, label="yes,no"))
    assert found.true.tolist() == [[0, 1], [1, 0], [0, 0]]
    (tmp_path / "tags.csv").write_text("text,labels\ngood film,yes\nbad day,no;yes\n", encoding="utf-8")
    by_card = replace(model, card={"separator": ";"})
    assert predict_corpus(by_card, read_labelled_texts(tmp_path / "tags.csv", by_card)).true.tolist() == [
        [0, 1],
        [1, 1],
    ]


def test_other_spellings_of_a_label_count_as_the_label(tmp_path: Path) -> None:
    words = WordVectorizer(ngram_range=(1, 2)).fit(TEXTS)
    estimator = LinearSVM().fit(words.transform(TEXTS), CORPUS.classes())
    model = PersistedModel([("words", words), ("model", estimator)], "single", CORPUS.label_names)
    (tmp_path / "plain.csv").write_text("text,label\ngood film,yes\nbad day,no\na good day,no\n", encoding="utf-8")
    (tmp_path / "other.csv").write_text("text,label\ngood film,YES\nbad day,No\na good day, NO \n", encoding="utf-8")
    plain, other = (
        predict_corpus(model, read_labelled_texts(tmp_path / name, model)) for name in ("plain.csv", "other.csv")
    )
    assert other.true.tolist() == plain.true.tolist() == [1, 0, 0]
    assert compute_scores(model, other) == compute_scores(model, plain)


def test_other_spellings_of_the_labels_of_a_text_are_merged(tmp_path: Path) -> None:
    words = WordVectorizer().fit(TEXTS)
    estimator = LabelNaiveBayes().fit(words.transform(TEXTS), CORPUS.indicators())
    model = PersistedModel(
        [("words", words), ("model", estimator)], "multi", CORPUS.label_names, card={"separator": ";"}
    )
    (tmp_path / "new.csv").write_text("text,labels\ngood film,Yes;yes\nbad day,NO;yes\n", encoding="utf-8")
    true = predict_corpus(model, read_labelled_texts(tmp_path / "new.csv", model)).true
    assert true.tolist() == [[0, 1], [1, 1]]
