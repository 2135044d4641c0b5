"""Linear support vector machines of label sets: one a label, and one a training label set; and the most frequent set.

Sources: M. R. Boutell et al., Pattern Recognition 37, 2004 (one machine a label); G. Tsoumakas and I. Katakis,
IJDWM 3, 2007 (label sets as classes).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from textmix.models.common.checks import OF_SPARSE_INPUT, Failures
from textmix.models.common.multilabel import MultiLabelClassifier, in_form_of_y, label_sets
from textmix.models.label_sets.estimators import SetScorer
from textmix.models.linear.machines import WarmMachines
from textmix.models.linear.problems import add_bias


class _Machines(WarmMachines, MultiLabelClassifier):
    """The base class of the machines of label sets.

    Parameters
    ----------
    C, tolerance, max_iter, warm_start, fit_intercept : see `textmix.models.linear.machines.LinearSVM`; the gap
        is the largest of a group of machines.

    Attributes
    ----------
    coef_, intercept_ : float64 (K, V) and (K,), the weights of each machine.
    converged_, n_iter_ : whether the gap meets the tolerance, and most sweeps of a group.
    """

    _expected_failures: ClassVar[Failures] = dict.fromkeys(OF_SPARSE_INPUT)
    _forms: ClassVar[dict[str, Any]] = {**MultiLabelClassifier._forms, "converged_": "bool", "n_iter_": "int"}

    _weights: np.ndarray

    @property
    def coef_(self) -> np.ndarray:
        """The weights, float64 (K, V)."""
        return self._by_feature(self._weights)

    @property
    def intercept_(self) -> np.ndarray:
        """The biases, float64 (K,)."""
        return self._weights[-1].copy()

    def _fit_machines(self, X: Any, members: np.ndarray) -> np.ndarray:
        """Return the weights of the machines for indicators (N, K) of their classes, float64 (W + 1, K)."""
        signs = (2 * members - 1).astype(np.int8)
        return self._solved(X, signs).weights


class SVMRelevance(_Machines):
    """Linear support vector machine for each label; a label with a positive score is predicted.

    A label that no training document has is never predicted, one that all have always.

    Examples
    --------
    >>> from textmix import SVMRelevance
    >>> X = [[4, 0, 0], [3, 1, 0], [0, 3, 1], [0, 4, 0], [0, 0, 4], [2, 2, 0], [3, 3, 0], [0, 2, 2]]
    >>> y = [["a"], ["a"], ["b"], ["b"], ["c"], ["a", "b"], ["a", "b"], ["b", "c"]]
    >>> list(SVMRelevance().fit(X, y).predict([[5, 0, 0], [4, 4, 0]]))
    [('a',), ('a', 'b')]
    """

    _fitted_forms: ClassVar[dict[str, Any]] = {**_Machines._forms, "_weights": "float64 W+1 L"}

    def _fit(self, X: Any, Y: np.ndarray) -> None:
        """Fit one machine for each label that some documents have and some lack."""
        share = Y.mean(axis=0)
        trained = (share > 0.0) & (share < 1.0)
        self._weights = np.zeros((X.shape[1] + 1, Y.shape[1]))
        self._weights[-1] = np.where(share > 0.0, 1.0, -1.0)
        self._weights[:, trained] = self._fit_machines(X, Y[:, trained])

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the score of each label, float64 (N, L)."""
        return add_bias(self._checked(X), self._weights)

    @in_form_of_y
    def predict(self, X: Any) -> np.ndarray:
        """Return the labels of a positive score, int64 (N, L) of 0 and 1."""
        return (self.decision_function(X) > 0.0).astype(np.int64)


class SVMPowerSet(_Machines):
    """Linear support vector machines, one against the rest, over the label sets of the training documents.

    Attributes
    ----------
    sets_ : int8 (S, L), the label sets.

    Examples
    --------
    >>> from textmix import SVMPowerSet
    >>> X = [[4, 0, 0], [3, 1, 0], [0, 3, 1], [0, 4, 0], [0, 0, 4], [2, 2, 0], [3, 3, 0], [0, 2, 2]]
    >>> y = [["a"], ["a"], ["b"], ["b"], ["c"], ["a", "b"], ["a", "b"], ["b", "c"]]
    >>> list(SVMPowerSet().fit(X, y).predict([[5, 0, 0], [4, 4, 0]]))
    [('a',), ('a', 'b')]
    """

    _rows_of_coef: ClassVar[str] = "sets_"
    _fitted_forms: ClassVar[dict[str, Any]] = {**_Machines._forms, "sets_": "int8 S L", "_weights": "float64 W+1 K"}

    def _fit(self, X: Any, Y: np.ndarray) -> None:
        """Fit one machine for each label set; one for both where there are two, and none where there is one."""
        self.sets_, code = label_sets(Y)
        classes = {1: 0, 2: 1}.get(len(self.sets_), len(self.sets_))
        members = code[:, np.newaxis] == np.arange(len(self.sets_) - classes, len(self.sets_))
        found = self._fit_machines(X, members)
        self._weights = found if classes else np.zeros((X.shape[1] + 1, 1))

    def _set_scores(self, X: Any) -> np.ndarray:
        """Return the score of each label set, float64 (N, S)."""
        scores = add_bias(self._checked(X), self._weights)
        return scores if len(self.sets_) > 2 else np.column_stack([-scores, scores])[:, : len(self.sets_)]

    def decision_function(self, X: Any) -> np.ndarray:
        """Return for each label the largest score of a set with it less the largest of a set without, float64 (N, L).

        It is inf for a label of all sets and -inf for a label of none; it is positive for the labels of the predicted
        set, unless two sets have one score.
        """
        scores = self._set_scores(X)

        def best(held: int) -> np.ndarray:
            """Return the largest score of the sets that hold a label, or lack it, float64 (N, L)."""
            inside = (self.sets_ == held).T
            return np.column_stack([scores.max(axis=1, initial=-np.inf, where=each) for each in inside])

        return best(1) - best(0)

    @in_form_of_y
    def predict(self, X: Any) -> np.ndarray:
        """Return the training label set of the largest score, int64 (N, L) of 0 and 1."""
        best = np.argmax(self._set_scores(X), axis=1)
        return self.sets_[best].astype(np.int64)

    def _check_loaded(self) -> None:
        """Raise ValueError if there are not as many machines as label sets need."""
        expected = len(self.sets_) if len(self.sets_) > 2 else 1
        if not len(self.sets_) or self._weights.shape[1] != expected:
            raise ValueError(f"_weights has {self._weights.shape[1]} machines for {len(self.sets_)} label sets")


class MajoritySet(SetScorer):
    """The most frequent label set of the training documents for every document, as a baseline.

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

    _fitted_forms: ClassVar[dict[str, Any]] = {
        **MultiLabelClassifier._forms,
        **{"sets_": "int8 S L", "log_share_": "logs S"},
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    def _fit(self, X: Any, Y: np.ndarray) -> None:
        """Count the label sets."""
        self.sets_, code = label_sets(Y)
        self.log_share_ = np.log(np.bincount(code) / len(code))

    def _scores(self, X: Any) -> np.ndarray:
        """Return the log shares of the sets for each document, float64 (n, S)."""
        return np.tile(self.log_share_, (X.shape[0], 1))
