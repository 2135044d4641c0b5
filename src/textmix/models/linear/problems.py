r"""Batches of penalised linear classifiers over the same instances, and the solutions returned by solvers.

A batch consists of B problems in P unknowns each.  Its linear predictors Z are linear in the unknowns W; each problem's
objective is a loss of the predictors plus a quadratic penalty:

    objective_b(W) = loss_b(Z(W)) + \sum_p penalty_pb W_pb^2 / 2

Solvers by problem:

    solvers.minimise            many smooth problems in parallel, one pass over the features for all
    solvers.minimise_newton     few instances or few features, where a Hessian is small
    solvers.minimise_function   non-convex objectives (dropout, network), or refinement after another solver
    subspace                    models of one matrix, L2 penalty, many more features than documents (`MarginProblem`)
    working_set                 one model, L1 or both penalties (`MarginProblem`)
    softmax, dual               one multinomial model, or machines, on raw counts, L2 penalty, by their duals
    smo_kernels                 dual of the support vector machine with the (non-smooth) hinge loss
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from textmix.models.linear.loss_kernels import class_line, logistic_line, softmax_line


@dataclass(frozen=True)
class Solution:
    """Unknowns (P, B) at which a solver stopped, objectives (B,) and convergence flags (B,)."""

    unknowns: np.ndarray
    objective: np.ndarray
    converged: np.ndarray
    n_iter: int

    @property
    def total_objective(self) -> float:
        """Sum of the objectives of all problems."""
        return float(self.objective.sum())

    @property
    def all_converged(self) -> bool:
        """Whether every problem converged."""
        return bool(self.converged.all())


class BatchProblem(Protocol):
    """A batch of B problems in P unknowns each, over N instances.

    The predictors are float64 (N, M): M = B for B binary problems, the number of classes for one multinomial problem.
    """

    @property
    def penalty(self) -> np.ndarray:
        """Factors of the quadratic penalty, 1 / variance of an unknown, float64 that broadcasts to (P, B)."""

    @property
    def inverse_diagonal(self) -> np.ndarray:
        """Estimate of the inverse of the Hessian's diagonal, float64 that broadcasts to (P, B)."""

    def predictors(self, W: np.ndarray) -> np.ndarray:
        """Compute the linear predictors (N, M) of unknowns (P, B)."""

    def gradient(self, residual: np.ndarray) -> np.ndarray:
        """Compute the loss's gradient in the unknowns, (P, B), from its gradient in the predictors, (N, M)."""

    def loss_on_line(
        self, Z: np.ndarray, D: np.ndarray, t: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Compute loss, first and second derivative in t, (B,) each, at Z + t D, and the gradient in the predictors.

        The gradient, (N, M), may be overwritten at the next call.
        """

    def select(self, problems: np.ndarray) -> BatchProblem:
        """Restrict the batch to the problems with the indices ``problems``, int (b,)."""


def add_bias(X: Any, W: np.ndarray) -> np.ndarray:
    """Compute X V + c, float64 (N, B), for features X (N, V) and W = (V; c), float64 (V + 1, B)."""
    return np.asarray(X @ W[:-1]) + W[-1]


def features_gradient(X: Any, residual: np.ndarray) -> np.ndarray:
    """Compute the gradient in (V; c), float64 (V + 1, B), from the gradient in the predictors X V + c, (N, B)."""
    return np.vstack([np.asarray(X.T @ residual), residual.sum(axis=0)])


def weighted_squares(X: Any, weight: np.ndarray) -> np.ndarray:
    """Compute sum_n w_n x_nj^2 of each feature and, last, sum_n w_n, float64 (V + 1,)."""
    squares = X.power(2) if sparse.issparse(X) else X * X
    return np.append(np.asarray(squares.T @ weight).ravel(), weight.sum())


def ridge(n_features: int, variance: float, penalise_intercept: bool = False) -> np.ndarray:
    """Compute the penalty factors 1 / variance of the weights and the factor of the intercept, float64 (V + 1, 1)."""
    penalty = np.full(n_features + 1, 1.0 / variance)
    if not penalise_intercept:
        penalty[-1] = 0.0
    return penalty[:, np.newaxis]


@dataclass
class LogisticBatch:
    r"""B weighted logistic regressions: \sum_n w_n log loss(x_n v + c, y_nb) + ||v||^2 / (2 variance).

    Unknowns are (V + 1, B): the weights of the features and, last, the intercept c, which is penalised like a weight if
    ``penalise_intercept``. ``free``, bool (V + 1, B), is the mask of the unknowns to fit; the others must be 0
    initially and remain 0. None fits all unknowns.
    """

    X: Any
    Y: np.ndarray
    weight: np.ndarray
    variance: float
    free: np.ndarray | None = None
    penalise_intercept: bool = False

    @cached_property
    def penalty(self) -> np.ndarray:
        """See `BatchProblem`."""
        return ridge(self.X.shape[1], self.variance, self.penalise_intercept)

    @cached_property
    def inverse_diagonal(self) -> np.ndarray:
        """See `BatchProblem`; the second derivative of the log loss is at most 1/4."""
        return 1.0 / (weighted_squares(self.X, self.weight)[:, np.newaxis] / 4.0 + self.penalty + 1e-300)

    @cached_property
    def _residual(self) -> np.ndarray:
        """Memory for the gradient in the predictors, float64 (N, B), overwritten at each call."""
        return np.empty(self.Y.shape)

    def predictors(self, W: np.ndarray) -> np.ndarray:
        """See `BatchProblem`."""
        return add_bias(self.X, W)

    def gradient(self, residual: np.ndarray) -> np.ndarray:
        """See `BatchProblem`."""
        gradient = features_gradient(self.X, residual)
        return gradient if self.free is None else gradient * self.free

    def loss_on_line(
        self, Z: np.ndarray, D: np.ndarray, t: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """See `BatchProblem`."""
        return *logistic_line(Z, D, t, self.Y, self.weight, self._residual), self._residual

    def select(self, problems: np.ndarray) -> LogisticBatch:
        """See `BatchProblem`."""
        free = None if self.free is None else self.free[:, problems]
        Y = np.ascontiguousarray(self.Y[:, problems])
        return LogisticBatch(self.X, Y, self.weight, self.variance, free, self.penalise_intercept)


@dataclass
class Multinomial:
    """One multinomial logistic regression with weights for all C classes: a batch of one problem in (V + 1) C unknowns.

    ``target`` contains the class probabilities of each instance, float64 (N, C), or its class index, int64 (N,).
    ``penalise_intercept`` penalises intercepts like weights.
    """

    X: Any
    target: np.ndarray
    n_classes: int
    weight: np.ndarray
    variance: float
    penalise_intercept: bool = False

    @cached_property
    def penalty(self) -> np.ndarray:
        """See `BatchProblem`."""
        return np.repeat(self._ridge, self.n_classes, axis=0)

    @property
    def _ridge(self) -> np.ndarray:
        """Penalty factors of the unknowns of one class, float64 (V + 1, 1)."""
        return ridge(self.X.shape[1], self.variance, self.penalise_intercept)

    @cached_property
    def inverse_diagonal(self) -> np.ndarray:
        """See `BatchProblem`; the softmax's second derivative p (1 - p) is evaluated at equal probabilities."""
        curvature = (1.0 - 1.0 / self.n_classes) / self.n_classes
        squares = weighted_squares(self.X, self.weight)[:, np.newaxis]
        inverse = 1.0 / (squares * curvature + self._ridge + 1e-300)
        return np.repeat(inverse, self.n_classes, axis=0)

    @cached_property
    def _residual(self) -> np.ndarray:
        """Memory for the gradient in the predictors, float64 (N, C), overwritten at each call."""
        return np.empty((self.X.shape[0], self.n_classes))

    def predictors(self, W: np.ndarray) -> np.ndarray:
        """See `BatchProblem`."""
        return add_bias(self.X, W.reshape(-1, self.n_classes))

    def gradient(self, residual: np.ndarray) -> np.ndarray:
        """See `BatchProblem`."""
        return features_gradient(self.X, residual).reshape(-1, 1)

    def loss_on_line(
        self, Z: np.ndarray, D: np.ndarray, t: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """See `BatchProblem`."""
        kernel = class_line if self.target.ndim == 1 else softmax_line
        found = kernel(Z, D, t[0], self.target, self.weight, self._residual)
        value, derivative, curvature = (np.array([number]) for number in found)
        return value, derivative, curvature, self._residual

    def select(self, problems: np.ndarray) -> Multinomial:
        """See `BatchProblem`."""
        return self


#: Maximum number of predictors (instances times label sets) of a block: 256 MB for each array of a line search.
CELLS = 1 << 25
#: Maps features (n, V) and the label sets of the instances, int64 (n,), to the problem of these instances.
Make = Callable[[Any, np.ndarray], BatchProblem]


class InBlocks:
    """Sum of problems with the same unknowns and penalty over blocks of ``size`` instances, as a batch of one.

    The predictors of the sum are its unknowns, and each evaluation recreates the problem of a block (`Make`) to limit
    memory for predictors. A line search thus needs one product with the features per tried step length. ``code``, int64
    (N,), is the label set of each instance.
    """

    def __init__(self, make: Make, X: Any, code: np.ndarray, size: int) -> None:
        self.make = make
        self.X = X
        self.code = code
        self.size = size
        self.penalty = next(self._parts()).penalty
        curvature = sum(1.0 / part.inverse_diagonal - self.penalty for part in self._parts())
        self.inverse_diagonal = np.asarray(1.0 / (curvature + self.penalty))

    def _parts(self) -> Iterator[BatchProblem]:
        """Yield the problem of each block; the penalty is counted once."""
        for start in range(0, len(self.code), self.size):
            yield self.make(self.X[start : start + self.size], self.code[start : start + self.size])

    def predictors(self, W: np.ndarray) -> np.ndarray:
        """Return a copy of the unknowns (P, 1)."""
        return W.copy()

    def gradient(self, residual: np.ndarray) -> np.ndarray:
        """Return the gradient in the unknowns (P, 1) that `loss_on_line` has computed."""
        return residual

    def loss_on_line(
        self, Z: np.ndarray, D: np.ndarray, t: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """See `BatchProblem`."""
        total = np.zeros((3, 1))
        gradient = np.zeros_like(Z)
        for part in self._parts():
            *found, residual = part.loss_on_line(part.predictors(Z), part.predictors(D), t)
            total += found
            gradient += part.gradient(residual)
        return total[0], total[1], total[2], gradient

    def select(self, problems: np.ndarray) -> InBlocks:
        """See `BatchProblem`."""
        return self


def in_blocks(make: Make, X: Any, code: np.ndarray, n_sets: int, cells: int = CELLS) -> BatchProblem:
    """Create the problem of all instances, in blocks if the number of predictors exceeds ``cells``."""
    size = max(1, cells // n_sets)
    return make(X, code) if len(code) <= size else InBlocks(make, X, code, size)
