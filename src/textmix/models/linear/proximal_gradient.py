r"""Accelerated proximal gradient steps on all problems of a batch at once, for objectives with an L1 penalty.

Source: A. Beck and M. Teboulle, IEEE Transactions on Image Processing 18, 2009 (monotone FISTA), in the metric of the
guessed Hessian diagonal.  A factor of this diagonal is doubled until the quadratic model bounds the problem from above.
"""

from __future__ import annotations

import numpy as np

from textmix.models.linear.problems import BatchProblem, Solution


def _smooth_part(problem: BatchProblem, W: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the objectives without the L1 penalty, float64 (B,), and their gradient, float64 (P, B)."""
    Z = problem.predictors(W)
    value, _, _, residual = problem.loss_on_line(Z, np.zeros_like(Z), np.zeros(W.shape[1]))
    value = value + (problem.penalty * W * W).sum(axis=0) / 2
    return value, problem.gradient(residual) + problem.penalty * W


def _proximal_step(
    problem: BatchProblem, W: np.ndarray, l1: np.ndarray, metric: np.ndarray, factor: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the point of the proximal gradient step, (P, B), its smooth objectives, (B,), and the new factors, (B,).

    A problem's factor is doubled until the quadratic model with the Hessian ``factor * metric`` is not below the smooth
    objective at the new point.

    Parameters
    ----------
    problem : the batch.
    W : float64 (P, B), the point before the step.
    l1 : factor of the L1 penalty, broadcasts to (P, B).
    metric : guess of the Hessian's diagonal, broadcasts to (P, B).
    factor : float64 (B,).
    """
    value, gradient = _smooth_part(problem, W)
    while True:
        step = 1.0 / (factor * metric)
        raw = W - step * gradient
        trial = np.sign(raw) * np.maximum(np.abs(raw) - step * l1, 0.0)
        change, new = trial - W, _smooth_part(problem, trial)[0]
        bound = value + (gradient * change).sum(axis=0) + (factor * metric * change * change).sum(axis=0) / 2
        above = new > bound + 1e-12 * np.abs(bound)
        if not above.any():
            return trial, new, factor
        factor = np.where(above, 2.0 * factor, factor)


def minimise_elastic_net(problem: BatchProblem, W: np.ndarray, l1: np.ndarray, max_iter: int, tol: float) -> Solution:
    r"""Minimise the objectives of a batch plus \sum l1 |W|; no objective increases.

    Parameters
    ----------
    problem : the batch.
    W : float64 (P, B), the start; not changed.
    l1 : float64 that broadcasts to (P, B), not negative; 0 where an unknown has no L1 penalty.
    max_iter : most steps.
    tol : the batch has converged when no objective decreases by more than ``tol`` times itself in a step, and none of
        the batch's steps was rejected for an increase.
    """
    W, ahead, momentum = W.copy(), W, 1.0
    metric, factor = 1.0 / problem.inverse_diagonal, np.ones(W.shape[1])
    objective = _smooth_part(problem, W)[0] + (l1 * np.abs(W)).sum(axis=0)
    converged = np.zeros(W.shape[1], dtype=bool)
    for iteration in range(max_iter):
        trial, smooth, factor = _proximal_step(problem, ahead, l1, metric, factor)
        total = smooth + (l1 * np.abs(trial)).sum(axis=0)
        better = total <= objective
        converged = np.where(better, objective - total, 0.0) <= tol * np.abs(objective)
        following = (1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
        best = np.where(better, trial, W)
        ahead = best + (momentum / following) * (trial - best) + ((momentum - 1.0) / following) * (best - W)
        W, objective, momentum = best, np.where(better, total, objective), following
        if converged.all() and iteration > 0 and better.all():
            return Solution(W, objective, converged, iteration + 1)
    return Solution(W, objective, converged, max_iter)
