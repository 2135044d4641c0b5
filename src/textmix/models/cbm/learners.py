"""The two halves of a Conditional Bernoulli Mixture, its gate and its binary classifiers, by logistic regression.

Both halves work in partial M steps that never lower the penalised expected log-likelihood.  Another learner is any
pair of classes with the methods of `Gate` and `Experts` (`textmix.models.cbm.boosting` is one).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy import sparse
from scipy.special import logsumexp

from textmix.models.cbm.newton_kernels import newton_logistic
from textmix.models.linear.batched import (
    LogisticBatch,
    Multinomial,
    Problem,
    RowSpace,
    add_bias,
    minimise,
    minimise_sparse,
    ridge,
)

#: Weight of the overall share of a label in that of a component, where no classifier is trained.
SMOOTHING = 1e-4
#: Newton's method serves where instances or features are at most so many, L-BFGS elsewhere.
NEWTON = 150


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


@dataclass(frozen=True)
class Prior:
    """The prior over weights, and how far a partial M step goes.

    Parameters
    ----------
    variance : the penalty has v^2 / (2 variance) of every weight v.
    l1 : and l1 |v| (elastic net).
    steps, tol : of one partial M step, see `textmix.models.linear.batched.minimise`.
    """

    variance: float
    l1: float
    steps: int
    tol: float

    def improve(self, problem: Problem, W: np.ndarray, n_outputs: int) -> np.ndarray:
        """Return better unknowns of a problem; the last ``n_outputs`` of all entries are its biases."""
        if self.l1 == 0:
            return minimise(problem, W, self.steps, self.tol).W
        l1 = np.full(W.size, self.l1)
        l1[-n_outputs:] = 0.0
        return minimise_sparse(problem, W, l1.reshape(W.shape), self.steps, self.tol).W

    def penalty(self, weights: np.ndarray) -> float:
        """Return what weights cost."""
        return float(np.sum(weights**2) / (2.0 * self.variance) + self.l1 * np.sum(np.abs(weights)))


class LogisticGate:
    """Multinomial logistic regression with soft targets.

    Parameters
    ----------
    X : features (N, V).
    n_components : K.
    prior : over every weight of the K weight vectors.
    """

    def __init__(self, X: Any, n_components: int, prior: Prior) -> None:
        self.X, self.prior = X, prior
        self.coef = np.zeros((X.shape[1] + 1, n_components))

    def update(self, memberships: np.ndarray) -> None:
        """See `Gate`."""
        n, n_components = memberships.shape
        if n_components > 1:
            problem = Multinomial(self.X, memberships, n_components, np.ones(n), self.prior.variance)
            found = self.prior.improve(problem, self.coef.reshape(-1, 1), n_components)
            self.coef = found.reshape(-1, n_components)

    def training_log_proba(self) -> np.ndarray:
        """See `Gate`."""
        return self.log_proba(self.X)

    def log_proba(self, X: Any) -> np.ndarray:
        """See `Gate`."""
        scores = add_bias(X, self.coef)
        return scores - logsumexp(scores, axis=1, keepdims=True)

    def penalty(self) -> float:
        """See `Gate`."""
        return self.prior.penalty(self.coef[:-1])


class LogisticExperts:
    """K L weighted binary logistic regressions, solved a component at a time as one batch.

    Parameters
    ----------
    X : features (N, V).
    Y : label indicators (N, L).
    n_components : K.
    prior : over every weight of the one weight vector of a classifier.
    floor : instances with a smaller membership are left out of a component's classifiers.
    constant : labels with a share below this or above one minus this within a component get a constant.
    """

    def __init__(
        self, X: Any, Y: np.ndarray, n_components: int, prior: Prior, *, floor: float, constant: float
    ) -> None:
        self.X, self.Y, self.prior, self.floor, self.constant = X, Y, prior, floor, constant
        self.rate = Y.mean(axis=0)
        self.coef = np.zeros((n_components, X.shape[1] + 1, Y.shape[1]))
        self.active = np.zeros((n_components, Y.shape[1]), dtype=bool)

    def update(self, memberships: np.ndarray) -> None:
        """See `Experts`."""
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
        if self.constant == 0.0:
            # A constant in the place of a classifier would lower the likelihood by what is smoothed.
            active |= self.active[component]
        coef, columns = self.coef[component], np.arange(X.shape[1] + 1)
        if sparse.issparse(X):
            # The best weight of a feature that these instances do not have is 0.
            used = np.unique(X.indices)
            X, columns = X[:, used], np.append(used, X.shape[1])
        place = np.ix_(columns, np.flatnonzero(active))
        start = coef[place]
        coef[:] = 0.0
        coef[-1] = smoothed_log_odds(share, self.rate)
        self.active[component] = active
        if active.any() and self.prior.l1 == 0 and min(X.shape) <= NEWTON:
            coef[place] = row_space_newton(X, np.ascontiguousarray(Y[:, active]), weight, self.prior, start)
        elif active.any():
            problem = LogisticBatch(X, np.ascontiguousarray(Y[:, active]), weight, self.prior.variance)
            coef[place] = self.prior.improve(problem, start, start.shape[1])

    def training_log_odds(self, component: int) -> np.ndarray:
        """See `Experts`."""
        return self.log_odds(self.X, component)

    def log_odds(self, X: Any, component: int) -> np.ndarray:
        """See `Experts`."""
        coef, active = self.coef[component], self.active[component]
        odds = np.tile(coef[-1], (X.shape[0], 1))
        odds[:, active] = add_bias(X, coef[:, active])
        return odds

    def penalty(self) -> float:
        """See `Experts`."""
        return self.prior.penalty(self.coef[:, :-1])


def row_space_newton(X: Any, Y: np.ndarray, weight: np.ndarray, prior: Prior, W: np.ndarray) -> np.ndarray:
    """Return better weights and biases, float64 (V + 1, B), by Newton's method in the space of the instances' rows.

    The best weights lie in that space, and a start that is projected onto it predicts the same and costs less.

    Parameters
    ----------
    X, Y, weight : n instances.
    prior : over the weights, with no l1 part.
    W : the start.
    """
    space = RowSpace.of(X)
    dense = space.inputs.toarray() if sparse.issparse(space.inputs) else space.inputs
    inputs = np.ascontiguousarray(np.hstack([dense, np.ones((len(dense), 1))]))
    penalty = ridge(dense.shape[1], prior.variance)[:, 0]
    start = np.ascontiguousarray(space.project(W))
    return space.lift(newton_logistic(inputs, Y, weight, penalty, start, prior.steps, prior.tol))


def smoothed_log_odds(share: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """Return the log odds of labels' shares within a component, (L,), with a little of the overall rate added.

    Finite also for a label that no training instance has, or every one.
    """
    mixed = np.clip((1.0 - SMOOTHING) * share + SMOOTHING * rate, 1e-9, 1.0 - 1e-9)
    return np.asarray(np.log(mixed) - np.log1p(-mixed))
