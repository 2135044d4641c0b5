"""Logistic regression under dropout noise, marginalised to second order (Wager, Wang & Liang, NIPS 2013)."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from scipy.special import expit, log_expit

from textmix.models.common.sklearn_private import Interval, checks_parameters
from textmix.models.linear.function import minimise_function
from textmix.models.linear.two_class import TwoClassLinear


class DropoutLogisticRegression(TwoClassLinear):
    """Logistic regression with the expected effect of dropout noise as its penalty.

    It minimises the mean log loss + 1/2 delta / (1 - delta) mean_i p_i (1 - p_i) sum_j x_ij^2 w_j^2 (equations 11 and
    12 of the paper) + l2 / 2 |w|^2.  Here p_i is the probability of the second class for document i.  The objective is
    not convex; the fit starts from weights 0.

    Parameters
    ----------
    delta : probability with which dropout sets a feature to 0.
    l2 : factor of the additional penalty.
    max_iter : most iterations of L-BFGS.
    tolerance : L-BFGS ends when an iteration decreases the objective f by at most this times the larger of 1 and f.

    Attributes
    ----------
    classes_ : (2,), the class labels, sorted.
    coef_, intercept_ : float64 (1, P) and (1,), for the second class.
    objective_path_ : list of one number, the objective at the end.
    converged_, n_iter_ : whether L-BFGS met ``tolerance``, and its iterations.
    """

    fitted_forms: ClassVar[dict[str, Any]] = {**TwoClassLinear._forms, "objective_path_": "float64 *"}
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "delta": [Interval(Real, 0, 1, closed="left")],
        "l2": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tolerance": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(self, delta: float = 0.5, l2: float = 0.0, max_iter: int = 200, tolerance: float = 1e-6) -> None:
        self.delta = delta
        self.l2 = l2
        self.max_iter = max_iter
        self.tolerance = tolerance

    @checks_parameters
    def fit(self, X: Any, y: Any) -> Self:
        """Fit.

        Parameters
        ----------
        X : features (N, P), sparse or dense.
        y : class labels (N,) of two classes.

        Raises
        ------
        ValueError : NaN or infinity in X, X and y of different length, or another number of classes than two.
        """
        X, codes = self._check_labelled(X, y)
        X = sparse.csr_array(X, dtype=np.float64)
        squares = X.multiply(X).tocsr()
        matrices = (X, squares, sparse.csr_array(X.T), sparse.csr_array(squares.T))
        found = minimise_function(
            lambda unknowns: self._objective(unknowns, matrices, codes),
            np.zeros(X.shape[1] + 1),
            self.max_iter,
            self.tolerance,
        )
        unknowns = found.unknowns[:, 0]
        self.coef_, self.intercept_ = unknowns[np.newaxis, :-1], unknowns[-1:]
        self.objective_path_ = [found.total_objective]
        self.converged_, self.n_iter_ = found.all_converged, found.n_iter
        return self

    def _objective(
        self, unknowns: np.ndarray, matrices: tuple[Any, Any, Any, Any], codes: np.ndarray
    ) -> tuple[float, np.ndarray]:
        """Return the objective and its gradient, float64 (P + 1,), at weights and, last, the intercept.

        Parameters
        ----------
        unknowns : float64 (P + 1,).
        matrices : CSR, the documents (N, P), their squared values, and both transposed.
        codes : int (N,), 0 or 1, the index of the class.
        """
        X, squares, X_t, squares_t = matrices
        w, factor = unknowns[:-1], 0.5 * self.delta / (1.0 - self.delta)
        z = X @ w + unknowns[-1]
        p = expit(z)
        variance, noise = p * (1.0 - p), squares @ (w * w)
        value = np.mean(codes * -log_expit(z) + (1 - codes) * -log_expit(-z) + factor * variance * noise)
        by_z = (p - codes + factor * variance * (1.0 - 2.0 * p) * noise) / len(codes)
        by_w = X_t @ by_z + 2.0 * factor * w * (squares_t @ variance) / len(codes) + self.l2 * w
        return float(value + 0.5 * self.l2 * w @ w), np.append(by_w, by_z.sum())

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Return log p(class | document), float64 (N, 2)."""
        return self._log_proba(X)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return p(class | document), float64 (N, 2)."""
        return np.exp(self.predict_log_proba(X))
