"""Multinomial logistic regression on sparse features, by dual coordinate ascent."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from scipy.special import entr, log_softmax, softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from textmix.models.common.sklearn_private import Interval, StrOptions
from textmix.models.common.validation import check_matrix, check_two_classes, checked_fit, document_weights
from textmix.models.linear.softmax_kernels import sweep
from textmix.models.linear.solvers import PRECISION, minimise_function
from textmix.numerics.seeding import rng

#: Total probability of the other classes in the initial dual variables of a document.
START = 1e-3
#: Number of sweeps between two evaluations of the duality gap, each as expensive as a third of a sweep.
EVERY = 5


class SoftmaxClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Multinomial logistic regression with an L2 penalty on the weights and unpenalised biases.

    The objective is the same as in scikit-learn's ``LogisticRegression``: the sum of log losses plus |W|^2 / (2 C),
    where W contains one vector per class, or for two classes only the difference of their vectors. Each sweep visits
    the documents in a random order with a fixed seed and takes the optimal step of each document in the dual problem
    (see `softmax_kernels`). Raw counts therefore need no scaling, whereas L-BFGS would need hundreds of passes. The
    biases are kept near their last values during a sweep and then updated (method of multipliers). On badly scaled
    features sweeps converge slowly; the solution is then refined by L-BFGS on scaled weights.

    Parameters
    ----------
    C : float, default=1.0
        Variance of the Gaussian prior of a weight.
    tol : float, default=0.0001
        Maximum duality gap, as a fraction of the objective.
    max_iter : int, default=1000
        Maximum number of sweeps over the documents, and maximum number of subsequent L-BFGS iterations.
    fit_intercept : bool, default=True
        Whether to fit biases; otherwise they are 0.
    class_weight : dict, "balanced" or None, default=None
        Factor of the losses of each class, as in scikit-learn's ``LogisticRegression``: a dict from class to weight,
        where missing classes have weight 1; "balanced" for weights inversely proportional to the class frequencies;
        None for unit weights.

    Attributes
    ----------
    classes_ : ndarray of shape (C,)
        Class labels, sorted.
    coef_, intercept_ : ndarray of shape (C, V) and (C,)
        Weights and biases; of shape (1, V) and (1,) for two classes, for the second one.
    gap_, converged_, n_iter_ : float, bool, int
        Duality gap, whether it meets ``tol``, and number of sweeps and iterations.
    objective_path_ : list of float
        Objective at each evaluation of the gap.

    Examples
    --------
    >>> from textmix import SoftmaxClassifier
    >>> model = SoftmaxClassifier().fit([[3, 0, 1], [2, 1, 0], [0, 2, 2], [0, 3, 1]], ["a", "a", "b", "b"])
    >>> model.predict([[5, 0, 1], [0, 1, 1]]).tolist()
    ['a', 'b']
    """

    _fitted_forms: ClassVar[dict[str, Any]] = {
        "classes_": "int C",
        "n_features_in_": "int",
        "coef_": "float64 R V",
        "intercept_": "float64 R",
        "converged_": "bool",
        "n_iter_": "int",
        "gap_": "float",
        "objective_path_": "float64 *",
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "fit_intercept": ["boolean"],
        "class_weight": [dict, StrOptions({"balanced"}), None],
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        tol: float = 1e-4,
        max_iter: int = 1000,
        fit_intercept: bool = True,
        class_weight: dict[Any, float] | str | None = None,
    ) -> None:
        self.C = C
        self.tol = tol
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight

    @checked_fit
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the weights.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (N, V)
            Features.
        y : array-like of shape (N,)
            Class labels.
        sample_weight : array-like of shape (N,), default=None
            Nonnegative sample weights; a document of weight n counts as n copies. None is equivalent to unit weights.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        ValueError
            If the input is invalid, or y has fewer than two classes.
        """
        X, codes = check_two_classes(self, X, y)
        weight = document_weights(self, X, codes, sample_weight)
        pair = len(self.classes_) == 2
        # Two vectors of opposite sign have half the squared norm of their difference.
        variance = self.C / 2.0 if pair else self.C
        ascent = _Ascent(sparse.csr_array(X, dtype=np.float64), codes, variance, self.fit_intercept, weight)
        self._climb(ascent)
        self.coef_ = np.ascontiguousarray(ascent.weights.T)
        self.intercept_ = ascent.bias
        if pair:
            self.coef_ = np.diff(self.coef_, axis=0)
            self.intercept_ = np.diff(self.intercept_)
        return self

    def _climb(self, ascent: _Ascent) -> None:
        """Sweep until the duality gap is small enough, and set the convergence attributes."""
        self.objective_path_: list[float] = []
        self.n_iter_ = 0
        self.converged_ = False
        while not self.converged_ and self.n_iter_ < self.max_iter:
            for _ in range(min(EVERY, self.max_iter - self.n_iter_)):
                ascent.step()
                self.n_iter_ += 1
            objective, self.gap_ = ascent.gap()
            self.objective_path_.append(objective)
            self.converged_ = self.gap_ <= self.tol * objective
        if not self.converged_:
            self.n_iter_ += ascent.finish(self.max_iter)
            objective, self.gap_ = ascent.gap()
            self.objective_path_.append(objective)
            self.converged_ = self.gap_ <= self.tol * objective

    def decision_function(self, X: Any) -> np.ndarray:
        """Compute the scores, float64 (N, C); for two classes (N,), positive if the second one is more probable."""
        check_is_fitted(self)
        scores = np.asarray(check_matrix(self, X) @ self.coef_.T) + self.intercept_
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> np.ndarray:
        """Predict the most probable class of each document, (N,)."""
        proba = self.predict_log_proba(X)
        return self.classes_[np.argmax(proba, axis=1)]

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Compute log p(class | document), float64 (N, C)."""
        scores = self.decision_function(X)
        return np.asarray(log_softmax(np.column_stack([0.0 * scores, scores]) if scores.ndim == 1 else scores, axis=1))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Compute p(class | document), float64 (N, C)."""
        return np.exp(self.predict_log_proba(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class _Ascent:
    """Dual problem: class probabilities of each document, (N, C), with the corresponding weights and biases."""

    def __init__(
        self,
        X: sparse.csr_array,
        codes: np.ndarray,
        variance: float,
        intercept: bool = True,
        weight: np.ndarray | None = None,
    ) -> None:
        n_classes = int(codes.max()) + 1
        self.X = X
        self.codes = codes
        self.variance = variance
        #: Document weights, float64 (N,), or None for unit weights.
        self.weight = weight
        self.truth = np.eye(n_classes)[codes]
        self.shares = (1.0 - START) * self.truth + START / n_classes
        self.logs = np.log(self.shares)
        self.weights = variance * np.ascontiguousarray(X.T @ self._residual())
        #: Weights determined by the dual variables; during the sweeps the weights themselves.
        self.dual_weights = self.weights
        self.centre = np.zeros(n_classes)
        self.bias = np.zeros(n_classes)
        squares = np.asarray(X.multiply(X).sum(axis=1)).ravel()
        # A bias may change a tenth as much as the scores change due to a document's own words.
        self.room = variance * (float(np.median(squares)) or 1.0) / 10.0 if intercept else 0.0
        self.generator = rng(0, "softmax")
        self._set_bias()

    def _residual(self) -> np.ndarray:
        """Compute the weighted differences between true classes and dual probabilities, float64 (N, C)."""
        residual: np.ndarray = self.truth - self.shares
        return residual if self.weight is None else self.weight[:, np.newaxis] * residual

    def _sum(self, values: np.ndarray) -> float:
        """Sum values of the documents, (N,), multiplied by their weights."""
        return float(values.sum() if self.weight is None else self.weight @ values)

    def _set_bias(self) -> None:
        """Set the biases from their centre and the dual variables."""
        self.excess = self._residual().sum(axis=0)
        self.bias = self.centre + self.room * self.excess

    def step(self) -> None:
        """Move the centre of the biases to their current values, and sweep over all documents once."""
        self.centre = self.bias.copy()
        self._set_bias()
        order = self.generator.permutation(len(self.codes))
        X = self.X
        sweep(
            X.indptr,
            X.indices,
            X.data,
            order,
            np.ones(1) if self.weight is None else self.weight,
            self.variance,
            self.room,
            self.shares,
            self.logs,
            self.weights,
            self.bias,
        )
        self._set_bias()

    def finish(self, max_iter: int) -> int:
        """Refine by L-BFGS on weights scaled by the objective's second derivatives; return the number of iterations."""
        X = self.X
        squares = np.asarray(self.X.multiply(self.X).sum(axis=0)).ravel()
        of_bias = 2.0 / math.sqrt(len(self.codes)) if self.room > 0.0 else 0.0
        scale = np.append(1.0 / np.sqrt(1.0 / self.variance + squares / 4.0), of_bias)[:, np.newaxis]

        def scaled(unknowns: np.ndarray) -> tuple[float, np.ndarray]:
            """Compute the objective and its gradient in the scaled weights and biases."""
            W = scale * unknowns.reshape(len(scale), -1)
            logs = log_softmax(X @ W[:-1] + W[-1], axis=1)
            residual = np.exp(logs) - self.truth
            if self.weight is not None:
                residual *= self.weight[:, np.newaxis]
            gradient = np.vstack([X.T @ residual + W[:-1] / self.variance, residual.sum(axis=0)])
            loss = -self._sum(logs[np.arange(len(self.codes)), self.codes])
            return loss + float(np.sum(W[:-1] ** 2)) / (2.0 * self.variance), (scale * gradient).ravel()

        start = np.vstack([self.weights, self.bias]) / np.where(scale > 0.0, scale, 1.0)
        found = minimise_function(scaled, start.ravel(), max_iter, PRECISION)
        unknowns = scale * found.unknowns.reshape(len(scale), -1)
        self.weights = unknowns[:-1]
        self.bias = unknowns[-1]
        self.shares = softmax(X @ self.weights + self.bias, axis=1)
        self.excess = self._residual().sum(axis=0)
        self.centre = self.bias - self.room * self.excess
        self.dual_weights = self.variance * (X.T @ self._residual())
        return found.n_iter

    def _entropy(self) -> float:
        """Compute the weighted sum of the entropies of the dual probabilities."""
        entropies = entr(self.shares)
        return float(entropies.sum() if self.weight is None else self.weight @ entropies.sum(axis=1))

    def gap(self) -> tuple[float, float]:
        """Compute the objective and the duality gap of the problem with biases kept near their centre."""
        scores = self.X @ self.weights + self.bias
        loss = -self._sum(log_softmax(scores, axis=1)[np.arange(len(self.codes)), self.codes])
        penalty, dual_penalty = (
            float(np.sum(weights**2)) / (2.0 * self.variance) for weights in (self.weights, self.dual_weights)
        )
        held = self.room * float(self.excess @ self.excess) / 2.0
        dual = self._entropy() - dual_penalty - float(self.excess @ self.centre) - held
        return loss + penalty, loss + penalty + held - dual
