"""The base classes of the multi-label classifiers, and functions of label sets."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted

from textmix.models.common.targets import (
    distinct_labels,
    indicators_of,
    label_sets_of,
    names_of_columns,
    refuse_one_dimension,
)
from textmix.models.common.validation import (
    check_features,
    check_indicators,
    check_label_sets,
    check_labelled_counts,
    checked_fit,
)


def in_form_of_y(predict: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    """Return a ``predict`` that gives tuples of labels, object (N,), after a fit to label sets, else indicators."""

    @functools.wraps(predict)
    def converted(self: Any, X: Any) -> np.ndarray:
        """Predict, and convert."""
        return self._in_form_of_y(predict(self, X))

    return converted


class MultiLabelClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier from features (N, V), dense or sparse, to label sets; y as `textmix.models.common.targets` says.

    Attributes
    ----------
    classes_ : ndarray of shape (L,)
        After a fit to label sets the labels, sorted; after a fit to a table of indicators the names of its columns;
        after one to indicators without names the indices 0 to L - 1.
    n_features_in_ : int
        V, the number of features.
    """

    #: Fitted attributes and their forms, see `textmix.serve.state_schema`.
    _forms: ClassVar[dict[str, Any]] = {
        **{"classes_": "int L", "n_features_in_": "int", "_columns": "int? W", "_named": "bool"},
    }
    classes_: np.ndarray
    n_features_in_: int
    #: Whether y was given as label sets, so that predictions are label sets too.
    _named: bool = False
    _columns: np.ndarray | None

    @checked_fit
    def fit(self, X: Any, y: Any) -> Self:
        """Fit to features (N, V) and label indicators (N, L) of 0 and 1, or the list of labels of each document.

        Raises
        ------
        ValueError
            If X has NaN or infinity, y is neither indicators nor label sets, or they differ in length.
        """
        self._columns = None
        features = check_features(self, X, reset=True)
        labels = np.ascontiguousarray(self._fit_targets(y).toarray(), dtype=np.int8)
        check_consistent_length(features, labels)
        if sparse.issparse(features):
            # A feature that no training instance has would get the weight 0; fits are faster without it.
            self._columns = np.unique(features.indices)
            features = features[:, self._columns]
        self._fit(features, labels)
        return self

    def _fit(self, X: Any, Y: np.ndarray) -> None:
        """Fit to checked features (N, W), see `_checked`, and label indicators, int8 (N, L)."""
        raise NotImplementedError

    def _fit_targets(self, y: Any, classes: Any = None) -> sparse.csr_array:
        """Return label indicators, float64 CSR (N, L) in canonical form, and set ``classes_``."""
        sets = label_sets_of(y)
        self._named = sets is not None
        if sets is None:
            refuse_one_dimension(y)
            labels, names = check_indicators(y), names_of_columns(y)
            self.classes_ = np.arange(labels.shape[1]) if names is None else names
            return labels
        self.classes_ = distinct_labels(sets if classes is None else [frozenset(classes)])
        return indicators_of(sets, self.classes_)

    def _targets(self, y: Any) -> Any:
        """Return targets of documents to be scored as indicators, CSR (N, L) for label sets and else y itself."""
        sets, names = label_sets_of(y), names_of_columns(y)
        if names is not None and self.classes_.dtype.kind == "U" and names.tolist() != self.classes_.tolist():
            raise ValueError(f"y has the columns {names.tolist()}; the fit had {self.classes_.tolist()}")
        return y if sets is None else indicators_of(sets, self.classes_)

    def _in_form_of_y(self, indicators: np.ndarray) -> np.ndarray:
        """Return predicted indicators (N, L) themselves or, after a fit to label sets, as tuples of labels (N,)."""
        if not self._named:
            return indicators
        found = np.empty(len(indicators), dtype=object)
        for row, member in enumerate(indicators.astype(bool)):
            found[row] = tuple(self.classes_[member].tolist())
        return found

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the fraction of documents whose predicted label set is the true one.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (N, V)
            Documents (N, V).
        y : array-like
            Their targets in the form that ``fit`` got, or after a fit to indicators also label sets; for a classifier
            of single labels, class labels.
        sample_weight : array-like of shape (N,), default=None
            Or None for 1 each.

        Raises
        ------
        ValueError
            If after a fit to indicators, a label set has another label, or a table other columns.
        """
        sets = label_sets_of(y)
        if sets is None or not self._named:
            check_is_fitted(self)
            return float(super().score(X, self._targets(y), sample_weight))
        same = [set(labels) == true for labels, true in zip(self.predict(X), sets, strict=True)]
        return float(np.average(same, weights=sample_weight))

    def _checked(self, X: Any) -> Any:
        """Return the checked features of instances to be predicted, (N, W)."""
        check_is_fitted(self)
        features = check_features(self, X, reset=False)
        return features if self._columns is None else features[:, self._columns]

    @property
    def _n_checked(self) -> int:
        """Number W of features that the model was fitted to, see `_checked`."""
        return int(self.n_features_in_ if self._columns is None else len(self._columns))

    def _checked_sets(self, X: Any, Y: Any) -> tuple[Any, np.ndarray]:
        """Return checked features (N, W), see `_checked`, and label sets, int8 (N, L), of the same instances."""
        features = self._checked(X)
        return features, check_label_sets(self._targets(Y), features.shape[0], len(self.classes_))

    def _by_feature(self, weights: np.ndarray) -> np.ndarray:
        """Return weights of fitted features and, last, the bias, (..., W + 1, K), as (..., K, V) without the bias.

        A feature that the model was not fitted to has the weight 0.
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
    """A classifier from counts (N, V), not negative, to label sets; y as `textmix.models.common.targets` says.

    Attributes
    ----------
    classes_, n_features_in_ : ndarray of shape (C,) and int
        See `MultiLabelClassifier`.
    """

    _forms: ClassVar[dict[str, Any]] = {"classes_": "int L", "n_features_in_": "int", "_named": "bool"}

    @checked_fit
    def fit(self, X: Any, y: Any) -> Self:
        """Fit to counts (N, V), not negative, and y as `MultiLabelClassifier.fit` takes it."""
        self._fit_counts(*check_labelled_counts(self, X, y))
        return self

    def _fit_counts(self, counts: sparse.csr_array, labels: sparse.csr_array) -> None:
        """Fit to checked counts (N, V) and label indicators (N, L)."""
        raise NotImplementedError

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags


def label_sets(Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct rows of Y (N, L) in lexicographic order, (S, L), and each row's index there, int64 (N,)."""
    sets, code = np.unique(Y, axis=0, return_inverse=True)
    return sets, code.ravel().astype(np.int64)


def unit_rows(counts: sparse.csr_array, power: float) -> sparse.csr_array:
    """Return a copy of counts (N, V) as float64 CSR, each row divided by its p-norm; a row of zeros stays."""
    rows = sparse.csr_array(counts, dtype=np.float64, copy=True)
    norm = np.asarray((rows**power).sum(axis=1)).ravel() ** (1.0 / power)
    rows.data /= np.repeat(norm, np.diff(rows.indptr))
    return rows
