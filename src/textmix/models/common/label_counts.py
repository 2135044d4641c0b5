"""The base class of the classifiers from word counts to label sets."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy import sparse

from textmix.models.common.multilabel import MultiLabelClassifier
from textmix.models.common.sklearn_private import checks_parameters
from textmix.models.common.validation import check_labelled_counts


def unit_rows(counts: sparse.csr_array, power: float) -> sparse.csr_array:
    """Return counts (N, V) as float64 CSR, each row divided by its p-norm; a row of zeros stays.

    Parameters
    ----------
    counts : not negative.
    power : p, positive; the p-norm of a row x is (sum_j x_j^p)^(1 / p).
    """
    rows = sparse.csr_array(counts, dtype=np.float64)
    norm = np.asarray((rows**power).sum(axis=1)).ravel() ** (1.0 / power)
    rows.data /= np.repeat(norm, np.diff(rows.indptr))
    return rows


class LabelCountClassifier(MultiLabelClassifier):
    """A classifier from counts (N, V), not negative, to label indicators (N, L).

    Attributes
    ----------
    classes_ : int (L,), the indices 0 to L - 1 of the columns of y.
    n_features_in_ : V, the number of words.
    """

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that input must not be negative."""
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
        ValueError : a negative or non-finite count, a label indicator other than 0 and 1, or different lengths.
        """
        counts, labels = check_labelled_counts(self, X, y)
        self.classes_ = np.arange(labels.shape[1])
        self._fit_counts(counts, labels)
        return self

    def _fit_counts(self, counts: sparse.csr_array, labels: sparse.csr_array) -> None:
        """Fit to checked counts (N, V) and label indicators (N, L)."""
        raise NotImplementedError
