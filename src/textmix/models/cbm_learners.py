"""The two halves of a Conditional Bernoulli Mixture, its gate and its binary classifiers, by logistic regression.

Both halves work in partial M steps that never lower the penalised expected log-likelihood.  Another learner is any
pair of classes with the methods of `Gate` and `Experts` (`textmix.models.cbm_boosting` is one).
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from scipy import sparse
from scipy.special import logsumexp

from textmix.models.linear import LogisticBatch, Multinomial, add_bias, minimise

#: Weight of the overall share of a label in that of a component, where no classifier is trained.
SMOOTHING = 1e-4


class Gate(Protocol):
    """What gives the mixture weights pi(x)."""

    def update(self, memberships: np.ndarray) -> None:
        """Improve the fit to memberships (N, K) of the training instances."""

    def training_log_proba(self) -> np.ndarray:
        """Return log pi of the training instances, (N, K)."""

    def log_proba(self, X: Any) -> np.ndarray:
        """Return log pi(x), (N, K)."""

    def penalty(self) -> float:
        """Return what the objective loses to the prior over the weights."""


class Experts(Protocol):
    """What gives the label probabilities b(x) of every component, as log odds."""

    def update(self, memberships: np.ndarray) -> None:
        """Improve the fit to memberships (N, K) of the training instances."""

    def training_log_odds(self, component: int) -> np.ndarray:
        """Return log odds of the training instances under one component, (N, L)."""

    def log_odds(self, X: Any, component: int) -> np.ndarray:
        """Return log odds under one component, (N, L)."""

    def penalty(self) -> float:
        """Return what the objective loses to the prior over the weights."""


class LogisticGate:
    """Multinomial logistic regression with soft targets.

    Parameters
    ----------
    X : features (N, V).
    n_components : K.
    variance : of the prior over every weight of the K weight vectors.
    steps, tol : of one partial M step, see `textmix.models.linear.minimise`.
    """

    def __init__(self, X: Any, n_components: int, variance: float, steps: int, tol: float) -> None:
        self.X, self.variance, self.steps, self.tol = X, variance, steps, tol
        self.coef = np.zeros((X.shape[1] + 1, n_components))

    def update(self, memberships: np.ndarray) -> None:
        n, n_components = memberships.shape
        if n_components > 1:
            problem = Multinomial(self.X, memberships, n_components, np.ones(n), self.variance)
            found = minimise(problem, self.coef.reshape(-1, 1), self.steps, self.tol)
            self.coef = found.W.reshape(-1, n_components)

    def training_log_proba(self) -> np.ndarray:
        return self.log_proba(self.X)

    def log_proba(self, X: Any) -> np.ndarray:
        scores = add_bias(X, self.coef)
        return scores - logsumexp(scores, axis=1, keepdims=True)

    def penalty(self) -> float:
        return float(np.sum(self.coef[:-1] ** 2) / (2.0 * self.variance))


class LogisticExperts:
    """K L weighted binary logistic regressions, solved a component at a time as one batch.

    Parameters
    ----------
    X : features (N, V).
    Y : label indicators (N, L).
    n_components : K.
    variance : of the prior over every weight of the one weight vector of a classifier.
    steps, tol : of one partial M step.
    floor : instances with a smaller membership are left out of a component's classifiers.
    constant : labels with a share below this or above one minus this within a component get a constant.
    """

    def __init__(
        self,
        X: Any,
        Y: np.ndarray,
        n_components: int,
        variance: float,
        steps: int,
        tol: float,
        floor: float,
        constant: float,
    ) -> None:
        self.X, self.Y, self.variance, self.steps, self.tol = X, Y, variance, steps, tol
        self.floor, self.constant = floor, constant
        self.rate = Y.mean(axis=0)
        self.coef = np.zeros((n_components, X.shape[1] + 1, Y.shape[1]))
        self.active = np.zeros((n_components, Y.shape[1]), dtype=bool)

    def update(self, memberships: np.ndarray) -> None:
        for component in range(len(self.coef)):
            self._update(component, memberships[:, component])

    def _update(self, component: int, membership: np.ndarray) -> None:
        """Improve one component's classifiers."""
        rows = np.flatnonzero(membership > self.floor)
        if not len(rows):
            return
        X, Y, weight = self.X, self.Y, membership
        if len(rows) < len(membership):
            X, Y, weight = X[rows], Y[rows], membership[rows]
        share = weight @ Y / weight.sum()
        active = np.minimum(share, 1.0 - share) > self.constant
        coef, columns = self.coef[component], np.arange(X.shape[1] + 1)
        if sparse.issparse(X):
            # The best weight of a feature that these instances do not have is 0.
            used = np.unique(X.indices)
            X, columns = X[:, used], np.append(used, X.shape[1])
        place = np.ix_(columns, np.flatnonzero(active))
        start = coef[place]
        coef[:] = 0.0
        coef[-1] = _log_odds((1.0 - SMOOTHING) * share + SMOOTHING * self.rate)
        self.active[component] = active
        if active.any():
            problem = LogisticBatch(X, np.ascontiguousarray(Y[:, active]), weight, self.variance)
            coef[place] = minimise(problem, start, self.steps, self.tol).W

    def training_log_odds(self, component: int) -> np.ndarray:
        return self.log_odds(self.X, component)

    def log_odds(self, X: Any, component: int) -> np.ndarray:
        coef, active = self.coef[component], self.active[component]
        odds = np.tile(coef[-1], (X.shape[0], 1))
        odds[:, active] = add_bias(X, coef[:, active])
        return odds

    def penalty(self) -> float:
        return float(np.sum(self.coef[:, :-1] ** 2) / (2.0 * self.variance))


def _log_odds(share: np.ndarray) -> np.ndarray:
    """Return the log odds of a share, finite for 0 and 1 (labels that no training instance, or every one, has)."""
    share = np.clip(share, 1e-9, 1.0 - 1e-9)
    return np.log(share) - np.log1p(-share)
