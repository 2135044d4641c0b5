"""`TermWeighting`: feature selection by document frequency, and term weighting."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn import preprocessing
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted, validate_data

from textmix.core.errors import ConfigError
from textmix.numerics.matrix_validation import check_counts_in_range, computable, sound

#: Weighting -> whether it requires counts (rather than real numbers).
WEIGHTINGS = {"counts": True, "binary": True, "tfidf": True, "reals": False, "scaled": False}
#: With a larger fraction of nonzero values, ``scaled`` subtracts the means, since little sparsity is lost.
DENSE = 0.5


class TermWeighting(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Select features that are frequent enough in the training documents, and weight their values.

    Parameters
    ----------
    weighting : str, default="tfidf"
        ``counts`` and ``reals`` leave values unchanged. ``binary`` is 1 for every nonzero value. ``tfidf`` is
        (1 + log count) (1 + log((1 + N) / (1 + document frequency))), L2-normalised per document. ``scaled`` divides by
        the maximum absolute value of a feature; if most values are nonzero (`DENSE`), it instead subtracts the mean and
        divides by the standard deviation.
    min_df, min_count : int, default=1
        Minimum document frequency and minimum sum of a feature.

    Attributes
    ----------
    columns_ : ndarray of shape (K,), int64
        Indices of the selected columns.
    scale_, shift_ : ndarray of shape (K,)
        Scaling factor of each column, and offset that is subtracted before scaling.

    Examples
    --------
    >>> from textmix import TermWeighting
    >>> TermWeighting(min_df=2).fit_transform([[3, 0, 1], [1, 1, 0]]).toarray().tolist()
    [[1.0], [1.0]]
    """

    #: Fitted attributes and their types, see `textmix.serve.state_schema`.
    _fitted_forms: ClassVar[dict[str, Any]] = {
        "columns_": "int64 K",
        "scale_": "float64 K",
        "shift_": "float64 K",
        "n_features_in_": "int",
    }

    def __init__(self, *, weighting: str = "tfidf", min_df: int = 1, min_count: int = 1) -> None:
        self.weighting = weighting
        self.min_df = min_df
        self.min_count = min_count

    def fit(self, X: Any, y: Any = None) -> Self:
        """Select columns and compute their weights from training documents X (N, V); ``y`` is ignored.

        Raises
        ------
        ConfigError
            If the weighting is unknown, or a minimum is not a positive integer.
        ValueError
            If no feature is frequent enough.
        """
        self._check()
        X = self._canonical(X, reset=True)
        documents = np.bincount(X.indices, minlength=X.shape[1])
        frequent = documents >= self.min_df
        if self.min_count > 1:
            frequent &= np.bincount(X.indices, X.data, minlength=X.shape[1]) >= self.min_count
        self.columns_ = np.flatnonzero(frequent).astype(np.int64)
        if not len(self.columns_):
            raise ValueError(f"no feature is in {self.min_df} of the {X.shape[0]} training documents")
        self.shift_ = np.zeros(len(self.columns_))
        self.scale_ = np.ones(len(self.columns_))
        if self.weighting == "tfidf":
            self.scale_ = 1.0 + np.log((1 + X.shape[0]) / (1 + documents[self.columns_]))
        elif self.weighting == "scaled":
            self._scale(X[:, self.columns_])
        return self

    def transform(self, X: Any) -> sparse.csr_array:
        """Return the weighted values of documents X (N, V), CSR (N, K): float64, but ``counts`` preserves the dtype."""
        check_is_fitted(self)
        X = self._canonical(X, reset=False)
        weighted = X if len(self.columns_) == X.shape[1] else X[:, self.columns_]
        if self.weighting in ("counts", "reals"):
            return weighted
        if self.weighting == "binary":
            return sparse.csr_array((np.ones(len(weighted.data)), weighted.indices, weighted.indptr), weighted.shape)
        if self.shift_.any():
            return sparse.csr_array((weighted.toarray() - self.shift_) * self.scale_)
        values = 1.0 + np.log(weighted.data) if self.weighting == "tfidf" else weighted.data
        weighted = sparse.csr_array(
            (values * self.scale_[weighted.indices], weighted.indices, weighted.indptr), weighted.shape
        )
        return preprocessing.normalize(weighted, copy=False) if self.weighting == "tfidf" else weighted

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the selected features, object array of shape (K,).

        Parameters
        ----------
        input_features : object, default=None
            Names of all V features; by default those seen during fit, else x0, x1, ...

        Raises
        ------
        ValueError
            If the number of names is not V, or they differ from those seen during fit.
        """
        check_is_fitted(self)
        names = OneToOneFeatureMixin.get_feature_names_out(self, input_features)
        return np.asarray(names, dtype=object)[self.columns_]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self.weighting == "tfidf"
        return tags

    def _check_loaded(self) -> None:
        columns = self.columns_
        if not len(columns) or columns[0] < 0 or columns[-1] >= self.n_features_in_ or (np.diff(columns) <= 0).any():
            raise ValueError("columns_ holds an index out of range")

    def _check(self) -> None:
        """Raise ConfigError for an invalid parameter."""
        if self.weighting not in WEIGHTINGS:
            raise ConfigError(f"weighting: {self.weighting!r} is unknown; choose one of {', '.join(WEIGHTINGS)}")
        for name in ("min_df", "min_count"):
            if not isinstance(getattr(self, name), Integral) or getattr(self, name) < 1:
                raise ConfigError(f"{name}: {getattr(self, name)!r} is not allowed; give a whole number from 1")

    def _canonical(self, X: Any, reset: bool) -> sparse.csr_array:
        """Return X (N, V) as CSR without explicit zeros and check its number of features, which ``reset`` sets."""
        checked = check_array(sound(X), accept_sparse="csr", dtype="numeric", input_name="X", estimator=self)
        validate_data(self, X, skip_check_array=True, reset=reset)
        matrix = sparse.csr_array(computable(checked))
        if (matrix.data == 0).any():
            matrix = matrix.copy()
            matrix.eliminate_zeros()
        if self.weighting == "tfidf" and matrix.data.min(initial=1) < 0:
            raise ValueError("Negative values in data passed to TermWeighting; tfidf takes counts")
        if WEIGHTINGS[self.weighting]:
            check_counts_in_range(np.abs(matrix.data))
        return matrix

    def _scale(self, X: sparse.csr_array) -> None:
        """Compute the scaling factors of ``scaled`` from training documents (N, K)."""
        if X.nnz < DENSE * np.prod(X.shape):
            self.scale_ = 1.0 / np.abs(X).max(axis=0).toarray().ravel()
            return
        values = X.toarray()
        self.shift_ = values.mean(axis=0)
        spread = values.std(axis=0)
        self.scale_ = 1.0 / np.where(spread > 0, spread, 1.0)
