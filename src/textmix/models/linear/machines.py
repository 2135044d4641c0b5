"""Linear support vector machines, one against the rest, by dual coordinate descent over all machines at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from textmix.models.common.calibration import CalibratedScores
from textmix.models.common.sklearn_private import Interval, checks_parameters
from textmix.models.common.validation import check_classified, check_matrix
from textmix.models.linear.machine_kernels import sweep
from textmix.numerics.determinism import rng

#: Sweeps between two looks at the duality gap, each of which costs half of a sweep.
EVERY = 4
#: Most machines of one sweep: their weights of a feature fill two lines of a processor's cache.
TOGETHER = 16


@dataclass
class Machines:
    """Fitted machines, and their dual solution, from which a fit with another ``C`` may start.

    Parameters
    ----------
    alpha : float64 (N, K), one number at least 0 for each document and machine.
    weights : float64 (V + 1, K), the last row the biases.
    gap, n_iter, converged : largest duality gap of a group as a share of its objective, most sweeps, and whether the
        gap meets the tolerance.
    """

    alpha: np.ndarray
    weights: np.ndarray
    gap: float = np.inf
    n_iter: int = 0
    converged: bool = True


def fit_machines(
    X: sparse.csr_array,
    signs: np.ndarray,
    C: float,
    *,
    tolerance: float,
    max_iter: int,
    start: Machines | None = None,
    intercept: bool = True,
) -> Machines:
    """Return K machines; each minimises |w|^2 / 2 + C sum_i max(0, 1 - y_i w x_i)^2, where x_i ends with a 1.

    It is the problem of scikit-learn's ``LinearSVC``.  The documents are visited in an order drawn once a sweep from a
    fixed seed.

    Parameters
    ----------
    X : float64 CSR (N, V).
    signs : int8 (N, K) of 1 and -1.
    C : cost of the losses.
    tolerance : largest duality gap of a group of machines (`TOGETHER`), as a share of its objective.
    max_iter : most sweeps.
    start : machines of the same documents and signs with another ``C``; None starts from zeros.
    intercept : whether x_i ends with a 1; else the biases are 0.
    """
    n_machines = signs.shape[1]
    found = Machines(np.empty(signs.shape), np.empty((X.shape[1] + 1, n_machines)), gap=0.0)
    if start is None:
        start = Machines(np.zeros(signs.shape), np.zeros((X.shape[1] + 1, n_machines)))
    for group in _groups(n_machines):
        solution = {"alpha": start.alpha[:, group], "weights": start.weights[:, group]}
        descent = Descent(X, np.ascontiguousarray(signs[:, group]), C, intercept, **solution)
        n_iter, gap = descent.run(tolerance, max_iter)
        found.alpha[:, group], found.weights[:, group] = descent.alpha, descent.weights
        found.gap, found.n_iter = max(found.gap, gap), max(found.n_iter, n_iter)
    found.converged = found.gap <= tolerance
    return found


class Descent:
    """The dual problem of a few machines.

    Parameters
    ----------
    X, signs, C, intercept : see `fit_machines`.
    alpha, weights : the solution from which it starts, see `Machines`; copied.
    """

    def __init__(
        self,
        X: sparse.csr_array,
        signs: np.ndarray,
        C: float,
        intercept: bool,
        *,
        alpha: np.ndarray,
        weights: np.ndarray,
    ) -> None:
        self.X, self.signs, self.C, self.intercept = X, signs, C, intercept
        self.squares = np.asarray(X.multiply(X).sum(axis=1)).ravel() + float(intercept)
        self.alpha, self.weights = alpha.copy(), weights.copy()

    def run(self, tolerance: float, max_iter: int) -> tuple[int, float]:
        """Sweep until the gap meets the tolerance; return the number of sweeps and the gap."""
        generator, n_iter, gap = rng(0, "machines"), 0, np.inf
        while gap > tolerance and n_iter < max_iter:
            times = min(EVERY, max_iter - n_iter)
            self.sweep(generator, times)
            n_iter += times
            gap = duality_gap(self.weights, self.C, self.sums())
        return n_iter, gap

    def sweep(self, generator: np.random.Generator, times: int) -> None:
        """Sweep over the documents a number of times, each time in an order that is drawn."""
        X = self.X
        for _ in range(times):
            order = generator.permutation(X.shape[0])
            rows = (X.indptr, X.indices, X.data, order, self.squares)
            sweep(*rows, self.signs, 0.5 / self.C, self.alpha, self.weights, self.intercept)

    def sums(self) -> np.ndarray:
        """Return the sums over documents and machines of the losses, of alpha and of its squares, float64 (3,)."""
        scores = self.X @ self.weights[:-1] + self.weights[-1]
        losses = np.maximum(0.0, 1.0 - self.signs * scores)
        return np.array([np.sum(losses**2), self.alpha.sum(), np.sum(self.alpha**2)])


def duality_gap(weights: np.ndarray, C: float, sums: np.ndarray) -> float:
    """Return the duality gap of machines as a share of the objective, both summed over the machines.

    Parameters
    ----------
    weights, C : see `Machines` and `fit_machines`.
    sums : of all documents, see `Descent.sums`.
    """
    losses, alpha, squares = sums.tolist()
    square = float(np.sum(weights**2)) / 2.0
    objective = square + C * losses
    dual = alpha - square - squares / (4.0 * C)
    return (objective - dual) / objective


def machines_of_blocks(
    read: Callable[[], Iterable[tuple[sparse.csr_array, np.ndarray]]],
    C: float,
    *,
    tolerance: float,
    max_iter: int,
    intercept: bool = True,
) -> Machines:
    """Return the machines of `fit_machines` on documents of which memory holds one block at a time; alpha is empty.

    Source: H.-F. Yu, C.-J. Hsieh, K.-W. Chang and C.-J. Lin, KDD 2010 (block minimisation of the dual problem).  A
    block is swept `EVERY` times where it is read; one more reading of all blocks gives the duality gap.

    Parameters
    ----------
    read : called for each reading; returns the blocks, X (n, V) and signs (n, K) of each, always the same.
    C, tolerance, max_iter, intercept : see `fit_machines`.
    """
    alphas, weights = list[np.ndarray](), np.empty((0, 0))
    generator, n_iter, gap = rng(0, "machines"), 0, np.inf

    def descents() -> Iterator[list[Descent]]:
        """Yield the problems of each block, one for each group of machines, with the solution so far."""
        nonlocal weights
        for number, (X, signs) in enumerate(read()):
            if number == len(alphas):
                alphas.append(np.zeros(signs.shape))
            if not weights.size:
                weights = np.zeros((X.shape[1] + 1, signs.shape[1]))
            yield [
                Descent(
                    *(X, np.ascontiguousarray(signs[:, group]), C, intercept),
                    alpha=alphas[number][:, group],
                    weights=weights[:, group],
                )
                for group in _groups(signs.shape[1])
            ]

    while gap > tolerance and n_iter < max_iter:
        times = min(EVERY, max_iter - n_iter)
        for number, block in enumerate(descents()):
            for group, descent in zip(_groups(weights.shape[1]), block, strict=True):
                descent.sweep(generator, times)
                alphas[number][:, group], weights[:, group] = descent.alpha, descent.weights
        if not alphas:
            raise ValueError("there is no block; give at least one")
        n_iter += times
        sums = sum(np.array([descent.sums() for descent in block]) for block in descents())
        found = zip(_groups(weights.shape[1]), np.asarray(sums), strict=True)
        gap = max(duality_gap(weights[:, group], C, part) for group, part in found)
    return Machines(np.empty((0, weights.shape[1])), weights, gap, n_iter, gap <= tolerance)


def _groups(n_machines: int) -> list[slice]:
    """Return the groups of machines that share a sweep."""
    return [slice(first, min(first + TOGETHER, n_machines)) for first in range(0, n_machines, TOGETHER)]


def signs_of(codes: np.ndarray, n_classes: int) -> np.ndarray:
    """Return the signs (N, K) of one machine a class, or of one machine where there are two classes; codes are (N,)."""
    names = np.arange(1 if n_classes == 2 else 0, n_classes)
    return np.where(codes[:, np.newaxis] == names, 1, -1).astype(np.int8)


class WarmMachines(BaseEstimator):  # type: ignore[misc]
    """The parameters of estimators by `fit_machines`, and the machines from which the next fit may start.

    Parameters
    ----------
    C, tolerance, max_iter, warm_start, fit_intercept : see `LinearSVM`.
    """

    _machines: Machines | None = None
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "tolerance": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "warm_start": ["boolean"],
        "fit_intercept": ["boolean"],
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        tolerance: float = 1e-4,
        max_iter: int = 1000,
        warm_start: bool = False,
        fit_intercept: bool = True,
    ) -> None:
        self.C = C
        self.tolerance = tolerance
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.fit_intercept = fit_intercept

    def _solved(self, X: Any, signs: np.ndarray) -> Machines:
        """Return the machines for signs (N, K), and set the attributes that tell of convergence."""
        start = self._machines if self.warm_start else None
        if start is not None and start.alpha.shape != signs.shape:
            start = None
        X = sparse.csr_array(X, dtype=np.float64)
        limits: dict[str, Any] = {"tolerance": self.tolerance, "max_iter": self.max_iter}
        found = fit_machines(X, signs, self.C, **limits, start=start, intercept=self.fit_intercept)
        if self.warm_start:
            self._machines = found
        self.converged_, self.n_iter_ = found.converged, found.n_iter
        return found


class LinearSVM(CalibratedScores, ClassifierMixin, WarmMachines):  # type: ignore[misc]
    """Linear support vector machines with the squared hinge loss, one for each class against the rest.

    It minimises what scikit-learn's ``LinearSVC`` minimises.  All machines share a sweep over the documents, and a fit
    may start from the last one with another ``C``, so that a search over costs is cheap.

    Parameters
    ----------
    C : cost of the losses.
    tolerance : largest duality gap, as a share of the objective.
    max_iter : most sweeps over the documents.
    warm_start : whether a fit starts from the last one, which was on the same documents.
    fit_intercept : whether each machine has an intercept; else it is 0.
    calibrate : whether the fit also calibrates probabilities (`CalibratedScores`), by five more fits.

    Attributes
    ----------
    classes_ : (C,), the class labels, sorted.
    coef_, intercept_ : float64 (C, V) and (C,); (1, V) and (1,) for two classes, for the second one.
    gap_, converged_, n_iter_ : duality gap as a share of the objective, whether it meets ``tolerance``, and sweeps.
    slope_ : see `CalibratedScores`.

    Examples
    --------
    >>> from textmix import LinearSVM
    >>> model = LinearSVM().fit([[3, 0, 1], [2, 1, 0], [0, 2, 2], [0, 3, 1]], ["a", "a", "b", "b"])
    >>> model.predict([[5, 0, 1], [0, 1, 1]]).tolist()
    ['a', 'b']
    """

    _fitted_forms: ClassVar[dict[str, Any]] = {
        **{"classes_": "int C", "n_features_in_": "int", "coef_": "float64 R V", "intercept_": "float64 R"},
        **{"converged_": "bool", "n_iter_": "int", "gap_": "float", **CalibratedScores._calibration_forms},
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **WarmMachines._parameter_constraints,
        "calibrate": ["boolean"],
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        tolerance: float = 1e-4,
        max_iter: int = 1000,
        warm_start: bool = False,
        fit_intercept: bool = True,
        calibrate: bool = False,
    ) -> None:
        shared: dict[str, Any] = {"warm_start": warm_start, "fit_intercept": fit_intercept}
        super().__init__(C=C, tolerance=tolerance, max_iter=max_iter, **shared)
        self.calibrate = calibrate

    @checks_parameters
    def fit(self, X: Any, y: Any) -> Self:
        """Fit the weights.

        Parameters
        ----------
        X : features (N, V), sparse or dense; with ``warm_start`` those of the last fit.
        y : class labels (N,).

        Raises
        ------
        ValueError : NaN or infinity in X, X and y of different length, or fewer than two classes.
        """
        X, y = check_classified(self, X, y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"{type(self).__name__} needs two classes; y has only one class")
        self._take(self._solved(X, signs_of(codes, len(self.classes_))))
        self._calibrate(X, codes)
        return self

    @checks_parameters
    def fit_blocks(self, blocks: Iterable[tuple[Any, Any]], classes: Any) -> Self:
        """Fit the weights to documents that are more than memory holds, which are read block by block, several times.

        Memory holds one block, and a number for each document and class.  The objective and the tolerance are those of
        `fit`; its sweeps are over all blocks.

        Parameters
        ----------
        blocks : pairs of features (n, V) and class labels (n,), read from the start in each sweep, each time the same;
            a list, or an object whose ``__iter__`` reads a disk, but no iterator.
        classes : all class labels.

        Raises
        ------
        ValueError : as `fit`; also ``calibrate`` or ``warm_start``, an iterator, no block, or a label that is not among
            the classes.
        """
        if self.calibrate or self.warm_start:
            raise ValueError("fit_blocks neither calibrates nor starts warm; set calibrate and warm_start to False")
        if isinstance(blocks, Iterator):
            raise ValueError("blocks is an iterator, which is read once; give an object that can be read again")
        self.classes_ = np.unique(np.asarray(classes))
        if len(self.classes_) < 2:
            raise ValueError(f"{type(self).__name__} needs two classes; classes names only one")
        limits: dict[str, Any] = {"tolerance": self.tolerance, "max_iter": self.max_iter}
        found = machines_of_blocks(lambda: self._checked(blocks), self.C, **limits, intercept=self.fit_intercept)
        self.converged_, self.n_iter_ = found.converged, found.n_iter
        self._take(found)
        self.slope_ = None
        return self

    def _checked(self, blocks: Iterable[tuple[Any, Any]]) -> Iterator[tuple[sparse.csr_array, np.ndarray]]:
        """Yield the features, float64 CSR, and the signs of each block."""
        for number, block in enumerate(blocks):
            X, y = check_classified(self, *block, reset=number == 0)
            codes = np.minimum(np.searchsorted(self.classes_, y), len(self.classes_) - 1)
            unknown = np.flatnonzero(self.classes_[codes] != y)
            if len(unknown):
                raise ValueError(f"label {y[unknown].tolist()[0]!r} is not among the classes; name it in classes")
            yield sparse.csr_array(X, dtype=np.float64), signs_of(codes, len(self.classes_))

    def _take(self, found: Machines) -> None:
        """Set the weights and the gap of fitted machines."""
        self.coef_, self.intercept_ = np.ascontiguousarray(found.weights[:-1].T), found.weights[-1].copy()
        self.gap_ = found.gap

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the scores, float64 (N, C); for two classes (N,), positive for the second one.

        Raises
        ------
        NotFittedError : there was no fit.
        ValueError : X has other columns than in the fit, or holds NaN or infinity.
        """
        check_is_fitted(self)
        scores = np.asarray(check_matrix(self, X) @ self.coef_.T) + self.intercept_
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> np.ndarray:
        """Return the class of the largest score of each document, (N,).

        Raises
        ------
        NotFittedError : there was no fit.
        ValueError : X has other columns than in the fit, or holds NaN or infinity.
        """
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(int) if scores.ndim == 1 else np.argmax(scores, axis=1)]

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn: sparse input."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
