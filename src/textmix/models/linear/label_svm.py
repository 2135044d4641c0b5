"""Linear support vector machine per label, with cost C and cost factor J tuned on the training pages.

Source: the baseline of N. Ueda and K. Saito, NIPS 2002, section 4.1 (SVMlight with C and J tuned for each label, inputs
scaled to sum 1); K. Morik, P. Brockhausen and T. Joachims, ICML 1999, for J.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from textmix.models.common.multilabel import LabelCountClassifier, in_form_of_y, unit_rows
from textmix.models.common.parallel import N_JOBS_CONSTRAINT, map_chunks
from textmix.models.common.sklearn_private import Interval, StrOptions
from textmix.models.common.validation import check_counts
from textmix.models.linear.smo_kernels import ascend, intercept

#: Cost factor equal to the number of pages without the label divided by the number of pages with it.
RATIO = "ratio"
#: KKT violation at which a cross-validation fit stops; at smaller values the decisions hardly change.
TUNING_TOL = 0.1
#: Minimum sum of the pages' squared norms, which avoids division by 0 for pages without words.
TINY = 1e-300


class DualSolution(NamedTuple):
    """Support vector machine for one cost in dual form; the weights of the features are sum_i beta_i x_i.

    ``beta``, float64 (N,), is a_i y_i of each page, see `textmix.models.linear.smo_kernels`.
    """

    beta: np.ndarray
    bias: float
    n_iter: int
    converged: bool


class TunedMachine(NamedTuple):
    """Machine of one label, fitted to all pages with the selected C and J."""

    cost: float
    cost_factor: float
    solution: DualSolution


def cost_path(
    gram: np.ndarray, sign: np.ndarray, costs: Sequence[float] | np.ndarray, factor: float, *, tol: float, max_iter: int
) -> Iterator[DualSolution]:
    """Fit a machine for each cost, warm-started from the machine of the previous cost, and yield it."""
    beta = np.zeros(len(sign))
    gradient = sign.copy()
    for cost in costs:
        upper = np.where(sign > 0, cost * factor, 0.0)
        lower = np.where(sign > 0, 0.0, -cost)
        steps = ascend(gram, lower, upper, beta, gradient, tol, max_iter)
        yield DualSolution(beta.copy(), intercept(lower, upper, beta, gradient), steps, steps < max_iter)


class LabelSVM(LabelCountClassifier):
    """Linear support vector machine for each label, with an unregularised bias as in SVMlight.

    C and J of each label maximise F over the decisions on all folds of a cross-validation. Ties are resolved towards
    the first J in the order of ``cost_factors``, then towards the smallest C. A label without training pages is never
    predicted; a label of all training pages is always predicted. The Gram matrix of the training pages is kept in
    memory: 8 N^2 bytes.

    Parameters
    ----------
    costs : sequence of float, default=(1.0, 3.0, 10.0, 30.0, 100.0)
        Values of C, increasing, in units of SVMlight's default, 1 / mean |x|^2. A single C and a single J are used
        without cross-validation.
    cost_factors : sequence of float or str, default=(1.0, 2.0, 5.0, 10.0, 20.0)
        Values of J; "ratio" is the number of pages without the label divided by the number of pages with it.
    scale : str, default="sum"
        "sum" divides each page by its number of words, as the paper does; "none" uses counts.
    folds : int, default=3
        Number of cross-validation folds.
    tol : float, default=0.001
        KKT violation at which the final fit stops, in units of the margin (SVMlight's default is 0.001).
    max_iter : int, default=100000
        Maximum number of steps at one C.
    random_state : int or RandomState or None, default=None
        Random seed of the folds.
    n_jobs : int, default=None
        Number of parallel jobs that tune and fit the labels.

    Attributes
    ----------
    coef_, intercept_ : ndarray of shape (L, V) and (L,)
        Weights and biases.
    cost_, cost_factor_ : ndarray of shape (L,)
        Selected C and J.
    n_iter_ : int
        Maximum number of steps over the labels at the selected C.
    converged_ : bool
        Whether every label's machine at the selected C converged within ``max_iter`` steps.
    classes_, n_features_in_ : ndarray of shape (C,) and int
        See `MultiLabelClassifier`.

    Examples
    --------
    >>> from textmix import LabelSVM
    >>> X = [[4, 0, 0], [3, 1, 0], [0, 3, 1], [0, 4, 0], [0, 0, 4], [2, 2, 0], [3, 3, 0], [0, 2, 2]]
    >>> y = [["a"], ["a"], ["b"], ["b"], ["c"], ["a", "b"], ["a", "b"], ["b", "c"]]
    >>> model = LabelSVM(costs=(10.0,), cost_factors=(1.0,)).fit(X, y)
    >>> list(model.predict([[5, 0, 0], [4, 4, 0]]))
    [('a',), ('a', 'b')]
    """

    _fitted_forms: ClassVar[dict[str, Any]] = {
        **LabelCountClassifier._forms,
        "coef_": "float64 L V",
        "intercept_": "logs L",
        "cost_": "float64 L",
        "cost_factor_": "float64 L",
        "_costs": "float64 *",
        "n_iter_": "int",
        "converged_": "bool",
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "costs": ["array-like"],
        "cost_factors": ["array-like"],
        "scale": [StrOptions({"sum", "none"})],
        "folds": [Interval(Integral, 2, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
        "n_jobs": N_JOBS_CONSTRAINT,
    }

    def __init__(
        self,
        *,
        costs: Sequence[float] = (1.0, 3.0, 10.0, 30.0, 100.0),
        cost_factors: Sequence[float | str] = (1.0, 2.0, 5.0, 10.0, 20.0),
        scale: str = "sum",
        folds: int = 3,
        tol: float = 1e-3,
        max_iter: int = 100_000,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.costs = costs
        self.cost_factors = cost_factors
        self.scale = scale
        self.folds = folds
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _fit_counts(self, counts: sparse.csr_array, labels: sparse.csr_array) -> None:
        pages = self._scaled(counts)
        gram = np.ascontiguousarray((pages @ pages.T).toarray())
        sign = 2.0 * labels.toarray() - 1.0
        self._costs = np.asarray(self.costs, dtype=np.float64) * len(gram) / max(float(np.trace(gram)), TINY)
        order = np.arange(len(sign))
        if len(self.costs) * len(self.cost_factors) > 1:
            order = check_random_state(self.random_state).permutation(len(sign))
        fit_labels = functools.partial(self._fit_labels, gram, order)
        fitted = map_chunks(fit_labels, sign.T, self.n_jobs)
        self.cost_ = np.array([machine.cost for machine in fitted])
        self.cost_factor_ = np.array([machine.cost_factor for machine in fitted])
        solutions = [machine.solution for machine in fitted]
        self.coef_ = np.asarray(pages.T @ np.array([solution.beta for solution in solutions]).T).T
        self.intercept_ = np.array([solution.bias for solution in solutions])
        self.n_iter_ = max(solution.n_iter for solution in solutions)
        self.converged_ = all(solution.converged for solution in solutions)

    def decision_function(self, X: Any) -> np.ndarray:
        """Compute w . x + b of each page and label, float64 (N, L), in units of the margin.

        It is -inf for a label without training pages, and inf for a label of all training pages.
        """
        check_is_fitted(self)
        return np.asarray(self._scaled(check_counts(self, X, reset=False)) @ self.coef_.T) + self.intercept_

    @in_form_of_y
    def predict(self, X: Any) -> np.ndarray:
        """Predict the labels with a positive decision, int64 (N, L) of 0 and 1; a page may get no label."""
        return (self.decision_function(X) > 0).astype(np.int64)

    def _scaled(self, counts: sparse.csr_array) -> sparse.csr_array:
        """Compute the inputs of the machines, float64 (N, V): counts, divided by page length if ``scale="sum"``."""
        return unit_rows(counts, 1.0) if self.scale == "sum" else counts.astype(np.float64)

    def _factors(self, sign: np.ndarray) -> list[float]:
        """Compute the values of J for a label from its signs -1 and 1 on the training pages, float64 (N,)."""
        ratio = float(np.sum(sign < 0)) / max(float(np.sum(sign > 0)), 1.0)
        return [ratio if factor == RATIO else float(factor) for factor in self.cost_factors]

    def _final(self, gram: np.ndarray, sign: np.ndarray, cost: float, factor: float) -> DualSolution:
        """Fit the machine of one label with C = ``cost`` and J = ``factor`` to all pages."""
        if len(np.unique(sign)) < 2:
            return DualSolution(np.zeros(len(sign)), float(sign[0]) * np.inf, 0, True)
        costs = [smaller for smaller in self._costs if smaller <= cost]
        return list(cost_path(gram, sign, costs, factor, tol=self.tol, max_iter=self.max_iter))[-1]

    def _fit_labels(self, gram: np.ndarray, order: np.ndarray, signs: np.ndarray) -> list[TunedMachine]:
        """Tune and fit the machines of labels with signs -1 and 1, float64 (number of labels, N)."""
        costs, cost_factors = self._tune(gram, order, signs.T)
        machines = []
        for sign, cost, factor in zip(signs, costs, cost_factors, strict=True):
            machines.append(TunedMachine(cost, factor, self._final(gram, sign, cost, factor)))
        return machines

    def _tune(self, gram: np.ndarray, order: np.ndarray, sign: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Select C and J of every label, float64 (L,) each; ``order``, int (N,), is a permutation of the pages."""
        n_labels = sign.shape[1]
        n_costs = len(self.costs)
        factors = np.array([self._factors(column) for column in sign.T])
        if n_costs == 1 and factors.shape[1] == 1:
            return np.full(n_labels, self._costs[0]), factors[:, 0]
        f = self._cross_validate(gram, order, sign, factors)
        best = np.argmax(f.reshape(n_labels, -1), axis=1)
        return self._costs[best % n_costs], factors[range(n_labels), best // n_costs]

    def _cross_validate(self, gram: np.ndarray, order: np.ndarray, sign: np.ndarray, factors: np.ndarray) -> np.ndarray:
        """Compute F of each label at each J and C over the decisions on all folds, float64 (L, number of J, of C)."""
        shape = (sign.shape[1], factors.shape[1], len(self.costs))
        hits = np.zeros(shape)
        claims = np.zeros(shape)
        for fold in range(self.folds):
            held_out = np.sort(order[fold :: self.folds])
            training = np.setdiff1d(np.arange(len(sign)), held_out, assume_unique=True)
            inner = gram[np.ix_(training, training)]
            outer = gram[np.ix_(held_out, training)]
            for label, column in enumerate(sign.T):
                if len(np.unique(column[training])) < 2:
                    continue
                for index, factor in enumerate(factors[label]):
                    machines = cost_path(
                        inner, column[training], self._costs, factor, tol=TUNING_TOL, max_iter=self.max_iter
                    )
                    path = list(machines)
                    scores = np.array([solution.beta for solution in path]) @ outer.T
                    claimed = scores > -np.array([[solution.bias] for solution in path])
                    claims[label, index] += claimed.sum(axis=1)
                    hits[label, index] += claimed[:, column[held_out] > 0].sum(axis=1)
        total = np.sum(sign > 0, axis=0)[:, np.newaxis, np.newaxis] + claims
        return 2.0 * hits / np.maximum(total, 1.0)
