"""The common frame of the estimators of label sets from word counts."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_consistent_length, validate_data

from textmix.models.common.multilabel import MultiLabelClassifier, checked_indicators, without_zeros
from textmix.models.common.sklearn_private import checks_parameters


def unit_rows(counts: sparse.csr_array, power: float) -> sparse.csr_array:
    """Return counts as float64 with each row divided by its p-norm (sum of powers to 1 / p); empty rows stay."""
    rows = sparse.csr_array(counts, dtype=np.float64)
    norm = np.asarray((rows**power).sum(axis=1)).ravel() ** (1.0 / power)
    rows.data /= np.repeat(norm, np.diff(rows.indptr))
    return rows


class LabelCountClassifier(MultiLabelClassifier):
    """A classifier from counts (N, V), not negative, to label indicators (N, L).

    Attributes
    ----------
    classes_ : int (L,), the columns of y.
    n_features_in_ : V, the number of words.
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags

    @checks_parameters
    def fit(self, X: Any, y: Any) -> Self:
        """Fit.

        Parameters
        ----------
        X : counts (N, V), CSR or dense, not negative.
        y : label indicators (N, L) of 0 and 1, CSR or dense.

        Raises
        ------
        ValueError : a negative count, or a label indicator other than 0 and 1.
        """
        self._fit_counts(*self._check_labelled(X, y))
        return self

    def _fit_counts(self, counts: sparse.csr_array, labels: sparse.csr_array) -> None:
        """Fit to checked counts (N, V) and label indicators (N, L)."""
        raise NotImplementedError

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
