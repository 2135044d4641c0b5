"""`LinearTexts`: one-vs-rest linear models of many sparse features, for classes or labels."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy import sparse
from scipy.special import log_softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from textmix.models.linear.linear_texts_kernels import gap, sweep
from textmix.numerics.seeding import rng

#: Number of sweeps between two evaluations of the duality gap, and maximum number of machines per sweep (a cache line).
EVERY = 3
TOGETHER = 16
#: Log odds of the fraction at which the logistic loss is initialised.
START = -6.0


class LinearTexts(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """One-vs-rest linear models that minimise |w|^2 / 2 + C sum_i c_i loss(y_i w x_i), where x_i ends with a 1.

    Parameters
    ----------
    loss : {"svm", "logistic"}, default="svm"
        Squared hinge loss or logistic loss.
    C : float, default=1.0
        See `textmix.models.linear.machines.LinearSVM`.
    balanced : bool, default=False
        Whether c_i is N / (2 n) for the n documents on its side of a machine; otherwise it is 1.
    ratios : bool, default=False
        Whether features are multiplied by the spread over the classes of their naive Bayes log-count ratio (S. Wang and
        C. Manning, ACL 2012).
    columns : (int, int) or None, default=None
        Range of the features with weights, from ``columns[0]`` up to ``columns[1]``; None uses all features.
    tol : float, default=1e-4
        See `textmix.models.linear.machines.LinearSVM`.
    max_iter : int, default=100
        See `textmix.models.linear.machines.LinearSVM`.
    warm_start : bool, default=False
        See `textmix.models.linear.machines.LinearSVM`.

    Attributes
    ----------
    classes_ : ndarray of shape (C,) or (L,)
        Classes or labels, sorted.
    coef_, intercept_ : ndarray of shape (K, V) and (K,), float32
        Weights and intercepts; K is 1 for two classes.
    several_ : bool
        Whether the problem is multi-label.
    """

    def __init__(
        self,
        *,
        loss: str = "svm",
        C: float = 1.0,
        balanced: bool = False,
        ratios: bool = False,
        columns: tuple[int, int] | None = None,
        tol: float = 1e-4,
        max_iter: int = 100,
        warm_start: bool = False,
    ) -> None:
        self.loss = loss
        self.C = C
        self.balanced = balanced
        self.ratios = ratios
        self.columns = columns
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start

    def fit(self, X: Any, y: Any, sample_weight: np.ndarray | None = None) -> Self:
        """Fit to sparse features (N, V) and class indices (N,), or label indicators (N, L).

        ``sample_weight`` is (N,), positive. Raise ValueError for fewer than two classes.
        """
        y = np.asarray(y)
        self.several_ = y.ndim == 2
        self.n_features_in_ = X.shape[1]
        if self.several_:
            self.classes_ = np.arange(y.shape[1])
            inside = y.astype(bool)
        else:
            self.classes_, codes = np.unique(y, return_inverse=True)
            if len(self.classes_) < 2:
                raise ValueError("LinearTexts needs two classes; y has only one class")
            inside = codes[:, np.newaxis] == np.arange(1 if len(self.classes_) == 2 else 0, len(self.classes_))
        first, last = self.columns or (0, X.shape[1])
        X = sparse.csr_array(X if self.columns is None else X[:, first:last], dtype=np.float32)
        scale = _spread(X, y) if self.ratios else None
        if scale is not None:
            X = sparse.csr_array((X.data * scale[X.indices], X.indices, X.indptr), shape=X.shape)
        weights = self._solve(X, inside, sample_weight)
        if scale is not None:
            weights[:-1] *= scale[:, np.newaxis]
        self.coef_ = np.zeros((weights.shape[1], self.n_features_in_), dtype=np.float32)
        self.coef_[:, first:last] = weights[:-1].T
        self.intercept_ = weights[-1].copy()
        return self

    def _solve(self, X: sparse.csr_array, inside: np.ndarray, sample_weight: np.ndarray | None) -> np.ndarray:
        """Fit the machines of indicators (N, K); return their weights, float32 (V + 1, K)."""
        n = len(inside)
        logistic = self.loss == "logistic"
        squares = (np.add.reduceat(np.append(X.data**2, 0.0), X.indptr[:-1]) * (np.diff(X.indptr) > 0) + 1.0).astype(
            np.float32
        )
        weights = np.empty((X.shape[1] + 1, inside.shape[1]), dtype=np.float32)
        last = getattr(self, "_last", None) if self.warm_start else None
        if last is not None and last[0].shape != inside.shape:
            last = None
        dual = np.empty(inside.shape, dtype=np.float32)
        for first in range(0, inside.shape[1], TOGETHER):
            group = slice(first, first + TOGETHER)
            signs = np.where(inside[:, group], 1, -1).astype(np.int8)
            costs = np.full(signs.shape, self.C, dtype=np.float32)
            if self.balanced:
                positive = np.maximum(inside[:, group].sum(axis=0), 1)
                costs *= np.where(signs > 0, n / (2.0 * positive), n / (2.0 * np.maximum(n - positive, 1)))
            if sample_weight is not None:
                costs *= np.asarray(sample_weight, dtype=np.float32)[:, np.newaxis]
            begin = np.full(signs.shape, START if logistic else 0.0, dtype=np.float32)
            begin = begin if last is None else np.ascontiguousarray(last[0][:, group])
            start = _start(X, signs, costs, begin) if logistic else None
            if start is None:
                old = np.zeros((X.shape[1] + 1, signs.shape[1]), np.float32) if last is None else last[1][:, group]
                start = np.ascontiguousarray(old)
            solution = {"dual": begin.copy(), "weights": start.copy()}
            dual[:, group], weights[:, group] = self._descend(X, squares, signs, costs, **solution)
        if self.warm_start:
            self._last = dual, weights.copy()
        return weights

    def _descend(
        self,
        X: sparse.csr_array,
        squares: np.ndarray,
        signs: np.ndarray,
        costs: np.ndarray,
        *,
        dual: np.ndarray,
        weights: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Sweep until the gap meets the tolerance; return dual variables and weights, which are overwritten."""
        generator = rng(0, "linear")
        logistic = self.loss == "logistic"
        rows = (X.indptr, X.indices, X.data)
        for number in range(1, self.max_iter + 1):
            sweep(*rows, generator.permutation(X.shape[0]), squares, signs, costs, logistic, dual, weights)
            if number % EVERY == 0 and gap(*rows, signs, costs, logistic, dual, weights) <= self.tol:
                break
        return dual, weights

    def decision_function(self, X: Any) -> np.ndarray:
        """Compute the scores, float64 (N, C) or (N, L); for two classes (N,), positive for the second one."""
        check_is_fitted(self)
        X = sparse.csr_array(X)
        scores = np.asarray(X @ self.coef_.T.astype(X.dtype) + self.intercept_, dtype=np.float64)
        return scores[:, 0] if not self.several_ and len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> np.ndarray:
        """Predict the class with the largest score (N,), or indicators of the labels with a positive score (N, L)."""
        scores = self.decision_function(X)
        if self.several_:
            return (scores > 0.0).astype(np.int64)
        return self.classes_[(scores > 0.0).astype(int) if scores.ndim == 1 else np.argmax(scores, axis=1)]

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Compute the log softmax of the scores, float64 (N, C), which is not calibrated."""
        scores = self.decision_function(X)
        return np.asarray(log_softmax(np.column_stack([0.0 * scores, scores]) if scores.ndim == 1 else scores, axis=1))

    def _check_loaded(self) -> None:
        rows = 1 if not self.several_ and len(self.classes_) == 2 else len(self.classes_)
        if len(self.coef_) != rows:
            raise ValueError(f"coef_ has {len(self.coef_)} rows for {len(self.classes_)} classes")


def _start(X: sparse.csr_array, signs: np.ndarray, costs: np.ndarray, log_odds: np.ndarray) -> np.ndarray:
    """Compute the weights from the dual variables of the logistic loss, float32 (V + 1, K)."""
    unknown = (signs * costs / (1.0 + np.exp(-log_odds))).astype(np.float32)
    return np.vstack([X.T @ unknown, unknown.sum(axis=0, keepdims=True)]).astype(np.float32)


def _spread(X: sparse.csr_array, y: np.ndarray) -> np.ndarray:
    """Compute the spread over the classes of log p(feature | class) - log p(feature | others), (V,)."""
    classes = y.astype(np.float32) if y.ndim == 2 else np.equal.outer(y, np.unique(y)).astype(np.float32)
    present = sparse.csr_array((np.ones(len(X.data), dtype=np.float32), X.indices, X.indptr), shape=X.shape)
    inside = np.asarray(present.T @ classes) + 1.0
    outside = np.asarray(present.sum(axis=0))[:, np.newaxis] + 2.0 - inside
    ratio = np.log(inside / inside.sum(axis=0)) - np.log(outside / outside.sum(axis=0))
    return np.asarray(np.sqrt(np.mean(ratio**2, axis=1)), dtype=np.float32)
