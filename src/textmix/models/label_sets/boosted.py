"""Baselines of label sets by boosted trees: binary relevance and power set (see `estimators` for their sources)."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from textmix.models.cbm.learners import BoostedExperts, BoostedGate
from textmix.models.common.boosted_trees import Growth
from textmix.models.common.checks import OF_OTHER_DECISIONS, Failures
from textmix.models.common.multilabel import IndependentLabels, MultiLabelClassifier, label_sets
from textmix.models.common.sklearn_private import Interval
from textmix.models.label_sets.estimators import SetScorer


class BoostedClassifier(MultiLabelClassifier):
    """Parameters of the boosted baselines.

    Parameters
    ----------
    trees, leaves, shrinkage : trees of each output, their leaves, and the learning rate.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "trees": [Interval(Integral, 1, None, closed="left")],
        "leaves": [Interval(Integral, 2, None, closed="left")],
        "shrinkage": [Interval(Real, 0, 1, closed="right")],
    }

    def __init__(self, *, trees: int = 100, leaves: int = 5, shrinkage: float = 0.1) -> None:
        self.trees = trees
        self.leaves = leaves
        self.shrinkage = shrinkage

    def _growth(self) -> Growth:
        """Return the parameters in the form that trees take."""
        return Growth(self.trees, self.leaves, self.shrinkage)


class BoostedRelevance(IndependentLabels, BoostedClassifier):
    """Boosted trees for each label; the experts of a conditional Bernoulli mixture with one component.

    A label is predicted if its probability is above 1/2.

    Examples
    --------
    >>> from textmix import BoostedRelevance
    >>> X = [[4, 0, 0], [3, 1, 0], [0, 3, 1], [0, 4, 0], [0, 0, 4], [2, 2, 0], [3, 3, 0], [0, 2, 2]]
    >>> y = [["a"], ["a"], ["b"], ["b"], ["c"], ["a", "b"], ["a", "b"], ["b", "c"]]
    >>> model = BoostedRelevance(trees=20, leaves=3).fit(X * 10, y * 10)
    >>> list(model.predict([[5, 0, 0], [4, 4, 0]]))
    [('a',), ('a', 'b')]
    """

    _fitted_forms: ClassVar[dict[str, Any]] = {
        **BoostedClassifier._forms,
        "_experts": (BoostedExperts, BoostedExperts.forms),
    }

    def _fit(self, X: Any, Y: np.ndarray) -> None:
        """Grow the trees of every label."""
        self._experts = BoostedExperts(X, Y, 1, self._growth(), 0.0)
        self._experts.update(np.ones((len(Y), 1)))

    def _check_loaded(self) -> None:
        """Raise ValueError if trees that were read from a file have an index out of range."""
        self._experts.grown.check(self._n_checked)

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the log odds of each label, float64 (N, L)."""
        features = self._checked(X)
        return self._experts.log_odds(features, 0)


class BoostedPowerSet(SetScorer, BoostedClassifier):
    """Boosted trees over classes that are the label sets of the training documents.

    Examples
    --------
    >>> from textmix import BoostedPowerSet
    >>> X = [[4, 0, 0], [3, 1, 0], [0, 3, 1], [0, 4, 0], [0, 0, 4], [2, 2, 0], [3, 3, 0], [0, 2, 2]]
    >>> y = [["a"], ["a"], ["b"], ["b"], ["c"], ["a", "b"], ["a", "b"], ["b", "c"]]
    >>> model = BoostedPowerSet(trees=20, leaves=3).fit(X * 10, y * 10)
    >>> list(model.predict([[5, 0, 0], [4, 4, 0]]))
    [('a',), ('a', 'b')]
    """

    _expected_failures: ClassVar[Failures] = OF_OTHER_DECISIONS
    _fitted_forms: ClassVar[dict[str, Any]] = {
        **BoostedClassifier._forms,
        **{"sets_": "int8 S L", "_gate": (BoostedGate, BoostedGate.forms)},
    }

    def _fit(self, X: Any, Y: np.ndarray) -> None:
        """Grow the trees of every label set."""
        self.sets_, code = label_sets(Y)
        self._gate = BoostedGate(X, len(self.sets_), self._growth())
        self._gate.update(np.eye(len(self.sets_))[code])

    def _check_loaded(self) -> None:
        """Raise ValueError if trees that were read from a file have an index out of range."""
        self._gate.trees.forest.check(self._n_checked)
        if {self._gate.trees.outputs, len(self._gate.trees.start)} != {len(self.sets_)}:
            raise ValueError("the trees do not score each of the label sets")

    def _scores(self, X: Any) -> np.ndarray:
        """Return the score of every set before the softmax, float64 (n, S)."""
        return self._gate.trees.predict(X)
