r"""Batched linear classifiers: many penalised logistic regressions, or one multinomial one, over the same instances.

`minimise` solves all problems of a batch side by side by L-BFGS with a line search of Newton steps on each problem's
own line.  No step raises an objective, and it can be cut short and taken up again: what the partial M steps of EM need.

    logistic:  \sum_n w_n log loss + ||v||^2 / (2 s), s the variance; the bias is free
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from textmix.models.linear import batched_kernels as logistic

#: Steps kept by L-BFGS.
HISTORY = 8
#: Most trial steps of a line search.
TRIALS = 20
#: Most instances whose matrix of inner products is decomposed.
LARGEST_GRAM = 2000
#: Constants of the strong Wolfe conditions.
ARMIJO, WOLFE = 1e-4, 0.9


class Problem(Protocol):
    """A batch of B problems in P unknowns each; loss in linear predictors plus a quadratic penalty."""

    penalty: np.ndarray
    """float64, broadcast to (P, B): 1 / variance of each unknown, 0 where it is free."""
    inverse: np.ndarray
    """float64, broadcast to (P, B): a guess of the inverse of the Hessian's diagonal."""

    def forward(self, W: np.ndarray) -> np.ndarray:
        """Return the linear predictors of unknowns (P, B)."""

    def adjoint(self, residual: np.ndarray) -> np.ndarray:
        """Return the gradient in the unknowns, (P, B), from that in the predictors."""

    def ray(self, Z: np.ndarray, D: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return loss, slope and curvature, (B,) each, at Z + t D, and the gradient in the predictors."""

    def restrict(self, kept: np.ndarray) -> Problem:
        """Return the batch of the problems in the given columns."""


def add_bias(X: Any, W: np.ndarray) -> np.ndarray:
    """Return X V + c, (N, B), for W = (V; c), (V + 1, B)."""
    return np.asarray(X @ W[:-1]) + W[-1]


def features_adjoint(X: Any, residual: np.ndarray) -> np.ndarray:
    """Return the gradient in (V; c) from that in X V + c."""
    return np.vstack([np.asarray(X.T @ residual), residual.sum(axis=0)])


def diagonal(X: Any, weight: np.ndarray) -> np.ndarray:
    """Return sum_n w_n x_nj^2 and, last, sum_n w_n, float64 (V + 1,)."""
    squares = X.power(2) if sparse.issparse(X) else X * X
    return np.append(np.asarray(squares.T @ weight).ravel(), weight.sum())


def ridge(n_features: int, variance: float) -> np.ndarray:
    """Return the penalty 1 / variance of every weight and 0 of the bias, (V + 1, 1)."""
    return np.append(np.full(n_features, 1.0 / variance), 0.0)[:, np.newaxis]


@dataclass(frozen=True)
class RowSpace:
    r"""The space of the instances' rows: the weights with the least penalty for what they predict lie in it.

    Its basis are the rows combined by the eigenvectors of X X^T, orthonormal, so that penalties are the same in it and
    the Hessian of a loss in X is close to a diagonal one: few steps, in fewer unknowns than there are features.

    Parameters
    ----------
    inputs : the instances, float64 (N, R); X itself where it is not worth while.
    X : features (N, V), or None for those.
    combine : float64 (N, R), the basis is ``X.T @ combine``.
    """

    inputs: Any
    X: Any = None
    combine: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))

    @classmethod
    def of(cls, X: Any, most: int = LARGEST_GRAM) -> RowSpace:
        """Return the space of X if it has fewer rows than columns, and at most so many; else X as it is."""
        if X.shape[0] >= X.shape[1] or X.shape[0] > most:
            return cls(X)
        gram = X @ X.T
        square, vectors = np.linalg.eigh(gram.toarray() if sparse.issparse(gram) else gram)
        kept = square > 1e-10 * max(square[-1], 1e-300)
        vectors, lengths = vectors[:, kept], np.sqrt(square[kept])
        return cls(np.ascontiguousarray(vectors * lengths), X, vectors / lengths)

    def coordinates(self, X: Any) -> Any:
        """Return other instances (n, V) in the basis, (n, R); what lies outside of the space has no weight."""
        return X if self.X is None else np.asarray((X @ self.X.T) @ self.combine)

    def project(self, W: np.ndarray) -> np.ndarray:
        """Return weights and, last, biases, (R + 1, B), that predict what those of the features (V + 1, B) do."""
        return W if self.X is None else np.vstack([self.combine.T @ (self.X @ W[:-1]), W[-1]])

    def lift(self, W: np.ndarray) -> np.ndarray:
        """Return weights of the features and, last, biases, (V + 1, B), from those in the space."""
        return W if self.X is None else np.vstack([self.X.T @ (self.combine @ W[:-1]), W[-1]])


@dataclass
class LogisticBatch:
    """B weighted logistic regressions.

    Parameters
    ----------
    X : float64 (N, V), dense or CSR.
    Y : (N, B) of 0 and 1.
    weight : float64 (N,).
    variance : of the Gaussian prior over each weight, sigma^2 in ||v||^2 / (2 sigma^2).
    free : bool (V + 1, B); where False the weight stays as it is (a chain's labels that come later).  All if None.
    """

    X: Any
    Y: np.ndarray
    weight: np.ndarray
    variance: float
    free: np.ndarray | None = None
    penalty: np.ndarray = field(init=False)
    inverse: np.ndarray = field(init=False)
    _residual: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.penalty = ridge(self.X.shape[1], self.variance)
        self.inverse = 1.0 / (diagonal(self.X, self.weight)[:, np.newaxis] / 4.0 + self.penalty + 1e-300)
        self._residual = np.empty(self.Y.shape)

    def forward(self, W: np.ndarray) -> np.ndarray:
        """See `Problem`."""
        return add_bias(self.X, W)

    def adjoint(self, residual: np.ndarray) -> np.ndarray:
        """See `Problem`."""
        gradient = features_adjoint(self.X, residual)
        return gradient if self.free is None else gradient * self.free

    def ray(self, Z: np.ndarray, D: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """See `Problem`."""
        return *logistic.logistic_ray(Z, D, t, self.Y, self.weight, self._residual), self._residual

    def restrict(self, kept: np.ndarray) -> LogisticBatch:
        """See `Problem`."""
        free = None if self.free is None else self.free[:, kept]
        return LogisticBatch(self.X, np.ascontiguousarray(self.Y[:, kept]), self.weight, self.variance, free)


@dataclass
class Multinomial:
    """One multinomial logistic regression with weights for all C classes, as a batch of one problem in (V + 1) C.

    Parameters
    ----------
    X : float64 (N, V), dense or CSR.
    target : float64 (N, C), shares of the classes, or int64 (N,), class index.
    n_classes : C.
    weight : float64 (N,).
    variance : of the prior over each weight.
    """

    X: Any
    target: np.ndarray
    n_classes: int
    weight: np.ndarray
    variance: float
    penalty: np.ndarray = field(init=False)
    inverse: np.ndarray = field(init=False)
    _residual: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        penalty = ridge(self.X.shape[1], self.variance)
        share = (1.0 - 1.0 / self.n_classes) / self.n_classes
        inverse = 1.0 / (diagonal(self.X, self.weight)[:, np.newaxis] * share + penalty + 1e-300)
        self.penalty = np.repeat(penalty, self.n_classes, axis=0)
        self.inverse = np.repeat(inverse, self.n_classes, axis=0)
        self._residual = np.empty((self.X.shape[0], self.n_classes))

    def forward(self, W: np.ndarray) -> np.ndarray:
        """See `Problem`."""
        return add_bias(self.X, W.reshape(-1, self.n_classes))

    def adjoint(self, residual: np.ndarray) -> np.ndarray:
        """See `Problem`."""
        return features_adjoint(self.X, residual).reshape(-1, 1)

    def ray(self, Z: np.ndarray, D: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """See `Problem`."""
        kernel = logistic.class_ray if self.target.ndim == 1 else logistic.softmax_ray
        found = kernel(Z, D, t[0], self.target, self.weight, self._residual)
        value, slope, curvature = (np.array([number]) for number in found)
        return value, slope, curvature, self._residual

    def restrict(self, kept: np.ndarray) -> Multinomial:
        """See `Problem`."""
        return self


@dataclass
class _Line:
    """The objective along one direction for every problem: its loss, and its penalty as a parabola."""

    problem: Problem
    Z: np.ndarray
    D: np.ndarray
    parabola: tuple[np.ndarray, np.ndarray, np.ndarray]
    residual: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))

    def at(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return objective, slope and curvature of every problem, (B,) each."""
        value, slope, curvature, self.residual = self.problem.ray(self.Z, self.D, t)
        square, cross, own = self.parabola
        return value + square / 2 + t * cross + t * t * own / 2, slope + cross + t * own, curvature + own


def _search(line: _Line, value: np.ndarray, slope: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the steps (B,) that satisfy the strong Wolfe conditions, and the objectives there.

    Newton steps on the line, bisecting where they leave the bracket; a problem whose search fails keeps still.
    """
    t = np.where(slope < 0.0, 1.0, 0.0)
    low, high = np.zeros_like(t), np.full_like(t, np.inf)
    for _ in range(TRIALS):
        new, rise, curvature = line.at(t)
        open_ = (slope < 0.0) & ~((new <= value + ARMIJO * t * slope) & (np.abs(rise) <= -WOLFE * slope))
        if not open_.any():
            return t, new
        low, high = np.where(open_ & (rise < 0.0), t, low), np.where(open_ & (rise >= 0.0), t, high)
        with np.errstate(divide="ignore", invalid="ignore"):
            guess = t - rise / curvature
        middle = np.where(np.isinf(high), 4.0 * t, (low + high) / 2)
        inside = (guess > low) & (guess < high) & (guess <= 10.0 * t)
        t = np.where(open_, np.where(inside, guess, middle), t)
    new, _, _ = line.at(t)
    t = np.where(new <= value, t, 0.0)
    return t, line.at(t)[0]


@dataclass(frozen=True)
class Solution:
    """Unknowns (P, B), their objectives (B,), iterations, and whether each problem converged, (B,)."""

    W: np.ndarray
    objective: np.ndarray
    n_iter: int
    converged: np.ndarray


class _Descent:
    """L-BFGS on all problems of a batch that have not converged; those that have are dropped from time to time."""

    def __init__(self, problem: Problem, W: np.ndarray) -> None:
        self.problem, self.W = problem, W.copy()
        self.places = np.arange(W.shape[1])
        self.steps, self.changes = np.zeros((HISTORY, *W.shape)), np.zeros((HISTORY, *W.shape))
        self.Z = problem.forward(self.W)
        value, _, _, residual = problem.ray(self.Z, np.zeros_like(self.Z), np.zeros(W.shape[1]))
        self.value = value + (problem.penalty * self.W * self.W).sum(axis=0) / 2
        self.gradient = problem.adjoint(residual) + problem.penalty * self.W

    def direction(self, iteration: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the quasi-Newton direction (P, B) and the slopes along it (B,)."""
        order = np.arange(max(0, iteration - HISTORY), iteration) % HISTORY
        inverse = np.ascontiguousarray(np.broadcast_to(self.problem.inverse, self.W.shape))
        direction = logistic.lbfgs_direction(self.gradient, self.steps, self.changes, order, inverse)
        return direction, logistic.column_dots(self.gradient, direction)

    def restrict(self, kept: np.ndarray) -> None:
        """Go on with the problems in the given columns only."""
        self.problem, self.places = self.problem.restrict(kept), self.places[kept]
        self.W, self.Z, self.gradient = (np.ascontiguousarray(a[:, kept]) for a in (self.W, self.Z, self.gradient))
        self.steps, self.changes = (np.ascontiguousarray(a[:, :, kept]) for a in (self.steps, self.changes))
        self.value = self.value[kept]

    def move(self, iteration: int, direction: np.ndarray, slope: np.ndarray) -> None:
        """Search along the direction and go there."""
        penalty = self.problem.penalty
        change = self.problem.forward(direction)
        scaled = penalty * direction
        own, cross = (scaled * direction).sum(axis=0), (scaled * self.W).sum(axis=0)
        line = _Line(self.problem, self.Z, change, ((penalty * self.W * self.W).sum(axis=0), cross, own))
        t, self.value = _search(line, self.value, slope)
        step = t * direction
        self.W += step
        self.Z += (t if self.Z.shape[1] == len(t) else t[0]) * change
        gradient = self.problem.adjoint(line.residual) + penalty * self.W
        place = iteration % HISTORY
        self.steps[place], self.changes[place], self.gradient = step, gradient - self.gradient, gradient


def minimise(problem: Problem, W: np.ndarray, max_iter: int, tol: float) -> Solution:
    """Minimise all problems of a batch from a start; no objective ever rises.

    Parameters
    ----------
    problem : the batch.
    W : float64 (P, B), the start; unchanged.
    max_iter : most iterations, each two products with the features.
    tol : a problem has converged when the quasi-Newton model promises a fall below ``tol`` times its objective.
    """
    result, value = W.copy(), np.zeros(W.shape[1])
    converged = np.zeros(W.shape[1], dtype=bool)
    descent, iteration = _Descent(problem, W), 0
    while True:
        direction, slope = descent.direction(iteration)
        still = -slope <= 2.0 * tol * np.maximum(np.abs(descent.value), 1e-12)
        done = still.all() or iteration == max_iter
        if done or 2 * still.sum() > len(still):
            result[:, descent.places], value[descent.places] = descent.W, descent.value
            converged[descent.places] = still
            if done:
                return Solution(result, value, iteration, converged)
            kept = np.flatnonzero(~still)
            descent.restrict(kept)
            direction, slope, still = np.ascontiguousarray(direction[:, kept]), slope[kept], still[kept]
        direction *= ~still
        descent.move(iteration, direction, np.where(still, 0.0, slope))
        iteration += 1


def minimise_sparse(problem: Problem, W: np.ndarray, l1: np.ndarray, max_iter: int, tol: float) -> Solution:
    r"""Minimise the problems' objectives plus \sum l1 |W| by accelerated proximal gradient steps; none ever rises.

    Source: A. Beck and M. Teboulle, IEEE Transactions on Image Processing 18, 2009 (monotone FISTA), in the metric of
    the guessed Hessian diagonal, raised until it bounds each problem from above.

    Parameters
    ----------
    problem : the batch.
    W : float64 (P, B), the start; unchanged.
    l1 : float64, broadcast to (P, B), not negative; 0 where an unknown is free of it.
    max_iter, tol : most steps, and the fall relative to the objective below which the batch has converged.
    """

    def smooth(at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        Z = problem.forward(at)
        value, _, _, residual = problem.ray(Z, np.zeros_like(Z), np.zeros(at.shape[1]))
        value = value + (problem.penalty * at * at).sum(axis=0) / 2
        return value, problem.adjoint(residual) + problem.penalty * at

    W, ahead, momentum = W.copy(), W, 1.0
    metric, factor = 1.0 / problem.inverse, np.ones(W.shape[1])
    objective = smooth(W)[0] + (l1 * np.abs(W)).sum(axis=0)
    converged = np.zeros(W.shape[1], dtype=bool)
    for iteration in range(max_iter):
        value, gradient = smooth(ahead)
        while True:
            step = 1.0 / (factor * metric)
            raw = ahead - step * gradient
            trial = np.sign(raw) * np.maximum(np.abs(raw) - step * l1, 0.0)
            change, new = trial - ahead, smooth(trial)[0]
            bound = value + (gradient * change).sum(axis=0) + (factor * metric * change * change).sum(axis=0) / 2
            short = new > bound + 1e-12 * np.abs(bound)
            if not short.any():
                break
            factor = np.where(short, 2.0 * factor, factor)
        total = new + (l1 * np.abs(trial)).sum(axis=0)
        better = total <= objective
        converged = np.where(better, objective - total, 0.0) <= tol * np.abs(objective)
        following = (1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
        kept = np.where(better, trial, W)
        ahead = kept + (momentum / following) * (trial - kept) + ((momentum - 1.0) / following) * (kept - W)
        W, objective, momentum = kept, np.where(better, total, objective), following
        if converged.all() and iteration > 0 and better.all():
            return Solution(W, objective, iteration + 1, converged)
    return Solution(W, objective, max_iter, converged)
