"""One-vs-rest linear support vector machines as estimators."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from textmix.models.common.calibration import CalibratedScores
from textmix.models.common.sklearn_private import Interval, StrOptions
from textmix.models.common.validation import (
    check_class_weight,
    check_classified,
    check_matrix,
    check_two_classes,
    check_weights,
    checked_fit,
    class_codes,
    is_weighted,
)
from textmix.models.linear.dual import Machines, fit_machines, machines_of_blocks, signs_of

#: Smallest factor of a loss: the dual problem divides by it, and a class may have weight 0.
SMALLEST_IMPORTANCE = 1e-12


class WarmMachines(BaseEstimator):  # type: ignore[misc]
    """Base class with the parameters of `fit_machines`, see `LinearSVM`, and the machines for a warm start."""

    _machines: Machines | None = None
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "warm_start": ["boolean"],
        "fit_intercept": ["boolean"],
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        tol: float = 1e-4,
        max_iter: int = 1000,
        warm_start: bool = False,
        fit_intercept: bool = True,
    ) -> None:
        self.C = C
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.fit_intercept = fit_intercept

    def _solved(self, X: Any, signs: np.ndarray, importance: np.ndarray | None = None) -> Machines:
        """Fit the machines for signs (N, K), and set the convergence attributes."""
        start = self._machines if self.warm_start else None
        if start is not None and start.alpha.shape != signs.shape:
            start = None
        fitted = fit_machines(
            sparse.csr_array(X, dtype=np.float64),
            signs,
            self.C,
            tol=self.tol,
            max_iter=self.max_iter,
            start=start,
            intercept=self.fit_intercept,
            importance=importance,
        )
        if self.warm_start:
            self._machines = None if fitted.finished else fitted
        self.converged_ = fitted.converged
        self.n_iter_ = fitted.n_iter
        return fitted


class OneAgainstRest(CalibratedScores, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base class of one-vs-rest linear classifiers; for two classes a single machine is fitted.

    Attributes
    ----------
    classes_ : ndarray of shape (C,)
        Class labels, sorted.
    coef_, intercept_ : ndarray of shape (C, P) and (C,)
        Weights and intercepts; of shape (1, P) and (1,) for two classes, for the second one.
    slope_ : float or None
        See `CalibratedScores`.
    """

    #: Fitted attributes and their types, see `textmix.serve.state_schema`.
    _forms: ClassVar[dict[str, Any]] = {
        "classes_": "int C",
        "n_features_in_": "int",
        "coef_": "float64 R V",
        "intercept_": "float64 R",
        "converged_": "bool",
        "n_iter_": "int",
        "gap_": "float",
        **CalibratedScores._calibration_forms,
    }
    coef_: np.ndarray
    intercept_: np.ndarray

    def _values(self, X: Any) -> Any:
        """Convert the input matrix to the features that are multiplied by the weights, (N, P)."""
        return X

    def decision_function(self, X: Any) -> np.ndarray:
        """Compute the scores, float64 (N, C); for two classes (N,), positive for the second one."""
        check_is_fitted(self)
        scores = np.asarray(self._values(check_matrix(self, X)) @ self.coef_.T) + self.intercept_
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> np.ndarray:
        """Predict the class with the largest score for each document, (N,)."""
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(np.int64) if scores.ndim == 1 else np.argmax(scores, axis=1)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class LinearSVM(OneAgainstRest, WarmMachines):
    """One-vs-rest linear support vector machines with the squared hinge loss.

    The objective is the same as in scikit-learn's ``LinearSVC``. All machines are trained in joint sweeps over the
    documents, and a fit can be warm-started from the last one with another ``C``, so that a search over C is cheap.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the losses.
    tol : float, default=0.0001
        Maximum duality gap, as a fraction of the objective.
    max_iter : int, default=1000
        Maximum number of sweeps over the documents, and maximum number of subsequent L-BFGS iterations.
    warm_start : bool, default=False
        Whether to start from the last fit, which must have used the same documents.
    fit_intercept : bool, default=True
        Whether to fit intercepts; otherwise they are 0.
    calibrate : bool, default=False
        Whether to calibrate probabilities (`CalibratedScores`), which requires five more fits.
    class_weight : dict, "balanced" or None, default=None
        Factor of the losses of the positive documents of each class, as in scikit-learn's ``LinearSVC``: a dict from
        class to weight, where missing classes have weight 1; "balanced" for weights inversely proportional to the class
        frequencies; None for unit weights. For two classes, the factor applies to the documents of both classes.

    Attributes
    ----------
    classes_ : ndarray of shape (C,)
        Class labels, sorted.
    coef_, intercept_ : ndarray of shape (C, V) and (C,)
        Weights and intercepts; of shape (1, V) and (1,) for two classes, for the second one.
    gap_, converged_, n_iter_ : float, bool, int
        Duality gap as a fraction of the objective, whether it meets ``tol``, and number of sweeps and iterations.
    slope_ : ndarray
        See `CalibratedScores`.

    Examples
    --------
    >>> from textmix import LinearSVM
    >>> model = LinearSVM().fit([[3, 0, 1], [2, 1, 0], [0, 2, 2], [0, 3, 1]], ["a", "a", "b", "b"])
    >>> model.predict([[5, 0, 1], [0, 1, 1]]).tolist()
    ['a', 'b']
    """

    _fitted_forms: ClassVar[dict[str, Any]] = OneAgainstRest._forms
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **WarmMachines._parameter_constraints,
        "calibrate": ["boolean"],
        "class_weight": [dict, StrOptions({"balanced"}), None],
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        tol: float = 1e-4,
        max_iter: int = 1000,
        warm_start: bool = False,
        fit_intercept: bool = True,
        calibrate: bool = False,
        class_weight: dict[Any, float] | str | None = None,
    ) -> None:
        super().__init__(C=C, tol=tol, max_iter=max_iter, warm_start=warm_start, fit_intercept=fit_intercept)
        self.calibrate = calibrate
        self.class_weight = class_weight

    @checked_fit
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the weights; with ``warm_start``, start from the last fit.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (N, V)
            Features.
        y : array-like of shape (N,)
            Class labels.
        sample_weight : array-like of shape (N,), default=None
            Nonnegative sample weights; a document of weight n counts as n copies. None is equivalent to unit weights.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        ValueError
            If the input is invalid, or y has fewer than two classes.
        """
        X, codes = check_two_classes(self, X, y)
        signs = signs_of(codes, len(self.classes_))
        if not is_weighted(self, sample_weight):
            self._take(self._solved(X, signs))
            self._calibrate(X, codes)
            return self
        weight = check_weights(sample_weight, X)
        rows = np.flatnonzero(weight)
        importance = self._importance(codes, weight)
        self._take(self._solved(X[rows], signs[rows], importance[rows]))
        self._calibrate(X, codes, weight)
        return self

    def _importance(self, codes: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Compute the factor of the loss of each document in each machine, float64 (N, K)."""
        n_classes = len(self.classes_)
        factors = check_class_weight(self.class_weight, self.classes_, codes, weight)
        if n_classes == 2:
            importance = (weight * factors[codes])[:, np.newaxis]
        else:
            importance = np.repeat(weight[:, np.newaxis], n_classes, axis=1)
            importance[np.arange(len(codes)), codes] *= factors[codes]
        return np.maximum(importance, SMALLEST_IMPORTANCE)

    @checked_fit
    def fit_blocks(self, blocks: Iterable[tuple[Any, Any]], classes: Any) -> Self:
        """Fit the weights to documents that do not fit into memory; blocks of documents are read several times.

        Memory use is one block, plus one number per document and class. Objective and tolerance are the same as in
        `fit` without weights; each sweep covers all blocks.

        Parameters
        ----------
        blocks : iterable of tuple of (Any, Any)
            Pairs of features (n, V) and class labels (n,), read from the start in each sweep and identical each time: a
            list, or an object with an ``__iter__`` that reads from disk, but not an iterator.
        classes : object
            All class labels.

        Raises
        ------
        ValueError
            As in `fit`; also for ``calibrate``, ``warm_start`` or ``class_weight``, an iterator, an empty iterable, or
            a label that is not in ``classes``.
        """
        if self.calibrate or self.warm_start or self.class_weight is not None:
            raise ValueError(
                "fit_blocks neither calibrates nor starts warm nor weights classes; set calibrate and warm_start to "
                "False and class_weight to None"
            )
        if isinstance(blocks, Iterator):
            raise ValueError("blocks is an iterator, which can be read only once; pass a list or another iterable")
        self.classes_ = np.unique(np.asarray(classes))
        if len(self.classes_) < 2:
            raise ValueError(f"{type(self).__name__} requires at least two classes, but classes has only one")
        fitted = machines_of_blocks(
            lambda: self._checked(blocks),
            self.C,
            tol=self.tol,
            max_iter=self.max_iter,
            intercept=self.fit_intercept,
        )
        self.converged_ = fitted.converged
        self.n_iter_ = fitted.n_iter
        self._take(fitted)
        self.slope_ = None
        return self

    def _checked(self, blocks: Iterable[tuple[Any, Any]]) -> Iterator[tuple[sparse.csr_array, np.ndarray]]:
        """Validate each block; yield its features, float64 CSR, and its signs."""
        for number, block in enumerate(blocks):
            X, y = check_classified(self, *block, reset=number == 0)
            yield sparse.csr_array(X, dtype=np.float64), signs_of(class_codes(self.classes_, y), len(self.classes_))

    def _take(self, fitted: Machines) -> None:
        """Set the weights and the gap from fitted machines."""
        self.coef_ = np.ascontiguousarray(fitted.weights[:-1].T)
        self.intercept_ = fitted.weights[-1].copy()
        self.gap_ = fitted.gap
