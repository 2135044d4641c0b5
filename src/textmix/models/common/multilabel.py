"""The common frame of the multi-label classifiers: checks, tags and label sets, once."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_array, check_consistent_length, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from textmix.models.common.sklearn_private import checks_parameters

#: A sparse matrix with at least this share of non-zeros is faster as a dense one.
DENSE = 0.2


class MultiLabelClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier from features (N, V), dense or sparse, to label indicators (N, L).

    Attributes
    ----------
    classes_ : int (L,), the columns of Y.
    n_features_in_ : V.
    """

    #: Fitted attributes and their forms, see `textmix.serve.forms`.
    _forms: ClassVar[dict[str, Any]] = {"classes_": "int L", "n_features_in_": "int", "_columns": "int? W"}
    _columns: np.ndarray | None

    @checks_parameters
    def fit(self, X: Any, Y: Any) -> Self:
        """Fit to features (N, V) and label indicators (N, L) of 0 and 1.

        Raises
        ------
        ValueError : X has NaN or infinity, Y something else than 0 and 1, or they differ in length.
        """
        self._columns = None
        features = self._check_features(X, reset=True)
        labels = check_labels(Y)
        check_consistent_length(features, labels)
        if sparse.issparse(features):
            # A feature that no training instance has gets the weight 0: leaving it out saves memory and time.
            self._columns = np.unique(features.indices)
            features = features[:, self._columns]
        self.classes_ = np.arange(labels.shape[1])
        self._fit(features, labels)
        return self

    def _fit(self, X: Any, Y: np.ndarray) -> None:
        """Fit to checked features and labels, int8 (N, L)."""
        raise NotImplementedError

    def _check_features(self, X: Any, reset: bool) -> Any:
        """Return features as float64, CSR where most are zero and else dense."""
        checked = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=reset)
        if not sparse.issparse(checked):
            return np.ascontiguousarray(checked)
        matrix = sparse.csr_array(checked)
        if matrix.nnz > DENSE * matrix.shape[0] * matrix.shape[1]:
            return matrix.toarray()
        return matrix

    def _checked(self, X: Any) -> Any:
        """Return the features of instances to be predicted, the estimator being fitted."""
        check_is_fitted(self)
        features = self._check_features(X, reset=False)
        return features if self._columns is None else features[:, self._columns]

    def _checked_sets(self, X: Any, Y: Any) -> tuple[Any, np.ndarray]:
        """Return features and the label sets whose probability is asked for."""
        features, labels = self._checked(X), check_labels(Y)
        check_consistent_length(features, labels)
        if labels.shape[1] != len(self.classes_):
            raise ValueError(f"Y has {labels.shape[1]} labels, the model was fitted with {len(self.classes_)}")
        return features, labels

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.single_output = False
        tags.target_tags.multi_output = True
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.multi_label = True
        return tags


def checked_indicators(Y: Any) -> sparse.csr_array:
    """Return label indicators as float64 CSR (N, L) without stored zeros; raises ValueError at other than 0 and 1."""
    if Y is None:
        raise ValueError("y is missing: this estimator requires y to be passed, but the target y is None")
    checked = without_zeros(sparse.csr_array(check_array(Y, accept_sparse="csr", dtype=np.float64)))
    if (checked.data != 1).any():
        raise ValueError("y must hold label indicators, 0 or 1 (N, L); use MultiLabelBinarizer on lists of labels")
    return checked


def check_labels(Y: Any) -> np.ndarray:
    """Return label indicators as int8 (N, L), dense; see `checked_indicators`."""
    return np.ascontiguousarray(checked_indicators(Y).toarray(), dtype=np.int8)


def without_zeros(matrix: sparse.csr_array) -> sparse.csr_array:
    """Return a CSR matrix without stored zeros and double entries; the same one where it has none."""
    matrix.check_format(full_check=True)
    if matrix.data.all() and matrix.has_canonical_format:
        return matrix
    clean = matrix.copy()
    clean.sum_duplicates()
    clean.eliminate_zeros()
    return clean


def label_sets(Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the different rows of Y, int8 (S, L), in order, and the index of each row among them, int64 (N,)."""
    sets, code = np.unique(Y, axis=0, return_inverse=True)
    return sets, code.ravel().astype(np.int64)


def generator(random_state: Any) -> np.random.Generator:
    """Return a Generator from what scikit-learn calls a random state."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    return np.random.default_rng(check_random_state(random_state).randint(2**31))
