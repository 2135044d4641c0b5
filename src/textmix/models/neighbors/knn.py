"""k-nearest-neighbours classifier with inner products of document representations (EDCM paper, section 6)."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from textmix.models.common.calibration import CalibratedScores
from textmix.models.common.sklearn_private import Interval, StrOptions
from textmix.models.common.validation import check_classified_counts, check_counts, checked_fit
from textmix.models.neighbors.neighbor_kernels import nearest, postings, votes
from textmix.models.neighbors.representations import REPRESENTATIONS, Vectors
from textmix.numerics.threads import by_rows


class Postings(NamedTuple):
    """Inverted index of the training vectors, see `textmix.models.neighbors.neighbor_kernels.postings`."""

    start: np.ndarray
    rows: np.ndarray
    values: np.ndarray


POSTINGS_FORMS = {"start": "int64 V+1", "rows": "int32 P", "values": "float64 P"}


class KNNClassifier(CalibratedScores, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Exact k-nearest-neighbours classifier with one of eight document representations.

    The similarity is the inner product.  Ties between equally similar training documents are resolved by training
    order; the neighbours of a document without in-vocabulary words are therefore the first training documents.

    Parameters
    ----------
    representation : str, default="tfidf"
        Key of `textmix.models.neighbors.representations.REPRESENTATIONS`.
    n_neighbors : int, default=3
        Number of neighbours k, limited to the number of training documents.
    cosine : bool, default=False
        Whether to L2-normalise the vectors; in the paper, the Fisher kernels, L0 and L1 are not normalised.
    weights : {"uniform", "similarity"}, default="uniform"
        Weights of the votes: "uniform" for equal weights, "similarity" for the similarity, clipped at 0.
    ties : {"nearest", "first"}, default="nearest"
        Tie-breaking between classes with equal votes: "nearest" for the class of the nearest neighbour, "first" for the
        first class.
    calibrate : bool, default=False
        Whether to calibrate probabilities from the fractions of votes (`CalibratedScores`), which requires five
        additional fits.

    Attributes
    ----------
    classes_ : ndarray of shape (C,)
        Class labels, sorted.
    n_features_in_ : int
        Number of features V (vocabulary size).
    representation_ : Representation
        Fitted representation.
    slope_ : float or None
        See `CalibratedScores`.

    Examples
    --------
    >>> from textmix import KNNClassifier
    >>> X = [[3, 0, 1], [2, 1, 0], [0, 2, 2], [0, 3, 1]]
    >>> y = ["sport", "sport", "art", "art"]
    >>> model = KNNClassifier(n_neighbors=1).fit(X, y)
    >>> model.predict([[5, 0, 1], [0, 1, 1]]).tolist()
    ['sport', 'art']
    """

    @property
    def _fitted_forms(self) -> dict[str, Any]:
        """Schema of the fitted attributes, which depends on ``representation``; see `textmix.serve.state_schema`."""
        kind = type(REPRESENTATIONS[self.representation]())
        return {
            "classes_": "int C",
            "n_features_in_": "int",
            "_codes": "int64 N",
            "_right": "float64 N R",
            "_postings": (Postings, POSTINGS_FORMS),
            "representation_": (kind, kind.forms),
            **self._calibration_forms,
        }

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "representation": [StrOptions(set(REPRESENTATIONS))],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "cosine": ["boolean"],
        "weights": [StrOptions({"uniform", "similarity"})],
        "ties": [StrOptions({"nearest", "first"})],
        "calibrate": ["boolean"],
    }

    def __init__(
        self,
        *,
        representation: str = "tfidf",
        n_neighbors: int = 3,
        cosine: bool = False,
        weights: Literal["uniform", "similarity"] = "uniform",
        ties: Literal["nearest", "first"] = "nearest",
        calibrate: bool = False,
    ) -> None:
        self.representation = representation
        self.n_neighbors = n_neighbors
        self.cosine = cosine
        self.weights = weights
        self.ties = ties
        self.calibrate = calibrate

    @checked_fit
    def fit(self, X: Any, y: Any) -> Self:
        """Build the inverted index of the training documents.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (N, V)
            Nonnegative counts.
        y : array-like of shape (N,)
            Class labels.

        Returns
        -------
        self : object
            Fitted estimator.
        """
        X, y = check_classified_counts(self, X, y, reset=True)
        self.classes_, self._codes = np.unique(y, return_inverse=True)
        self.representation_ = REPRESENTATIONS[self.representation]().fit(X)
        vectors = self._vectors(X)
        matrix = vectors.sparse
        self._postings = Postings(*postings(matrix.indptr, matrix.indices, matrix.data, matrix.shape[1]))
        self._right = vectors.right
        self._calibrate(X, self._codes)
        return self

    def _check_loaded(self) -> None:
        start, rows, _ = self._postings
        ordered = start[0] == 0 and start[-1] == len(rows) and bool((np.diff(start) >= 0).all())
        known = 0 <= rows.min(initial=0) and rows.max(initial=-1) < len(self._codes)
        elected = len(self._codes) and 0 <= self._codes.min() and self._codes.max() < len(self.classes_)
        dense = self._vectors(sparse.csr_array((1, self.n_features_in_))).left.shape[1]
        if not (ordered and known and elected and dense == self._right.shape[1]):
            raise ValueError("the neighbours hold an index out of range, or vectors of another length")

    def _vectors(self, X: sparse.csr_array) -> Vectors:
        vectors = self.representation_.transform(X)
        return vectors.cosine() if self.cosine else vectors

    def kneighbors(self, X: Any, n_neighbors: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Find the nearest training documents.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (N, V)
            Nonnegative counts.
        n_neighbors : int, default=None
            Number of neighbours k; the parameter of the estimator if None.

        Returns
        -------
        similarity : ndarray of shape (N, k)
            Similarities in decreasing order.
        index : ndarray of shape (N, k)
            Row indices of the training documents.
        """
        check_is_fitted(self)
        X = check_counts(self, X, reset=False)
        k = min(n_neighbors or self.n_neighbors, len(self._codes))
        vectors = self._vectors(X)
        matrix = vectors.sparse

        def nearest_of(low: int, high: int) -> tuple[np.ndarray, np.ndarray]:
            """Compute similarities and indices of the neighbours of documents ``low:high``."""
            queries = matrix.indptr[low : high + 1], matrix.indices, matrix.data, vectors.left[low:high]
            similarity, index = nearest(*queries, *self._postings, self._right, k)
            return similarity, index

        similarity, index = by_rows(nearest_of, matrix.indptr)
        return similarity, index

    def elect(self, similarity: np.ndarray, index: np.ndarray) -> np.ndarray:
        """Predict the class of each query from its first 1, 2, ..., K neighbours, (Q, K)."""
        weight = self._weight(similarity)
        return self.classes_[votes(self._codes[index], weight, len(self.classes_), self.ties == "nearest")]

    def _weight(self, similarity: np.ndarray) -> np.ndarray:
        """Compute the weight of the vote of each neighbour, an array of the same shape."""
        return np.ones_like(similarity) if self.weights == "uniform" else np.maximum(similarity, 0.0)

    def _class_scores(self, X: Any) -> np.ndarray:
        """Compute the fraction of votes for each class, float64 (N, C); uniform if all votes have weight 0."""
        return self._vote_shares(*self.kneighbors(X))

    def _vote_shares(self, similarity: np.ndarray, index: np.ndarray) -> np.ndarray:
        """Compute the fractions of votes of the neighbours, float64 (N, C), see `_class_scores`."""
        weight = self._weight(similarity)
        shares = np.zeros((len(index), len(self.classes_)))
        np.add.at(shares, (np.arange(len(index))[:, np.newaxis], self._codes[index]), weight)
        total = shares.sum(axis=1, keepdims=True)
        return np.divide(shares, total, out=np.full(shares.shape, 1.0 / shares.shape[1]), where=total > 0)

    def decision_function(self, X: Any) -> np.ndarray:
        """Compute the fraction of votes for each class, float64 (N, C); for two classes their difference, (N,).

        The fraction of the predicted class is increased to the next floating-point number, so that it is the largest
        even if classes have equal votes.
        """
        similarity, index = self.kneighbors(X)
        elected = np.searchsorted(self.classes_, self.elect(similarity, index)[:, -1])
        return decision_of_shares(self._vote_shares(similarity, index), elected)

    def predict(self, X: Any) -> np.ndarray:
        """Predict the class of each document, (N,)."""
        return self.elect(*self.kneighbors(X))[:, -1]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags


def decision_of_shares(shares: np.ndarray, elected: np.ndarray) -> np.ndarray:
    """Convert fractions of votes to decision values, float64 (N, C); for two classes their difference, (N,)."""
    rows = np.arange(len(shares))
    decision = shares.copy()
    decision[rows, elected] = np.nextafter(shares[rows, elected], np.inf)
    return decision[:, 1] - decision[:, 0] if decision.shape[1] == 2 else decision
