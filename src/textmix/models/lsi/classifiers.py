"""Classifiers in the space of latent semantic indexing: kernel density, nearest neighbours, logistic regression.

The probabilistic neural network is a Gaussian kernel density estimate per class, with one kernel per training document:
D. F. Specht, Probabilistic neural networks, Neural Networks 3, 1990.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from scipy.special import log_softmax
from sklearn import linear_model
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from textmix.models.common.sklearn_private import Interval, StrOptions
from textmix.models.common.validation import (
    check_classified,
    check_classified_counts,
    check_counts,
    check_matrix,
    checked_fit,
)
from textmix.models.lsi.scores import SCORES, document_frequency, kept_words
from textmix.models.lsi.transformer import LSITransformer
from textmix.models.neighbors.knn import decision_of_shares
from textmix.models.neighbors.neighbor_kernels import nearest, votes

#: Maximum number of elements of a block of documents by training documents, 8 MB.
CELLS = 2**20


class ProbabilisticNeuralNetwork(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Probabilistic neural network: a classifier by Gaussian kernel density estimation.

    p(c|z) is proportional to p(c) mean_n exp(-|z - z_n|^2 / (2 width^2)), over the N_c training documents of class c.
    The distance matrix is computed in blocks of at most `CELLS` elements.

    Parameters
    ----------
    width : float, default=0.2
        Standard deviation of the kernels, in units of the coordinates.

    Attributes
    ----------
    classes_ : ndarray of shape (C,)
        Class labels, sorted.
    class_log_prior_ : ndarray of shape (C,)
        Log of the class proportions.
    n_features_in_ : int
        Number of coordinates K.

    Examples
    --------
    >>> from textmix import ProbabilisticNeuralNetwork
    >>> model = ProbabilisticNeuralNetwork(width=0.5).fit([[0.0], [0.2], [1.0]], ["a", "a", "b"])
    >>> model.predict([[0.1], [0.9]]).tolist()
    ['a', 'b']
    """

    #: Fitted attributes and their types, see `textmix.serve.state_schema`.
    _fitted_forms: ClassVar[dict[str, Any]] = {
        "classes_": "int C",
        "class_log_prior_": "logs C",
        "n_features_in_": "int",
        "_points": "float64 N K",
        "_starts": "int64 C",
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"width": [Interval(Real, 0, None, closed="neither")]}

    def __init__(self, *, width: float = 0.2) -> None:
        self.width = width

    @checked_fit
    def fit(self, X: Any, y: Any) -> Self:
        """Store the coordinates (N, K) and class labels (N,) of the training documents."""
        X, y = check_classified(self, X, y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        counts = np.bincount(codes)
        self.class_log_prior_ = np.log(counts / counts.sum())
        self._starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
        self._points = _dense(X)[np.argsort(codes, kind="stable")]
        return self

    def _check_loaded(self) -> None:
        if self._starts[0] != 0 or (np.diff(self._starts) <= 0).any() or self._starts[-1] >= len(self._points):
            raise ValueError("the classes of the network have no order, or one has no document")

    def predict_joint_log_proba(self, X: Any) -> np.ndarray:
        """Compute log p(c) + log mean_n exp(-|z - z_n|^2 / (2 width^2)), float64 (N, C)."""
        check_is_fitted(self)
        X = _dense(check_matrix(self, X))
        rows = max(1, CELLS // len(self._points))
        joint = np.empty((len(X), len(self.classes_)))
        for start in range(0, len(X), rows):
            joint[start : start + rows] = self._log_densities(X[start : start + rows])
        return joint + self.class_log_prior_

    def _log_densities(self, block: np.ndarray) -> np.ndarray:
        """Compute the log densities of the classes up to a constant, float64 (B, C), for a block of B documents."""
        counts = np.diff(np.append(self._starts, len(self._points)))
        exponents = block @ self._points.T
        exponents *= -2.0
        exponents += np.einsum("nk,nk->n", self._points, self._points)
        exponents += np.einsum("nk,nk->n", block, block)[:, np.newaxis]
        np.maximum(exponents, 0.0, out=exponents)  # rounding errors can make zero distances negative
        exponents /= -2.0 * self.width**2
        # Log-sum-exp by class: the largest exponent of each class is subtracted to avoid underflow.
        largest = np.maximum.reduceat(exponents, self._starts, axis=1)
        exponents -= np.repeat(largest, counts, axis=1)
        sums = np.add.reduceat(np.exp(exponents, out=exponents), self._starts, axis=1)
        return largest + np.log(sums / counts)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Compute the log posteriors, float64 (N, C)."""
        return np.asarray(log_softmax(self.predict_joint_log_proba(X), axis=1))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Compute the posteriors, float64 (N, C)."""
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: Any) -> np.ndarray:
        """Predict the most probable class of each document, (N,); ties are resolved towards the first class."""
        check_is_fitted(self)
        return self.classes_[np.argmax(self.predict_joint_log_proba(X), axis=1)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class LSIClassifier(ClassifierMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """Base class of classifiers of the unit-length coordinates of `LSITransformer`.

    Parameters
    ----------
    n_components : int
        Number of coordinates K.
    weighting : str
        Weighting of the counts, see `LSITransformer`.
    random_state : int, RandomState or None
        Random seed of the singular value decomposition.

    Attributes
    ----------
    classes_ : ndarray of shape (C,)
        Class labels, sorted.
    n_features_in_ : int
        Vocabulary size V.
    lsi_ : LSITransformer
        Fitted transformer.
    """

    n_components: int
    weighting: str
    random_state: Any
    #: Fitted attributes and their types, see `textmix.serve.state_schema`.
    _forms: ClassVar[dict[str, Any]] = {
        "classes_": "int C",
        "n_features_in_": "int",
        "lsi_": (LSITransformer, LSITransformer._fitted_forms),
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "weighting": [StrOptions({"log_tfidf", "tfidf"})],
        "random_state": ["random_state"],
    }

    @checked_fit
    def fit(self, X: Any, y: Any) -> Self:
        """Fit the LSI space to counts (N, V), and the classifier in this space to class labels (N,)."""
        X, y = check_classified_counts(self, X, y, reset=True)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.lsi_ = self._fit_space(X, codes)
        self._fit_coordinates(self.lsi_.transform(X), codes)
        return self

    def _fit_space(self, X: sparse.csr_array, codes: np.ndarray) -> LSITransformer:
        """Fit the transformer to counts (N, V) of documents with class indices (N,), and return it."""
        return self._transformer().fit(X)

    def _transformer(self) -> LSITransformer:
        """Create an unfitted transformer with the classifier's parameters."""
        return LSITransformer(n_components=self.n_components, weighting=self.weighting, random_state=self.random_state)

    def _check_loaded(self) -> None:
        """Restore the parameters of a transformer after loading."""
        for name, value in self._transformer().get_params().items():
            setattr(self.lsi_, name, value)

    def _coordinates(self, X: Any) -> np.ndarray:
        """Compute the coordinates of documents, float64 (N, K)."""
        check_is_fitted(self)
        counts = check_counts(self, X, reset=False, dtype=np.float64)
        return self.lsi_.project(self.lsi_.weighted(counts))

    @abstractmethod
    def _fit_coordinates(self, Z: np.ndarray, codes: np.ndarray) -> None:
        """Fit the classifier to coordinates (N, K) and class indices (N,)."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags


class _Scored(LSIClassifier):
    """Base class of classifiers with a log posterior for each class."""

    @abstractmethod
    def _log_posteriors(self, Z: np.ndarray) -> np.ndarray:
        """Compute the log posteriors from coordinates (N, K), float64 (N, C)."""

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Compute the log posteriors, float64 (N, C)."""
        return self._log_posteriors(self._coordinates(X))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Compute the posteriors, float64 (N, C)."""
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: Any) -> np.ndarray:
        """Predict the most probable class of each document, (N,)."""
        log_proba = self.predict_log_proba(X)
        return self.classes_[np.argmax(log_proba, axis=1)]


class LSIDensityClassifier(_Scored):
    """Probabilistic neural network in the space of latent semantic indexing; see `ProbabilisticNeuralNetwork`.

    Parameters
    ----------
    n_components : int, default=100
        See `LSIClassifier`.
    weighting : str, default="log_tfidf"
        See `LSIClassifier`.
    random_state : int or RandomState or None, default=None
        See `LSIClassifier`.
    width : float, default=0.2
        Standard deviation of the kernels; the coordinates have unit length.

    Examples
    --------
    >>> from textmix import LSIDensityClassifier
    >>> X = [[3, 0, 1], [2, 1, 0], [0, 2, 2], [0, 3, 1]]
    >>> model = LSIDensityClassifier(n_components=2, random_state=0).fit(X, ["sport", "sport", "art", "art"])
    >>> model.predict([[5, 0, 1], [0, 1, 1]]).tolist()
    ['sport', 'art']
    """

    _fitted_forms: ClassVar[dict[str, Any]] = {
        **LSIClassifier._forms,
        "network_": (ProbabilisticNeuralNetwork, {**ProbabilisticNeuralNetwork._fitted_forms, "width": "float"}),
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LSIClassifier._parameter_constraints,
        "width": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        *,
        n_components: int = 100,
        width: float = 0.2,
        weighting: str = "log_tfidf",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_components = n_components
        self.width = width
        self.weighting = weighting
        self.random_state = random_state

    def _fit_coordinates(self, Z: np.ndarray, codes: np.ndarray) -> None:
        self.network_ = ProbabilisticNeuralNetwork(width=self.width).fit(Z, codes)

    def _log_posteriors(self, Z: np.ndarray) -> np.ndarray:
        return self.network_.predict_log_proba(Z)

    def _check_loaded(self) -> None:
        """Restore derived attributes after loading; raise ValueError if the network is malformed."""
        super()._check_loaded()
        self.network_._check_loaded()


class PrunedLSIClassifier(LSIDensityClassifier):
    """`LSIDensityClassifier` restricted to words with consistent sensitivity in an ensemble of networks.

    Parameters
    ----------
    share : float, default=0.1
        Proportion of the training vocabulary that is kept.
    criterion : str, default="sensitivity"
        Scoring function of the words, a key of `textmix.models.lsi.scores.SCORES`.
    n_components : int, default=100
        See `LSIDensityClassifier`.
    width : float, default=0.2
        See `LSIDensityClassifier`.
    weighting : str, default="log_tfidf"
        See `LSIDensityClassifier`.
    random_state : int or RandomState or None, default=None
        See `LSIDensityClassifier`; the seed is also used for the ensemble.

    Attributes
    ----------
    kept_ : ndarray, int64
        Columns of the selected words.

    Examples
    --------
    >>> from textmix import PrunedLSIClassifier
    >>> X = [[3, 0, 1, 1], [2, 1, 0, 1], [0, 2, 2, 1], [0, 3, 1, 1]]
    >>> model = PrunedLSIClassifier(share=0.5, criterion="information_gain", n_components=2, random_state=0)
    >>> model.fit(X, ["sport", "sport", "art", "art"]).kept_.tolist()
    [0, 1]
    """

    _fitted_forms: ClassVar[dict[str, Any]] = {**LSIDensityClassifier._fitted_forms, "kept_": "int64 W"}
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LSIDensityClassifier._parameter_constraints,
        "share": [Interval(Real, 0, 1, closed="right")],
        "criterion": [StrOptions(set(SCORES))],
    }

    def __init__(
        self,
        *,
        share: float = 0.1,
        criterion: str = "sensitivity",
        n_components: int = 100,
        width: float = 0.2,
        weighting: str = "log_tfidf",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(n_components=n_components, width=width, weighting=weighting, random_state=random_state)
        self.share = share
        self.criterion = criterion

    def _fit_space(self, X: sparse.csr_array, codes: np.ndarray) -> LSITransformer:
        """Fit the space of the highest-scoring words; all other words have zero weight."""
        seed = int(check_random_state(self.random_state).randint(2**31))
        frequency = document_frequency(X)
        self.kept_ = np.arange(X.shape[1])
        if len(self.classes_) > 1 and len(codes) > 1:
            scores = SCORES[self.criterion](X, codes, np.random.default_rng(seed))
            self.kept_ = kept_words(scores, frequency, self.share)
        pruned = X @ sparse.diags_array(np.isin(np.arange(X.shape[1]), self.kept_).astype(np.float64))
        pruned = sparse.csr_array(pruned)
        pruned.eliminate_zeros()
        return self._transformer().fit(pruned)


class LSILogisticRegression(_Scored):
    """Logistic regression (scikit-learn) in the space of latent semantic indexing.

    Parameters
    ----------
    n_components : int, default=100
        See `LSIClassifier`.
    weighting : str, default="log_tfidf"
        See `LSIClassifier`.
    random_state : int or RandomState or None, default=None
        See `LSIClassifier`.
    C : float, default=10.0
        Inverse regularisation strength.
    max_iter : int, default=500
        Maximum number of L-BFGS iterations.

    Attributes
    ----------
    coef_, intercept_ : ndarray of shape (C, K) and (C,)
        Weights and intercepts; the posterior is the softmax of the scores.
    n_iter_ : int
        Number of iterations.

    Examples
    --------
    >>> from textmix import LSILogisticRegression
    >>> X = [[3, 0, 1], [2, 1, 0], [0, 2, 2], [0, 3, 1]]
    >>> model = LSILogisticRegression(n_components=2, random_state=0).fit(X, ["sport", "sport", "art", "art"])
    >>> model.predict([[5, 0, 1], [0, 1, 1]]).tolist()
    ['sport', 'art']
    """

    _fitted_forms: ClassVar[dict[str, Any]] = {
        **LSIClassifier._forms,
        "coef_": "float64 C K",
        "intercept_": "float64 C",
        "n_iter_": "int",
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LSIClassifier._parameter_constraints,
        "C": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        *,
        n_components: int = 100,
        C: float = 10.0,
        weighting: str = "log_tfidf",
        max_iter: int = 500,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_components = n_components
        self.C = C
        self.weighting = weighting
        self.max_iter = max_iter
        self.random_state = random_state

    def _fit_coordinates(self, Z: np.ndarray, codes: np.ndarray) -> None:
        if len(self.classes_) == 1:
            self.coef_ = np.zeros((1, Z.shape[1]))
            self.intercept_ = np.zeros(1)
            self.n_iter_ = 0
            return
        model = linear_model.LogisticRegression(C=self.C, max_iter=self.max_iter).fit(Z, codes)
        two = len(self.classes_) == 2  # a single row, for the second class
        coef = np.vstack([np.zeros_like(model.coef_), model.coef_]) if two else model.coef_
        self.coef_ = np.ascontiguousarray(coef)
        self.intercept_ = np.append(0.0, model.intercept_) if two else model.intercept_
        self.n_iter_ = int(model.n_iter_.max())

    def _log_posteriors(self, Z: np.ndarray) -> np.ndarray:
        return log_softmax(Z @ self.coef_.T + self.intercept_, axis=1)


class LSINeighbors(LSIClassifier):
    """Nearest-neighbour classifier by cosine similarity in the space of latent semantic indexing, with uniform votes.

    Ties are resolved in favour of the class of the nearest document.

    Parameters
    ----------
    n_components : int, default=100
        See `LSIClassifier`.
    weighting : str, default="log_tfidf"
        See `LSIClassifier`.
    random_state : int or RandomState or None, default=None
        See `LSIClassifier`.
    n_neighbors : int, default=10
        Number of neighbours; at most the number of training documents.

    Examples
    --------
    >>> from textmix import LSINeighbors
    >>> X = [[3, 0, 1], [2, 1, 0], [0, 2, 2], [0, 3, 1]]
    >>> model = LSINeighbors(n_components=2, n_neighbors=1, random_state=0).fit(X, ["sport", "sport", "art", "art"])
    >>> model.predict([[5, 0, 1], [0, 1, 1]]).tolist()
    ['sport', 'art']
    """

    _fitted_forms: ClassVar[dict[str, Any]] = {**LSIClassifier._forms, "_points": "float64 N K", "_codes": "int64 N"}
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LSIClassifier._parameter_constraints,
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        *,
        n_components: int = 100,
        n_neighbors: int = 10,
        weighting: str = "log_tfidf",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.weighting = weighting
        self.random_state = random_state

    def _fit_coordinates(self, Z: np.ndarray, codes: np.ndarray) -> None:
        self._points = Z
        self._codes = codes.astype(np.int64)

    def _check_loaded(self) -> None:
        """Restore derived attributes after loading; raise ValueError if class indices are out of range."""
        super()._check_loaded()
        if not len(self._codes) or self._codes.min() < 0 or self._codes.max() >= len(self.classes_):
            raise ValueError("the neighbours hold an index of no class")

    def decision_function(self, X: Any) -> np.ndarray:
        """Compute the proportion of votes of each class, float64 (N, C); for two classes the lead of the second, (N,).

        If proportions are tied, the proportion of the predicted class is increased to the next larger number, so that
        the argmax is the predicted class.
        """
        index, elected = self._election(X)
        shares = np.zeros((len(index), len(self.classes_)))
        np.add.at(shares, (np.arange(len(index))[:, np.newaxis], self._codes[index]), 1.0 / index.shape[1])
        return decision_of_shares(shares, elected)

    def predict(self, X: Any) -> np.ndarray:
        """Predict the class of each document by majority vote, (N,)."""
        _, elected = self._election(X)
        return self.classes_[elected]

    def _election(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Find the neighbours of each document, int (N, k), and the index of the winning class, (N,)."""
        Z = self._coordinates(X)
        none = sparse.csr_array((len(Z), 1))
        start = np.zeros(2, dtype=np.int64)
        postings = (start, np.empty(0, dtype=np.int32), np.empty(0))
        k = min(self.n_neighbors, len(self._codes))
        similarity, index = nearest(none.indptr, none.indices, none.data, Z, *postings, self._points, k)
        elected = votes(self._codes[index], np.ones_like(similarity), len(self.classes_), True)
        return index, elected[:, -1]


def _dense(X: Any) -> np.ndarray:
    """Convert coordinates (N, K), sparse or dense, to a float64 array in C order."""
    return np.ascontiguousarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)
