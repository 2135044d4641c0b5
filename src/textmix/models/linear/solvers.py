"""Solvers of smooth problems: L-BFGS and Newton's method for batches, and SciPy's L-BFGS for a single function.

`minimise` preconditions L-BFGS with the inverse Hessian diagonal and searches each problem's line for a step that
satisfies the strong Wolfe conditions.  `minimise_plain` is L-BFGS with the identity as initial Hessian and a
backtracking line search.  It needs more iterations, but on an almost unregularised separable problem, where no solver
reaches the optimum, it follows the same path as programs with this textbook algorithm.

No iteration increases an objective, and every solver can stop early: a partial M step of EM needs both properties.
An iteration needs two products with the feature matrix, regardless of the number of trial step lengths.

References: D. C. Liu and J. Nocedal, Mathematical Programming 45, 1989 (L-BFGS); J. Nocedal and S. J. Wright, Numerical
Optimization, 2nd edition, section 3.1 (line searches).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy import optimize, sparse

from textmix.models.linear.problems import BatchProblem, LogisticBatch, Solution, ridge
from textmix.models.linear.row_space import RowSpace
from textmix.models.linear.solver_kernels import column_dots, lbfgs_direction, newton_logistic

#: Relative decreases below this are rounding errors.
PRECISION = 1e-15
#: Number of step and gradient-change pairs that L-BFGS stores.
HISTORY = 8
#: The same for plain L-BFGS.
PLAIN_HISTORY = 5
#: Maximum number of trial steps of a line search.
TRIALS = 20
#: Maximum number of halvings of a backtracking line search.
MAX_HALVINGS = 40
#: Constant of the sufficient decrease (Armijo) condition.
SUFFICIENT_DECREASE = 1e-4
#: Constant of the curvature condition of the strong Wolfe conditions.
CURVATURE = 0.9
#: Plain L-BFGS stops after this many successive small changes of the objective.
STABLE_CHANGES = 5
#: A small change is at most ``tol`` times the objective, and at most ``tol`` times this number.
ABSOLUTE_SCALE = 100.0


@dataclass
class _Line:
    """Objective of every problem along one direction: the loss plus the penalty, a parabola in the step length.

    ``Z`` and ``D``, (N, M), are the predictors and their change for step length 1.  For weights w and direction d,
    ``parabola`` contains the sums of penalty w^2, penalty w d and penalty d^2 over the unknowns, (B,) each.
    ``residual``, (N, M), is the gradient with respect to the predictors at the last call of `at`.
    """

    problem: BatchProblem
    Z: np.ndarray
    D: np.ndarray
    parabola: tuple[np.ndarray, np.ndarray, np.ndarray]
    residual: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))

    def at(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Compute objective, first and second derivative of every problem at step lengths t, float64 (B,) each."""
        value, derivative, curvature, self.residual = self.problem.loss_on_line(self.Z, self.D, t)
        square, cross, own = self.parabola
        return value + square / 2 + t * cross + t * t * own / 2, derivative + cross + t * own, curvature + own


