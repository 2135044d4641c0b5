"""Gradient boosting as the two halves of a Conditional Bernoulli Mixture, and as binary relevance and power set.

Trees accumulate over the M steps: each adds a few to every classifier, by LightGBM, on the gradient of the expected
log-likelihood.  All classifiers share one binned data set.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import lightgbm as lgb
import numpy as np
from scipy import sparse
from scipy.special import expit, log_softmax

from textmix.models.cbm.learners import smoothed_log_odds
from textmix.models.common.independent_labels import IndependentLabels
from textmix.models.common.multilabel import MultiLabelClassifier, label_sets
from textmix.models.common.sklearn_private import Interval
from textmix.models.label_sets.estimators import SetScorer

#: Hessians below this are raised to it: LightGBM divides by their sum.
LEAST_HESSIAN = 1e-12
#: Added to a component's share before its logarithm is taken.
LEAST_SHARE = 1e-6
#: Added to the Hessian's sum in a leaf, as other boosting libraries do: a class of few instances has next to none, and
#: without it the scores run away where there are hundreds of classes.
SHRUNK = 1.0


class Growth(NamedTuple):
    """Trees that an M step adds to each output, their leaves, and the learning rate."""

    trees: int
    leaves: int
    shrinkage: float


class Trees:
    """Boosted trees for C outputs over one binned data set.

    Parameters
    ----------
    X : features (N, V).
    outputs : C.
    growth : how trees are grown.
    like : other trees over the same features, whose binned data are used.

    Attributes
    ----------
    start : the scores that the trees add to, float64 (C,).
    scores : of the training instances, float64 (N, C).
    """

    def __init__(self, X: Any, outputs: int, growth: Growth, like: Trees | None = None) -> None:
        settings: dict[str, Any] = {
            **{"num_leaves": growth.leaves, "learning_rate": growth.shrinkage, "num_class": outputs},
            **{"min_data_in_leaf": 5},
            **{"num_threads": 1, "deterministic": True, "force_row_wise": True, "verbose": -1, "seed": 0},
            **{"objective": "none", "boost_from_average": False, "min_sum_hessian_in_leaf": 1e-3},
            **{"lambda_l2": SHRUNK},
        }
        self.outputs, self.growth = outputs, growth
        self.start, self.scores = np.zeros(outputs), np.zeros((X.shape[0], outputs))
        self._settings = settings
        self._data: Any = like._data if like else lgb.Dataset(_plain(X), np.zeros(X.shape[0]), params=settings)
        self._booster: lgb.Booster | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Return all but the binned data: a copy predicts, but grows no more."""
        return {**vars(self), "_data": None}

    @cached_property
    def can_split(self) -> bool:
        """Whether a feature tells instances apart; LightGBM ends with an error where none does."""
        data = self._data.construct()
        return any(data.feature_num_bin(column) > 1 for column in range(data.num_feature()))

    def grow(self, slopes: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]) -> None:
        """Add the trees of one M step.

        Parameters
        ----------
        slopes : from scores (N, C) to gradient and Hessian diagonal of the loss in them, (N, C) each.
        """
        if self._booster is None:
            self._booster = lgb.Booster(self._settings, self._data)

        def flat(scores: np.ndarray, _: Any) -> tuple[np.ndarray, np.ndarray]:
            gradient, hessian = slopes(scores.reshape(self.scores.shape, order="F") + self.start)
            return gradient.ravel(order="F"), np.maximum(hessian, LEAST_HESSIAN).ravel(order="F")

        def keep(scores: np.ndarray, _: Any) -> tuple[str, float, bool]:
            self.scores = scores.reshape(self.scores.shape, order="F") + self.start
            return "kept", 0.0, True

        for _ in range(self.growth.trees):
            self._booster.update(fobj=flat)
        self._booster.eval_train(keep)

    def predict(self, X: Any) -> np.ndarray:
        """Return the scores, (N, C)."""
        if self._booster is None:
            return np.tile(self.start, (X.shape[0], 1))
        return np.asarray(self._booster.predict(_plain(X), raw_score=True)).reshape(-1, self.outputs) + self.start


def _plain(X: Any) -> Any:
    """Return features in a form that LightGBM takes."""
    return sparse.csr_matrix(X) if sparse.issparse(X) else X


class BoostedGate:
    """Multinomial gate of boosted trees.

    Parameters
    ----------
    X : features (N, V).
    n_components : K.
    growth : how trees are grown.
    """

    def __init__(self, X: Any, n_components: int, growth: Growth) -> None:
        self.trees, self._started = Trees(X, n_components, growth), False

    def update(self, memberships: np.ndarray) -> None:
        """See `textmix.models.cbm.learners.Gate`."""
        n_components = memberships.shape[1]

        def slopes(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            pi = np.exp(log_softmax(scores, axis=1))
            # The diagonal of the softmax's Hessian, raised as in Friedman's multi-class boosting.
            return pi - memberships, pi * (1.0 - pi) * n_components / (n_components - 1.0)

        if n_components > 1:
            if not self._started:
                # From equal weights, hundreds of classes would take most trees to come to their shares.
                self._started, self.trees.start = True, np.log(memberships.mean(axis=0) + LEAST_SHARE)
                self.trees.scores = np.tile(self.trees.start, (len(memberships), 1))
            if self.trees.can_split:
                self.trees.grow(slopes)

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
    """Boosted trees for the labels of every component that vary in it, constants for the others.

    Parameters
    ----------
    X : features (N, V).
    Y : label indicators (N, L).
    n_components : K.
    growth : how trees are grown.
    constant : labels with a share below this or above one minus this within a component get a constant.
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
                grown[label].grow(partial(_binary_slopes, weight[:, np.newaxis], self.Y[:, [label]]))

    def _fill(self, component: int, n: int, scores: Any) -> np.ndarray:
        """Return log odds (n, L): the constants, and scores of the labels with trees."""
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


def _binary_slopes(weight: np.ndarray, y: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return gradient and Hessian of the weighted log loss in the log odds, (N, 1) each."""
    b = expit(scores)
    return weight * (b - y), weight * b * (1.0 - b)


class BoostedClassifier(MultiLabelClassifier):
    """What the two boosted baselines share.

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
        """Return how trees are grown."""
        return Growth(self.trees, self.leaves, self.shrinkage)


class BoostedRelevance(IndependentLabels, BoostedClassifier):
    """Boosted trees a label; a label is predicted if it is likelier than not."""

    def _fit(self, X: Any, Y: np.ndarray) -> None:
        self._experts = BoostedExperts(X, Y, 1, self._growth(), 0.0)
        self._experts.update(np.ones((len(Y), 1)))

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the log odds of each label, float64 (N, L)."""
        features = self._checked(X)
        return self._experts.log_odds(features, 0)


class BoostedPowerSet(SetScorer, BoostedClassifier):
    """Multi-class boosted trees over the label sets of the training instances."""

    def _fit(self, X: Any, Y: np.ndarray) -> None:
        self.sets_, code = label_sets(Y)
        self._gate = BoostedGate(X, len(self.sets_), self._growth())
        self._gate.update(np.eye(len(self.sets_))[code])

    def _scores(self, X: Any) -> np.ndarray:
        return self._gate.trees.predict(X)
