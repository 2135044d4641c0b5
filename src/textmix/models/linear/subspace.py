"""Solver for the L2 penalty: optimise in a small subspace, which grows until the duality gap is small enough.

The optimal weights are X' times a vector with one number per document (representer theorem).  A subspace of such
weights is represented by an orthonormal basis.  The documents have few coordinates in it, so that the optimal weights
in the subspace are computed without X.  Their gradient yields the duality gap and, if the gap is too large, the next
basis vector: a round requires one pass over X.  With a quadratic loss these are the steps of conjugate gradients.

The problems of all folds and penalties have the same matrix and therefore use the same subspace, so that each problem
benefits from all previous ones.

Source: J. Lampe, L. Reichel and H. Voss, Linear Algebra and its Applications 436, 2012 (generalised Krylov subspace).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import linalg

from textmix.models.linear.column_kernels import correlate, gram_product
from textmix.models.linear.margin_problem import Columns, MarginProblem, MarginSolution, margin_solution, null_model
from textmix.numerics.threads import side_by_side

#: A subspace of more dimensions than this is replaced by the span of the current models.
MOST_DIMENSIONS = 200
#: A vector belongs to the subspace if the squared norm of its orthogonal component is at most this fraction of its own.
NEGLIGIBLE = 1e-20
#: Fraction of the tolerance for the optimisation within the subspace, and its maximum number of Newton steps.
OWN_SHARE = 0.1
NEWTON_STEPS = 50


class Point(NamedTuple):
    """Model of a problem at one penalty, with weights X' dual, where ``dual`` is float64 (N,).

    ``scores``, (N,), are w'x + b of all documents; ``objective`` and ``gap`` are as in `MarginSolution`; ``n_iter`` is
    the number of rounds.
    """

    dual: np.ndarray
    b: float
    scores: np.ndarray
    objective: float
    gap: float
    n_iter: int

    @classmethod
    def of(cls, start: MarginSolution) -> Point:
        """Convert a solution with the L2 penalty only, or the null model."""
        return cls(np.asarray(start.dual), start.b, start.scores, start.total_objective, start.gap, start.n_iter)

    def solution(self, X: Columns, tol: float) -> MarginSolution:
        """Create the solution with its weights; it has converged if its gap meets the tolerance."""
        bound = self.objective, self.gap, tol
        return margin_solution(
            correlate(*X.arrays, self.dual), self.b, self.scores, bound, n_iter=self.n_iter, dual=self.dual
        )


class _Best(NamedTuple):
    """Optimal weights of a problem in a subspace of D dimensions, with their quality.

    ``u``, (D,), are coordinates; ``derivative`` is the loss's gradient in the scores, d, and ``image`` is XX'd, (N,)
    each.
    """

    u: np.ndarray
    b: float
    scores: np.ndarray
    objective: float
    gap: float
    derivative: np.ndarray
    image: np.ndarray


class Subspace:
    """Subspace of the weights of one matrix (N, P).

    The basis is ``combine @ X``, orthonormal, with ``combine`` float64 (D, N); ``inputs``, (D, N), are the coordinates
    of the documents.
    """

    def __init__(self, X: Columns) -> None:
        self.X = X
        self._begin([])

    def _begin(self, points: Sequence[Point]) -> None:
        """Replace the subspace by the span of some models."""
        self.combine = self.inputs = np.empty((0, self.X.n_rows))
        for point in points:
            self._add(point.dual, point.scores - point.b)

    def solve(
        self,
        problems: Sequence[MarginProblem],
        l2: float,
        starts: Sequence[Point],
        tol: float,
        max_iter: int = 1000,
    ) -> list[Point]:
        """Fit the model of each problem at one positive penalty ``l2``, from a start for each.

        Each round processes all problems with a relative gap above ``tol``, in separate threads if several are
        available; ``max_iter`` counts the rounds after the first.
        """
        points = list(starts)
        left = list(range(len(problems)))
        for point in points:
            self._add(point.dual, point.scores - point.b)
        for n_iter in range(max_iter + 1):
            if len(self.inputs) > MOST_DIMENSIONS:
                self._begin(points)
            found = list(side_by_side(self._best, [(problems[q], l2, points[q], tol) for q in left]))
            for q, each in zip(left, found, strict=True):
                points[q] = Point(each.u @ self.combine, each.b, each.scores, each.objective, each.gap, n_iter)
            # The last gradient of a solved problem is added too: it is available, and useful for the next penalty.
            larger = [self._add(each.derivative, each.image) for each in found]
            left = [q for q in left if not points[q].gap <= tol * points[q].objective]
            if not left or not any(larger):
                break
        return points

    def _add(self, v: np.ndarray, image: np.ndarray) -> bool:
        """Add the weights X'v to the subspace; return whether its dimension has increased."""
        square = float(v @ image)
        for _ in range(2):  # the second pass of Gram-Schmidt removes rounding errors
            inside = self.combine @ image
            v = v - inside @ self.combine
            image = image - inside @ self.inputs
        outside = float(v @ image)
        if not outside > NEGLIGIBLE * square:
            return False
        self.combine = np.vstack([self.combine, v / np.sqrt(outside)])
        self.inputs = np.vstack([self.inputs, image / np.sqrt(outside)])
        return True

    def _best(self, problem: MarginProblem, l2: float, start: Point, tol: float) -> _Best:
        """Compute the optimal weights in the subspace by Newton's method, and their gap."""
        u = self.inputs @ start.dual
        b = start.b
        for n_steps in range(NEWTON_STEPS + 1):
            scores = u @ self.inputs + b
            shift = problem.best_shift(scores)
            b = b + shift
            scores = scores + shift
            d = problem.derivative(scores)
            objective = problem.value(scores) + 0.5 * l2 * float(u @ u)
            along = self.inputs @ d
            gradient = along + l2 * u
            if gradient @ gradient <= 2.0 * l2 * OWN_SHARE * tol * objective or n_steps == NEWTON_STEPS:
                break
            step, step_b = self._newton_step(problem, scores, l2, gradient)
            t = _step_length(problem, (scores, step @ self.inputs + step_b), (u, step), gradient, l2)
            u = u + t * step
            b = b + t * step_b
        image = gram_product(*self.X.arrays, d)
        gap = (float(d @ image) + l2 * float(u @ (2.0 * along + l2 * u))) / (2.0 * l2)
        return _Best(u, b, scores, objective, max(gap, 0.0), d, image)

    def _newton_step(
        self, problem: MarginProblem, scores: np.ndarray, l2: float, gradient: np.ndarray
    ) -> tuple[np.ndarray, float]:
        """Compute Newton's step for the coordinates, (D,), and for the intercept, which has zero gradient."""
        # The intercept is eliminated, which centres the coordinates at their curvature-weighted mean.
        h = problem.curvature(scores)
        centre = self.inputs @ h / max(float(h.sum()), np.finfo(float).tiny)
        if not problem.intercept:
            centre[:] = 0.0
        root = (self.inputs - centre[:, np.newaxis]) * np.sqrt(h)
        hessian = root @ root.T
        hessian[np.diag_indices(len(hessian))] += l2
        step = -linalg.solve(hessian, gradient, assume_a="pos")
        return step, -float(centre @ step)


