"""The probabilistic neural network: a density of Gaussian kernels for each class, one kernel a training document.

Source: D. F. Specht, Probabilistic neural networks, Neural Networks 3, 1990.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from scipy.special import log_softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from textmix.models.common.sklearn_private import Interval
from textmix.models.common.validation import check_classified, check_matrix, checked_fit

#: Most cells of a block of documents by training documents, 8 MB.
CELLS = 2**20


class ProbabilisticNeuralNetwork(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """p(c|z) in proportion to p(c) mean_n exp(-|z - z_n|^2 / (2 width^2)), over the N_c training documents of class c.

    No matrix of all documents by all training documents is made: blocks of at most `CELLS` cells are.

    Parameters
    ----------
    width : standard deviation of every kernel, in units of the coordinates.

    Attributes
    ----------
    classes_ : (C,) class labels, sorted.
    class_log_prior_ : float64 (C,), the log share of each class.
    n_features_in_ : K, the number of coordinates.

    Examples
    --------
    >>> from textmix import ProbabilisticNeuralNetwork
    >>> model = ProbabilisticNeuralNetwork(width=0.5).fit([[0.0], [0.2], [1.0]], ["a", "a", "b"])
    >>> model.predict([[0.1], [0.9]]).tolist()
    ['a', 'b']
    """

    #: Fitted attributes and their forms, see `textmix.serve.forms`.
    _fitted_forms: ClassVar[dict[str, Any]] = {
        **{"classes_": "int C", "class_log_prior_": "logs C", "n_features_in_": "int"},
        **{"_points": "float64 N K", "_starts": "int64 C"},
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"width": [Interval(Real, 0, None, closed="neither")]}

    def __init__(self, *, width: float = 0.2) -> None:
        self.width = width

    @checked_fit
    def fit(self, X: Any, y: Any) -> Self:
        """Store the training documents' coordinates (N, K) and class labels (N,).

        Raises
        ------
        ValueError : X and y do not suit each other.
        """
        X, y = check_classified(self, X, y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        counts = np.bincount(codes)
        self.class_log_prior_ = np.log(counts / counts.sum())
        self._starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
        self._points = _dense(X)[np.argsort(codes, kind="stable")]
        return self

    def _check_loaded(self) -> None:
        """Raise ValueError if the starts of the classes, read from a file, do not increase from 0 within the points."""
        if self._starts[0] != 0 or (np.diff(self._starts) <= 0).any() or self._starts[-1] >= len(self._points):
            raise ValueError("the classes of the network have no order, or one has no document")

    def predict_joint_log_proba(self, X: Any) -> np.ndarray:
        """Return log p(c) + log mean_n exp(-|z - z_n|^2 / (2 width^2)), float64 (N, C)."""
        check_is_fitted(self)
        X = _dense(check_matrix(self, X))
        rows = max(1, CELLS // len(self._points))
        joint = np.empty((len(X), len(self.classes_)))
        for start in range(0, len(X), rows):
            joint[start : start + rows] = self._log_densities(X[start : start + rows])
        return joint + self.class_log_prior_

    def _log_densities(self, block: np.ndarray) -> np.ndarray:
        """Return the log densities of the classes up to a constant, float64 (B, C), of a block of B documents."""
        counts = np.diff(np.append(self._starts, len(self._points)))
        exponents = block @ self._points.T
        exponents *= -2.0
        exponents += np.einsum("nk,nk->n", self._points, self._points)
        exponents += np.einsum("nk,nk->n", block, block)[:, np.newaxis]
        np.maximum(exponents, 0.0, out=exponents)  # rounding leaves a distance of 0 below it
        exponents /= -2.0 * self.width**2
        # Sums by class of exponentials: the largest exponent of each class is taken out, against underflow.
        largest = np.maximum.reduceat(exponents, self._starts, axis=1)
        exponents -= np.repeat(largest, counts, axis=1)
        sums = np.add.reduceat(np.exp(exponents, out=exponents), self._starts, axis=1)
        return largest + np.log(sums / counts)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Return the log posteriors, float64 (N, C)."""
        return np.asarray(log_softmax(self.predict_joint_log_proba(X), axis=1))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the posteriors, float64 (N, C)."""
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: Any) -> np.ndarray:
        """Return the likeliest class of each document, (N,); of equally likely ones the first."""
        check_is_fitted(self)
        return self.classes_[np.argmax(self.predict_joint_log_proba(X), axis=1)]

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that sparse input is taken."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _dense(X: Any) -> np.ndarray:
    """Return coordinates (N, K), sparse or dense, as a float64 array in C order."""
    return np.ascontiguousarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)
