"""NBSVM: a linear SVM over binary features scaled by the log-count ratios of naive Bayes (Wang & Manning, ACL 2012)."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse

from textmix.models.common.sklearn_private import Interval, checks_parameters
from textmix.models.common.validation import refuse_negative
from textmix.models.linear.margin_problem import Columns, MarginProblem
from textmix.models.linear.newton_cg import solve_l2
from textmix.models.linear.two_class import TwoClassLinear


class NBSVMClassifier(TwoClassLinear):
    """Squared-hinge SVM on binary features times log-count ratios, its weights moved towards their mean size.

    Section 2.3: feature j is multiplied by r_j = log((p_j / |p|_1) / (q_j / |q|_1)).  Here p_j is alpha plus the number
    of documents of the second class that have the feature, and q_j is the same for the first class.  The model predicts
    by w' = (1 - beta) |w|_1 / P + beta w, between naive Bayes and the SVM.  The SVM's intercept is multiplied by beta.
    The SVM minimises 1/2 |w|^2 + C sum of losses, as LIBLINEAR does, but without a penalty on the intercept.

    Parameters
    ----------
    C : cost of the losses; 1 in the paper.
    alpha : smoothing count; 1 in the paper.
    beta : share of the SVM in the weights; 0.25 in the paper.
    tolerance : largest duality gap, as a share of the objective.

    Attributes
    ----------
    classes_ : (2,), the class labels, sorted.
    coef_, intercept_ : float64 (1, P) and (1,), for the second class; r_j w'_j, the weights of the binary features.
    gap_, converged_, n_iter_ : duality gap of the SVM, whether it meets ``tolerance``, and Newton steps.

    Examples
    --------
    >>> from textmix import NBSVMClassifier
    >>> X = [[3, 0, 1], [2, 1, 0], [0, 2, 2], [0, 3, 1]]
    >>> y = ["sport", "sport", "art", "art"]
    >>> model = NBSVMClassifier().fit(X, y)
    >>> model.predict([[5, 0, 1], [0, 1, 1]]).tolist()
    ['sport', 'art']
    """

    fitted_forms: ClassVar[dict[str, Any]] = {**TwoClassLinear._forms, "gap_": "float"}
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "beta": [Interval(Real, 0, 1, closed="both")],
        "tolerance": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(self, C: float = 1.0, alpha: float = 1.0, beta: float = 0.25, tolerance: float = 1e-4) -> None:
        self.C = C
        self.alpha = alpha
        self.beta = beta
        self.tolerance = tolerance

    @checks_parameters
    def fit(self, X: Any, y: Any) -> Self:
        """Fit.

        Parameters
        ----------
        X : features (N, P), sparse or dense; values other than 0 count as 1.
        y : class labels (N,) of two classes.

        Raises
        ------
        ValueError : a negative value, NaN or infinity in X; X and y of different length; not two classes.
        """
        present, codes = self._check_labelled(X, y)
        p, q = (self.alpha + present.T @ (codes == code).astype(np.float64) for code in (1, 0))
        ratio = np.log(p / p.sum()) - np.log(q / q.sum())
        scaled = sparse.csr_array((ratio[present.indices], present.indices, present.indptr), shape=present.shape)
        problem = MarginProblem.of(Columns.of(scaled), 2.0 * codes - 1.0, "squared_hinge")
        svm = solve_l2(problem, 1.0 / (self.C * len(codes)), tolerance=self.tolerance)
        mixed = (1 - self.beta) * np.abs(svm.w).mean() + self.beta * svm.w
        self.coef_, self.intercept_ = (ratio * mixed)[np.newaxis], np.array([self.beta * svm.b])
        self.gap_, self.converged_, self.n_iter_ = svm.gap, svm.all_converged, svm.n_iter
        return self

    def _values(self, X: Any) -> sparse.csr_array:
        """Return 1.0 where a feature is present, float64 CSR (N, P); raises ValueError at a negative count."""
        refuse_negative(self, X)
        return sparse.csr_array(X != 0, dtype=np.float64)

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that dense data, whose features are never 0, are predicted poorly."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        tags.input_tags.positive_only = True
        return tags
