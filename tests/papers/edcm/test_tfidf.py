"""Forms of TF-IDF."""

from __future__ import annotations

import math

import numpy as np
import pytest

from reproduction.papers.edcm import tfidf
from textmix.experiment.trial import Documents
from textmix.models.neighbors.knn import KNNClassifier


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
        assert tfidf.COUNTS[name](counts, lengths, 5.0)[1] == pytest.approx(value)
    assert tfidf.WORDS["log D / o"](np.array([2]), np.array([9]), 6)[0] == 0
