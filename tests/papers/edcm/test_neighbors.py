"""Accuracy of k nearest neighbours against k, and the choices that the EDCM paper leaves open."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import digamma

from reproduction.papers.edcm import neighbors
from textmix.experiment.trial import Documents
from textmix.models.neighbors.knn import KNNClassifier


def test_neighbors_as_printed_are_those_of_the_curves(measured):
    for row in measured[0]["knn_curves"].tables["curves"]:
        assert 0 <= row["accuracy"] <= 1
    rows = measured[0]["knn_variants"].tables["variants"]
    cosine = {(row["representation"], row["vectors"]): row["accuracy"] for row in rows if row["vote"] == "nearest"}
    assert cosine["l2", "printed"] == cosine["l2", "cosine"] == cosine["l1", "cosine"]


def test_printed_form_of_tfidf_is_the_representation_and_each_weight_is_its_formula(source, measured):
    train = Documents(source.corpus.features, source.corpus.classes())[source.splits.train[0]]
    test = Documents(source.corpus.features, source.corpus.classes())[source.splits.test[0]]
    model = KNNClassifier(representation="tfidf", n_neighbors=3).fit(train.X, train.y)
    rows = measured[0]["tfidf_forms"].tables["forms"]
    (printed,) = [
        row["accuracy"]
        for row in rows
        if (row["count"], row["word"], row["documents"], row["vote"]) == ("x", "log D / d", "training", "nearest")
    ]
    assert printed == pytest.approx(np.mean(model.predict(test.X) == test.y))
    counts, lengths = np.array([1.0, 4.0]), np.array([10.0, 10.0])
    expected = {"1 + log x": 1 + math.log(4), "sqrt x": 2.0, "1": 1.0, "x / (x + .5 + 1.5 n / m)": 4 / 7.5}
    for name, value in expected.items():
        assert neighbors.COUNTS[name](counts, lengths, 5.0)[1] == pytest.approx(value)
    assert neighbors.WORDS["log D / o"](np.array([2]), np.array([9]), 6)[0] == 0


def test_two_pieces_are_near_the_digamma():
    z = np.array([1e-4, 0.05, 1.0, 3.0, 30.0])
    np.testing.assert_allclose(neighbors.approximate_digamma(z), digamma(z), rtol=0.25)
    assert neighbors.approximate_digamma(np.array([0.01]))[0] == pytest.approx(digamma(0.01), abs=0.02)
