"""Features, counts and labels are checked in one module, which gives all estimators the same messages."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator

from textmix.models.common import validation

COUNTS = np.array([[1, 0, 2], [0, 0, 3]])


def test_stored_zeros_and_repeated_cells_are_removed_from_a_copy() -> None:
    given = sparse.csr_array((np.array([1, 1, 0, 3]), np.array([2, 2, 0, 1]), np.array([0, 3, 4])), shape=(2, 3))
    found = validation.check_counts(BaseEstimator(), given, reset=True)
    assert (found.nnz, given.nnz) == (2, 4)
    assert found.toarray().tolist() == [[0, 0, 2], [0, 3, 0]]


def test_counts_in_the_form_of_the_kernels_are_not_copied() -> None:
    given = sparse.csr_array(COUNTS)
    assert validation.canonical(given) is given


@pytest.mark.parametrize("form", [np.array, sparse.csr_array])
def test_a_negative_count_is_refused_by_the_name_of_the_estimator(form: Any) -> None:
    with pytest.raises(ValueError, match="Negative values in data passed to BaseEstimator; counts are needed"):
        validation.check_counts(BaseEstimator(), form(-COUNTS), reset=True)


def test_features_are_dense_from_a_share_of_cells_on() -> None:
    thin, thick = np.eye(10), np.ones((10, 10))
    assert sparse.issparse(validation.check_features(BaseEstimator(), sparse.csr_array(thin), reset=True))
    for X in (thin, thick, sparse.csr_array(thick)):
        assert isinstance(validation.check_features(BaseEstimator(), X, reset=True), np.ndarray)


@pytest.mark.parametrize(("Y", "message"), [(None, "y is missing"), ([[0, 2]], "0 or 1"), ([[0.5, 1]], "0 or 1")])
def test_label_indicators_are_0_and_1(Y: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        validation.check_indicators(Y)


@pytest.mark.parametrize("shape", [(3, 4), (2, 5)])
def test_label_sets_are_of_the_instances_and_labels_of_the_model(shape: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="Y must hold the labels of 2 instances and the 4 labels of the model"):
        validation.check_label_sets(np.zeros(shape), 2, 4)


def test_weights_are_not_negative() -> None:
    np.testing.assert_array_equal(validation.check_weights(None, COUNTS), [1.0, 1.0])
    with pytest.raises(ValueError, match="Negative"):
        validation.check_weights([1.0, -1.0], COUNTS)
