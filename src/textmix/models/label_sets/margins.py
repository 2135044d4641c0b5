"""Linear support vector machines of label sets: one a label, and one a training label set; and the most frequent set.

Sources: R.-E. Fan et al., LIBLINEAR, JMLR 9, 2008 (the solver, by scikit-learn); M. R. Boutell et al., Pattern
Recognition 37, 2004 (one machine a label); G. Tsoumakas and I. Katakis, IJDWM 3, 2007 (label sets as classes).
"""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from textmix.models.common.multilabel import MultiLabelClassifier, label_sets
from textmix.models.common.sklearn_private import Interval
from textmix.models.common.targets import in_form_of_y
from textmix.models.label_sets.estimators import SetScorer
from textmix.models.linear.problems import add_bias


class _Machines(MultiLabelClassifier):
    """The base class of the machines of label sets.

    Parameters
    ----------
    C : cost of the squared hinge losses.
    random_state : orders the documents of the dual solver.

    Attributes
    ----------
    coef_ : float64 (W + 1, K), the weights of each machine, the last row the bias.
    converged_ : whether the solver met its tolerance for all machines.
    """

    converged_: bool
    _forms: ClassVar[dict[str, Any]] = {**MultiLabelClassifier._forms, "converged_": "bool"}
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "random_state": ["random_state"],
    }

    def __init__(self, *, C: float = 1.0, random_state: Any = None) -> None:
        self.C = C
        self.random_state = random_state

    def _machines(self, X: Any, classes: np.ndarray) -> np.ndarray:
        """Return the weights of the machines of some classes (N,), float64 (W + 1, K); one column for two classes."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ConvergenceWarning)
            fitted = LinearSVC(C=self.C, random_state=self.random_state).fit(X, classes)
        self.converged_ = self.converged_ and not any(issubclass(one.category, ConvergenceWarning) for one in caught)
        found: np.ndarray = np.vstack([fitted.coef_.T, fitted.intercept_])
        return found


class SVMRelevance(_Machines):
    """One linear support vector machine for each label; the labels of a positive score are predicted, perhaps none.

    A label that no training document has is never predicted, one that all have always.

    Examples
    --------
    >>> from textmix import SVMRelevance
    >>> X = [[4, 0, 0], [3, 1, 0], [0, 3, 1], [0, 4, 0], [0, 0, 4], [2, 2, 0], [3, 3, 0], [0, 2, 2]]
    >>> y = [["a"], ["a"], ["b"], ["b"], ["c"], ["a", "b"], ["a", "b"], ["b", "c"]]
    >>> list(SVMRelevance(random_state=0).fit(X, y).predict([[5, 0, 0], [4, 4, 0]]))
    [('a',), ('a', 'b')]
    """

    fitted_forms: ClassVar[dict[str, Any]] = {**_Machines._forms, "coef_": "float64 W+1 L"}

    def _fit(self, X: Any, Y: np.ndarray) -> None:
        """Fit one machine for each label that some documents have and some lack."""
        self.converged_ = True
        self.coef_ = np.zeros((X.shape[1] + 1, Y.shape[1]))
        for label in range(Y.shape[1]):
            if 0 < Y[:, label].sum() < len(Y):
                self.coef_[:, [label]] = self._machines(X, Y[:, label])
            else:
                self.coef_[-1, label] = 1.0 if Y[:, label].any() else -1.0

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the score of each label, float64 (N, L)."""
        return add_bias(self._checked(X), self.coef_)

    @in_form_of_y
    def predict(self, X: Any) -> np.ndarray:
        """Return the labels of a positive score, int64 (N, L) of 0 and 1."""
        return (self.decision_function(X) > 0.0).astype(np.int64)


class SVMPowerSet(_Machines):
    """Linear support vector machines, one against the rest, whose classes are the label sets of the training documents.

    Attributes
    ----------
    sets_ : int8 (S, L), the label sets.

    Examples
    --------
    >>> from textmix import SVMPowerSet
    >>> X = [[4, 0, 0], [3, 1, 0], [0, 3, 1], [0, 4, 0], [0, 0, 4], [2, 2, 0], [3, 3, 0], [0, 2, 2]]
    >>> y = [["a"], ["a"], ["b"], ["b"], ["c"], ["a", "b"], ["a", "b"], ["b", "c"]]
    >>> list(SVMPowerSet(random_state=0).fit(X, y).predict([[5, 0, 0], [4, 4, 0]]))
    [('a',), ('a', 'b')]
    """

    fitted_forms: ClassVar[dict[str, Any]] = {**_Machines._forms, "sets_": "int8 S L", "coef_": "float64 W+1 K"}

    def _fit(self, X: Any, Y: np.ndarray) -> None:
        """Fit one machine for each label set; one for both where there are two, and none where there is one."""
        self.converged_ = True
        self.sets_, code = label_sets(Y)
        self.coef_ = self._machines(X, code) if len(self.sets_) > 1 else np.zeros((X.shape[1] + 1, 1))

    @in_form_of_y
    def predict(self, X: Any) -> np.ndarray:
        """Return the training label set of the largest score, int64 (N, L) of 0 and 1."""
        scores = add_bias(self._checked(X), self.coef_)
        if len(self.sets_) <= 2:
            scores = np.column_stack([-scores, scores])[:, : len(self.sets_)]
        return self.sets_[np.argmax(scores, axis=1)].astype(np.int64)

    def check_loaded(self) -> None:
        """Raise ValueError if there are not as many machines as label sets need."""
        expected = len(self.sets_) if len(self.sets_) > 2 else 1
        if not len(self.sets_) or self.coef_.shape[1] != expected:
            raise ValueError(f"coef_ has {self.coef_.shape[1]} machines for {len(self.sets_)} label sets")


class MajoritySet(SetScorer):
    """The most frequent label set of the training documents for every document: what a method must surpass.

    Attributes
    ----------
    sets_ : int8 (S, L), the label sets of the training documents.
    log_share_ : float64 (S,), the log of the share of the training documents that have each set.

    Examples
    --------
    >>> from textmix import MajoritySet
    >>> list(MajoritySet().fit([[1.0], [2.0], [3.0]], [["a"], ["a"], ["b"]]).predict([[4.0]]))
    [('a',)]
    """

    fitted_forms: ClassVar[dict[str, Any]] = {
        **MultiLabelClassifier._forms,
        **{"sets_": "int8 S L", "log_share_": "float64 S"},
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    def _fit(self, X: Any, Y: np.ndarray) -> None:
        """Count the label sets."""
        self.sets_, code = label_sets(Y)
        self.log_share_ = np.log(np.bincount(code) / len(code))

    def _scores(self, X: Any) -> np.ndarray:
        """Return the log shares of the sets for each document, float64 (n, S)."""
        return np.tile(self.log_share_, (X.shape[0], 1))
