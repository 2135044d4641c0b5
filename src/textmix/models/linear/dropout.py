"""Logistic regression under dropout noise, marginalised to second order (Wager, Wang & Liang, NIPS 2013)."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from scipy.special import expit, log_expit

from textmix.models.common.sklearn_private import Interval
from textmix.models.common.validation import check_matrix, checked_fit
from textmix.models.linear.column_kernels import combine_squares, correlate_squares
from textmix.models.linear.margin_problem import Columns
from textmix.models.linear.solvers import minimise_function
from textmix.models.linear.two_class import TwoClassLinear


def _alike(X: sparse.csc_array) -> np.ndarray:
    """Assign a number to each feature, int64 (P,), equal for features that are known to have identical columns."""
    counts = np.diff(X.indptr)
    lone = counts == 1
    cells = X.indptr[:-1][lone]
    values, value = np.unique(X.data[cells], return_inverse=True)
    number = 1 + X.shape[0] * len(values) + np.arange(X.shape[1], dtype=np.int64)
    number[counts == 0] = 0
    number[lone] = 1 + X.indices[cells].astype(np.int64) * len(values) + value
    return number


@dataclass(frozen=True)
class _Noised:
    """Objective: mean log loss of N labelled documents, expected noise of these and M unlabelled ones, and L2 penalty.

    Most features occur in a single document.  From equal starts, features with identical columns have equal weights
    after every step by symmetry: m of them are merged into one unknown, sqrt(m) times their weight.  Objective and
    L-BFGS steps are the same as with one unknown per feature.

    Parameters
    ----------
    X : Columns
        Documents (N + M, U), labelled ones first, with one column per group of features.
    group : array-like of shape (P,), int64
        Group of each feature.
    root : array-like of shape (U,), float64
        Square root of the number of features in each group.
    codes : array-like of shape (N,), int
        Class of each labelled document, 0 or 1.
    share : array-like of shape (N + M,)
        Weight of each document in the noise term, times delta / (1 - delta) / 2.
    """

    X: Columns
    group: np.ndarray
    root: np.ndarray
    codes: np.ndarray
    share: np.ndarray
    l2: float
    intercept: bool

    @classmethod
    def of(cls, rows: Any, codes: np.ndarray, share: np.ndarray, l2: float, intercept: bool = True) -> _Noised:
        """Create the objective for documents (N + M, P)."""
        X = sparse.csc_array(rows)
        _, first, group, size = np.unique(_alike(X), return_index=True, return_inverse=True, return_counts=True)
        return cls(Columns.of(X[:, first]), group, np.sqrt(size), codes, share, l2, intercept)

    def weights(self, unknowns: np.ndarray) -> np.ndarray:
        """Expand unknowns (U + 1,), the intercept last, to the weight of each feature, float64 (P,)."""
        weights: np.ndarray = (unknowns[:-1] / self.root)[self.group]
        return weights

    def scale(self) -> np.ndarray:
        """Compute 1 / sqrt of the objective's second derivative in the weight of each group, at weights 0, (U + 1,)."""
        n = len(self.codes)
        of_loss = np.where(np.arange(len(self.share)) < n, 0.25 / n, 0.0)
        by_document = np.column_stack([np.zeros_like(of_loss), of_loss + self.share / 2])
        second = np.append(correlate_squares(*self.X.arrays, by_document)[:, 1] + self.l2, 0.25)
        return np.asarray(1.0 / np.sqrt(np.where(second > 0, second, 1.0)))

    def at(self, unknowns: np.ndarray) -> tuple[float, np.ndarray]:
        """Compute the objective and its gradient, float64 (U + 1,), at the unknowns with the intercept last."""
        v = unknowns[:-1]
        n = len(self.codes)
        z, noise = combine_squares(*self.X.arrays, np.column_stack([self.root * v, v * v]), self.X.n_rows).T
        z = z + unknowns[-1]
        p = expit(z)
        variance = p * (1.0 - p)
        loss = -(self.codes * log_expit(z[:n]) + (1 - self.codes) * log_expit(-z[:n]))
        value = loss.mean() + self.share @ (variance * noise) + 0.5 * self.l2 * (v @ v)
        by_z = self.share * variance * (1.0 - 2.0 * p) * noise
        by_z[:n] += (p[:n] - self.codes) / n
        by_v = correlate_squares(*self.X.arrays, np.column_stack([by_z, self.share * variance]))
        gradient = self.root * by_v[:, 0] + v * (2.0 * by_v[:, 1] + self.l2)
        return float(value), np.append(gradient, by_z.sum() if self.intercept else 0.0)


