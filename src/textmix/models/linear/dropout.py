"""Logistic regression under dropout noise, marginalised to second order (Wager, Wang & Liang, NIPS 2013)."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import expit, log_expit

from textmix.models.common.sklearn_private import Interval, checks_parameters
from textmix.models.linear.two_class import TwoClassLinear


class DropoutLogisticRegression(TwoClassLinear):
    """Mean log loss + 1/2 delta / (1 - delta) mean_i p_i (1 - p_i) sum_j x_ij^2 w_j^2 (their equations 11 and 12).

    Parameters
    ----------
    delta : share of the features that dropout would set to 0.
    l2 : an L2 penalty l2 / 2 |w|^2 beside it.
    max_iter : at most so many steps of L-BFGS.
    tolerance : it ends when a step lowers the objective by a smaller share of it.

    Attributes
    ----------
    classes_ : the two labels.
    coef_, intercept_ : (1, P) and (1,), for the second class.
    objective_path_ : the last objective.
    converged_, n_iter_ : of L-BFGS.
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
        X : (N, P), sparse or dense.
        y : labels (N,) of two classes.
        """
        X, codes = self._check_labelled(X, y)
        X = sparse.csr_array(X, dtype=np.float64)
        squares = X.multiply(X).tocsr()
        matrices = (X, squares, sparse.csr_array(X.T), sparse.csr_array(squares.T))
        found = minimize(
            lambda w: self._objective(w, matrices, codes),
            np.zeros(X.shape[1] + 1),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": self.max_iter, "ftol": self.tolerance, "gtol": 0.0, "maxcor": 10},
        )
        self.coef_, self.intercept_ = found.x[np.newaxis, :-1], found.x[-1:]
        self.objective_path_ = [float(found.fun)]
        self.converged_, self.n_iter_ = bool(found.success), int(found.nit)
        return self

    def _objective(
        self, parameters: np.ndarray, matrices: tuple[Any, Any, Any, Any], codes: np.ndarray
    ) -> tuple[float, np.ndarray]:
        """Return the objective and its gradient by weights and intercept."""
        X, squares, X_t, squares_t = matrices
        w, factor = parameters[:-1], 0.5 * self.delta / (1.0 - self.delta)
        z = X @ w + parameters[-1]
        p = expit(z)
        variance, noise = p * (1.0 - p), squares @ (w * w)
        value = np.mean(codes * -log_expit(z) + (1 - codes) * -log_expit(-z) + factor * variance * noise)
        by_z = (p - codes + factor * variance * (1.0 - 2.0 * p) * noise) / len(codes)
        by_w = X_t @ by_z + 2.0 * factor * w * (squares_t @ variance) / len(codes) + self.l2 * w
        return float(value + 0.5 * self.l2 * w @ w), np.append(by_w, by_z.sum())

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Return log p(class | document), (N, 2)."""
        return self._log_proba(X)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return p(class | document), (N, 2)."""
        return np.exp(self.predict_log_proba(X))
