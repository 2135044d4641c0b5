<<<<<<< HEAD
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

from textmix.kernels import logistic

#: Steps kept by L-BFGS.
HISTORY = 8
#: Most trial steps of a line search.
TRIALS = 20
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
=======
"""Linear classifiers of two classes over regularisation paths: logistic regression and SVM with L2, L1 or both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import available_if

from textmix.models.linear_solvers import LOSSES, Columns, Problem, Solution, largest_l1, solve_l1, solve_l2
from textmix.models.two_class import TwoClassLinear


def penalty_grid(
    problem: Problem, l1_ratio: float, n_lambdas: int, largest: float = 1.0, smallest: float = 1e-3
) -> np.ndarray:
    """Return falling penalties, equally spaced in their logarithm.

    They are shares of a unit: with an L1 part, the penalty at which the first feature gets weight; without, the mean
    squared length of a document, at which weights matter little.

    Parameters
    ----------
    problem : data and loss.
    l1_ratio : share of the penalty on the L1 norm.
    n_lambdas : how many.
    largest, smallest : the first and the last, in that unit.
    """
    if l1_ratio > 0:
        unit = largest_l1(problem) / l1_ratio
    else:
        _, indices, data = problem.X.arrays
        squares = np.square(data) if len(data) else None
        unit = float(problem.c @ np.bincount(indices, squares, minlength=problem.X.n_rows))
    return max(unit, np.finfo(float).tiny) * np.geomspace(largest, smallest, n_lambdas)


def regularisation_path(
    problem: Problem, lambdas: Iterable[float], l1_ratio: float, tolerance: float = 1e-4
) -> Iterator[Solution]:
    """Yield the solution at each penalty, each started from the one before.

    The penalty of lambda is lambda * (l1_ratio |w|_1 + (1 - l1_ratio) / 2 |w|^2).
    """
    solution = None
    for penalty in lambdas:
        if l1_ratio == 0:
            solution = solve_l2(problem, penalty, start=solution, tolerance=tolerance)
        else:
            solution = solve_l1(
                problem, l1_ratio * penalty, (1 - l1_ratio) * penalty, start=solution, tolerance=tolerance
            )
        yield solution


def cross_validate(
    X: Columns,
    y: np.ndarray,
    fold: np.ndarray,
    *,
    loss: str,
    lambdas: np.ndarray,
    l1_ratio: float,
    tolerance: float = 1e-3,
    patience: int = 2,
) -> np.ndarray:
    """Return the accuracy on held-out documents at each penalty, (n_lambdas,); nan from where the search has ended.

    All folds go down their paths side by side; the search ends after ``patience`` penalties without a better accuracy.

    Parameters
    ----------
    X, y : training documents, y -1 or 1.
    fold : (N,), the fold in which a document is held out, -1 for none.
    loss, lambdas, l1_ratio, tolerance : of the path.
    """
    held = [fold == k for k in np.unique(fold[fold >= 0])]
    paths = [regularisation_path(Problem.of(X, y, loss, 1.0 * ~out), lambdas, l1_ratio, tolerance) for out in held]
    accuracy = np.full(len(lambdas), np.nan)
    for row, solutions in enumerate(zip(*paths, strict=True)):
        right = [(s.z[out] > 0) == (y[out] > 0) for s, out in zip(solutions, held, strict=True)]
        accuracy[row] = np.concatenate(right).mean()
        if row - int(np.nanargmax(accuracy)) >= patience:
            break
    return accuracy


class PathClassifier(TwoClassLinear):
    """A linear classifier whose penalty is chosen by cross-validation on the training documents.

    The objective is mean loss + lambda (l1_ratio |w|_1 + (1 - l1_ratio) / 2 |w|^2), the intercept free (Li et al. 2016,
    slide "Learning and Regularization"; the sum of losses there is N times the mean here).

    Parameters
    ----------
    loss : ``logistic`` or ``squared_hinge``.
    l1_ratio : 0 for L2, 1 for L1, between for both.
    lambdas : falling penalties; None for `penalty_grid` with ``n_lambdas``, ``largest`` and ``smallest``.
    n_lambdas, largest, smallest : of that grid.
    folds : parts of the cross-validation; with 1, or too few documents, the last penalty is taken.
    tolerance : largest duality gap, as a share of the objective.
    binary : take every value but 0 as 1.
    random_state : source of the folds.

    Attributes
    ----------
    classes_ : the two labels.
    coef_, intercept_ : (1, P) and (1,), for the second class.
    lambdas_, cv_accuracy_ : the grid and the accuracy on held-out documents, nan where it was not tried.
    lambda_ : the penalty chosen.
    objective_path_ : objective along the penalties of the last fit.
    gap_ : its duality gap.
    converged_, n_iter_ : whether the gap is as small as asked for, and iterations.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "loss": [StrOptions(set(LOSSES))],
        "l1_ratio": [Interval(Real, 0, 1, closed="both")],
        "lambdas": ["array-like", None],
        "n_lambdas": [Interval(Integral, 1, None, closed="left")],
        "largest": [Interval(Real, 0, None, closed="neither")],
        "smallest": [Interval(Real, 0, None, closed="neither")],
        "folds": [Interval(Integral, 1, None, closed="left")],
        "tolerance": [Interval(Real, 0, None, closed="neither")],
        "binary": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        loss: str = "logistic",
        l1_ratio: float = 0.0,
        lambdas: Sequence[float] | None = None,
        n_lambdas: int = 10,
        largest: float = 1.0,
        smallest: float = 1e-3,
        folds: int = 3,
        tolerance: float = 1e-4,
        binary: bool = False,
        random_state: Any = None,
    ) -> None:
        self.loss = loss
        self.l1_ratio = l1_ratio
        self.lambdas = lambdas
        self.n_lambdas = n_lambdas
        self.largest = largest
        self.smallest = smallest
        self.folds = folds
        self.tolerance = tolerance
        self.binary = binary
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> Self:
        """Choose the penalty and fit with it.

        Parameters
        ----------
        X : (N, P), sparse or dense.
        y : labels (N,) of two classes.
        """
        X, codes = self._check_labelled(X, y)
        columns, signs = Columns.of(X), 2.0 * codes - 1.0
        problem = Problem.of(columns, signs, self.loss)
        self.lambdas_ = self._grid(problem)
        last = self._choose(columns, signs)
        self.lambda_ = float(self.lambdas_[last])
        # Without an L1 part a start far away costs as much as none.
        passed = self.lambdas_[: last + 1] if self.l1_ratio > 0 else self.lambdas_[last : last + 1]
        path = list(regularisation_path(problem, passed, self.l1_ratio, self.tolerance))
        self._keep(path)
        return self

    def _values(self, X: Any) -> Any:
        """Return the matrix, its values replaced by ones where only presence counts."""
        if not self.binary:
            return X
        return (X != 0).astype(np.int8)

    def _grid(self, problem: Problem) -> np.ndarray:
        """Return the penalties, falling."""
        if self.lambdas is None:
            return penalty_grid(problem, self.l1_ratio, self.n_lambdas, self.largest, self.smallest)
        return np.sort(np.asarray(self.lambdas, dtype=np.float64))[::-1]

    def _choose(self, columns: Columns, y: np.ndarray) -> int:
        """Return the row of the best penalty, the largest of equally good ones."""
        self.cv_accuracy_ = np.full(len(self.lambdas_), np.nan)
        if self.folds < 2 or len(self.lambdas_) < 2 or min(np.sum(y > 0), np.sum(y < 0)) < self.folds:
            return len(self.lambdas_) - 1
        fold = check_random_state(self.random_state).permutation(len(y)) % self.folds
        self.cv_accuracy_ = cross_validate(
            columns, y, fold, loss=self.loss, lambdas=self.lambdas_, l1_ratio=self.l1_ratio
        )
        return int(np.nanargmax(self.cv_accuracy_))

    def _keep(self, path: list[Solution]) -> None:
        """Set the attributes of the last solution."""
        last = path[-1]
        self.coef_, self.intercept_ = last.w[np.newaxis], np.array([last.b])
        self.objective_path_ = [solution.objective for solution in path]
        self.gap_, self.converged_, self.n_iter_ = last.gap, last.converged, sum(s.n_iter for s in path)

    @available_if(lambda self: self.loss == "logistic")
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Return log p(class | document), (N, 2)."""
        return self._log_proba(X)

    @available_if(lambda self: self.loss == "logistic")
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return p(class | document), (N, 2)."""
        return np.exp(self.predict_log_proba(X))
>>>>>>> skipgrams
