"""What the multi-label estimators share: their tags, and checks of counts and of label indicators."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_array
from sklearn.utils.validation import check_consistent_length, validate_data


def checked_indicators(y: Any) -> sparse.csr_array:
    """Return label indicators as float64 CSR (N, L) without stored zeros; raises ValueError at other than 0 and 1."""
    if y is None:
        raise ValueError("y is missing: this estimator requires y to be passed, but the target y is None")
    checked = without_zeros(sparse.csr_array(check_array(y, accept_sparse="csr", dtype=np.float64)))
    if (checked.data != 1).any():
        raise ValueError("y must hold label indicators, 0 or 1 (N, L); use MultiLabelBinarizer on lists of labels")
    return checked


def without_zeros(matrix: sparse.csr_array) -> sparse.csr_array:
    """Return a CSR matrix without stored zeros and double entries; the same one where it has none."""
    matrix.check_format(full_check=True)
    if matrix.data.all() and matrix.has_canonical_format:
        return matrix
    clean = matrix.copy()
    clean.sum_duplicates()
    clean.eliminate_zeros()
    return clean


def unit_rows(counts: sparse.csr_array, power: float) -> sparse.csr_array:
    """Return counts as float64 with each row divided by its p-norm (sum of powers to 1 / p); empty rows stay."""
    rows = sparse.csr_array(counts, dtype=np.float64)
    norm = np.asarray((rows**power).sum(axis=1)).ravel() ** (1.0 / power)
    rows.data /= np.repeat(norm, np.diff(rows.indptr))
    return rows


class MultiLabelEstimator(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """An estimator of label sets from counts.

    Attributes
    ----------
    classes_ : int (L,), the columns of y.
    n_features_in_ : V, the number of words.
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.target_tags.single_output = False
        tags.target_tags.multi_output = True
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.multi_label = True
        return tags

    def _check_counts(self, X: Any, reset: bool) -> sparse.csr_array:
        """Return counts as CSR without stored zeros."""
        checked = validate_data(self, X, accept_sparse="csr", ensure_non_negative=True, reset=reset)
        return without_zeros(sparse.csr_array(checked))

    def _check_labelled(self, X: Any, y: Any) -> tuple[sparse.csr_array, sparse.csr_array]:
        """Return training counts (N, V) and label indicators (N, L), both CSR, and set ``classes_``."""
        counts, labels = self._check_counts(X, reset=True), checked_indicators(y)
        check_consistent_length(counts, labels)
        self.classes_ = np.arange(labels.shape[1])
        return counts, labels
