"""Classifier on averaged embeddings of words and n-grams that are trained jointly (fastText), in a single thread.

Source: see `embedding_kernels`.  The n-grams are columns of the count matrix, for example from feature extraction with
``max_n: 2``.  If there are more columns than embeddings, columns are hashed to embeddings.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from textmix.models.common.sklearn_private import Interval
from textmix.models.common.validation import check_classified_counts, check_counts, checked_fit, generator
from textmix.models.network.embedding_kernels import bucket_of, class_probabilities, train


class EmbeddingClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Softmax classifier on the mean word embedding of a document; embeddings and classifier are trained jointly.

    Parameters
    ----------
    dimension : int, default=20
        Embedding dimension D.
    epochs : int, default=20
        Number of passes over the training documents.
    rate : float, default=0.5
        Initial learning rate.
    buckets : int, default=262144
        Maximum number of embeddings B; if there are more features, they are hashed to embeddings.
    random_state : int, RandomState instance or None, default=None
        Random seed for the initial embeddings and the order of the documents.

    Attributes
    ----------
    classes_ : ndarray of shape (C,)
        Class labels, sorted.
    embedding_ : ndarray of shape (B, D)
        Embeddings of the features or buckets.
    output_ : ndarray of shape (C, D)
        Weights of the softmax layer.
    n_features_in_ : int
        Number of features V.

    Examples
    --------
    >>> from textmix import EmbeddingClassifier
    >>> X = [[3, 0, 1], [2, 1, 0], [0, 2, 2], [0, 3, 1]]
    >>> y = ["sport", "sport", "art", "art"]
    >>> model = EmbeddingClassifier(dimension=4, epochs=100, random_state=0).fit(X, y)
    >>> model.predict([[5, 0, 1], [0, 1, 1]]).tolist()
    ['sport', 'art']
    """

    _fitted_forms: ClassVar[dict[str, Any]] = {
        "classes_": "int C",
        "n_features_in_": "int",
        "embedding_": "float64 B D",
        "output_": "float64 C D",
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "dimension": [Interval(Integral, 1, None, closed="left")],
        "epochs": [Interval(Integral, 1, None, closed="left")],
        "rate": [Interval(Real, 0, None, closed="neither")],
        "buckets": [Interval(Integral, 1, 2**31, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        dimension: int = 20,
        epochs: int = 20,
        rate: float = 0.5,
        buckets: int = 2**18,
        random_state: Any = None,
    ) -> None:
        self.dimension = dimension
        self.epochs = epochs
        self.rate = rate
        self.buckets = buckets
        self.random_state = random_state

    @checked_fit
    def fit(self, X: Any, y: Any) -> Self:
        """Train the embeddings and the classifier.

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
        counts, y = check_classified_counts(self, X, y, reset=True)
        self.classes_, codes = np.unique(y, return_inverse=True)
        rng = generator(self.random_state)
        rows = min(self.buckets, self.n_features_in_)
        self.embedding_ = rng.uniform(-1.0, 1.0, (rows, self.dimension)) / self.dimension
        self.output_ = np.zeros((len(self.classes_), self.dimension))
        order = np.concatenate([rng.permutation(len(codes)) for _ in range(self.epochs)])
        train(*self._cells(counts), codes.astype(np.int64), order, float(self.rate), self.embedding_, self.output_)
        return self

    def _check_loaded(self) -> None:
        if len(self.embedding_) != min(self.buckets, self.n_features_in_):
            raise ValueError("embedding_ has not a row for each feature or bucket; save the model again")

    def _cells(self, counts: sparse.csr_array) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return CSR index pointers, embedding indices, and counts as float64."""
        rows = counts.indices
        if self.n_features_in_ > self.buckets:
            rows = bucket_of(rows.astype(np.int64), self.buckets)
        return counts.indptr, rows, counts.data.astype(np.float64)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Compute p(c|x), float64 (N, C); uniform for a document without words."""
        check_is_fitted(self)
        return class_probabilities(*self._cells(check_counts(self, X, reset=False)), self.embedding_, self.output_)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Compute log p(c|x), float64 (N, C)."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: Any) -> np.ndarray:
        """Predict the most probable class of each document, (N,)."""
        best = np.argmax(self.predict_proba(X), axis=1)
        return self.classes_[best]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags
