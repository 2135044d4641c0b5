"""Newton's method on a batch of logistic regressions, in the space of the instances' rows."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from textmix.models.linear.newton_kernels import newton_logistic
from textmix.models.linear.problems import LogisticBatch, Solution, ridge
from textmix.models.linear.row_space import RowSpace


def minimise_newton(problem: LogisticBatch, W: np.ndarray, max_iter: int, tol: float) -> Solution:
    """Minimise the objectives of a batch whose unknowns are all free; no objective increases.

    The best weights lie in the space of the rows.  The start is projected onto it: it then gives the same predictions
    and its penalty is not larger.

    Parameters
    ----------
    problem : the batch.
    W : float64 (V + 1, B), the start; not changed.
    max_iter : most Newton steps.
    tol : a problem has converged when a step predicts a decrease below ``tol`` times its objective.
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
