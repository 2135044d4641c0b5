"""Latent semantic indexing: the truncated singular value decomposition of weighted counts.

Source: S. Deerwester, S. T. Dumais, G. W. Furnas, T. K. Landauer and R. Harshman, Indexing by latent semantic analysis,
Journal of the American Society for Information Science 41, 1990.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import ArpackError, svds
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.extmath import randomized_svd, svd_flip
from sklearn.utils.validation import check_is_fitted

from textmix.models.common.sklearn_private import Interval, StrOptions
from textmix.models.common.term_weights import inverse_frequency
from textmix.models.common.validation import canonical, check_counts, check_features, checked_fit

#: Singular values below this fraction of the largest one belong to no dimension of the data.
RANK = 1e-10
#: Power iterations of the randomised decomposition.
ITERATIONS = 5


class LSITransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Documents in the space of the k largest singular values of X = U S V': z = V' x.

    Parameters
    ----------
    n_components : int, default=100
        k; the number of documents or of words, where it is smaller.
    weighting : str, default="log_tfidf"
        Of the counts of a document. "log_tfidf" is log(1 + x_w) log(N / df_w) and "tfidf" is x_w log(N / df_w), both
        divided by the length of the document's vector; "none" takes any real numbers as they are.
    scaled : bool, default=False
        Whether z is divided by S, so that all coordinates vary alike.
    unit_length : bool, default=True
        Whether each z is divided by its length, so that inner products are cosines.
    algorithm : str, default="arpack"
        "arpack" (`scipy.sparse.linalg.svds`), which is exact and the faster one for few documents, or "randomized"
        (`sklearn.utils.extmath.randomized_svd`).
    random_state : int or RandomState or None, default=None
        Of the first vectors of both algorithms.

    Attributes
    ----------
    components_
        Float64 (k, V), V'; the largest entry of each row by size is positive.
    singular_values_
        Float64 (k,), S, decreasing.
    word_weights_ : ndarray of shape (V,)
        Log(N / df_w), 0 for a word of no training document; ones for "none".
    n_features_in_ : int
        V.

    Examples
    --------
    >>> from textmix import LSITransformer
    >>> X = [[3, 0, 1, 0], [2, 1, 0, 0], [0, 2, 2, 1], [0, 3, 1, 2]]
    >>> LSITransformer(n_components=2, random_state=0).fit_transform(X).shape
    (4, 2)
    """

    #: Fitted attributes and their forms, see `textmix.serve.state_schema`.
    _fitted_forms: ClassVar[dict[str, Any]] = {
        **{"components_": "float64 K V", "singular_values_": "float64 K", "word_weights_": "float64 V"},
        "n_features_in_": "int",
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "weighting": [StrOptions({"log_tfidf", "tfidf", "none"})],
        "scaled": ["boolean"],
        "unit_length": ["boolean"],
        "algorithm": [StrOptions({"randomized", "arpack"})],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        n_components: int = 100,
        weighting: str = "log_tfidf",
        scaled: bool = False,
        unit_length: bool = True,
        algorithm: str = "arpack",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_components = n_components
        self.weighting = weighting
        self.scaled = scaled
        self.unit_length = unit_length
        self.algorithm = algorithm
        self.random_state = random_state

    @checked_fit
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the space of counts (N, V), or of any real numbers for the weighting "none"; ``y`` is not read."""
        X = self._checked(X, reset=True)
        self.word_weights_ = np.ones(X.shape[1]) if self.weighting == "none" else inverse_frequency(X)
        weighted, k = self.weighted(X), min(self.n_components, *X.shape)
        # A word of no document has zeros in V: leaving it out before the decomposition changes nothing but the time.
        seen = np.flatnonzero(np.bincount(X.indices, minlength=X.shape[1]))
        right, values = self._decomposed(weighted[:, seen], min(k, max(len(seen), 1)))
        self.components_, self.singular_values_ = np.zeros((k, X.shape[1])), np.zeros(k)
        self.components_[: len(right), seen] = right
        self.singular_values_[: len(values)] = values
        return self

    def _decomposed(self, X: sparse.csr_array, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Return V' (k, V) and S (k,) of a matrix (N, V); nothing of one without columns."""
        if not X.shape[1]:
            return np.empty((0, 0)), np.empty(0)
        state = check_random_state(self.random_state)
        if self.algorithm == "randomized":
            left, values, right = randomized_svd(X, k, n_iter=ITERATIONS, random_state=state, flip_sign=False)
        else:
            left, values, right = exact_svd(X, k, state)
        return svd_flip(left, right, u_based_decision=False)[1], values

    @property
    def _n_features_out(self) -> int:
        """Number of columns of `transform`, from which scikit-learn makes their names."""
        return len(self.components_)

    def transform(self, X: Any) -> np.ndarray:
        """Return the coordinates of documents, float64 (N, k); zeros for a document without a word of the training."""
        check_is_fitted(self)
        return self.project(self.weighted(self._checked(X, reset=False)))

    def project(self, weighted: Any) -> np.ndarray:
        """Return the coordinates (N, k) of documents that are weighted already, (N, V)."""
        Z = np.asarray(weighted @ self.basis())
        return unit_length(Z) if self.unit_length else Z

    def basis(self) -> np.ndarray:
        """Return the matrix (V, k) that takes a weighted document to its coordinates: V, or V / S where scaled."""
        check_is_fitted(self)
        if not self.scaled:
            return self.components_.T
        values = self.singular_values_
        known = values > RANK * values.max(initial=0.0)
        return self.components_.T * np.divide(1.0, values, out=np.zeros_like(values), where=known)

    def weighted(self, X: sparse.csr_array) -> sparse.csr_array:
        """Return documents (N, V) with the weights of their words, float64 CSR."""
        if self.weighting == "none":
            return X
        counts = np.log1p(X.data) if self.weighting == "log_tfidf" else X.data
        return unit_cells(X, counts * self.word_weights_[X.indices])

    def _checked(self, X: Any, *, reset: bool) -> sparse.csr_array:
        """Return documents as float64 CSR (N, V) after the checks that the weighting needs."""
        if self.weighting != "none":
            return check_counts(self, X, reset=reset, dtype=np.float64)
        return canonical(sparse.csr_array(check_features(self, X, reset=reset)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self.weighting != "none"
        return tags


def unit_length(Z: np.ndarray) -> np.ndarray:
    """Return rows (N, K) divided by their lengths; a row of zeros stays."""
    length = np.sqrt(np.einsum("nk,nk->n", Z, Z))[:, np.newaxis]
    return np.divide(Z, length, out=np.zeros_like(Z), where=length > 0)


def unit_cells(X: sparse.csr_array, values: np.ndarray) -> sparse.csr_array:
    """Return rows with the cells of X (N, V), values in place of theirs, and length 1; a row of zeros stays."""
    squares = np.bincount(np.repeat(np.arange(X.shape[0]), np.diff(X.indptr)), values**2, X.shape[0])
    length = np.repeat(np.sqrt(squares), np.diff(X.indptr))
    unit = np.divide(values, length, out=np.zeros_like(values), where=length > 0)
    return sparse.csr_array((unit, X.indices, X.indptr), shape=X.shape)


def exact_svd(X: sparse.csr_array, k: int, state: np.random.RandomState) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return U (N, k), S (k,) and V' (k, V) of the k largest singular values.

    They are ARPACK's where k is below both sides.  It stops with an error where X has a rank far below k; the whole
    decomposition of the dense matrix then takes its place.
    """
    first = state.uniform(-1.0, 1.0, min(X.shape)) if k < min(X.shape) else None
    try:
        left, values, right = svds(X, k=k, v0=first) if first is not None else _dense_svd(X, k)
    except ArpackError:
        left, values, right = _dense_svd(X, k)
    order = np.argsort(-values, kind="stable")
    return left[:, order], values[order], right[order]


def _dense_svd(X: sparse.csr_array, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the first k parts of the whole decomposition of X as a dense matrix."""
    left, values, right = linalg.svd(X.toarray(), full_matrices=False)
    return left[:, :k], values[:k], right[:k]
