"""Boosted trees as the two halves of a Conditional Bernoulli Mixture.

Trees accumulate over the M steps: each M step adds a few to every classifier, fitted to the gradient of the expected
log-likelihood.  All classifiers share one binned data set.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy.special import expit, log_softmax

from textmix.models.cbm.learners import smoothed_log_odds
from textmix.models.common.boosted_trees import Growth, Trees

#: Added to a component's share before its logarithm is taken.
LEAST_SHARE = 1e-6


class BoostedGate:
    """Multinomial gate of boosted trees.

    Parameters
    ----------
    X : features (N, V).
    n_components : K.
    growth : number and form of the trees that an update adds.
    """

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


class BoostedExperts:
    """Boosted trees for each label that varies in a component, a constant for each label that does not.

    Parameters
    ----------
    X : features (N, V).
    Y : label indicators (N, L).
    n_components : K.
    growth : number and form of the trees that an update adds.
    constant : a label with a share in a component below this, or above one minus this, gets a constant there.
    """

    def __init__(self, X: Any, Y: np.ndarray, n_components: int, growth: Growth, constant: float) -> None:
        self.X, self.Y, self.growth, self.constant = X, Y, growth, constant
        self.rate = Y.mean(axis=0)
        self.fixed = np.zeros((n_components, Y.shape[1]))
        self.trees: list[dict[int, Trees]] = [{} for _ in range(n_components)]
        self.active = np.zeros((n_components, Y.shape[1]), dtype=bool)
        self._first = Trees(X, 1, growth)

    def update(self, memberships: np.ndarray) -> None:
        """See `textmix.models.cbm.learners.Experts`."""
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
                grown[label].grow(partial(_log_loss_derivatives, weight[:, np.newaxis], self.Y[:, [label]]))

    def _fill(self, component: int, n: int, scores: Any) -> np.ndarray:
        """Return the log odds of n instances under a component, float64 (n, L): constants, or scores of trees.

        Parameters
        ----------
        component : its index.
        n : number of instances.
        scores : from `Trees` of one output to their scores, float64 (n, 1).
        """
        odds = np.tile(self.fixed[component], (n, 1))
        for label in np.flatnonzero(self.active[component]).tolist():
            odds[:, label] = scores(self.trees[component][label])[:, 0]
        return odds

    def training_log_odds(self, component: int) -> np.ndarray:
        """See `textmix.models.cbm.learners.Experts`."""
        return self._fill(component, self.X.shape[0], lambda trees: trees.scores)

    def log_odds(self, X: Any, component: int) -> np.ndarray:
        """See `textmix.models.cbm.learners.Experts`."""
        return self._fill(component, X.shape[0], lambda trees: trees.predict(X))

    def penalty(self) -> float:
        """See `textmix.models.cbm.learners.Experts`."""
        return 0.0


def _log_loss_derivatives(weight: np.ndarray, y: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return gradient and second derivative of the weighted log loss in log odds ``scores``, float64 (N, 1) each.

    Parameters
    ----------
    weight, y, scores : weights of the instances, labels of 0 and 1, and log odds, (N, 1) each.
    """
    b = expit(scores)
    return weight * (b - y), weight * b * (1.0 - b)
