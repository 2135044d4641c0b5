"""Any scikit-learn classifier as a half of a Conditional Bernoulli Mixture.

An M step fits new classifiers, with the memberships as weights of the instances.  The likelihood increases only if the
classifier maximises the weighted likelihood.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from textmix.models.cbm.learners import smoothed_log_odds

#: Least distance of a probability from 0 and 1: a decision tree gives 0 and 1 themselves, with infinite log odds.
MARGIN = 1e-9


class EstimatorGate:
    """A multi-class classifier that gives the mixture weights: its classes are the components.

    A clone of ``estimator`` is fitted to an instance once for each component in which the membership is positive, with
    the membership as weight.  All mixture weights are equal until memberships are positive in two components.
    """

    def __init__(self, X: Any, n_components: int, estimator: Any) -> None:
        self.X, self.n_components, self.estimator = X, n_components, estimator
        self._fitted: Any = None

    def update(self, memberships: np.ndarray) -> None:
        """See `textmix.models.cbm.learners.Gate`."""
        instances, components = np.nonzero(memberships)
        if len(np.unique(components)) > 1:
            weight = memberships[instances, components]
            self._fitted = clone(self.estimator).fit(self.X[instances], components, sample_weight=weight)

    def training_log_proba(self) -> np.ndarray:
        """See `textmix.models.cbm.learners.Gate`."""
        return self.log_proba(self.X)

    def log_proba(self, X: Any) -> np.ndarray:
        """See `textmix.models.cbm.learners.Gate`."""
        pi = np.full((X.shape[0], self.n_components), MARGIN)
        if self._fitted is None:
            pi[:] = 1.0
        else:
            pi[:, self._fitted.classes_] += self._fitted.predict_proba(X)
        return np.asarray(np.log(pi / pi.sum(axis=1, keepdims=True)))

    def penalty(self) -> float:
        """See `textmix.models.cbm.learners.Gate`."""
        return 0.0


class EstimatorExperts:
    """A clone of ``estimator`` for each label that varies in a component, a constant for each other label.

    ``floor`` and ``constant`` as of `textmix.models.cbm.learners.LogisticExperts`.
    """

    def __init__(
        self, X: Any, Y: np.ndarray, n_components: int, estimator: Any, *, floor: float, constant: float
    ) -> None:
        self.X, self.Y, self.estimator, self.floor, self.constant = X, Y, estimator, floor, constant
        self.rate = Y.mean(axis=0)
        self.fixed = np.zeros((n_components, Y.shape[1]))
        self._fitted: list[dict[int, Any]] = [{} for _ in range(n_components)]

    def update(self, memberships: np.ndarray) -> None:
        """See `textmix.models.cbm.learners.Experts`."""
        for component, membership in enumerate(memberships.T):
            rows = np.flatnonzero(membership > self.floor)
            if not len(rows):
                continue
            X, Y, weight = self.X[rows], self.Y[rows], membership[rows]
            share = weight @ Y / weight.sum()
            self.fixed[component] = smoothed_log_odds(share, self.rate)
            # A classifier needs both classes, whatever the share.
            varying = (np.minimum(share, 1.0 - share) > self.constant) & (Y.min(axis=0) < Y.max(axis=0))
            self._fitted[component] = {
                label: clone(self.estimator).fit(X, Y[:, label], sample_weight=weight)
                for label in np.flatnonzero(varying).tolist()
            }

    def training_log_odds(self, component: int) -> np.ndarray:
        """See `textmix.models.cbm.learners.Experts`."""
        return self.log_odds(self.X, component)

    def log_odds(self, X: Any, component: int) -> np.ndarray:
        """See `textmix.models.cbm.learners.Experts`."""
        odds = np.tile(self.fixed[component], (X.shape[0], 1))
        for label, fitted in self._fitted[component].items():
            b = np.clip(fitted.predict_proba(X)[:, 1], MARGIN, 1.0 - MARGIN)
            odds[:, label] = np.log(b) - np.log1p(-b)
        return odds

    def penalty(self) -> float:
        """See `textmix.models.cbm.learners.Experts`."""
        return 0.0
