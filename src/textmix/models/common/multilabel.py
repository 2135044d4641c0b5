"""Base classes of multi-label classifiers, and label-set utilities."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted

from textmix.metrics.label_sets import parse_label_sets
from textmix.models.common.targets import (
    check_not_single_label,
    distinct_labels,
    indicators_of,
    names_of_columns,
)
from textmix.models.common.validation import (
    check_features,
    check_indicators,
    check_label_sets,
    check_labelled_counts,
    checked_fit,
)


def in_form_of_y(predict: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    """Decorate ``predict`` or ``decide`` to return the format of the training y: label tuples or indicators."""

    @functools.wraps(predict)
    def converted(self: Any, X: Any, *args: Any, **options: Any) -> np.ndarray:
        """Predict and convert the indicators to the format of the training y."""
        return self._in_form_of_y(predict(self, X, *args, **options))

    return converted


class MultiLabelClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base class of multi-label classifiers; `textmix.models.common.targets` documents the formats of y.

    Attributes
    ----------
    classes_ : ndarray of shape (L,)
        Labels: sorted if y contains label sets; the column names if y is a DataFrame of indicators; the indices 0 to
        L - 1 for other indicators.
    n_features_in_ : int
        Number of features V.
    """

    #: Schema of the fitted attributes, see `textmix.serve.state_schema`.
    _forms: ClassVar[dict[str, Any]] = {
        "classes_": "int L",
        "n_features_in_": "int",
        "_columns": "int? W",
        "_named": "bool",
    }
    classes_: np.ndarray
    n_features_in_: int
    #: Whether the training y contained label sets; predictions have the same format.
    _named: bool = False
    _columns: np.ndarray | None

    @checked_fit
    def fit(self, X: Any, y: Any) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (N, V)
            Features.
        y : array-like of shape (N, L), or list of N label lists
            Label indicators (0 or 1), or the labels of each document.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        ValueError
            If X contains NaN or infinity, y contains neither indicators nor label sets, or the lengths of X and y are
            inconsistent.
        """
        self._check_and_fit(X, y)
        return self

    def _check_and_fit(self, X: Any, y: Any, **fit_params: Any) -> None:
        """Validate the training data, and pass them with other parameters of ``fit`` to `_fit`."""
        self._columns = None
        features = check_features(self, X, reset=True)
        labels = np.ascontiguousarray(self._fit_targets(y).toarray(), dtype=np.int8)
        check_consistent_length(features, labels)
        if sparse.issparse(features):
            # Features that are zero in all training instances would get weight 0; dropping them makes fits faster.
            self._columns = np.unique(features.indices)
            features = features[:, self._columns]
        self._fit(features, labels, **fit_params)

    def _fit(self, X: Any, Y: np.ndarray) -> None:
        """Fit to validated features (N, W), see `_checked`, and label indicators, int8 (N, L)."""
        raise NotImplementedError

    def _fit_targets(self, y: Any, classes: Any = None) -> sparse.csr_array:
        """Convert y to label indicators, float64 CSR (N, L) in canonical format, and set ``classes_``."""
        sets = parse_label_sets(y)
        self._named = sets is not None
        if sets is None:
            check_not_single_label(y)
            labels = check_indicators(y)
            names = names_of_columns(y)
            self.classes_ = np.arange(labels.shape[1]) if names is None else names
            return labels
        self.classes_ = distinct_labels(sets if classes is None else [frozenset(classes)])
        return indicators_of(sets, self.classes_)

    def _parse(self, y: Any) -> list[frozenset[Any]] | None:
        """Parse label sets of documents to be scored; ambiguous rows have the format of the training y."""
        return parse_label_sets(y, "sets" if self._named else "indicators")

    def _targets(self, y: Any) -> Any:
        """Convert label sets of documents to be scored to indicators, CSR (N, L); return other targets unchanged."""
        sets = self._parse(y)
        names = names_of_columns(y)
        if names is not None and self.classes_.dtype.kind == "U" and names.tolist() != self.classes_.tolist():
            raise ValueError(f"y has the columns {names.tolist()}, but the training y had {self.classes_.tolist()}")
        return y if sets is None else indicators_of(sets, self.classes_)

    def _in_form_of_y(self, indicators: np.ndarray) -> np.ndarray:
        """Convert predicted indicators (N, L) to label tuples (N,) if the training y contained label sets."""
        if not self._named:
            return indicators
        label_tuples = np.empty(len(indicators), dtype=object)
        for row, is_member in enumerate(indicators.astype(bool)):
            label_tuples[row] = tuple(self.classes_[is_member].tolist())
        return label_tuples

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Compute the subset accuracy, the fraction of documents with an exactly correct label set.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (N, V)
            Features.
        y : array-like
            True targets in the format of the training y. If the training y contained indicators, label sets are also
            supported; for single-label classifiers, class labels.
        sample_weight : array-like of shape (N,), default=None
            Sample weights; None is equivalent to unit weights.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If the training y contained indicators, and y contains unknown labels or different columns.
        """
        sets = self._parse(y)
        if sets is None or not self._named:
            check_is_fitted(self)
            return float(super().score(X, self._targets(y), sample_weight))
        same = [set(labels) == true for labels, true in zip(self.predict(X), sets, strict=True)]
        return float(np.average(same, weights=sample_weight))

    def _checked(self, X: Any) -> Any:
        """Validate the features of instances to be predicted, and select the fitted columns, (N, W)."""
        check_is_fitted(self)
        features = check_features(self, X, reset=False)
        return features if self._columns is None else features[:, self._columns]

    @property
    def _n_checked(self) -> int:
        """Number W of fitted columns, see `_checked`."""
        return int(self.n_features_in_ if self._columns is None else len(self._columns))

    def _checked_sets(self, X: Any, Y: Any) -> tuple[Any, np.ndarray]:
        """Validate features, (N, W), see `_checked`, and label sets, int8 (N, L), of the same instances."""
        features = self._checked(X)
        return features, check_label_sets(self._targets(Y), features.shape[0], len(self.classes_))

    def _by_feature(self, weights: np.ndarray) -> np.ndarray:
        """Expand weights (..., W + 1, K), with the intercept in the last row, to coefficients (..., K, V).

        Columns that the model was not fitted to have weight 0.  The intercept is dropped.
        """
        coef = np.zeros((*weights.shape[:-2], weights.shape[-1], self.n_features_in_))
        columns = slice(None) if self._columns is None else self._columns
        coef[..., columns] = np.swapaxes(weights[..., :-1, :], -1, -2)
        return coef

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.single_output = False
        tags.target_tags.multi_output = True
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.multi_label = True
        return tags