#: Line search: maps a line, objectives and derivatives at its start to step lengths and objectives, (B,) each.
LineSearch = Callable[[_Line, np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


def _search_wolfe(line: _Line, value: np.ndarray, derivative: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Search step lengths that satisfy the strong Wolfe conditions by safeguarded Newton steps, see `LineSearch`."""
    t = np.where(derivative < 0.0, 1.0, 0.0)
    low = np.zeros_like(t)
    high = np.full_like(t, np.inf)
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


def _backtrack(line: _Line, value: np.ndarray, derivative: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Halve step lengths, starting from 1, until the decrease is sufficient, see `LineSearch`."""
    t = np.where(derivative < 0.0, 1.0, 0.0)
    for _ in range(MAX_HALVINGS):
        new, _, _ = line.at(t)
        sufficient = new <= value + SUFFICIENT_DECREASE * t * derivative
        too_long = (t > 0.0) & ~sufficient
        if not too_long.any():
            return t, new
        t = np.where(too_long, t / 2.0, t)
    t = np.where(too_long, 0.0, t)
    return t, line.at(t)[0]


class _Descent:
    """State of L-BFGS: unknowns, predictors, objective, gradient and history of the problems left in the batch.

    ``memory`` is the number of stored pairs; ``scaled`` starts each direction from the problem's inverse Hessian
    diagonal instead of the identity.
    """

    def __init__(self, problem: BatchProblem, W: np.ndarray, *, memory: int = HISTORY, scaled: bool = True) -> None:
        self.problem = problem
        self.W = W.copy()
        self.columns = np.arange(W.shape[1])
        self.memory = memory
        self.scaled = scaled
        self.steps = np.zeros((memory, *W.shape))
        self.changes = np.zeros((memory, *W.shape))
        self.Z = problem.predictors(self.W)
        value, _, _, residual = problem.loss_on_line(self.Z, np.zeros_like(self.Z), np.zeros(W.shape[1]))
        self.value = value + (problem.penalty * self.W * self.W).sum(axis=0) / 2
        self.gradient = problem.gradient(residual) + problem.penalty * self.W

    def direction(self, iteration: int) -> tuple[np.ndarray, np.ndarray]:
        """Compute the quasi-Newton direction, float64 (P, B), and the objective's derivative along it, (B,)."""
        order = np.arange(max(0, iteration - self.memory), iteration) % self.memory
        if self.scaled:
            inverse = np.ascontiguousarray(np.broadcast_to(self.problem.inverse_diagonal, self.W.shape))
        else:
            inverse = np.broadcast_to(np.ones((1, 1)), self.W.shape)  # without memory of its own
        direction = lbfgs_direction(self.gradient, self.steps, self.changes, order, inverse)
        return direction, column_dots(self.gradient, direction)

    def select(self, problems: np.ndarray) -> None:
        """Keep only the problems with the indices ``problems``, int (b,)."""
        self.problem = self.problem.select(problems)
        self.columns = self.columns[problems]
        self.W, self.Z, self.gradient = (np.ascontiguousarray(a[:, problems]) for a in (self.W, self.Z, self.gradient))
        self.steps, self.changes = (np.ascontiguousarray(a[:, :, problems]) for a in (self.steps, self.changes))
        self.value = self.value[problems]

    def move(
        self, iteration: int, direction: np.ndarray, derivative: np.ndarray, search: LineSearch = _search_wolfe
    ) -> None:
        """Search along the direction (P, B), update the unknowns, and store the step and the gradient change.

        The array of the direction is overwritten: it becomes that of the gradient.
        """
        penalty = self.problem.penalty
        place = iteration % self.memory
        # The pair to be stored serves as scratch space: with many unknowns, each temporary array would take as much.
        step = self.steps[place]
        scratch = self.changes[place]
        np.multiply(penalty, direction, out=step)
        own = np.multiply(step, direction, out=scratch).sum(axis=0)
        cross = np.multiply(step, self.W, out=scratch).sum(axis=0)
        np.multiply(penalty, self.W, out=scratch)
        squares = np.multiply(scratch, self.W, out=scratch).sum(axis=0)
        change = self.problem.predictors(direction)
        line = _Line(self.problem, self.Z, change, (squares, cross, own))
        t, self.value = search(line, self.value, derivative)
        np.multiply(t, direction, out=step)
        self.W += step
        self.Z += (t if self.Z.shape[1] == len(t) else t[0]) * change
        np.multiply(penalty, self.W, out=scratch)
        scratch += self.problem.gradient(line.residual)
        np.copyto(direction, scratch)
        scratch -= self.gradient
        self.gradient = direction


def minimise(problem: BatchProblem, W: np.ndarray, max_iter: int, tol: float) -> Solution:
    """Minimise the objectives of a batch by preconditioned L-BFGS with a strong Wolfe line search.

    Converged problems are removed from the batch when they make up more than half of it.

    Parameters
    ----------
    problem : BatchProblem
        The B objectives.
    W : ndarray of shape (P, B)
        Initial unknowns.
    max_iter : int
        Maximum number of iterations.
    tol : float
        A problem has converged when the quasi-Newton model predicts a decrease below ``tol`` times its objective.

    Returns
    -------
    Solution
        No objective exceeds its initial value.
    """
    unknowns = np.empty_like(W)
    objective = np.zeros(W.shape[1])
    converged = np.zeros(W.shape[1], dtype=bool)
    descent = _Descent(problem, W)
    iteration = 0
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
            direction = np.ascontiguousarray(direction[:, rest])
            derivative = derivative[rest]
            settled = settled[rest]
        direction *= ~settled
        descent.move(iteration, direction, np.where(settled, 0.0, derivative))
        iteration += 1


def minimise_plain(problem: BatchProblem, W: np.ndarray, max_iter: int, tol: float) -> Solution:
    """Minimise the objectives of a batch by plain L-BFGS.

    The recursion starts from a multiple of the identity, the first direction is the negative gradient, and step lengths
    are halved from 1 until the decrease is sufficient.

    Parameters
    ----------
    problem : BatchProblem
        The B objectives.
    W : ndarray of shape (P, B)
        Initial unknowns.
    max_iter : int
        Maximum number of iterations.
    tol : float
        A problem has converged after `STABLE_CHANGES` successive changes of its objective by at most ``tol`` times the
        objective and at most `ABSOLUTE_SCALE` times ``tol``.

    Returns
    -------
    Solution
        No objective exceeds its initial value.
    """
    unknowns = np.empty_like(W)
    objective = np.zeros(W.shape[1])
    converged = np.zeros(W.shape[1], dtype=bool)
    descent = _Descent(problem, W, memory=PLAIN_HISTORY, scaled=False)
    stable = np.zeros(W.shape[1], dtype=np.int64)
    iteration = 0
    while True:
        settled = stable >= STABLE_CHANGES
        is_done = settled.all() or iteration == max_iter
        if is_done or 2 * settled.sum() > len(settled):
            unknowns[:, descent.columns] = descent.W
            objective[descent.columns] = descent.value
            converged[descent.columns] = settled
            if is_done:
                return Solution(unknowns, objective, converged, iteration)
            unsettled = np.flatnonzero(~settled)
            descent.select(unsettled)
            stable = stable[unsettled]
            settled = settled[unsettled]
        direction, derivative = descent.direction(iteration)
        direction *= ~settled
        before = descent.value
        descent.move(iteration, direction, np.where(settled, 0.0, derivative), _backtrack)
        change = np.abs(before - descent.value)
        is_small = (change <= tol * np.abs(descent.value)) & (change <= ABSOLUTE_SCALE * tol)
        stable = np.where(settled, stable, np.where(is_small, stable + 1, 0))
        iteration += 1


def minimise_newton(problem: LogisticBatch, W: np.ndarray, max_iter: int, tol: float) -> Solution:
    """Minimise the objectives of a batch without fixed unknowns by Newton's method in the row space.

    The optimal weights lie in the row space of the features.  The initial weights are projected onto it, which keeps
    their predictions and does not increase their penalty.

    Parameters
    ----------
    problem : LogisticBatch
        The B objectives, with V + 1 unknowns each.
    W : ndarray of shape (V + 1, B)
        Initial unknowns.
    max_iter : int
        Maximum number of iterations.
    tol : float
        A problem has converged when a step predicts a decrease below ``tol`` times its objective.

    Returns
    -------
    Solution
        No objective exceeds its initial value.
    """
    space = RowSpace.of(problem.X)
    dense = space.inputs.toarray() if sparse.issparse(space.inputs) else space.inputs
    inputs = np.ascontiguousarray(np.hstack([dense, np.ones((len(dense), 1))]))
    penalty = ridge(dense.shape[1], problem.variance, problem.penalise_intercept)[:, 0]
    start = np.ascontiguousarray(space.project(W))
    unknowns, objective, converged, n_iter = newton_logistic(
        inputs, problem.Y, problem.weight, penalty, start, max_iter, tol
    )
    return Solution(space.lift(unknowns), objective, converged, n_iter)


def minimise_function(
    objective: Callable[[np.ndarray], tuple[float, np.ndarray]], start: np.ndarray, max_iter: int, tol: float
) -> Solution:
    """Minimise a single function by SciPy's L-BFGS.

    Parameters
    ----------
    objective : callable
        Returns the objective and its gradient (P,).
    start : ndarray of shape (P,)
        Initial unknowns.
    max_iter : int
        Maximum number of iterations.
    tol : float
        The solver has converged when an iteration decreases the objective f by at most ``tol * max(1, abs(f))``.

    Returns
    -------
    Solution
        Its unknowns have shape (P, 1).
    """
    options = {"maxiter": max_iter, "ftol": tol, "gtol": 0.0}
    result = optimize.minimize(objective, start, method="L-BFGS-B", jac=True, options=options)
    return Solution(
        result.x[:, np.newaxis],
        np.array([float(result.fun)]),
        np.array([bool(result.success)]),
        int(result.nit),
    )


#: Solvers that can be selected by the ``solver`` parameter of estimators.
SOLVERS = {
    "lbfgs": minimise,
    "plain_lbfgs": minimise_plain,
}
