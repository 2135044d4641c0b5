"""Metrics of single-label classification, on tables worked by hand and against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, f1_score

from textmix.metrics.classification import accuracy, error_rate, macro_f1
from textmix.metrics.probability import log_loss

TRUE = np.array([0, 0, 0, 1, 1, 2])
PREDICTED = np.array([0, 0, 1, 1, 3, 3])
pairs = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=30)


def test_worked_by_hand() -> None:
    assert accuracy(TRUE, PREDICTED) == pytest.approx(3 / 6)
    assert error_rate(TRUE, PREDICTED) == pytest.approx(3 / 6)
    # F of the classes: 4/5, 2/4, and 0 both for 2 (never predicted) and for 3 (never true).
    assert macro_f1(TRUE, PREDICTED) == pytest.approx((0.8 + 0.5 + 0 + 0) / 4)
    assert log_loss(np.log([0.5, 0.25])) == pytest.approx(1.5 * np.log(2))


@given(pairs)
@settings(deadline=None, derandomize=True)
def test_equal_to_scikit_learn(pairs_: list[tuple[int, int]]) -> None:
    true, predicted = np.array(pairs_).T
    assert accuracy(true, predicted) == pytest.approx(accuracy_score(true, predicted))
    assert error_rate(true, predicted) == pytest.approx(1 - accuracy_score(true, predicted))
    assert macro_f1(true, predicted) == pytest.approx(f1_score(true, predicted, average="macro", zero_division=0))


def test_an_impossible_true_class_costs_without_bound() -> None:
    assert log_loss(np.array([-1.0, -np.inf])) == np.inf


@pytest.mark.parametrize("function", [accuracy, error_rate, macro_f1])
@pytest.mark.parametrize("predicted", [[0, 1], [], [[0, 0, 0]]])
def test_unequal_lists_are_refused(function: object, predicted: list) -> None:
    with pytest.raises(ValueError, match="same shape"):
        function([0, 1, 1] if len(predicted) else [], predicted)  # type: ignore[operator]


def test_no_document_is_refused() -> None:
    with pytest.raises(ValueError, match="true_log_proba is empty"):
        log_loss(np.empty(0))
