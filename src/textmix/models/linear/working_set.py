"""Solver for the L1 penalty, with or without L2 penalty: Newton's method on a working set of features."""

from __future__ import annotations

import numpy as np

from textmix.models.linear.column_kernels import combine_some, copy_columns, correlate
from textmix.models.linear.coordinate_descent_kernels import descend
from textmix.models.linear.margin_problem import MarginProblem, MarginSolution, margin_solution, null_model

#: Maximum number of zero-weight features that may join the working set in a round, regardless of its size.
LEAST_ROOM = 1000
#: Maximum number of Newton steps of a round.
NEWTON_STEPS = 20
#: Maximum number of coordinate descent sweeps of a Newton step.
SWEEPS = 1000


def solve_l1(
    problem: MarginProblem,
    l1: float,
    l2: float = 0.0,
    *,
    start: MarginSolution | None = None,
    tol: float = 1e-4,
    max_iter: int = 100,
) -> MarginSolution:
    """Fit the model with the L1 penalty, or with both penalties; ``l1`` is positive.

    Each round forms a working set: the features with nonzero weight, and the zero-weight features with the largest KKT
    violations. On this set Newton's method is applied, with its quadratic model minimised by coordinate descent. One
    pass over all features then yields their KKT violations and the relative duality gap. ``start`` can be the solution
    at the next larger penalty.
    """
    start = start or null_model(problem)
    arrays = problem.X.arrays
    w = start.w.copy()
    b = start.b
    z = start.scores.copy()
    objective = np.inf
    gap = np.inf
    n_iter = 0
    for n_iter in range(max_iter + 1):
        shift = problem.best_shift(z)
        b += shift
        z = z + shift
        gradient = correlate(*arrays, problem.derivative(z))
        objective = problem.value(z) + _penalty(w, l1, l2)
        gap = _duality_gap(problem, z, gradient, (l1, l2), objective)
        if gap <= tol * objective or n_iter == max_iter:
            break
        columns = _working_set(w, gradient, l1)
        change_b, z = _minimise_on(problem, columns, (w, z), (l1, l2), 0.2 * _kkt_violation(w, gradient, l1, l2))
        b += change_b
    return margin_solution(w, b, z, (objective, gap, tol), n_iter=n_iter)


def _penalty(w: np.ndarray, l1: float, l2: float) -> float:
    """Compute l1 |w|_1 + l2 / 2 |w|^2."""
    return l1 * float(np.abs(w).sum()) + 0.5 * l2 * float(w @ w)


def _duality_gap(
    problem: MarginProblem, z: np.ndarray, gradient: np.ndarray, penalties: tuple[float, float], objective: float
) -> float:
    """Compute an upper bound of the objective minus its minimum, by Fenchel's inequality."""
    l1, l2 = penalties
    largest = float(np.max(np.abs(gradient), initial=0.0))
    scales = [min(1.0, l1 / largest) if largest > 0 else 1.0]
    if l2 > 0:
        scales.append(1.0)
    gaps = []
    for scale in scales:
        excess = np.maximum(scale * np.abs(gradient) - l1, 0.0)
        conjugate = 0.5 / l2 * float(excess @ excess) if l2 > 0 else 0.0
        gaps.append(objective + problem.conjugate(z, scale) + conjugate)
    return min(gaps)


def _kkt_violation(w: np.ndarray, gradient: np.ndarray, l1: float, l2: float) -> float:
    """Compute the largest KKT violation of weights w (P,) from the loss's gradient with respect to them (P,)."""
    smooth = gradient + l2 * w
    return float(np.max(np.where(w != 0, np.abs(smooth + l1 * np.sign(w)), np.abs(smooth) - l1), initial=0.0))


def _working_set(w: np.ndarray, gradient: np.ndarray, l1: float) -> np.ndarray:
    """Select the working set, sorted feature indices, int64 (K,)."""
    used = np.flatnonzero(w)
    violating = np.flatnonzero((w == 0) & (np.abs(gradient) > l1))
    room = max(LEAST_ROOM, 2 * len(used))
    if len(violating) > room:
        excess = np.abs(gradient[violating])
        violating = violating[np.argpartition(-excess, room)[:room]]
    return np.sort(np.concatenate([used, violating]))


def _minimise_on(
    problem: MarginProblem,
    columns: np.ndarray,
    start: tuple[np.ndarray, np.ndarray],
    penalties: tuple[float, float],
    tol: float,
) -> tuple[float, np.ndarray]:
    """Update the weights of the working set in place by Newton's method."""
    weights, z = start
    arrays = copy_columns(*problem.X.arrays, columns)
    every_column = np.arange(len(columns))
    w = weights[columns]
    b = 0.0
    objective = problem.value(z) + _penalty(w, *penalties)
    for _ in range(NEWTON_STEPS):
        # A minimum curvature is set for each document: otherwise weights with zero curvature would never return to 0.
        state = np.column_stack([problem.derivative(z), problem.curvature(z) + 1e-4 * problem.c])
        new = w.copy()
        limits = (0.3 * tol, SWEEPS, problem.intercept)
        change_b, violation, _sweeps = descend(*arrays, new, state, *penalties, *limits)
        change = combine_some(*arrays, every_column, new - w, len(z)) + change_b
        t = 1.0
        decreased = -np.inf
        while t > 1e-10:
            decreased = problem.value(z + t * change) + _penalty(w + t * (new - w), *penalties)
            if decreased <= objective:
                break
            t *= 0.5
        w = w + t * (new - w)
        z = z + t * change
        b += t * change_b
        objective = decreased
        if violation <= tol:
            break
    weights[columns] = w
    return b, z
