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

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy import sparse

from textmix.models.linear.loss_kernels import class_line, logistic_line, softmax_line

#: Number of problems of one product with a sparse matrix in `features_gradient`.
GRADIENT_COLUMNS = 256


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
    n_problems = residual.shape[1]
    # One product of a sparse matrix with many problems would be a second array of the size of the gradient.
    width = GRADIENT_COLUMNS if sparse.issparse(X) else max(1, n_problems)
    gradient = np.empty((X.shape[1] + 1, n_problems))
    for start in range(0, n_problems, width):
        columns = slice(start, start + width)
        gradient[:-1, columns] = X.T @ residual[:, columns]
    gradient[-1] = residual.sum(axis=0)
    return gradient


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

    def set_scores(self, W: np.ndarray) -> SetScores:
        """See `SetProblem`."""
        return SetScores(W.reshape(-1, self.n_classes), None, None)

    def joined(self, gradient: np.ndarray, total: np.ndarray) -> np.ndarray:
        """See `SetProblem`."""
        return gradient.reshape(-1, 1)

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


#: Number of predictors (instances times label sets) above which they are computed in blocks: 256 MiB of float64.
CELLS = 1 << 25
#: Number of predictors of a block: 32 MiB of float32.
BLOCK_CELLS = 1 << 23


class SetScores(NamedTuple):
    """Parameters of scores of label sets, X' C M + b, where X' are the features with a column of ones.

    Parameters
    ----------
    weights : ndarray of shape (V + 1, K)
        Weights C.
    sets : ndarray of shape (S, K) or None
        Transpose of M; None for the identity (K = S).
    offset : ndarray of shape (S,) or None
        Score b of each label set that does not depend on the features.
    """

    weights: np.ndarray
    sets: np.ndarray | None
    offset: np.ndarray | None

    def in_single_precision(self) -> SetScores:
        """Convert all arrays to float32."""
        optional = (None if part is None else part.astype(np.float32) for part in self[1:])
        return SetScores(self.weights.astype(np.float32), *optional)


class SetProblem(BatchProblem, Protocol):
    """A batch of one problem, whose predictors are the scores of S label sets."""

    X: Any

    def set_scores(self, W: np.ndarray) -> SetScores:
        """Return the scores' parameters for unknowns (P, 1)."""

    def joined(self, gradient: np.ndarray, total: np.ndarray) -> np.ndarray:
        """Return the gradient in the unknowns, (P, 1), from that in C and from the sum of that in the scores, (S,)."""


class InBlocks:
    """The same problem without an array of all predictors: they are computed in blocks of instances.

    Products with the features dominate the time, so that the scores are float32 and each evaluation computes them once,
    at the end of the step; sums over instances are float64.  The predictors of this problem are its unknowns.

    Parameters
    ----------
    problem : SetProblem
        The problem; instances have the weight 1.
    code : ndarray of shape (N,), dtype int64
        Label set of each instance.
    size : int
        Number of instances in a block.
    """

    def __init__(self, problem: SetProblem, code: np.ndarray, size: int) -> None:
        self.problem = problem
        self.code = code
        self.size = size
        self.penalty = problem.penalty
        self.inverse_diagonal = problem.inverse_diagonal
        self._X = problem.X.astype(np.float32)
        # Direction, step length and derivative of the last evaluation.
        self._last: tuple[np.ndarray | None, float, float] = (None, 0.0, 0.0)

    def predictors(self, W: np.ndarray) -> np.ndarray:
        """Return a copy of the unknowns (P, 1)."""
        return W.copy()

    def gradient(self, residual: np.ndarray) -> np.ndarray:
        """Return the gradient in the unknowns (P, 1) that `loss_on_line` has computed."""
        return residual

    def loss_on_line(
        self, Z: np.ndarray, D: np.ndarray, t: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """See `BatchProblem`; the second derivative is a difference quotient, nan for the first step length of a line.

        The scores of the direction would be needed for its exact value.
        """
        step = float(t[0])
        value, gradient = self._evaluate(Z + step * D)
        derivative = float(np.vdot(gradient, D))
        line, last_step, last_derivative = self._last
        is_second = line is D and step != last_step
        curvature = (derivative - last_derivative) / (step - last_step) if is_second else np.nan
        self._last = (D, step, derivative)
        return np.array([value]), np.array([derivative]), np.array([curvature]), gradient

    def _evaluate(self, W: np.ndarray) -> tuple[float, np.ndarray]:
        """Compute the loss and its gradient for unknowns (P, 1)."""
        weights, sets, offset = self.problem.set_scores(W).in_single_precision()
        value = 0.0
        gradient = np.zeros(weights.shape)
        total = np.zeros(weights.shape[1] if sets is None else len(sets))
        for start in range(0, len(self.code), self.size):
            X = self._X[start : start + self.size]
            scores = add_bias(X, weights)
            if sets is not None:
                scores = scores @ sets.T
            if offset is not None:
                scores += offset
            value += class_loss(scores, self.code[start : start + self.size])
            total += scores.sum(axis=0)
            gradient += features_gradient(X, scores if sets is None else scores @ sets)
        return value, self.problem.joined(gradient, total)

    def select(self, problems: np.ndarray) -> InBlocks:
        """See `BatchProblem`."""
        return self


def class_loss(scores: np.ndarray, code: np.ndarray) -> float:
    """Compute the multinomial log loss; ``scores`` (N, C) become its gradient in the scores, in place."""
    rows = np.arange(len(code))
    scores -= scores.max(axis=1, keepdims=True)
    true_scores = scores[rows, code].astype(np.float64)
    np.exp(scores, out=scores)
    totals = scores.sum(axis=1)
    scores /= totals[:, np.newaxis]
    scores[rows, code] -= 1.0
    return float(np.sum(np.log(totals, dtype=np.float64) - true_scores))


def in_blocks(problem: SetProblem, code: np.ndarray, n_sets: int, cells: int = CELLS) -> BatchProblem:
    """Return a problem of instances with the label sets ``code``, (N,), in blocks if it has more than ``cells`` scores.

    A block has at most `BLOCK_CELLS` scores, and at most ``cells``.
    """
    if len(code) * n_sets <= cells:
        return problem
    return InBlocks(problem, code, max(1, min(cells, BLOCK_CELLS) // n_sets))
