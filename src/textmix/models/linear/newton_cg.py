"""The L2 penalty alone: Newton's method, its steps found by conjugate gradients on one number for each document.

The weights, the gradient and the steps are all X' times a vector with one number for each document (representer
theorem).  Only this vector is stored.  An inner product <X'a, X's> is a'(XX's), so that an iteration takes one pass
over the data, not two.
"""

from __future__ import annotations

import numpy as np

from textmix.models.linear.column_kernels import correlate, gram_product
from textmix.models.linear.margin_problem import MarginProblem, MarginSolution, margin_solution, null_model

#: Conjugate gradients end at this share of the first residual's norm: in the first Newton step, and in all later ones.
FIRST_SLACK, SLACK = 0.5, 0.1
#: Most conjugate gradient steps of one Newton step.
MAX_CG = 200


def solve_l2(
    problem: MarginProblem,
    l2: float,
    *,
    start: MarginSolution | None = None,
    tolerance: float = 1e-4,
    max_iter: int = 100,
) -> MarginSolution:
    """Return the model with the L2 penalty alone; its ``converged`` tells whether the gap meets the tolerance.

    Parameters
    ----------
    problem : data and loss.
    l2 : penalty, positive.
    start : the solution to start from; its ``dual`` must not be None.  None: all weights 0.
    tolerance : largest duality gap, as a share of the objective.
    max_iter : most Newton steps.
    """
    start = start or null_model(problem)
    arrays, dual, b = problem.X.arrays, np.array(start.dual), start.b
    scores = gram_product(*arrays, dual) if dual.any() else np.zeros_like(problem.y)  # X w, without b
    gap, objective, n_iter, slack = np.inf, np.inf, 0, FIRST_SLACK
    for n_iter in range(max_iter + 1):
        b += problem.best_shift(scores + b)
        derivative = problem.derivative(scores + b)
        residual = derivative + l2 * dual
        image = gram_product(*arrays, residual)
        squared = float(dual @ scores)
        objective = problem.value(scores + b) + 0.5 * l2 * squared
        gap = objective + problem.conjugate(scores + b) + 0.5 / l2 * float(derivative @ (image - l2 * scores))
        if gap <= tolerance * objective or n_iter == max_iter:
            break
        step, step_image, step_b = _newton_step(problem, l2, scores + b, (residual, image), slack)
        slack = SLACK
        products = squared, float(dual @ step_image), float(step @ step_image)
        t = _step_length(problem, scores + b, step_image + step_b, products, l2)
        dual, scores, b = dual + t * step, scores + t * step_image, b + t * step_b
    return margin_solution(
        correlate(*arrays, dual), b, scores + b, (objective, gap, tolerance), n_iter=n_iter, dual=dual
    )


def _newton_step(
    problem: MarginProblem, l2: float, z: np.ndarray, gradient: tuple[np.ndarray, np.ndarray], slack: float
) -> tuple[np.ndarray, np.ndarray, float]:
    """Return a step of the dual vector, (N,), XX' times the step, (N,), and a step of the intercept.

    Conjugate gradients in the metric XX'; the intercept is one more coordinate, and its gradient is 0 at the start.

    Parameters
    ----------
    z : scores (N,).
    gradient : r with X'r the objective's gradient in the weights, (N,), and XX'r, (N,).
    slack : the iterations end when the residual's norm is at most this share of the gradient's norm.
    """
    h = problem.curvature(z)
    r, r_image, r_b = -gradient[0], -gradient[1], 0.0
    step, step_image, step_b = np.zeros_like(z), np.zeros_like(z), 0.0
    p, p_image, p_b = r, r_image, r_b
    norm = first = float(r @ r_image)
    for _ in range(MAX_CG):
        weighted = h * (p_image + p_b)
        product, product_b = weighted + l2 * p, float(weighted.sum())
        product_image = gram_product(*problem.X.arrays, product)
        curvature = float(p_image @ product) + p_b * product_b
        if curvature <= 0:
            break
        t = norm / curvature
        step, step_image, step_b = step + t * p, step_image + t * p_image, step_b + t * p_b
        r, r_image, r_b = r - t * product, r_image - t * product_image, r_b - t * product_b
        before, norm = norm, float(r @ r_image) + r_b * r_b
        if norm <= slack**2 * first:
            break
        ratio = norm / before
        p, p_image, p_b = r + ratio * p, r_image + ratio * p_image, r_b + ratio * p_b
    return step, step_image, step_b


def _step_length(
    problem: MarginProblem, z: np.ndarray, change: np.ndarray, products: tuple[float, float, float], l2: float
) -> float:
    """Return the first of 1, 1/2, 1/4 ... that decreases the objective enough (Armijo's condition with 1e-4).

    Where none above 1e-10 does, the next one is returned.

    Parameters
    ----------
    z, change : scores (N,), and their change at step length 1.
    products : |w|^2, <w, s> and |s|^2 for weights w and step s.
    l2 : penalty.
    """
    value = problem.value(z)
    derivative = float(problem.derivative(z) @ change) + l2 * products[1]
    t = 1.0
    while t > 1e-10:
        penalty = l2 * (t * products[1] + 0.5 * t * t * products[2])
        if problem.value(z + t * change) + penalty - value <= 1e-4 * t * derivative:
            break
        t *= 0.5
    return t