class LabelCountClassifier(MultiLabelClassifier):
    """Base class of multi-label classifiers for nonnegative counts.

    Attributes
    ----------
    classes_ : ndarray of shape (L,)
        See `MultiLabelClassifier`.
    n_features_in_ : int
        Number of features V.
    """

    _forms: ClassVar[dict[str, Any]] = {"classes_": "int L", "n_features_in_": "int", "_named": "bool"}

    @checked_fit
    def fit(self, X: Any, y: Any) -> Self:
        """Fit the model to nonnegative counts X (N, V); `MultiLabelClassifier.fit` documents y."""
        self._fit_counts(*check_labelled_counts(self, X, y))
        return self

    def _fit_counts(self, counts: sparse.csr_array, labels: sparse.csr_array) -> None:
        """Fit to validated counts (N, V) and label indicators (N, L)."""
        raise NotImplementedError

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags


def label_sets(Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the unique rows of Y (N, L) in lexicographic order, (S, L), and the inverse indices, int64 (N,)."""
    sets, code = np.unique(Y, axis=0, return_inverse=True)
    return sets, code.ravel().astype(np.int64)


def unit_rows(counts: sparse.csr_array, power: float) -> sparse.csr_array:
    """Divide each row of counts (N, V) by its p-norm, p = ``power``, float64 CSR; rows of zeros are unchanged."""
    rows = sparse.csr_array(counts, dtype=np.float64, copy=True)
    norm = np.asarray((rows**power).sum(axis=1)).ravel() ** (1.0 / power)
    rows.data /= np.repeat(norm, np.diff(rows.indptr))
    return rows
