"""Labels that are likely wrong: a planted one is found, by a method that was not fitted to it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from tests.race.judge import Results, sentences_of, verdict
from textmix.contest.doubts import DOUBTED, doubts
from textmix.contest.pages import figure, memory, seconds
from textmix.data.corpus import Corpus, Ragged, label_matrix
from textmix.experiment.methods import load_methods
from textmix.experiment.refit import Refit
from textmix.experiment.splits import Splits
from textmix.pages.rendering import environment

#: Forty documents of two classes by their words.
WORDS = np.array([[6, 0, 1] if row % 2 else [0, 6, 1] for row in range(40)], dtype=np.int32)
GIVEN = [[row % 2] for row in range(40)]
SPLITS = Splits(Ragged(np.arange(40), np.array([0, 40])), Ragged(np.arange(0), np.array([0, 0])))


def found(method: str, changed: dict[int, list[int]], names: tuple[str, ...] = ("even", "odd")) -> dict[str, Any]:
    """Return the doubts of a method on the documents, some with changed labels, which have these names."""
    made = Corpus(
        name="toy",
        ids=[f"d{row}" for row in range(40)],
        label_names=[*names],
        labels=label_matrix([changed.get(row, label) for row, label in enumerate(GIVEN)], len(names)),
        text=Ragged.from_texts(f"text {row}".encode() for row in range(40)),
        features=sparse.csr_array(WORDS),
        feature_names=["ball", "paint", "the"],
    )
    entry = {"views": {"words": {}}, "params": {}, "weightings": ["counts"]}
    point = {"view": "words", "weighting": "counts"}
    return doubts(Refit([made], SPLITS, load_methods()[method], entry, point, 1), made)


def test_a_planted_label_is_the_least_likely_one() -> None:
    look = found("multinomial", {7: [0]})
    assert (look["number"], look["of"], look["below"]) == (1, 40, DOUBTED)
    (first,) = look["shown"]
    assert (first["id"], first["given"], first["likelier"], first["text"]) == ("d7", ["even"], "odd", "text 7")
    assert first["stated"] == pytest.approx(1.0 - first["probability"])


def test_of_several_labels_a_missing_one_is_found() -> None:
    look = found("label_naive_bayes", {8: [1]})
    assert look["shown"][0]["id"] == "d8"
    assert look["shown"][0]["likelier"] in ("even", "odd")


@pytest.mark.parametrize("method", ["multinomial", "label_naive_bayes"])
def test_a_label_of_one_document_is_not_doubted(method: str) -> None:
    """No fit to the other documents knows it, so that its probability says nothing."""
    rare = [2] if method == "multinomial" else [0, 2]
    look = found(method, {7: [0], 12: rare}, ("even", "odd", "rare"))
    assert [each["id"] for each in look["shown"]] == ["d7"]


def test_a_document_of_an_unknown_class_is_left_out_and_counted() -> None:
    look = found("multinomial", {12: [2]}, ("even", "odd", "rare"))
    assert (look["number"], look["of"], look["left_out"], look["shown"]) == (0, 39, 1, [])
    assert (found("multinomial", {})["of"], found("multinomial", {})["left_out"]) == (40, 0)


@pytest.mark.parametrize("rare", [[12], [12, 13]], ids=["one", "two"])
def test_the_page_says_how_many_are_left_out(rare: list[int]) -> None:
    names = ("even", "odd", "rare", "rarer")
    look = found("multinomial", {row: [2 + number] for number, row in enumerate(rare)}, names)
    pages = environment()
    pages.filters |= {"figure": figure, "memory": memory, "seconds": seconds}
    shown = pages.from_string('{% import "study_parts.html" as study with context %}{{ study.doubts(found) }}')
    said = sentences_of(shown.render(found=look))
    whole = Results({"doubts": look}, *({}, {}, np.array([]), [""] * 40, [], [], {}))
    assert len(said) == 2 and all(verdict(sentence, whole) for sentence in said)


def test_a_fold_whose_other_folds_have_one_class_is_left_out() -> None:
    look = found("multinomial", {row: [int(row == 5)] for row in range(40)})
    assert (look["number"], look["of"] + look["left_out"]) == (0, 40)
    assert look["left_out"] in (13, 14)


def test_a_method_without_probabilities_doubts_nothing() -> None:
    assert found("linear_svm", {}) == {}
