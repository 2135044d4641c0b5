"""SciPy's L-BFGS for one objective of any form, in the solution form of this family."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import optimize

from textmix.models.linear.problems import Solution

#: A relative decrease that is as small as its rounding errors.
PRECISION = 1e-15


def minimise_function(
    objective: Callable[[np.ndarray], tuple[float, np.ndarray]], start: np.ndarray, max_iter: int, tol: float
) -> Solution:
    """Minimise an objective from a start and return the solution of one problem, its unknowns float64 (P, 1).

    Parameters
    ----------
    objective : from unknowns (P,) to the objective and its gradient (P,).
    start : float64 (P,).
    max_iter : most iterations.
    tol : converged when an iteration decreases the objective f by at most ``tol`` times the larger of 1 and abs(f).
    """
    options = {"maxiter": max_iter, "ftol": tol, "gtol": 0.0}
    found = optimize.minimize(objective, start, method="L-BFGS-B", jac=True, options=options)
    return Solution(
        found.x[:, np.newaxis], np.array([float(found.fun)]), np.array([bool(found.success)]), int(found.nit)
    )
