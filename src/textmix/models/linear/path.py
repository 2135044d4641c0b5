"""Binary linear classifiers over regularisation paths: logistic regression and SVM with L2, L1 or both penalties."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state

from textmix.models.common.sklearn_private import Interval, StrOptions
from textmix.models.common.validation import checked_fit
from textmix.models.linear.margin_problem import (
    LOSSES,
    Columns,
    MarginProblem,
    MarginSolution,
    largest_l1,
    null_model,
)
from textmix.models.linear.subspace import Point, Subspace
from textmix.models.linear.two_class import TwoClassLinear
from textmix.models.linear.working_set import solve_l1
from textmix.numerics.threads import side_by_side


def penalty_grid(
    problem: MarginProblem, l1_ratio: float, n_lambdas: int, largest: float = 1.0, smallest: float = 1e-3
) -> np.ndarray:
    """Compute a decreasing grid of penalties, equally spaced on a logarithmic scale, float64 (n_lambdas,).

    With an L1 part, the unit is the smallest penalty for which all weights are 0. Without an L1 part, the unit is the
    mean squared Euclidean norm of the documents.
    """
    if l1_ratio > 0:
        unit = largest_l1(problem) / l1_ratio
    else:
        _, indices, data = problem.X.arrays
        squares = np.square(data) if len(data) else None
        unit = float(problem.c @ np.bincount(indices, squares, minlength=problem.X.n_rows))
    return max(unit, np.finfo(float).tiny) * np.geomspace(largest, smallest, n_lambdas)


def regularisation_path(
    problem: MarginProblem,
    lambdas: Iterable[float],
    l1_ratio: float,
    tol: float = 1e-4,
    space: Subspace | None = None,
) -> Iterator[MarginSolution]:
    """Compute the solution at each penalty, warm-started from the previous penalty, and yield it.

    The objective is the weighted mean loss + lambda (l1_ratio |w|_1 + (1 - l1_ratio) / 2 |w|^2).
    """
    if l1_ratio == 0:
        for (point,) in _points([problem], lambdas, tol, space):
            yield point.solution(problem.X, tol)
        return
    solution = None
    for penalty in lambdas:
        solution = solve_l1(problem, l1_ratio * penalty, (1 - l1_ratio) * penalty, start=solution, tol=tol)
        yield solution


def _points(
    problems: Sequence[MarginProblem], lambdas: Iterable[float], tol: float, space: Subspace | None
) -> Iterator[list[Point]]:
    """Yield the models of several problems on one matrix at each penalty, L2 only; see `regularisation_path`."""
    space = space or Subspace(problems[0].X)
    points = [Point.of(null_model(problem)) for problem in problems]
    for penalty in lambdas:
        points = space.solve(problems, penalty, points, tol)
        yield points


def _side_by_side(
    problems: Sequence[MarginProblem], lambdas: Iterable[float], l1_ratio: float, tol: float
) -> Iterator[list[MarginSolution]]:
    """Yield the solutions of several problems at each penalty with an L1 part; see `regularisation_path`."""
    paths = [regularisation_path(problem, lambdas, l1_ratio, tol) for problem in problems]
    for _ in lambdas:
        # The models are independent: each is fitted in a separate thread, if several threads are available.
        yield list(side_by_side(next, ((path,) for path in paths)))


def cross_validate(
    X: Columns,
    y: np.ndarray,
    fold: np.ndarray,
    *,
    loss: str,
    lambdas: np.ndarray,
    l1_ratio: float,
    tol: float = 1e-3,
    patience: int = 2,
    space: Subspace | None = None,
    intercept: bool = True,
) -> np.ndarray:
    """Compute the accuracy on held-out documents at each penalty, float64 (n_lambdas,), nan where not computed.

    At each penalty the models of all folds are fitted before the next penalty. The search stops after ``patience``
    consecutive penalties without improvement, but not while the best accuracy equals that of the majority class
    baseline: the largest penalties may permit no other prediction.
    """
    held = [fold == k for k in np.unique(fold[fold >= 0])]
    problems = [MarginProblem.of(X, y, loss, 1.0 * ~out, intercept=intercept) for out in held]
    found: Iterator[Sequence[Point | MarginSolution]] = (
        _points(problems, lambdas, tol, space) if l1_ratio == 0 else _side_by_side(problems, lambdas, l1_ratio, tol)
    )
    accuracy = np.full(len(lambdas), np.nan)
    plateau = max(np.mean(np.concatenate([y[out] for out in held]) == side) for side in (-1.0, 1.0))
    for row, solutions in enumerate(found):
        right = [(s.scores[out] > 0) == (y[out] > 0) for s, out in zip(solutions, held, strict=True)]
        accuracy[row] = np.concatenate(right).mean()
        if row - int(np.nanargmax(accuracy)) >= patience and np.nanmax(accuracy) > plateau:
            break
    return accuracy


class PathClassifier(TwoClassLinear):
    """Linear classifier with the penalty selected on a path by cross-validation on the training documents.

    The objective is mean loss + lambda (l1_ratio |w|_1 + (1 - l1_ratio) / 2 |w|^2), with a free or zero intercept (Li
    et al. 2016, slide "Learning and Regularization"; the sum of losses there is N times the mean here).

    Parameters
    ----------
    loss : {"logistic", "squared_hinge"}, default="logistic"
        Loss function.
    l1_ratio : float, default=0.0
        0 for L2, 1 for L1, values between for both.
    lambdas : sequence of float or None, default=None
        Penalties in any order; None for `penalty_grid` with ``n_lambdas``, ``largest`` and ``smallest``.
    n_lambdas : int, default=10
        See `penalty_grid`; ignored if ``lambdas`` is not None.
    largest : float, default=1.0
        See `penalty_grid`; ignored if ``lambdas`` is not None.
    smallest : float, default=0.001
        See `penalty_grid`; ignored if ``lambdas`` is not None.
    folds : int, default=3
        Number of cross-validation folds. With one fold, or with fewer documents of a class than folds, the smallest
        penalty is used without cross-validation.
    tol : float, default=0.0001
        Maximum duality gap of the final fit, as a fraction of the objective.
    binary : bool, default=False
        Whether every nonzero value is replaced by 1.
    random_state : int, RandomState or None, default=None
        Random seed of the folds.
    fit_intercept : bool, default=True
        Whether to fit an intercept; otherwise it is 0.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        Class labels, sorted.
    coef_ : ndarray of shape (1, P)
        Weights, for the second class.
    intercept_ : ndarray of shape (1,)
        Intercept.
    lambdas_ : ndarray of shape (n_lambdas,)
        Penalties, decreasing.
    cv_accuracy_ : ndarray of shape (n_lambdas,)
        Accuracy on held-out documents at each penalty, nan where not computed.
    lambda_ : float
        Selected penalty: the best accuracy, with ties resolved towards the largest penalty.
    objective_path_ : list of float
        Objectives of the final fit. With an L1 part, the final fit follows the path from the largest penalty down to
        the selected one; without, it is fitted at the selected penalty only.
    gap_ : float
        Duality gap at the selected penalty.
    converged_ : bool
        Whether this gap meets ``tol``.
    n_iter_ : int
        Total number of solver iterations over the penalties of the final fit.

    Examples
    --------
    >>> from textmix import PathClassifier
    >>> X = [[3, 0, 1], [2, 1, 0], [0, 2, 2], [0, 3, 1]]
    >>> y = ["sport", "sport", "art", "art"]
    >>> model = PathClassifier(n_lambdas=3, folds=2, random_state=0).fit(X, y)
    >>> model.predict([[5, 0, 1], [0, 1, 1]]).tolist()
    ['sport', 'art']
    """

    _fitted_forms: ClassVar[dict[str, Any]] = {
        **{**TwoClassLinear._forms, "objective_path_": "float64 *", "gap_": "float", "lambda_": "float"},
        **{"lambdas_": "float64 P", "cv_accuracy_": "float64 P"},
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "loss": [StrOptions(set(LOSSES))],
        "l1_ratio": [Interval(Real, 0, 1, closed="both")],
        "lambdas": ["array-like", None],
        "n_lambdas": [Interval(Integral, 1, None, closed="left")],
        "largest": [Interval(Real, 0, None, closed="neither")],
        "smallest": [Interval(Real, 0, None, closed="neither")],
        "folds": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "binary": ["boolean"],
        "random_state": ["random_state"],
        "fit_intercept": ["boolean"],
    }

    def __init__(
        self,
        *,
        loss: str = "logistic",
        l1_ratio: float = 0.0,
        lambdas: Sequence[float] | None = None,
        n_lambdas: int = 10,
        largest: float = 1.0,
        smallest: float = 1e-3,
        folds: int = 3,
        tol: float = 1e-4,
        binary: bool = False,
        random_state: Any = None,
        fit_intercept: bool = True,
    ) -> None:
        self.loss = loss
        self.l1_ratio = l1_ratio
        self.lambdas = lambdas
        self.n_lambdas = n_lambdas
        self.largest = largest
        self.smallest = smallest
        self.folds = folds
        self.tol = tol
        self.binary = binary
        self.random_state = random_state
        self.fit_intercept = fit_intercept

    @checked_fit
    def fit(self, X: Any, y: Any) -> Self:
        """Select the penalty and fit to features (N, P) and class labels (N,).

        Raise ValueError if the number of classes is not two.
        """
        X, codes = self._check_labelled(X, y)
        columns, signs = Columns.of(X), 2.0 * codes - 1.0
        problem = MarginProblem.of(columns, signs, self.loss, intercept=self.fit_intercept)
        self.lambdas_ = self._grid(problem)
        space = Subspace(columns)
        last = self._choose(columns, signs, space)
        self.lambda_ = float(self.lambdas_[last])
        # Without an L1 part, a warm start from a much larger penalty saves no time.
        passed = self.lambdas_[: last + 1] if self.l1_ratio > 0 else self.lambdas_[last : last + 1]
        path = list(regularisation_path(problem, passed, self.l1_ratio, self.tol, space))
        self._set_fitted(path)
        return self

    def _values(self, X: Any) -> Any:
        """Return X (N, P), binarised if ``binary``."""
        if not self.binary:
            return X
        return (X != 0).astype(np.int8)

    def _grid(self, problem: MarginProblem) -> np.ndarray:
        """Compute the penalties, decreasing, float64 (n_lambdas,)."""
        if self.lambdas is None:
            return penalty_grid(problem, self.l1_ratio, self.n_lambdas, self.largest, self.smallest)
        return np.sort(np.asarray(self.lambdas, dtype=np.float64))[::-1]

    def _choose(self, columns: Columns, y: np.ndarray, space: Subspace) -> int:
        """Return the index of the most accurate penalty, with ties resolved towards the largest penalty."""
        self.cv_accuracy_ = np.full(len(self.lambdas_), np.nan)
        if self.folds < 2 or len(self.lambdas_) < 2 or min(np.sum(y > 0), np.sum(y < 0)) < self.folds:
            return len(self.lambdas_) - 1
        fold = check_random_state(self.random_state).permutation(len(y)) % self.folds
        # Without an L1 part a small gap requires few passes.
        tol = 1e-3 if self.l1_ratio > 0 else self.tol
        self.cv_accuracy_ = cross_validate(
            columns,
            y,
            fold,
            loss=self.loss,
            lambdas=self.lambdas_,
            l1_ratio=self.l1_ratio,
            tol=tol,
            space=space,
            intercept=self.fit_intercept,
        )
        return int(np.nanargmax(self.cv_accuracy_))

    def _set_fitted(self, path: list[MarginSolution]) -> None:
        last = path[-1]
        self.coef_, self.intercept_ = last.w[np.newaxis], np.array([last.b])
        self.objective_path_ = [solution.total_objective for solution in path]
        self.gap_, self.converged_, self.n_iter_ = last.gap, last.all_converged, sum(s.n_iter for s in path)
