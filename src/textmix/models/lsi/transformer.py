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

#: Singular values below this fraction of the largest one are treated as 0.
RANK = 1e-10
#: Number of power iterations of the randomised decomposition.
ITERATIONS = 5


class LSITransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Latent semantic indexing: project documents onto the k leading singular vectors of X = U S V': z = V' x.

    Parameters
    ----------
    n_components : int, default=100
        Number of components k; at most the number of documents or of words.
    weighting : str, default="log_tfidf"
        Weighting of the counts. "log_tfidf" is log(1 + x_w) log(N / df_w) and "tfidf" is x_w log(N / df_w), both
        L2-normalised per document; "none" uses arbitrary real numbers unchanged.
    scaled : bool, default=False
        Whether z is divided by S, so that all coordinates have the same variance.
    unit_length : bool, default=True
        Whether each z is normalised to unit length, so that inner products are cosines.
    algorithm : str, default="arpack"
        "arpack" (`scipy.sparse.linalg.svds`), which is exact and faster for few documents, or "randomized"
        (`sklearn.utils.extmath.randomized_svd`).
    random_state : int or RandomState or None, default=None
        Random seed of the initial vectors of both algorithms.

    Attributes
    ----------
    components_ : ndarray of shape (k, V), float64
        V'; the entry of each row with the largest absolute value is positive.
    singular_values_ : ndarray of shape (k,), float64
        Singular values S, decreasing.
    word_weights_ : ndarray of shape (V,)
        Log(N / df_w), or 0 for a word that does not occur in the training documents; ones for "none".
    n_features_in_ : int
        Vocabulary size V.

    Examples
    --------
    >>> from textmix import LSITransformer
    >>> X = [[3, 0, 1, 0], [2, 1, 0, 0], [0, 2, 2, 1], [0, 3, 1, 2]]
    >>> LSITransformer(n_components=2, random_state=0).fit_transform(X).shape
    (4, 2)
    """

    #: Fitted attributes and their types, see `textmix.serve.state_schema`.
    _fitted_forms: ClassVar[dict[str, Any]] = {
        "components_": "float64 K V",
        "singular_values_": "float64 K",
        "word_weights_": "float64 V",
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
        """Fit the space to counts (N, V), or to real numbers for the weighting "none"; ``y`` is ignored."""
        X = self._checked(X, reset=True)
        self.word_weights_ = np.ones(X.shape[1]) if self.weighting == "none" else inverse_frequency(X)
        weighted = self.weighted(X)
        k = min(self.n_components, *X.shape)
        # Words that do not occur have zeros in V, so dropping them before the decomposition only saves time.
        seen = np.flatnonzero(np.bincount(X.indices, minlength=X.shape[1]))
        right, values = self._decomposed(weighted[:, seen], min(k, max(len(seen), 1)))
        self.components_ = np.zeros((k, X.shape[1]))
        self.singular_values_ = np.zeros(k)
        self.components_[: len(right), seen] = right
        self.singular_values_[: len(values)] = values
        return self

    def _decomposed(self, X: sparse.csr_array, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Compute V' (k, V) and S (k,) of a matrix (N, V); empty for a matrix without columns."""
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
        """Number of output columns, used by scikit-learn to generate feature names."""
        return len(self.components_)

    def transform(self, X: Any) -> np.ndarray:
        """Compute the coordinates of documents, float64 (N, k); zero for a document without training words."""
        check_is_fitted(self)
        return self.project(self.weighted(self._checked(X, reset=False)))

    def project(self, weighted: Any) -> np.ndarray:
        """Compute the coordinates (N, k) of documents that are already weighted, (N, V)."""
        Z = np.asarray(weighted @ self.basis())
        return unit_length(Z) if self.unit_length else Z

    def basis(self) -> np.ndarray:
        """Return the matrix (V, k) that maps a weighted document to its coordinates: V, or V / S if scaled."""
        check_is_fitted(self)
        if not self.scaled:
            return self.components_.T
        values = self.singular_values_
        known = values > RANK * values.max(initial=0.0)
        return self.components_.T * np.divide(1.0, values, out=np.zeros_like(values), where=known)

    def weighted(self, X: sparse.csr_array) -> sparse.csr_array:
        """Apply the term weighting to documents (N, V); return float64 CSR."""
        if self.weighting == "none":
            return X
        counts = np.log1p(X.data) if self.weighting == "log_tfidf" else X.data
        return unit_cells(X, counts * self.word_weights_[X.indices])

    def _checked(self, X: Any, *, reset: bool) -> sparse.csr_array:
        """Validate documents as required by the weighting; return float64 CSR (N, V)."""
        if self.weighting != "none":
            return check_counts(self, X, reset=reset, dtype=np.float64)
        return canonical(sparse.csr_array(check_features(self, X, reset=reset)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self.weighting != "none"
        return tags


def unit_length(Z: np.ndarray) -> np.ndarray:
    """Normalise rows (N, K) to unit length; zero rows are unchanged."""
    length = np.sqrt(np.einsum("nk,nk->n", Z, Z))[:, np.newaxis]
    return np.divide(Z, length, out=np.zeros_like(Z), where=length > 0)


def unit_cells(X: sparse.csr_array, values: np.ndarray) -> sparse.csr_array:
    """Replace the values of the nonzeros of X (N, V) and normalise rows to unit length; zero rows are unchanged."""
    squares = np.bincount(np.repeat(np.arange(X.shape[0]), np.diff(X.indptr)), values**2, X.shape[0])
    length = np.repeat(np.sqrt(squares), np.diff(X.indptr))
    unit = np.divide(values, length, out=np.zeros_like(values), where=length > 0)
    return sparse.csr_array((unit, X.indices, X.indptr), shape=X.shape)


def exact_svd(X: sparse.csr_array, k: int, state: np.random.RandomState) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Compute U (N, k), S (k,) and V' (k, V) of the k largest singular values.

    ARPACK is used if k is smaller than both dimensions. It fails if the rank of X is far below k; the full
    decomposition of the dense matrix is then used instead.
    """
    first = state.uniform(-1.0, 1.0, min(X.shape)) if k < min(X.shape) else None
    try:
        left, values, right = svds(X, k=k, v0=first) if first is not None else _dense_svd(X, k)
    except ArpackError:
        left, values, right = _dense_svd(X, k)
    order = np.argsort(-values, kind="stable")
    return left[:, order], values[order], right[order]


def _dense_svd(X: sparse.csr_array, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Compute the leading k components of the full decomposition of X as a dense matrix."""
    left, values, right = linalg.svd(X.toarray(), full_matrices=False)
    return left[:, :k], values[:k], right[:k]
