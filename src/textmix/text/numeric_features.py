"""`NumericFeatures`: scale the numeric features of documents that are not texts."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from textmix.core.errors import ConfigError
from textmix.data.corpus import Ragged
from textmix.data.feature_rows import FeatureRows, align_features, feature_rows_of

SCALINGS = ("none", "max_abs", "tfidf")


class NumericFeatures(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Impute missing values by column means, and scale the columns of a feature matrix.

    Parameters
    ----------
    scaling : {"none", "max_abs", "tfidf"}, default="max_abs"
        ``max_abs`` divides each column by its largest absolute value.  ``tfidf`` replaces values by log(1 + value),
        weights columns by idf = 1 + log((1 + N) / (1 + df)) and normalises rows; it requires non-negative values.

    Attributes
    ----------
    vocabulary_ : dict of str to int
        Column of each feature.
    scale_ : ndarray of shape (V,), float64
        Factor of each column.
    fill_ : ndarray of shape (V,), float64
        Mean of each column, which replaces missing values.
    """

    def __init__(self, *, scaling: str = "max_abs") -> None:
        self.scaling = scaling

    @property
    def beside(self) -> tuple[str, ...]:
        """Columns that the features are read from in a table."""
        return tuple(getattr(self, "vocabulary_", ()))

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn column means and scales.

        Parameters
        ----------
        X : FeatureRows, sparse matrix, ndarray or DataFrame of shape (N, V)
            Features; NaN is a missing value.
        y : object, default=None
            Ignored.

        Returns
        -------
        self : NumericFeatures

        Raises
        ------
        ConfigError
            If ``scaling`` is invalid, or is "tfidf" and a value is negative.
        """
        self._fit_matrix(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> sparse.csr_array:
        """Learn column means and scales, and return the scaled features, float64 CSR (N, V)."""
        return self._scale(self._fit_matrix(X))

    def transform(self, X: Any) -> sparse.csr_array:
        """Return the scaled features, float64 CSR (N, V); columns are matched by name if they have names."""
        check_is_fitted(self)
        documents = X if isinstance(X, Ragged) else feature_rows_of(X, list(self.vocabulary_))
        return self._scale(self._impute(align_features(documents, self.vocabulary_)))

    def refitted(self, X: sparse.csr_array, rows: np.ndarray) -> sparse.csr_array:
        """Rescale features from `transform` as if only ``rows`` had been fitted; imputed values do not change."""
        if self.scaling != "max_abs":
            return X
        scale = _max_abs_scale(X[rows])
        rescaled = X.copy()
        rescaled.data = (X.data * scale[X.indices]).astype(X.dtype)
        return rescaled

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the V features, object array; the argument is ignored."""
        return np.array(list(self.vocabulary_), dtype=object)

    def _fit_matrix(self, X: Any) -> sparse.csr_array:
        if self.scaling not in SCALINGS:
            raise ConfigError(f"scaling: {self.scaling!r} is not one of {', '.join(SCALINGS)}")
        documents = X if isinstance(X, FeatureRows) else feature_rows_of(X)
        self.vocabulary_ = {name: column for column, name in enumerate(documents.names)}
        matrix = documents.matrix()
        is_missing = np.isnan(matrix.data)
        n_missing = np.bincount(matrix.indices[is_missing], minlength=matrix.shape[1])
        totals = np.bincount(matrix.indices, np.where(is_missing, 0.0, matrix.data), minlength=matrix.shape[1])
        self.fill_ = totals / np.maximum(matrix.shape[0] - n_missing, 1)
        matrix = self._impute(matrix)
        self.scale_ = np.ones(matrix.shape[1])
        if self.scaling == "max_abs":
            self.scale_ = _max_abs_scale(matrix)
        elif self.scaling == "tfidf":
            if matrix.nnz and matrix.data.min() < 0.0:
                raise ConfigError("scaling: tfidf requires non-negative features; use max_abs")
            document_frequency = np.bincount(matrix.indices, minlength=matrix.shape[1])
            self.scale_ = 1.0 + np.log((1.0 + matrix.shape[0]) / (1.0 + document_frequency))
        return matrix

    def _impute(self, matrix: sparse.csr_array) -> sparse.csr_array:
        is_missing = np.isnan(matrix.data)
        if is_missing.any():
            matrix.data[is_missing] = self.fill_[matrix.indices[is_missing]]
            matrix.eliminate_zeros()
        return matrix

    def _scale(self, matrix: sparse.csr_array) -> sparse.csr_array:
        scaled = matrix.copy()
        if self.scaling == "tfidf":
            scaled.data = np.log1p(np.maximum(scaled.data, 0.0))
        scaled.data = scaled.data * self.scale_[scaled.indices]
        if self.scaling == "tfidf":
            norms = np.sqrt(np.asarray(scaled.multiply(scaled).sum(axis=1)).ravel())
            scaled.data = scaled.data / np.repeat(np.maximum(norms, 1e-300), np.diff(scaled.indptr))
        return scaled


def _max_abs_scale(matrix: sparse.csr_array) -> np.ndarray:
    """Return 1 / largest absolute value of each column; 1 for a column of zeros."""
    largest = np.zeros(matrix.shape[1])
    np.maximum.at(largest, matrix.indices, np.abs(matrix.data))
    return np.asarray(1.0 / np.where(largest > 0.0, largest, 1.0))
