"""Solvers of smooth problems: L-BFGS and Newton's method on all problems of a batch, SciPy's L-BFGS on one function.

The L-BFGS of batches has a line search of Newton steps on each problem's own line.

No step increases an objective, and a descent may end before it has converged: a partial M step of EM needs both.
An iteration takes two products with the features, however many step lengths its line search tries.

Source: D. C. Liu and J. Nocedal, Mathematical Programming 45, 1989; strong Wolfe conditions: J. Nocedal and
S. J. Wright, Numerical Optimization, 2nd edition, section 3.1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy import optimize, sparse

from textmix.models.linear.problems import BatchProblem, LogisticBatch, Solution, ridge
from textmix.models.linear.row_space import RowSpace
from textmix.models.linear.solver_kernels import column_dots, lbfgs_direction, newton_logistic

#: A relative decrease that is as small as its rounding errors.
PRECISION = 1e-15
#: Pairs of step and change of the gradient that L-BFGS remembers.
HISTORY = 8
#: Most trial steps of a line search.
TRIALS = 20
#: Constants of the strong Wolfe conditions: sufficient decrease, and curvature.
SUFFICIENT_DECREASE, CURVATURE = 1e-4, 0.9


@dataclass
class _Line:
    """The objective of every problem along one direction: its loss, and its penalty as a parabola in the step length.

    ``Z`` and ``D``, (N, M), are the predictors and their change at step length 1; ``parabola`` has, for weights w and
    direction d, the sums over unknowns of penalty w^2, penalty w d and penalty d^2, (B,); ``residual``, (N, M), is the
    gradient in the predictors where `at` was called last.
    """

    problem: BatchProblem
    Z: np.ndarray
    D: np.ndarray
    parabola: tuple[np.ndarray, np.ndarray, np.ndarray]
    residual: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))

    def at(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return objective, first and second derivative of every problem at step lengths t, float64 (B,) each."""
        value, derivative, curvature, self.residual = self.problem.loss_on_line(self.Z, self.D, t)
        square, cross, own = self.parabola
        return value + square / 2 + t * cross + t * t * own / 2, derivative + cross + t * own, curvature + own


