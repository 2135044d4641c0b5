"""Linear models with L2, L1 or both penalties on sparse data with far more features than documents.

The objective is  sum_i c_i loss(y_i, w'x_i + b) + l1 |w|_1 + l2 / 2 |w|^2  with weights c_i that sum to one and a free
intercept b; y is -1 or 1.  Documents of weight 0 take no part, but their scores are kept up to date all the same, so
that one matrix serves all folds of a cross-validation.  Every solution carries its duality gap.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import expit, xlogy

from textmix.models.linear import sparse_kernels as kernels


class Loss(NamedTuple):
    """A loss of the margin m = y (w'x + b): value, first and second derivative, and conjugate at -a, a >= 0."""

    value: Callable[[np.ndarray], np.ndarray]
    slope: Callable[[np.ndarray], np.ndarray]
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
    """A matrix by columns, as `sparse_kernels` takes it; ``data`` is empty where all values are 1."""

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
        # Every pass reads all indices: short ones halve the traffic.
        kind = np.uint16 if X.shape[0] <= np.iinfo(np.uint16).max else np.int32
        return cls(X.indptr.astype(np.int64), X.indices.astype(kind), data, X.shape[0])

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The three arrays."""
        return self.indptr, self.indices, self.data

    def scores(self, w: np.ndarray) -> np.ndarray:
        """Return Xw, (N,); columns of weight 0 are passed over."""
        used = np.flatnonzero(w)
        return kernels.combine_some(*self.arrays, used, w[used], self.n_rows)

    def take(self, blocks: list[tuple[int, int]]) -> Columns:
        """Return some stretches of the columns, one after the other."""
        places = [slice(int(self.indptr[low]), int(self.indptr[high])) for low, high in blocks]
        sizes = np.concatenate([np.diff(self.indptr[low : high + 1]) for low, high in blocks])
        data = np.concatenate([self.data[place] for place in places]) if len(self.data) else self.data
        indptr = np.concatenate([[0], np.cumsum(sizes)])
        return Columns(indptr, np.concatenate([self.indices[place] for place in places]), data, self.n_rows)


@dataclass
class Solution:
    """A fitted linear model.

    Parameters
    ----------
    w : float64 (P,), weights.
    b : intercept.
    z : float64 (N,), scores w'x + b of all documents, also those of weight 0.
    objective, gap : value of the objective, and how far at most it is above the smallest.
    converged : whether the gap is as small as was asked for.
    n_iter : Newton steps or rounds of working sets.
    dual : float64 (N,) with w = X' dual, where the penalty is L2 alone; else None.
    """

    w: np.ndarray
    b: float
    z: np.ndarray
    objective: float = np.inf
    gap: float = np.inf
    converged: bool = False
    n_iter: int = 0
    dual: np.ndarray | None = None


@dataclass(frozen=True)
class Problem:
    """Data, loss and document weights.

    Parameters
    ----------
    X : the matrix.
    y : float64 (N,), -1 or 1.
    c : float64 (N,), weights that sum to one.
    loss : of `LOSSES`.
    """

    X: Columns
    y: np.ndarray
    c: np.ndarray
    loss: Loss

    @classmethod
    def of(cls, X: Columns, y: np.ndarray, loss: str, weight: np.ndarray | None = None) -> Problem:
        """Return the problem with weights scaled to sum to one; equal ones by default."""
        weight = np.ones(len(y)) if weight is None else weight
        return cls(X, y, weight / weight.sum(), LOSSES[loss])

    def value(self, z: np.ndarray) -> float:
        """Return the loss of all documents at scores z."""
        return float(self.c @ self.loss.value(self.y * z))

    def slope(self, z: np.ndarray) -> np.ndarray:
        """Return its derivative by z, (N,)."""
        return self.c * self.y * self.loss.slope(self.y * z)

    def curvature(self, z: np.ndarray) -> np.ndarray:
        """Return its second derivative by z, (N,)."""
        return self.c * self.loss.curvature(self.y * z)

    def conjugate(self, z: np.ndarray, scale: float = 1.0) -> float:
        """Return the conjugate of the loss at ``scale`` times its derivative at z."""
        return float(self.c @ self.loss.conjugate(-scale * self.loss.slope(self.y * z)))

    def best_intercept(self, z: np.ndarray) -> float:
        """Return by how much all scores should move: Newton's method in one variable, halved where it overshoots."""
        shift, value = 0.0, self.value(z)
        for _ in range(50):
            slope, curvature = self.slope(z + shift).sum(), self.curvature(z + shift).sum()
            if abs(slope) < 1e-14 or curvature <= 0:
                break
            step = -slope / curvature
            while self.value(z + shift + step) > value and abs(step) > 1e-16:
                step *= 0.5
            shift, value = shift + step, self.value(z + shift + step)
        return shift


def null_model(problem: Problem) -> Solution:
    """Return the model without features: the start of every path."""
    b = problem.best_intercept(np.zeros_like(problem.y))
    n_features = len(problem.X.indptr) - 1
    return Solution(np.zeros(n_features), b, np.full(len(problem.y), b), dual=np.zeros(len(problem.y)))


def largest_l1(problem: Problem) -> float:
    """Return the smallest l1 at which no feature has any weight."""
    start = null_model(problem)
    return float(np.max(np.abs(kernels.correlate(*problem.X.arrays, problem.slope(start.z)))))


def solve_l2(
    problem: Problem, l2: float, *, start: Solution | None = None, tolerance: float = 1e-4, max_iter: int = 100
) -> Solution:
    """Return the model with the L2 penalty alone.

    Newton's method with conjugate gradients.  Every vector of features that occurs is X' times a vector of documents,
    by which it is kept (representer theorem): an inner product <X'a, X's> is a'(XX's), so an iteration takes one pass
    over the data, not two, and no vector of features.

    Parameters
    ----------
    problem : data and loss.
    l2 : penalty, positive.
    start : the solution to start from, one with ``dual``.
    tolerance : largest duality gap, as a share of the objective.
    max_iter : at most so many Newton steps.
    """
    start = start or null_model(problem)
    arrays, dual, b = problem.X.arrays, np.array(start.dual), start.b
    scores = kernels.gram_product(*arrays, dual) if dual.any() else np.zeros_like(problem.y)  # X w, without b
    gap, objective, n_iter, slack = np.inf, np.inf, 0, 0.5
    for n_iter in range(max_iter + 1):
        b += problem.best_intercept(scores + b)
        slope = problem.slope(scores + b)
        residual = slope + l2 * dual
        image = kernels.gram_product(*arrays, residual)
        squared = float(dual @ scores)
        objective = problem.value(scores + b) + 0.5 * l2 * squared
        gap = objective + problem.conjugate(scores + b) + 0.5 / l2 * float(slope @ (image - l2 * scores))
        if gap <= tolerance * objective or n_iter == max_iter:
            break
        step, step_image, step_b = _newton_step(problem, l2, scores + b, (residual, image), slack)
        slack = 0.1
        size = _step_size(
            problem, scores + b, step_image + step_b, (squared, float(dual @ step_image), float(step @ step_image)), l2
        )
        dual, scores, b = dual + size * step, scores + size * step_image, b + size * step_b
    w = kernels.correlate(*arrays, dual)
    return Solution(w, b, scores + b, objective, gap, gap <= tolerance * objective, n_iter, dual)


def _newton_step(
    problem: Problem, l2: float, z: np.ndarray, residual: tuple[np.ndarray, np.ndarray], slack: float
) -> tuple[np.ndarray, np.ndarray, float]:
    """Return a step of the document vector, XX' times it, and one of the intercept, by conjugate gradients.

    The intercept's gradient is 0 on entry; it is a coordinate of its own beside the weights.
    """
    h = problem.curvature(z)
    r, r_image, r_b = -residual[0], -residual[1], 0.0
    step, step_image, step_b = np.zeros_like(z), np.zeros_like(z), 0.0
    p, p_image, p_b = r, r_image, r_b
    norm = first = float(r @ r_image)
    for _ in range(200):
        moved = h * (p_image + p_b)
        product, product_b = moved + l2 * p, float(moved.sum())
        product_image = kernels.gram_product(*problem.X.arrays, product)
        curvature = float(p_image @ product) + p_b * product_b
        if curvature <= 0:
            break
        size = norm / curvature
        step, step_image, step_b = step + size * p, step_image + size * p_image, step_b + size * p_b
        r, r_image, r_b = r - size * product, r_image - size * product_image, r_b - size * product_b
        before, norm = norm, float(r @ r_image) + r_b * r_b
        if norm <= slack**2 * first:
            break
        ratio = norm / before
        p, p_image, p_b = r + ratio * p, r_image + ratio * p_image, r_b + ratio * p_b
    return step, step_image, step_b


def _step_size(
    problem: Problem, z: np.ndarray, change: np.ndarray, squares: tuple[float, float, float], l2: float
) -> float:
    """Return the first of 1, 1/2, 1/4 ... that lowers the objective by a share of what its slope promises.

    ``squares`` are |w|^2, <w, s> and |s|^2 for weights w and step s.
    """
    start = problem.value(z)
    promised = float(problem.slope(z) @ change) + l2 * squares[1]
    size = 1.0
    while size > 1e-10:
        penalty = l2 * (size * squares[1] + 0.5 * size * size * squares[2])
        if problem.value(z + size * change) + penalty - start <= 1e-4 * size * promised:
            break
        size *= 0.5
    return size


def solve_l1(
    problem: Problem,
    l1: float,
    l2: float = 0.0,
    *,
    start: Solution | None = None,
    tolerance: float = 1e-4,
    max_iter: int = 100,
) -> Solution:
    """Return the model with the L1 penalty, or with both.

    Rounds of a working set: the features that break the conditions of optimality most join those with weight; on them
    Newton's method, whose quadratic is minimised by coordinate descent; then one pass over all features for their
    conditions and the duality gap.

    Parameters
    ----------
    problem, tolerance : as for `solve_l2`.
    l1, l2 : penalties; ``l1`` is positive.
    start : the solution to start from, for instance of the next larger penalty.
    max_iter : at most so many rounds.
    """
    start = start or null_model(problem)
    arrays = problem.X.arrays
    w, b, z = start.w.copy(), start.b, start.z.copy()
    objective, gap, n_iter = np.inf, np.inf, 0
    for n_iter in range(max_iter + 1):
        shift = problem.best_intercept(z)
        b, z = b + shift, z + shift
        correlation = kernels.correlate(*arrays, problem.slope(z))
        objective = problem.value(z) + _penalty(w, l1, l2)
        gap = _gap(problem, z, correlation, (l1, l2), objective)
        if gap <= tolerance * objective or n_iter == max_iter:
            break
        columns = _working_set(w, correlation, l1)
        change_b, z = _descend(problem, columns, (w, z), (l1, l2), 0.2 * _broken(w, correlation, l1, l2))
        b += change_b
    return Solution(w, b, z, objective, gap, gap <= tolerance * objective, n_iter)


def _penalty(w: np.ndarray, l1: float, l2: float) -> float:
    """Return l1 |w|_1 + l2 / 2 |w|^2."""
    return l1 * float(np.abs(w).sum()) + 0.5 * l2 * float(w @ w)


def _gap(
    problem: Problem, z: np.ndarray, correlation: np.ndarray, penalties: tuple[float, float], objective: float
) -> float:
    """Return how far the objective is at most above its smallest value, by Fenchel's inequality.

    The dual point is the loss's derivative at z, which sums to 0 since the intercept is at its best; without an L2
    penalty it is scaled down until no feature breaks its bound.
    """
    l1, l2 = penalties
    largest = float(np.max(np.abs(correlation), initial=0.0))
    scales = [min(1.0, l1 / largest) if largest > 0 else 1.0]
    if l2 > 0:
        scales.append(1.0)
    gaps = []
    for scale in scales:
        excess = np.maximum(scale * np.abs(correlation) - l1, 0.0)
        conjugate = 0.5 / l2 * float(excess @ excess) if l2 > 0 else 0.0
        gaps.append(objective + problem.conjugate(z, scale) + conjugate)
    return min(gaps)


def _broken(w: np.ndarray, correlation: np.ndarray, l1: float, l2: float) -> float:
    """Return how far the conditions of optimality are broken at most."""
    moved = correlation + l2 * w
    return float(np.max(np.where(w != 0, np.abs(moved + l1 * np.sign(w)), np.abs(moved) - l1), initial=0.0))


def _working_set(w: np.ndarray, correlation: np.ndarray, l1: float) -> np.ndarray:
    """Return the features with weight and those without that break their bound most, at most as many again."""
    kept = np.flatnonzero(w)
    broken = np.flatnonzero((w == 0) & (np.abs(correlation) > l1))
    room = max(1000, 2 * len(kept))
    if len(broken) > room:
        excess = np.abs(correlation[broken])
        broken = broken[np.argpartition(-excess, room)[:room]]
    return np.sort(np.concatenate([kept, broken]))


def _descend(
    problem: Problem,
    columns: np.ndarray,
    start: tuple[np.ndarray, np.ndarray],
    penalties: tuple[float, float],
    tolerance: float,
) -> tuple[float, np.ndarray]:
    """Move the weights of some features in place by Newton's method; return change of the intercept, and the scores.

    ``start`` are weights (P,) and scores (N,); it ends when no condition is broken by more than ``tolerance``.
    """
    arrays, (weights, z) = problem.X.arrays, start
    w, b = weights[columns], 0.0
    objective = problem.value(z) + _penalty(w, *penalties)
    for _ in range(20):
        # A little curvature everywhere: else nothing would draw a weight back whose documents all lie in a flat part.
        state = np.column_stack([problem.slope(z), problem.curvature(z) + 1e-4 * problem.c])
        new = w.copy()
        change_b, broken, _sweeps = kernels.descend(*arrays, columns, new, state, *penalties, 0.3 * tolerance, 1000)
        change = kernels.combine_some(*arrays, columns, new - w, len(z)) + change_b
        size, lowered = 1.0, -np.inf
        while size > 1e-10:
            lowered = problem.value(z + size * change) + _penalty(w + size * (new - w), *penalties)
            if lowered <= objective:
                break
            size *= 0.5
        w, z, b, objective = w + size * (new - w), z + size * change, b + size * change_b, lowered
        if broken <= tolerance:
            break
    weights[columns] = w
    return b, z
