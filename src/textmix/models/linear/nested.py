"""Models of nested feature sets: every fit is warm-started from the largest subset that has been fitted before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from textmix.models.linear.column_kernels import gram_product
from textmix.models.linear.margin_problem import Columns, MarginProblem, MarginSolution, null_model
from textmix.models.linear.subspace import Point, Subspace
from textmix.models.linear.working_set import solve_l1

#: Range of columns: first column, and one past the last column.
ColumnRange = tuple[int, int]
#: Penalty factors on the path to the first model with an L1 penalty, and the tolerance of these models.
CONTINUATION = (100.0, 10.0)
CONTINUATION_TOL = 1e-2


def merge_ranges(ranges: Iterable[ColumnRange]) -> tuple[ColumnRange, ...]:
    """Sort column ranges and merge adjacent ones."""
    merged: list[ColumnRange] = []
    for low, high in sorted(ranges):
        if merged and merged[-1][1] == low:
            merged[-1] = (merged[-1][0], high)
        else:
            merged.append((low, high))
    return tuple(merged)


def n_columns(ranges: Iterable[ColumnRange]) -> int:
    """Count the columns of disjoint ranges."""
    return sum(high - low for low, high in ranges)


def is_subset(inner: Iterable[ColumnRange], outer: Sequence[ColumnRange]) -> bool:
    """Check whether each range lies within one of the merged ranges ``outer``."""
    return all(any(low <= first and last <= high for low, high in outer) for first, last in inner)


@dataclass(frozen=True)
class _Fitted:
    """Model state that later fits need: its dual (L2 penalty) or its nonzero weights (L1 penalty).

    ``columns`` are the columns of the whole matrix with nonzero weight, ``weights`` their weights, and ``scores`` the
    scores of the training documents.
    """

    b: float
    scores: np.ndarray
    dual: np.ndarray | None
    columns: np.ndarray
    weights: np.ndarray


class NestedFits:
    """Fit one learner with fixed penalties to several column subsets of one matrix.

    The objective is mean loss + l1 |w|_1 + l2 / 2 |w|^2 with a free intercept.

    Parameters
    ----------
    y : ndarray of shape (n_documents,)
        Classes, -1 or 1.
    loss : {"logistic", "squared_hinge"}
        Loss function.
    l1, l2 : float
        Penalties, at least one of them positive.
    tol : float, default=1e-3
        Maximum duality gap, relative to the objective.
    """

    def __init__(self, y: np.ndarray, loss: str, l1: float, l2: float, tol: float = 1e-3) -> None:
        self.y = y
        self.loss = loss
        self.l1 = l1
        self.l2 = l2
        self.tol = tol
        self._fitted: dict[tuple[ColumnRange, ...], _Fitted] = {}

    def fit(self, X: Columns, ranges: Iterable[ColumnRange], space: Subspace | None = None) -> MarginSolution:
        """Fit the model of one column subset.

        Parameters
        ----------
        X : Columns
            The columns of the subset, in the order of the merged ranges.
        ranges : iterable of (int, int)
            Their ranges in the whole matrix.
        space : Subspace, optional
            Subspace of ``X`` shared by several learners with the L2 penalty.
        """
        merged = merge_ranges(ranges)
        problem = MarginProblem.of(X, self.y, self.loss)
        start = self._start(merged)
        if self.l1 > 0:
            solution = self._fit_l1(problem, start, merged)
        else:
            solution = self._fit_l2(problem, start, space or Subspace(X))
        self._remember(merged, solution)
        return solution

    def _start(self, merged: tuple[ColumnRange, ...]) -> _Fitted | None:
        """Return the model of the largest fitted subset, if any."""
        subsets = [ranges for ranges in self._fitted if is_subset(ranges, merged)]
        return self._fitted[max(subsets, key=n_columns)] if subsets else None

    def _fit_l2(self, problem: MarginProblem, start: _Fitted | None, space: Subspace) -> MarginSolution:
        point = Point.of(null_model(problem))
        if start is not None and start.dual is not None:
            scores = gram_product(*problem.X.arrays, start.dual) + start.b
            point = Point(start.dual, start.b, scores, np.inf, np.inf, 0)
        (solved,) = space.solve([problem], self.l2, [point], self.tol)
        return solved.solution(problem.X, self.tol)

    def _fit_l1(self, problem: MarginProblem, start: _Fitted | None, merged: tuple[ColumnRange, ...]) -> MarginSolution:
        if start is not None:
            solution = _embedded(start, merged)
        else:
            solution = null_model(problem)
            for factor in CONTINUATION:
                solution = solve_l1(problem, factor * self.l1, factor * self.l2, start=solution, tol=CONTINUATION_TOL)
        return solve_l1(problem, self.l1, self.l2, start=solution, tol=self.tol)

    def _remember(self, merged: tuple[ColumnRange, ...], solution: MarginSolution) -> None:
        """Store a model by columns of the whole matrix; weights that follow from the dual are not stored."""
        nonzero = np.flatnonzero(solution.w) if self.l1 > 0 else np.empty(0, dtype=np.int64)
        columns = np.concatenate([np.arange(low, high) for low, high in merged])[nonzero]
        self._fitted[merged] = _Fitted(solution.b, solution.scores, solution.dual, columns, solution.w[nonzero])


def _embedded(start: _Fitted, merged: tuple[ColumnRange, ...]) -> MarginSolution:
    """Extend a model of a subset to the larger set; all new weights are 0."""
    unknowns = np.zeros(n_columns(merged) + 1)
    first = 0
    for low, high in merged:
        inside = (start.columns >= low) & (start.columns < high)
        unknowns[first + start.columns[inside] - low] = start.weights[inside]
        first += high - low
    unknowns[-1] = start.b
    return MarginSolution(unknowns[:, np.newaxis], np.array([np.inf]), np.array([False]), 0, np.inf, start.scores)
