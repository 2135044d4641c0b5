"""The measures of Zhai's lecture on the reasons to smooth and on clusters, on a small corpus."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from reproduction.flow.measures import MeasureData
from reproduction.papers.naive_bayes import measures
from tests.papers.naive_bayes.example import CLASSES


def test_smoothing_helps_most_where_words_are_unseen(source: MeasureData, measured: dict[str, Any]) -> None:
    values = measured["smoothing_reasons"].values
    assert values["impossible_share_10"] >= values["impossible_share_100"]
    X, y = source.corpus.features.toarray(), source.corpus.classes()
    train, test = source.splits.train[0], source.splits.test[0]
    seen = np.array([X[train][y[train] == c].sum(axis=0) for c in range(CLASSES)]) > 0
    expected = np.mean([np.any((row > 0) & ~seen[c]) for row, c in zip(X[test], y[test], strict=True)])
    assert values["impossible_share_100"] == pytest.approx(expected)
    assert values["gain_100"] == pytest.approx(values["accuracy_uniform_100"] - values["accuracy_none_100"])


def test_clusters_of_separate_classes_are_purer_than_chance(measured: dict[str, Any]) -> None:
    assert measured["clustering"].values["purity_over_random_3"] > 1.2


def test_purity_is_the_share_in_the_most_frequent_class_of_each_cluster() -> None:
    assert measures.purity(np.array([0, 0, 0, 2, 2]), np.array([1, 1, 0, 2, 0])) == pytest.approx(3 / 5)
