"""Labels that are likely wrong: a planted one is found, by a method that was not fitted to it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from textmix.contest.doubts import DOUBTED, doubts
from textmix.data.corpus import Corpus, Ragged, label_matrix
from textmix.experiment.methods import load_methods
from textmix.experiment.refit import Refit
from textmix.experiment.splits import Splits

#: Forty documents of two classes by their words.
WORDS = np.array([[6, 0, 1] if row % 2 else [0, 6, 1] for row in range(40)], dtype=np.int32)
GIVEN = [[row % 2] for row in range(40)]
SPLITS = Splits(Ragged(np.arange(40), np.array([0, 40])), Ragged(np.arange(0), np.array([0, 0])))


def found(method: str, changed: dict[int, list[int]]) -> dict[str, Any]:
    """Return the doubts of a method on the documents, some with changed labels."""
    made = Corpus(
        name="toy",
        ids=[f"d{row}" for row in range(40)],
        label_names=["even", "odd"],
        labels=label_matrix([changed.get(row, label) for row, label in enumerate(GIVEN)], 2),
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


def test_a_method_without_probabilities_doubts_nothing() -> None:
    assert found("linear_svm", {}) == {}