class DropoutLogisticRegression(TwoClassLinear):
    """Logistic regression regularised by the expected effect of dropout noise.

    It minimises the mean log loss + 1/2 delta / (1 - delta) mean_i p_i (1 - p_i) sum_j x_ij^2 w_j^2 (equations 11 and
    12 of the paper) + l2 / 2 |w|^2, where p_i is the probability of the second class for document i. The mean of the
    noise may include unlabelled documents (section 5 of the paper). The objective is not convex; the fit starts from
    weights 0. On separable data and with l2 = 0 no minimum exists: as the weights grow, p_i (1 - p_i) vanishes.

    Parameters
    ----------
    delta : float, default=0.5
        Probability with which dropout sets a feature to 0.
    l2 : float, default=0.0001
        Factor of the additional L2 penalty, positive.
    discount : float, default=1.0
        Weight of an unlabelled document in the mean of the noise; a labelled document has weight 1.
    max_iter : int, default=500
        Maximum number of L-BFGS iterations; the unknowns are scaled by the second derivatives at weights 0.
    tol : float, default=1e-06
        L-BFGS stops when an iteration decreases the objective by at most this fraction of its value.
    fit_intercept : bool, default=True
        Whether to fit an intercept; otherwise it is 0.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The class labels, sorted.
    coef_ : ndarray of shape (1, P)
        Weights of the features, for the second class.
    intercept_ : ndarray of shape (1,)
        Intercept.
    objective_path_ : list of float
        A single number, the final objective.
    converged_ : bool
        Whether L-BFGS met ``tol``.
    n_iter_ : int
        Number of L-BFGS iterations.

    Examples
    --------
    >>> from textmix import DropoutLogisticRegression
    >>> X = [[3, 0, 1], [2, 1, 0], [0, 2, 2], [0, 3, 1]]
    >>> y = ["sport", "sport", "art", "art"]
    >>> model = DropoutLogisticRegression(delta=0.3).fit(X, y)
    >>> model.predict([[5, 0, 1], [0, 1, 1]]).tolist()
    ['sport', 'art']
    """

    _fitted_forms: ClassVar[dict[str, Any]] = {**TwoClassLinear._forms, "objective_path_": "float64 *"}
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "delta": [Interval(Real, 0, 1, closed="left")],
        "l2": [Interval(Real, 0, None, closed="neither")],
        "discount": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "fit_intercept": ["boolean"],
    }

    def __init__(
        self,
        delta: float = 0.5,
        l2: float = 1e-4,
        discount: float = 1.0,
        max_iter: int = 500,
        tol: float = 1e-6,
        *,
        fit_intercept: bool = True,
    ) -> None:
        self.delta = delta
        self.l2 = l2
        self.discount = discount
        self.max_iter = max_iter
        self.tol = tol
        self.fit_intercept = fit_intercept

    @checked_fit
    def fit(self, X: Any, y: Any, unlabelled: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (N, P)
            Features.
        y : array-like of shape (N,)
            Class labels.
        unlabelled : {array-like, sparse matrix} of shape (M, P), default=None
            Features of unlabelled documents.

        Raises
        ------
        ValueError
            If the number of classes is not two.
        """
        X, codes = self._check_labelled(X, y)
        rows = sparse.csr_array(X, dtype=np.float64)
        weight = np.ones(rows.shape[0])
        if unlabelled is not None:
            more = sparse.csr_array(self._values(check_matrix(self, unlabelled)), dtype=np.float64)
            rows = sparse.csr_array(sparse.vstack([rows, more]))
            weight = np.append(weight, np.full(more.shape[0], float(self.discount)))
        share = 0.5 * self.delta / (1.0 - self.delta) * weight / weight.sum()
        self._minimise(_Noised.of(rows, codes, share, self.l2, self.fit_intercept))
        return self

    def _minimise(self, problem: _Noised) -> None:
        """Minimise an objective and set the fitted attributes."""
        # Below 1, SciPy's tolerance is absolute; scaling the objective up keeps the tolerance relative.
        scale = problem.scale()
        unit = 1.0 / self.tol

        def scaled(unknowns: np.ndarray) -> tuple[float, np.ndarray]:
            """Compute objective and gradient in the scaled unknowns, with the objective scaled up."""
            value, gradient = problem.at(scale * unknowns)
            return unit * value, unit * scale * gradient

        found = minimise_function(scaled, np.zeros(len(scale)), self.max_iter, self.tol)
        unknowns = scale * found.unknowns[:, 0]
        self.coef_ = problem.weights(unknowns)[np.newaxis]
        self.intercept_ = unknowns[-1:]
        self.objective_path_ = [found.total_objective / unit]
        self.converged_ = found.all_converged
        self.n_iter_ = found.n_iter