def _step_length(
    problem: MarginProblem,
    line: tuple[np.ndarray, np.ndarray],
    coordinates: tuple[np.ndarray, np.ndarray],
    gradient: np.ndarray,
    l2: float,
) -> float:
    """Return the first of 1, 1/2, 1/4 ... that satisfies Armijo's condition with constant 1e-4."""
    (z, change), (u, step) = line, coordinates
    value = problem.value(z)
    derivative = float(gradient @ step)
    t = 1.0
    while t > 1e-10:
        penalty = l2 * float(step @ (t * u + 0.5 * t * t * step))
        if problem.value(z + t * change) + penalty - value <= 1e-4 * t * derivative:
            break
        t *= 0.5
    return t


def solve_l2(
    problem: MarginProblem,
    l2: float,
    *,
    start: MarginSolution | None = None,
    tol: float = 1e-4,
    max_iter: int = 1000,
) -> MarginSolution:
    """Fit the model with the L2 penalty only; ``converged`` indicates whether the gap meets the tolerance.

    ``start`` is a solution with this penalty only; ``tol`` is a fraction of the objective; ``max_iter`` counts the
    rounds after the first.
    """
    (point,) = Subspace(problem.X).solve([problem], l2, [Point.of(start or null_model(problem))], tol, max_iter)
    return point.solution(problem.X, tol)