def _step_lengths(line: _Line, value: np.ndarray, derivative: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return step lengths that satisfy the strong Wolfe conditions and the objectives there, float64 (B,) each."""
    t = np.where(derivative < 0.0, 1.0, 0.0)
    low, high = np.zeros_like(t), np.full_like(t, np.inf)
    for _ in range(TRIALS):
        new, new_derivative, curvature = line.at(t)
        decreased = new <= value + SUFFICIENT_DECREASE * t * derivative
        searching = (derivative < 0.0) & ~(decreased & (np.abs(new_derivative) <= -CURVATURE * derivative))
        if not searching.any():
            return t, new
        low = np.where(searching & (new_derivative < 0.0), t, low)
        high = np.where(searching & (new_derivative >= 0.0), t, high)
        with np.errstate(divide="ignore", invalid="ignore"):
            newton = t - new_derivative / curvature
        middle = np.where(np.isinf(high), 4.0 * t, (low + high) / 2)
        inside = (newton > low) & (newton < high) & (newton <= 10.0 * t)
        t = np.where(searching, np.where(inside, newton, middle), t)
    new, _, _ = line.at(t)
    t = np.where(new <= value, t, 0.0)
    return t, line.at(t)[0]


class _Descent:
    """The state of L-BFGS: unknowns, predictors, objective, gradient and history of the problems left in the batch."""

    def __init__(self, problem: BatchProblem, W: np.ndarray) -> None:
        self.problem, self.W = problem, W.copy()
        self.columns = np.arange(W.shape[1])
        self.steps, self.changes = np.zeros((HISTORY, *W.shape)), np.zeros((HISTORY, *W.shape))
        self.Z = problem.predictors(self.W)
        value, _, _, residual = problem.loss_on_line(self.Z, np.zeros_like(self.Z), np.zeros(W.shape[1]))
        self.value = value + (problem.penalty * self.W * self.W).sum(axis=0) / 2
        self.gradient = problem.gradient(residual) + problem.penalty * self.W

    def direction(self, iteration: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the quasi-Newton direction, float64 (P, B), and the objective's derivative along it, (B,)."""
        order = np.arange(max(0, iteration - HISTORY), iteration) % HISTORY
        inverse = np.ascontiguousarray(np.broadcast_to(self.problem.inverse_diagonal, self.W.shape))
        direction = lbfgs_direction(self.gradient, self.steps, self.changes, order, inverse)
        return direction, column_dots(self.gradient, direction)

    def select(self, problems: np.ndarray) -> None:
        """Go on with the problems in the given columns, int (b,), alone."""
        self.problem, self.columns = self.problem.select(problems), self.columns[problems]
        self.W, self.Z, self.gradient = (np.ascontiguousarray(a[:, problems]) for a in (self.W, self.Z, self.gradient))
        self.steps, self.changes = (np.ascontiguousarray(a[:, :, problems]) for a in (self.steps, self.changes))
        self.value = self.value[problems]

    def move(self, iteration: int, direction: np.ndarray, derivative: np.ndarray) -> None:
        """Search along the direction (P, B), take the step found, and store it with the change of the gradient."""
        penalty = self.problem.penalty
        change = self.problem.predictors(direction)
        scaled = penalty * direction
        own, cross = (scaled * direction).sum(axis=0), (scaled * self.W).sum(axis=0)
        line = _Line(self.problem, self.Z, change, ((penalty * self.W * self.W).sum(axis=0), cross, own))
        t, self.value = _step_lengths(line, self.value, derivative)
        step = t * direction
        self.W += step
        self.Z += (t if self.Z.shape[1] == len(t) else t[0]) * change
        gradient = self.problem.gradient(line.residual) + penalty * self.W
        place = iteration % HISTORY
        self.steps[place], self.changes[place], self.gradient = step, gradient - self.gradient, gradient


def minimise(problem: BatchProblem, W: np.ndarray, max_iter: int, tol: float) -> Solution:
    """Minimise the objectives of a batch from W, float64 (P, B); no objective increases.

    Problems that have converged leave the batch as soon as they are more than half of it.  A problem has converged when
    the quasi-Newton model predicts a decrease below ``tol`` times its objective.
    """
    unknowns, objective = W.copy(), np.zeros(W.shape[1])
    converged = np.zeros(W.shape[1], dtype=bool)
    descent, iteration = _Descent(problem, W), 0
    while True:
        direction, derivative = descent.direction(iteration)
        settled = -derivative <= 2.0 * tol * np.maximum(np.abs(descent.value), 1e-12)
        done = settled.all() or iteration == max_iter
        if done or 2 * settled.sum() > len(settled):
            unknowns[:, descent.columns], objective[descent.columns] = descent.W, descent.value
            converged[descent.columns] = settled
            if done:
                return Solution(unknowns, objective, converged, iteration)
            rest = np.flatnonzero(~settled)
            descent.select(rest)
            direction, derivative = np.ascontiguousarray(direction[:, rest]), derivative[rest]
            settled = settled[rest]
        direction *= ~settled
        descent.move(iteration, direction, np.where(settled, 0.0, derivative))
        iteration += 1


def minimise_newton(problem: LogisticBatch, W: np.ndarray, max_iter: int, tol: float) -> Solution:
    """Minimise the objectives of a batch whose unknowns, (V + 1, B), are all free; no objective increases.

    The best weights lie in the space of the rows.  The start is projected onto it: it then gives the same predictions
    and its penalty is not larger.  A problem has converged when a step predicts a decrease below ``tol`` times its
    objective.
    """
    space = RowSpace.of(problem.X)
    dense = space.inputs.toarray() if sparse.issparse(space.inputs) else space.inputs
    inputs = np.ascontiguousarray(np.hstack([dense, np.ones((len(dense), 1))]))
    penalty = ridge(dense.shape[1], problem.variance)[:, 0]
    start = np.ascontiguousarray(space.project(W))
    unknowns, objective, converged, n_iter = newton_logistic(
        inputs, problem.Y, problem.weight, penalty, start, max_iter, tol
    )
    return Solution(space.lift(unknowns), objective, converged, n_iter)


def minimise_function(
    objective: Callable[[np.ndarray], tuple[float, np.ndarray]], start: np.ndarray, max_iter: int, tol: float
) -> Solution:
    """Minimise an objective, which also gives its gradient (P,), from a start; the solution's unknowns are (P, 1).

    It has converged when an iteration decreases the objective f by at most ``tol`` times the larger of 1 and abs(f).
    """
    options = {"maxiter": max_iter, "ftol": tol, "gtol": 0.0}
    found = optimize.minimize(objective, start, method="L-BFGS-B", jac=True, options=options)
    return Solution(
        found.x[:, np.newaxis], np.array([float(found.fun)]), np.array([bool(found.success)]), int(found.nit)
    )
