"""Metrics take label sets in the formats of targets and of predictions, and are typed."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

from textmix import BinaryRelevance, metrics
from textmix.metrics.registry import METRICS

X = np.array([[4, 0], [0, 3], [2, 2], [3, 0], [0, 4], [3, 3]])
TAGS = [["art"], ["sport"], ["art", "sport"], ["art"], ["sport"], ["sport", "art"]]


def test_predictions_are_compared_with_lists_of_labels() -> None:
    predicted = BinaryRelevance().fit(X, TAGS).predict(X)
    for name in ("micro_f", "macro_f", "sample_f", "subset_accuracy", "jaccard"):
        assert getattr(metrics, name)(TAGS, predicted) == 1.0
    assert metrics.hamming_loss(TAGS, predicted) == 0.0
    one_wrong = [["sport"], *TAGS[1:]]
    assert metrics.subset_accuracy(one_wrong, predicted) == pytest.approx(5 / 6)
    assert metrics.hamming_loss(one_wrong, predicted) == pytest.approx(2 / 12)


def test_label_sets_give_what_their_indicators_give() -> None:
    true = [{1}, {2, 3}, set(), {3}]
    predicted = [(1, 2), (2, 3), (3,), ()]
    indicators = np.array([[1, 0, 0], [0, 1, 1], [0, 0, 0], [0, 0, 1]])
    answers = np.array([[1, 1, 0], [0, 1, 1], [0, 0, 1], [0, 0, 0]])
    for name in ("micro_f", "macro_f", "sample_f", "subset_accuracy", "hamming_loss", "jaccard"):
        metric = getattr(metrics, name)
        assert metric(true, predicted) == pytest.approx(metric(indicators, answers))


def test_label_sets_and_indicators_are_not_mixed() -> None:
    with pytest.raises(ValueError, match="predicted contains no label sets"):
        metrics.micro_f(TAGS, np.zeros((6, 2), dtype=int))
    with pytest.raises(ValueError, match="true has 6 label sets and predicted 5"):
        metrics.micro_f(TAGS, TAGS[1:])


def test_ambiguous_or_single_labels_are_rejected() -> None:
    with pytest.raises(ValueError, match="indicators or label sets"):
        metrics.micro_f([[0], [1]], [[1], [1]])
    assert metrics.micro_f([[0], [1]], [(0,), (1,)]) == 1.0
    with pytest.raises(ValueError, match="strings or all be integers"):
        metrics.micro_f([["1"], ["2"]], [(1,), (2,)])
    with pytest.raises(ValueError, match="one value per document"):
        metrics.micro_f(["a", "b"], ["a", "a"])
    with pytest.raises(ValueError, match="true contains no label sets"):
        metrics.micro_f(np.eye(2), [("a",), ("b",)])


def test_the_stub_lists_all_metrics() -> None:
    stub = ast.parse(Path(metrics.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    listed = {alias.name: str(node.module).rpartition(".")[2] for node in imports for alias in node.names}
    assert listed == {name: row.module for name, row in METRICS.items()}
