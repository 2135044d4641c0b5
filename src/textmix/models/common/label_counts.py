"""The base class of the classifiers from word counts to label sets."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse

from textmix.models.common.checks import OF_ONE_FEATURE, OF_SPARSE_INPUT, Failures
from textmix.models.common.multilabel import MultiLabelClassifier
from textmix.models.common.validation import check_labelled_counts, checked_fit


def unit_rows(counts: sparse.csr_array, power: float) -> sparse.csr_array:
    """Return a copy of counts (N, V) as float64 CSR, each row divided by its p-norm; a row of zeros stays."""
    rows = sparse.csr_array(counts, dtype=np.float64, copy=True)
    norm = np.asarray((rows**power).sum(axis=1)).ravel() ** (1.0 / power)
    rows.data /= np.repeat(norm, np.diff(rows.indptr))
    return rows


class LabelCountClassifier(MultiLabelClassifier):
    """A classifier from counts (N, V), not negative, to label sets; y as `textmix.models.common.targets` says.

    Attributes
    ----------
    classes_ : (L,), see `textmix.models.common.targets.LabelSetTargets`.
    n_features_in_ : V, the number of words.
    """

    _expected_failures: ClassVar[Failures] = dict.fromkeys([*OF_SPARSE_INPUT, *OF_ONE_FEATURE])

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that input must not be negative."""
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags

    @checked_fit
    def fit(self, X: Any, y: Any) -> Self:
        """Fit to counts (N, V) and label indicators (N, L) of 0 and 1, or the list of labels of each document.

        Raises
        ------
        ValueError : a label indicator other than 0 and 1, or different lengths.
        """
        counts, labels = check_labelled_counts(self, X, y)
        self._fit_counts(counts, labels)
        return self

    def _fit_counts(self, counts: sparse.csr_array, labels: sparse.csr_array) -> None:
        """Fit to checked counts (N, V) and label indicators (N, L)."""
        raise NotImplementedError
