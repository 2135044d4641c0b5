"""NBSVM: a linear SVM over binary features scaled by the log-count ratios of naive Bayes (Wang & Manning, ACL 2012)."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from scipy import sparse

from textmix.models.common.sklearn_private import Interval, StrOptions
from textmix.models.common.validation import (
    check_two_classes,
    check_weights,
    checked_fit,
    document_weights,
    refuse_negative,
)
from textmix.models.linear.machines import OneAgainstRest
from textmix.models.linear.margin_problem import Columns, MarginProblem, MarginSolution
from textmix.models.linear.subspace import solve_l2


class _Machine(NamedTuple):
    """Weights of the binary features (P,) and intercept of one class against the rest, and the underlying SVM."""

    coef: np.ndarray
    intercept: float
    svm: MarginSolution


class NBSVMClassifier(OneAgainstRest):
    """Squared-hinge SVM on binary features scaled by naive Bayes log-count ratios (NBSVM).

    Section 2.3: feature j is multiplied by r_j = log((p_j / |p|_1) / (q_j / |q|_1)), where p_j is alpha plus the number
    of documents of the second class that contain the feature, and q_j is the same for the first class. The model
    predicts with w' = (1 - beta) |w|_1 / P + beta w, an interpolation between naive Bayes and the SVM. The intercept of
    the SVM is multiplied by beta. The SVM minimises 1/2 |w|^2 + C sum of losses, like LIBLINEAR, but the intercept is
    not penalised. With more than two classes, one machine per class is fitted against the rest, and the largest score
    wins.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the losses; 1 in the paper.
    alpha : float, default=1.0
        Smoothing count; 1 in the paper.
    beta : float, default=0.25
        Interpolation weight of the SVM; 0.25 in the paper.
    tol : float, default=1e-05
        Maximum duality gap, as a fraction of the objective.
    fit_intercept : bool, default=True
        Whether to fit an intercept; otherwise it is 0.
    drop_unseen : bool, default=False
        Whether features that do not occur in the training documents get weight 0 and are excluded from |p|_1, |q|_1 and
        P, as if the vocabulary came from the training documents; otherwise their ratio results from the smoothing
        counts.
    calibrate : bool, default=False
        Whether to calibrate probabilities (`CalibratedScores`), which requires five more fits.
    class_weight : dict, "balanced" or None, default=None
        Factor of the sample weights of each class: a dict from class to weight, where missing classes have weight 1;
        "balanced" for weights inversely proportional to the class frequencies; None for unit weights.

    Attributes
    ----------
    classes_ : ndarray of shape (C,)
        Class labels, sorted.
    coef_, intercept_ : ndarray of shape (K, P) and (K,)
        r_j w'_j, the weights of the binary features; a single row for two classes, for the second one, else one per
        class.
    gap_, converged_, n_iter_ : float, bool, int
        Maximum duality gap of the machines, whether all of them meet ``tol``, and maximum number of rounds.
    slope_ : ndarray
        See `CalibratedScores`.

    Examples
    --------
    >>> from textmix import NBSVMClassifier
    >>> X = [[3, 0, 1], [2, 1, 0], [0, 2, 2], [0, 3, 1]]
    >>> y = ["sport", "sport", "art", "art"]
    >>> model = NBSVMClassifier().fit(X, y)
    >>> model.predict([[5, 0, 1], [0, 1, 1]]).tolist()
    ['sport', 'art']
    """

    _fitted_forms: ClassVar[dict[str, Any]] = OneAgainstRest._forms
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "beta": [Interval(Real, 0, 1, closed="both")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "fit_intercept": ["boolean"],
        "drop_unseen": ["boolean"],
        "calibrate": ["boolean"],
        "class_weight": [dict, StrOptions({"balanced"}), None],
    }

    def __init__(
        self,
        C: float = 1.0,
        alpha: float = 1.0,
        beta: float = 0.25,
        tol: float = 1e-5,
        *,
        fit_intercept: bool = True,
        drop_unseen: bool = False,
        calibrate: bool = False,
        class_weight: dict[Any, float] | str | None = None,
    ) -> None:
        self.C = C
        self.alpha = alpha
        self.beta = beta
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.drop_unseen = drop_unseen
        self.calibrate = calibrate
        self.class_weight = class_weight

    @checked_fit
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the weights.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (N, V)
            Features, binarised at zero.
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
        weight = document_weights(self, X, codes, sample_weight)
        present = self._values(X)
        n_classes = len(self.classes_)
        positive_codes = [1] if n_classes == 2 else range(n_classes)
        # Without features all weights are 0 in both cases.
        columns = None
        if self.drop_unseen and present.nnz:
            trained = present if weight is None else present[np.flatnonzero(weight)]
            columns = np.flatnonzero(trained.sum(axis=0))
        used = present if columns is None else present[:, columns]
        machines = [self._machine(used, codes == code, weight) for code in positive_codes]
        coef = np.stack([machine.coef for machine in machines])
        if columns is None:
            self.coef_ = coef
        else:
            self.coef_ = np.zeros((len(machines), present.shape[1]))
            self.coef_[:, columns] = coef
        self.intercept_ = np.array([machine.intercept for machine in machines])
        self.gap_ = max(machine.svm.gap for machine in machines)
        self.n_iter_ = max(machine.svm.n_iter for machine in machines)
        self.converged_ = all(machine.svm.all_converged for machine in machines)
        self._calibrate(present, codes, None if sample_weight is None else check_weights(sample_weight, X))
        return self

    def _machine(self, present: sparse.csr_array, is_positive: np.ndarray, weight: np.ndarray | None) -> _Machine:
        """Fit one class against the rest."""
        weight = np.ones(len(is_positive)) if weight is None else weight
        p = self.alpha + present.T @ (is_positive * weight)
        q = self.alpha + present.T @ (~is_positive * weight)
        ratio = np.log(p / p.sum()) - np.log(q / q.sum())
        scaled = sparse.csr_array((ratio[present.indices], present.indices, present.indptr), shape=present.shape)
        signs = 2.0 * is_positive - 1.0
        problem = MarginProblem.of(Columns.of(scaled), signs, "squared_hinge", weight, intercept=self.fit_intercept)
        svm = solve_l2(problem, 1.0 / (self.C * float(weight.sum())), tol=self.tol)
        mixed = (1 - self.beta) * np.abs(svm.w).mean() + self.beta * svm.w
        return _Machine(ratio * mixed, self.beta * svm.b, svm)

    def _values(self, X: Any) -> sparse.csr_array:
        """Binarise the features, float64 CSR (N, P); raise ValueError for negative counts."""
        refuse_negative(self, X)
        return sparse.csr_array(X != 0, dtype=np.float64)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        tags.input_tags.positive_only = True
        return tags
