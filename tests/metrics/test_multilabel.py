"""Multi-label metrics: equal to scikit-learn's where both define them, bounded and symmetric."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from sklearn import metrics as peer

from textmix.metrics import multilabel as m

#: Five documents, four labels: part, exact, nothing right, nothing predicted, too much.
TRUE = np.array([[1, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 1, 0], [0, 1, 0, 0]])
PREDICTED = np.array([[1, 0, 1, 0], [0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0], [1, 1, 1, 0]])
ALL = (m.sample_f, m.micro_f, m.macro_f, m.subset_accuracy, m.hamming_loss, m.jaccard)

indicators = arrays(np.int8, (6, 4), elements=st.integers(0, 1))


def test_sample_f_with_both_readings_of_an_empty_prediction_by_hand() -> None:
    assert m.sample_f(TRUE, PREDICTED) == pytest.approx((0.5 + 1 + 0 + 0 + 0.5) / 5)
    assert m.sample_f_skip(TRUE, PREDICTED) == pytest.approx((0.5 + 1 + 0 + 0.5) / 4)


def test_sample_f_is_the_harmonic_mean_of_precision_and_recall_as_the_paper_has_it() -> None:
    precision, recall = 1 / 2, 1 / 2
    assert m.document_f(TRUE, PREDICTED)[0] == pytest.approx(2 * precision * recall / (precision + recall))
    precision, recall = 1 / 3, 1
    assert m.document_f(TRUE, PREDICTED)[4] == pytest.approx(2 * precision * recall / (precision + recall))


def test_nothing_to_find_and_nothing_found_is_right() -> None:
    nothing = np.zeros((2, 3), dtype=int)
    for metric in (m.sample_f, m.micro_f, m.subset_accuracy, m.jaccard):
        assert metric(nothing, nothing) == 1
    assert m.hamming_loss(nothing, nothing) == 0
    assert m.macro_f(nothing, nothing) == 0
    assert np.isnan(m.sample_f_skip(nothing, nothing))


@given(indicators, indicators)
@settings(deadline=None, derandomize=True)
def test_equal_to_scikit_learn(true: np.ndarray, predicted: np.ndarray) -> None:
    true[:, 0] = 1  # a document without any label is where the conventions differ
    expected = {
        m.sample_f: peer.f1_score(true, predicted, average="samples", zero_division=0),
        m.micro_f: peer.f1_score(true, predicted, average="micro", zero_division=0),
        m.macro_f: peer.f1_score(true, predicted, average="macro", zero_division=0),
        m.subset_accuracy: peer.accuracy_score(true, predicted),
        m.hamming_loss: peer.hamming_loss(true, predicted),
        m.jaccard: peer.jaccard_score(true, predicted, average="samples", zero_division=0),
    }
    for metric, value in expected.items():
        assert metric(true, predicted) == pytest.approx(value, abs=1e-12), metric.__name__


@given(indicators, indicators)
@settings(deadline=None, derandomize=True)
def test_bounded_symmetric_and_the_same_for_sparse_input(true: np.ndarray, predicted: np.ndarray) -> None:
    for metric in ALL:
        value = metric(true, predicted)
        assert 0 <= value <= 1
        assert metric(predicted, true) == pytest.approx(value)
        assert metric(sparse.csr_array(true), sparse.csr_matrix(predicted)) == value
    assert m.subset_accuracy(true, predicted) <= m.jaccard(true, predicted) <= m.sample_f(true, predicted)


@pytest.mark.parametrize("wrong", [TRUE[:4], TRUE[:, :3], 2 * TRUE, TRUE * 0.5])
def test_what_is_no_label_indicator_is_refused(wrong: np.ndarray) -> None:
    for metric in ALL:
        with pytest.raises(ValueError, match="label indicators"):
            metric(TRUE, wrong)
