"""A small multi-layer perceptron on TF-IDF, trained by scikit-learn and kept as arrays."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from scipy.special import log_softmax
from sklearn import feature_extraction, neural_network
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from textmix.models.common.label_counts import unit_rows
from textmix.models.common.sklearn_private import Interval, checks_parameters
from textmix.models.common.validation import check_classified_counts, check_counts


class TfidfNetwork(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """One layer of hidden units (ReLU) on log(1 + count) idf with rows of length 1, trained by Adam.

    Parameters
    ----------
    hidden : H, number of hidden units.
    decay : L2 penalty, ``alpha`` of `sklearn.neural_network.MLPClassifier`.
    rate : learning rate of Adam.
    max_iter : most passes over the training documents.
    random_state : draws the first weights and the order of the documents.

    Attributes
    ----------
    classes_ : (C,) class labels, sorted.
    idf_ : float64 (V,), inverse document frequencies.
    hidden_, hidden_bias_ : float64 (V, H) and (H,).
    output_, output_bias_ : float64 (H, C) and (C,).
    n_iter_, converged_ : passes, and whether the loss had stopped to fall.
    n_features_in_ : V.

    Examples
    --------
    >>> from textmix import TfidfNetwork
    >>> X = [[3, 0, 1], [2, 1, 0], [0, 2, 2], [0, 3, 1]]
    >>> y = ["sport", "sport", "art", "art"]
    >>> model = TfidfNetwork(hidden=4, max_iter=200, random_state=0).fit(X, y)
    >>> model.predict([[5, 0, 1], [0, 1, 1]]).tolist()
    ['sport', 'art']
    """

    _fitted_forms: ClassVar[dict[str, Any]] = {
        **{"classes_": "int C", "n_features_in_": "int", "idf_": "float64 V", "n_iter_": "int", "converged_": "bool"},
        **{"hidden_": "float64 V H", "hidden_bias_": "float64 H"},
        **{"output_": "float64 H C", "output_bias_": "float64 C"},
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "hidden": [Interval(Integral, 1, None, closed="left")],
        "decay": [Interval(Real, 0, None, closed="left")],
        "rate": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self, *, hidden: int = 32, decay: float = 1e-4, rate: float = 0.01, max_iter: int = 30, random_state: Any = None
    ) -> None:
        self.hidden = hidden
        self.decay = decay
        self.rate = rate
        self.max_iter = max_iter
        self.random_state = random_state

    @checks_parameters
    def fit(self, X: Any, y: Any) -> Self:
        """Train on counts (N, V), sparse or dense, and class labels (N,).

        Raises
        ------
        ValueError : a negative or non-finite count, y no class labels, or different lengths.
        """
        counts, y = check_classified_counts(self, X, y, reset=True)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.idf_ = np.asarray(feature_extraction.text.TfidfTransformer().fit(counts).idf_, dtype=np.float64)
        settings = {"alpha": self.decay, "learning_rate_init": self.rate, "max_iter": self.max_iter}
        network = neural_network.MLPClassifier((self.hidden,), random_state=self.random_state, tol=1e-3, **settings)
        with warnings.catch_warnings():
            # The attribute ``converged_`` says it.
            warnings.simplefilter("ignore", ConvergenceWarning)
            network.fit(self._weighted(counts), codes)
        self.hidden_, output = network.coefs_
        self.hidden_bias_, bias = network.intercepts_
        # Of two classes scikit-learn scores the second one alone; of one class, the only one.
        two = len(self.classes_) == 2
        self.output_ = np.ascontiguousarray(np.hstack([np.zeros_like(output), output]) if two else output)
        self.output_bias_ = np.append(0.0, bias) if two else bias
        self.n_iter_, self.converged_ = network.n_iter_, network.n_iter_ < self.max_iter
        return self

    def _weighted(self, counts: sparse.csr_array) -> sparse.csr_array:
        """Return log(1 + x) idf of counts x (N, V), rows divided by their lengths, float64 CSR."""
        values = np.log1p(counts.data.astype(np.float64)) * self.idf_[counts.indices]
        rows = sparse.csr_array((values, counts.indices, counts.indptr), shape=counts.shape)
        return unit_rows(rows, 2.0)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Return log p(c|x), float64 (N, C).

        Raises
        ------
        NotFittedError : there was no fit.
        ValueError : X has other columns than in the fit, or holds NaN, infinity or a negative number.
        """
        check_is_fitted(self)
        rows = self._weighted(check_counts(self, X, reset=False))
        units = np.maximum(np.asarray(rows @ self.hidden_) + self.hidden_bias_, 0.0)
        return np.asarray(log_softmax(units @ self.output_ + self.output_bias_, axis=1))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return p(c|x), float64 (N, C).

        Raises
        ------
        NotFittedError : there was no fit.
        ValueError : X has other columns than in the fit, or holds NaN, infinity or a negative number.
        """
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: Any) -> np.ndarray:
        """Return the likeliest class of each document, (N,).

        Raises
        ------
        NotFittedError : there was no fit.
        ValueError : X has other columns than in the fit, or holds NaN, infinity or a negative number.
        """
        best = np.argmax(self.predict_log_proba(X), axis=1)
        return self.classes_[best]

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn: sparse input, no negative values, poor predictions on data that are not counts."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags
