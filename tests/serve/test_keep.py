"""The recommended method is kept with its representation and a card, and scored on labelled texts."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import numpy as np
import pytest

from textmix.core.errors import ConfigError
from textmix.data.corpus import Corpus, Ragged, label_matrix
from textmix.experiment.methods import Method, load_methods
from textmix.serve.evaluate import assess, labelled, lines, scores
from textmix.serve.keep import keep_best, vectoriser_of
from textmix.serve.model import PersistedModel

TEXTS = ["good film", "bad film", "very good", "very bad", "a good day", "a bad day"] * 3
CORPUS = Corpus(
    name="mine",
    ids=[str(row) for row in range(len(TEXTS))],
    label_names=["no", "yes"],
    labels=label_matrix([[int("good" in text)] for text in TEXTS], 2),
    text=Ragged.from_texts(text.encode() for text in TEXTS),
)
FEATURES = {"bigrams": {"tokenizer": "scripts", "max_n": 2, "min_documents": 2}}
CHOICE = {
    **{"metric": "accuracy", "value": 1.0, "low": 0.9, "high": 1.0},
    "point": {"view": "bigrams", "weighting": "tfidf", "C": 1.0},
}
ENTRY = {"params": {}, "views": {"bigrams": {"min_documents": 2}}}


def test_a_kept_method_is_read_again_with_card_and_scored(tmp_path: Path) -> None:
    about = {"seed": 1, "text column": "words"}
    made = keep_best(CORPUS, CHOICE, load_methods()["linear_svm"], ENTRY, features=FEATURES, about=about)
    made.save(tmp_path / "best", {})
    model = PersistedModel.load(tmp_path / "best")
    assert model.card["text column"] == "words"
    assert model.card["data digest"] == CORPUS.content_digest()
    assert date.fromisoformat(model.card["made"]) <= datetime.now(UTC).date()
    assert set(model.card["versions"]) == {"python", "textmix", "numpy", "scipy", "numba", "scikit-learn"}
    assert len(repr(model)) < 200
    np.testing.assert_array_equal(model.label(CORPUS.text)[0], CORPUS.classes())
    (tmp_path / "new.csv").write_text("words,label\ngood film,yes\nbad day,no\na good day,no\n", encoding="utf-8")
    found = assess(model, labelled(tmp_path / "new.csv", "csv", model, {"text": "words", "label": "label"}))
    assert scores(model, found)["accuracy"] == pytest.approx(2 / 3)
    table = [line.split() for line in lines(model, found)]
    assert ["no", "2", "1.0000", "0.5000", "0.6667"] in table
    assert ["yes", "1", "0.5000", "1.0000", "0.6667"] in table
    (tmp_path / "odd.csv").write_text("words,label\ngood film,perhaps\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="the label 'perhaps' is not among those of the model: no, yes"):
        assess(model, labelled(tmp_path / "odd.csv", "csv", model, {"text": "words", "label": "label"}))


def test_what_cannot_be_kept_is_refused(tmp_path: Path) -> None:
    unable = Method("mixture", "textmix.models.naive_bayes.mixture:MultinomialMixture", "x", "single", "counts", "x")
    with pytest.raises(ConfigError, match="mixture cannot be saved"):
        keep_best(CORPUS, CHOICE, unable, ENTRY, features=FEATURES, about={"seed": 1})
    with pytest.raises(ConfigError, match="stop_list cannot be kept"):
        vectoriser_of({"tokenizer": "scripts", "max_n": 2, "stop_list": "smart"})
    with pytest.raises(ConfigError, match="there is no model there"):
        PersistedModel.load(tmp_path / "nothing")
