"""Binary linear model with a margin loss on sparse data with many more features than documents.

The objective is  sum_i c_i loss(y_i (w'x_i + b)) + l1 |w|_1 + l2 / 2 |w|^2  with weights c_i that sum to one and an
unpenalised intercept b; y is -1 or 1.  A document of weight 0 does not affect the fit, but its score is computed, so
that the same matrix serves all folds of a cross-validation.  Every solution includes its duality gap.

`textmix.models.linear.problems.BatchProblem` covers the other case: many problems over few features, without a gap.
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

#: A decrease below this fraction of a weighted mean of losses is attributed to rounding errors.
ROUNDING = 1e-14


class Loss(NamedTuple):
    """A loss of the margin m = y (w'x + b), as functions of float64 (N,).

    The arguments of ``value``, ``derivative`` and ``curvature`` are margins. The argument of ``conjugate`` is a, minus
    a derivative of the loss (a >= 0, and a <= 1 for the logistic loss); the result is the convex conjugate at -a.
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
    """A matrix (N, P) in CSC format, as required by `column_kernels`.

    ``indptr`` is int64 (P + 1,); ``indices``, uint16 or int32 (nnz,), are row indices; ``data``, float32 or float64,
    are the values, empty if all of them are 1.
    """

    indptr: np.ndarray
    indices: np.ndarray
    data: np.ndarray
    n_rows: int

    @classmethod
    def of(cls, X: Any) -> Columns:
        """Convert a sparse or dense matrix (N, P)."""
        X = sparse.csc_array(X)
        X.sum_duplicates()
        data = np.empty(0, np.float32) if np.all(X.data == 1) else X.data
        data = data if data.dtype == np.float32 else data.astype(np.float64)
        # Every pass reads all indices, so 16-bit indices halve the memory traffic.
        kind = np.uint16 if X.shape[0] <= np.iinfo(np.uint16).max else np.int32
        return cls(X.indptr.astype(np.int64), X.indices.astype(kind), data, X.shape[0])

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """``indptr``, ``indices`` and ``data``."""
        return self.indptr, self.indices, self.data

    def scores(self, w: np.ndarray) -> np.ndarray:
        """Compute X w, float64 (N,), for weights (P,); columns with weight 0 are not read."""
        used = np.flatnonzero(w)
        return combine_some(*self.arrays, used, w[used], self.n_rows)

    def take(self, blocks: list[tuple[int, int]]) -> Columns:
        """Select the columns ``low`` to ``high - 1`` of each block ``(low, high)`` and concatenate them.

        A single block is a view; several blocks are copied.
        """
        if len(blocks) == 1:
            ((low, high),) = blocks
            first = int(self.indptr[low])
            last = int(self.indptr[high])
            data = self.data[first:last] if len(self.data) else self.data
            return Columns(self.indptr[low : high + 1] - first, self.indices[first:last], data, self.n_rows)
        places = [slice(int(self.indptr[low]), int(self.indptr[high])) for low, high in blocks]
        sizes = np.concatenate([np.diff(self.indptr[low : high + 1]) for low, high in blocks])
        data = np.concatenate([self.data[place] for place in places]) if len(self.data) else self.data
        indptr = np.concatenate([[0], np.cumsum(sizes)])
        return Columns(indptr, np.concatenate([self.indices[place] for place in places]), data, self.n_rows)


@dataclass(frozen=True)
class MarginSolution(Solution):
    """Solution of a `MarginProblem`, a batch of one; its unknowns are (P + 1, 1), the intercept last.

    The objective exceeds the minimum by at most ``gap``. ``scores``, float64 (N,), are w'x + b of all documents,
    including documents with weight 0. w = X' dual, with ``dual`` float64 (N,), or None for the L1 solver `solve_l1`.
    """

    gap: float
    scores: np.ndarray
    dual: np.ndarray | None = None

    @property
    def w(self) -> np.ndarray:
        """Weights, float64 (P,)."""
        weights: np.ndarray = self.unknowns[:-1, 0]
        return weights

    @property
    def b(self) -> float:
        """Intercept."""
        return float(self.unknowns[-1, 0])


@dataclass(frozen=True)
class MarginProblem:
    """Data, loss and document weights of a problem; the penalties are arguments of the solvers.

    ``y`` is float64 (N,), -1 or 1; ``c``, float64 (N,), are document weights that sum to one; ``loss`` is a value of
    `LOSSES`. Without ``intercept`` the intercept is 0.
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
        """Create the problem with document weights (N,), scaled to sum to one; equal weights if None.

        ``loss`` is a key of `LOSSES`. The weights are nonnegative and not all 0.
        """
        weight = np.ones(len(y)) if weight is None else weight
        return cls(X, y, weight / weight.sum(), LOSSES[loss], intercept)

    def value(self, z: np.ndarray) -> float:
        """Compute the weighted sum of the losses at scores z (N,)."""
        return float(self.c @ self.loss.value(self.y * z))

    def derivative(self, z: np.ndarray) -> np.ndarray:
        """Compute the gradient of `value` with respect to the scores, float64 (N,)."""
        return self.c * self.y * self.loss.derivative(self.y * z)

    def curvature(self, z: np.ndarray) -> np.ndarray:
        """Compute the diagonal of the Hessian of `value` with respect to the scores, float64 (N,)."""
        return self.c * self.loss.curvature(self.y * z)

    def conjugate(self, z: np.ndarray, scale: float = 1.0) -> float:
        """Compute the convex conjugate of `value` at ``scale`` times its gradient at z."""
        return float(self.c @ self.loss.conjugate(-scale * self.loss.derivative(self.y * z)))

    def best_shift(self, z: np.ndarray) -> float:
        """Compute the optimal change of the intercept: the number to add to all scores z (N,).

        It minimises `value` and is 0 without an intercept. Newton's method is used; a step is halved until `value` does
        not increase. The last step, with a decrease below the rounding errors of `value`, is not shortened.
        """
        if not self.intercept:
            return 0.0
        shift = 0.0
        value = self.value(z)
        for _ in range(50):
            derivative = self.derivative(z + shift).sum()
            curvature = self.curvature(z + shift).sum()
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
    """Return the model with weights 0 and the optimal intercept, from which every path starts.

    Its objective and its duality gap are not computed and are set to infinity.
    """
    b = problem.best_shift(np.zeros_like(problem.y))
    n = len(problem.y)
    unknowns = np.zeros((len(problem.X.indptr), 1))
    unknowns[-1] = b
    unsolved = np.array([np.inf]), np.array([False])
    return MarginSolution(unknowns, *unsolved, 0, np.inf, np.full(n, b), np.zeros(n))


def largest_l1(problem: MarginProblem) -> float:
    """Compute the smallest factor l1 of the L1 penalty for which all weights are 0."""
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
    """Create a solution; it has converged if its duality gap is at most the tolerance times the objective.

    ``w`` is float64 (P,), ``scores`` are X w + b, (N,); ``bound`` is the tuple of objective, duality gap, and
    tolerance.
    """
    objective, gap, tol = bound
    converged = gap <= tol * objective
    unknowns = np.append(w, b)[:, np.newaxis]
    return MarginSolution(unknowns, np.array([objective]), np.array([converged]), n_iter, gap, scores, dual)
