"""Boosted trees as the two halves of a Conditional Bernoulli Mixture.

Each M step adds a few trees to every classifier, fitted to the gradient of the expected log-likelihood.  All
classifiers share one binned data set.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import expit, log_softmax

from textmix.models.cbm.learners import smoothed_log_odds
from textmix.models.common.boosted_trees import Growth, Trees
from textmix.models.common.forest import FOREST_FORMS, Forest

#: Added to a component's share before its logarithm is taken.
LEAST_SHARE = 1e-6


class BoostedGate:
    """Multinomial gate of boosted trees; an update adds the trees of ``growth``."""

    #: Attributes that predictions read, and their forms, see `textmix.serve.forms`.
    forms: ClassVar[dict[str, Any]] = {"trees": (Trees, Trees.forms)}

    def __init__(self, X: Any, n_components: int, growth: Growth) -> None:
        self.trees, self._started = Trees(X, n_components, growth), False

    def update(self, memberships: np.ndarray) -> None:
        """See `textmix.models.cbm.learners.Gate`."""
        n_components = memberships.shape[1]

        def derivatives(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            """Return gradient and Hessian diagonal of the cross-entropy in scores (N, K), float64 (N, K) each."""
            pi = np.exp(log_softmax(scores, axis=1))
            # The diagonal of the softmax's Hessian times K / (K - 1), as in Friedman's multi-class boosting.
            return pi - memberships, pi * (1.0 - pi) * n_components / (n_components - 1.0)

        if n_components > 1:
            if not self._started:
                # From equal shares, hundreds of classes would need most of the trees to reach their true shares.
                self._started, self.trees.start = True, np.log(memberships.mean(axis=0) + LEAST_SHARE)
                self.trees.scores = np.tile(self.trees.start, (len(memberships), 1))
            if self.trees.can_split:
                self.trees.grow(derivatives)

    def training_log_proba(self) -> np.ndarray:
        """See `textmix.models.cbm.learners.Gate`."""
        return np.asarray(log_softmax(self.trees.scores, axis=1))

    def log_proba(self, X: Any) -> np.ndarray:
        """See `textmix.models.cbm.learners.Gate`."""
        return np.asarray(log_softmax(self.trees.predict(X), axis=1))

    def penalty(self) -> float:
        """See `textmix.models.cbm.learners.Gate`."""
        return 0.0


class Grown(NamedTuple):
    """The trees of all labels that vary in a component: A pairs of a component and a label.

    ``first`` int64 (A + 1,) is the first tree of each pair, in the order of ``place``, int64 (K, L), which of the pairs
    it is; -1 for a label that is constant in the component.
    """

    first: np.ndarray
    place: np.ndarray
    forest: Forest

    def check(self, n_features: int) -> None:
        """Raise ValueError if an index that was read from a file is out of range."""
        self.forest.check(n_features)
        ordered = self.first[0] == 0 and self.first[-1] == len(self.forest.root) and (np.diff(self.first) >= 0).all()
        if not (ordered and self.place.min(initial=0) >= -1 and self.place.max(initial=-1) < len(self.first) - 1):
            raise ValueError("the trees of the labels hold an index out of range")

    def log_odds(self, X: Any, component: int, label: int) -> np.ndarray:
        """Return the scores of the trees of a pair, float64 (n,), for instances X (n, V)."""
        pair, scores = self.place[component, label], np.zeros((X.shape[0], 1))
        root = self.forest.root[self.first[pair] : self.first[pair + 1]]
        self.forest._replace(root=root).add_scores(X, scores)
        return scores[:, 0]


class BoostedExperts:
    """Boosted trees for each label that varies in a component, a constant for each other label.

    An update adds the trees of ``growth``; ``constant`` as of `textmix.models.cbm.learners.LogisticExperts`.
    """

    #: Attributes that predictions read, and their forms, see `textmix.serve.forms`.
    forms: ClassVar[dict[str, Any]] = {
        "fixed": "float64 K L",
        "grown": (Grown, {"first": "int64 A+1", "place": "int64 K L", "forest": (Forest, FOREST_FORMS)}),
    }

    def __init__(self, X: Any, Y: np.ndarray, n_components: int, growth: Growth, constant: float) -> None:
        self.X, self.Y, self.growth, self.constant = X, Y, growth, constant
        self.rate = Y.mean(axis=0)
        self.fixed = np.zeros((n_components, Y.shape[1]))
        self.trees: list[dict[int, Trees]] = [{} for _ in range(n_components)]
        self.active = np.zeros((n_components, Y.shape[1]), dtype=bool)
        self._first = Trees(X, 1, growth)

    def update(self, memberships: np.ndarray) -> None:
        """See `textmix.models.cbm.learners.Experts`."""
        vars(self).pop("grown", None)
        for component, grown in enumerate(self.trees):
            weight = memberships[:, component]
            if not weight.any():
                continue
            share = weight @ self.Y / weight.sum()
            self.active[component] = (np.minimum(share, 1.0 - share) > self.constant) & self._first.can_split
            self.fixed[component] = smoothed_log_odds(share, self.rate)
            for label in np.flatnonzero(self.active[component]).tolist():
                if label not in grown:
                    grown[label] = Trees(self.X, 1, self.growth, self._first)
                grown[label].grow(partial(log_loss_derivatives, weight[:, np.newaxis], self.Y[:, [label]]))

    @cached_property
    def grown(self) -> Grown:
        """The trees grown so far, of the labels that vary."""
        place = np.where(self.active, np.cumsum(self.active).reshape(self.active.shape) - 1, -1)
        forests = [self.trees[k][label].forest for k, label in np.argwhere(self.active).tolist()]
        first = np.cumsum([0, *(len(forest.root) for forest in forests)])
        return Grown(first, place, Forest.joined(forests))

    def training_log_odds(self, component: int) -> np.ndarray:
        """See `textmix.models.cbm.learners.Experts`."""
        odds = np.tile(self.fixed[component], (self.X.shape[0], 1))
        for label in np.flatnonzero(self.active[component]).tolist():
            odds[:, label] = self.trees[component][label].scores[:, 0]
        return odds

    def log_odds(self, X: Any, component: int) -> np.ndarray:
        """See `textmix.models.cbm.learners.Experts`."""
        odds, rows = np.tile(self.fixed[component], (X.shape[0], 1)), sparse.csr_array(X)
        for label in np.flatnonzero(self.grown.place[component] >= 0).tolist():
            odds[:, label] = self.grown.log_odds(rows, component, label)
        return odds

    def penalty(self) -> float:
        """See `textmix.models.cbm.learners.Experts`."""
        return 0.0


def log_loss_derivatives(weight: np.ndarray, y: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return gradient and second derivative of the weighted log loss in log odds ``scores``, float64 (N, 1) each."""
    b = expit(scores)
    return weight * (b - y), weight * b * (1.0 - b)
