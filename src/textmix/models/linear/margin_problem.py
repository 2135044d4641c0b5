"""One linear model of two classes with a loss of the margin, on sparse data with far more features than documents.

The objective is  sum_i c_i loss(y_i (w'x_i + b)) + l1 |w|_1 + l2 / 2 |w|^2  with weights c_i that sum to one and an
intercept b without penalty; y is -1 or 1.  A document of weight 0 has no part in the fit, but its score is computed, so
that one matrix serves all folds of a cross-validation.  Every solution contains its duality gap.

`textmix.models.linear.problems.BatchProblem` is another form: many problems over few features, without a gap.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import expit, xlogy

from textmix.models.linear.column_kernels import combine_some, correlate
from textmix.models.linear.problems import Solution

#: A decrease of this fraction of a weighted mean of losses is within its rounding errors.
ROUNDING = 1e-14


class Loss(NamedTuple):
    """A loss of the margin m = y (w'x + b), as functions of float64 (N,).

    ``value``, ``derivative`` and ``curvature`` take margins.  ``conjugate`` takes a, minus a derivative of the loss
    (a >= 0, and a <= 1 for the logistic loss), and returns the convex conjugate of the loss at -a.
    """

    value: Callable[[np.ndarray], np.ndarray]
    derivative: Callable[[np.ndarray], np.ndarray]
    curvature: Callable[[np.ndarray], np.ndarray]
    conjugate: Callable[[np.ndarray], np.ndarray]


LOSSES = {
    "logistic": Loss(
        lambda m: np.logaddexp(0.0, -m),
        lambda m: -expit(-m),
        lambda m: expit(m) * expit(-m),
        lambda a: xlogy(a, a) + xlogy(1.0 - a, 1.0 - a),
    ),
    "squared_hinge": Loss(
        lambda m: np.square(np.maximum(0.0, 1.0 - m)),
        lambda m: -2.0 * np.maximum(0.0, 1.0 - m),
        lambda m: 2.0 * (m < 1.0),
        lambda a: 0.25 * np.square(a) - a,
    ),
}


@dataclass(frozen=True)
class Columns:
    """A matrix (N, P) by columns, as `column_kernels` takes it.

    ``indptr`` is int64 (P + 1,); ``indices``, uint16 or int32 (cells,), the row of each cell; ``data``, float32 or
    float64, their values, empty where all of them are 1.
    """

    indptr: np.ndarray
    indices: np.ndarray
    data: np.ndarray
    n_rows: int

    @classmethod
    def of(cls, X: Any) -> Columns:
        """Return the columns of a sparse or dense matrix (N, P)."""
        X = sparse.csc_array(X)
        X.sum_duplicates()
        data = np.empty(0, np.float32) if np.all(X.data == 1) else X.data
        data = data if data.dtype == np.float32 else data.astype(np.float64)
        # Every pass reads all indices: 16 bits halve the memory traffic.
        kind = np.uint16 if X.shape[0] <= np.iinfo(np.uint16).max else np.int32
        return cls(X.indptr.astype(np.int64), X.indices.astype(kind), data, X.shape[0])

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """``indptr``, ``indices`` and ``data``."""
        return self.indptr, self.indices, self.data

    def scores(self, w: np.ndarray) -> np.ndarray:
        """Return X w, float64 (N,), for weights (P,); a column of weight 0 is not read."""
        used = np.flatnonzero(w)
        return combine_some(*self.arrays, used, w[used], self.n_rows)

    def take(self, blocks: list[tuple[int, int]]) -> Columns:
        """Return the columns ``low`` to ``high - 1`` of each block ``(low, high)``, one block after the other.

        One block is a view; several blocks are copied.
        """
        if len(blocks) == 1:
            ((low, high),) = blocks
            first, last = int(self.indptr[low]), int(self.indptr[high])
            data = self.data[first:last] if len(self.data) else self.data
            return Columns(self.indptr[low : high + 1] - first, self.indices[first:last], data, self.n_rows)
        places = [slice(int(self.indptr[low]), int(self.indptr[high])) for low, high in blocks]
        sizes = np.concatenate([np.diff(self.indptr[low : high + 1]) for low, high in blocks])
        data = np.concatenate([self.data[place] for place in places]) if len(self.data) else self.data
        indptr = np.concatenate([[0], np.cumsum(sizes)])
        return Columns(indptr, np.concatenate([self.indices[place] for place in places]), data, self.n_rows)


@dataclass(frozen=True)
class MarginSolution(Solution):
    """The solution of a `MarginProblem`, a batch of one; its unknowns are (P + 1, 1), the intercept last.

    The objective is above the minimum by at most ``gap``.  ``scores``, float64 (N,), are w'x + b of all documents, also
    of those of weight 0.  w = X' dual, ``dual`` float64 (N,); None from the solver of the L1 penalty, `solve_l1`.
    """

    gap: float
    scores: np.ndarray
    dual: np.ndarray | None = None

    @property
    def w(self) -> np.ndarray:
        """The weights, float64 (P,)."""
        weights: np.ndarray = self.unknowns[:-1, 0]
        return weights

    @property
    def b(self) -> float:
        """The intercept."""
        return float(self.unknowns[-1, 0])


@dataclass(frozen=True)
class MarginProblem:
    """Data, loss and document weights; the penalties are given to the solver.

    ``y`` is float64 (N,), -1 or 1; ``c``, float64 (N,), are weights of the documents that sum to one; ``loss`` is of
    `LOSSES`.  Without ``intercept`` it is 0.
    """

    X: Columns
    y: np.ndarray
    c: np.ndarray
    loss: Loss
    intercept: bool = True

    @classmethod
    def of(
        cls, X: Columns, y: np.ndarray, loss: str, weight: np.ndarray | None = None, *, intercept: bool = True
    ) -> MarginProblem:
        """Return the problem with document weights (N,), scaled to sum to one; equal if None.

        ``loss`` is a key of `LOSSES`.  The weights are not negative, and not all 0.
        """
        weight = np.ones(len(y)) if weight is None else weight
        return cls(X, y, weight / weight.sum(), LOSSES[loss], intercept)

    def value(self, z: np.ndarray) -> float:
        """Return the weighted sum of the losses at scores z (N,)."""
        return float(self.c @ self.loss.value(self.y * z))

    def derivative(self, z: np.ndarray) -> np.ndarray:
        """Return the gradient of `value` in the scores, float64 (N,)."""
        return self.c * self.y * self.loss.derivative(self.y * z)

    def curvature(self, z: np.ndarray) -> np.ndarray:
        """Return the diagonal of the Hessian of `value` in the scores, float64 (N,)."""
        return self.c * self.loss.curvature(self.y * z)

    def conjugate(self, z: np.ndarray, scale: float = 1.0) -> float:
        """Return the convex conjugate of `value` at ``scale`` times its gradient at z."""
        return float(self.c @ self.loss.conjugate(-scale * self.loss.derivative(self.y * z)))

    def best_shift(self, z: np.ndarray) -> float:
        """Return the number that, added to all scores z (N,), minimises `value`: the best change of the intercept.

        It is 0 where there is no intercept.  Newton's method; a step is halved until it does not increase `value`.
        The last step, whose decrease is below the rounding errors of `value`, is taken whole.
        """
        if not self.intercept:
            return 0.0
        shift, value = 0.0, self.value(z)
        for _ in range(50):
            derivative, curvature = self.derivative(z + shift).sum(), self.curvature(z + shift).sum()
            if abs(derivative) < 1e-14 or curvature <= 0:
                break
            step = -derivative / curvature
            if derivative * derivative <= ROUNDING * curvature * value:
                return float(shift + step)
            while self.value(z + shift + step) > value and abs(step) > 1e-16:
                step *= 0.5
            shift, value = shift + step, self.value(z + shift + step)
        return shift


def null_model(problem: MarginProblem) -> MarginSolution:
    """Return the model whose weights are 0 and whose intercept minimises the loss: the start of every path.

    Its objective and its duality gap are not computed and are set to infinity.
    """
    b, n = problem.best_shift(np.zeros_like(problem.y)), len(problem.y)
    unknowns = np.zeros((len(problem.X.indptr), 1))
    unknowns[-1] = b
    unsolved = np.array([np.inf]), np.array([False])
    return MarginSolution(unknowns, *unsolved, 0, np.inf, np.full(n, b), np.zeros(n))


def largest_l1(problem: MarginProblem) -> float:
    """Return the smallest factor l1 of the L1 penalty at which all weights are 0."""
    start = null_model(problem)
    return float(np.max(np.abs(correlate(*problem.X.arrays, problem.derivative(start.scores)))))


def margin_solution(
    w: np.ndarray,
    b: float,
    scores: np.ndarray,
    bound: tuple[float, float, float],
    *,
    n_iter: int,
    dual: np.ndarray | None = None,
) -> MarginSolution:
    """Return a solution; it has converged if its duality gap is at most the tolerance times the objective.

    ``w`` is float64 (P,), ``scores`` are X w + b, (N,); ``bound`` is objective, duality gap, and tol.
    """
    objective, gap, tol = bound
    converged = gap <= tol * objective
    unknowns = np.append(w, b)[:, np.newaxis]
    return MarginSolution(unknowns, np.array([objective]), np.array([converged]), n_iter, gap, scores, dual)
