"""The two halves of a Conditional Bernoulli Mixture, its gate and its binary classifiers, by logistic regression.

A partial M step of either half never decreases the penalised expected log-likelihood.  Classes with the methods of
`Gate` and `Experts` can take their place: see `boosted_learners` and `estimator_learners`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from scipy import sparse
from scipy.special import logsumexp

from textmix.models.linear.problems import LogisticBatch, Multinomial, add_bias
from textmix.models.linear.solvers import minimise, minimise_newton

#: Weight of a label's share in all instances in the constant that replaces a classifier (see `smoothed_log_odds`).
SMOOTHING = 1e-4
#: Most instances or features (the smaller number counts) for which Newton's method is used and not L-BFGS.
NEWTON = 150


class Gate(Protocol):
    """The half that gives the mixture weights pi(x)."""

    def update(self, memberships: np.ndarray) -> None:
        """Improve the fit to memberships of the training instances, float64 (N, K), rows sum to 1."""

    def training_log_proba(self) -> np.ndarray:
        """Return log pi of the training instances, float64 (N, K)."""

    def log_proba(self, X: Any) -> np.ndarray:
        """Return log pi(x) of instances X (n, V), float64 (n, K)."""

    def penalty(self) -> float:
        """Return the penalty of the weights: the negative log density of their prior, up to a constant."""


class Experts(Protocol):
    """The half that gives the label probabilities b(x) of every component, as log odds."""

    def update(self, memberships: np.ndarray) -> None:
        """Improve the fit to memberships of the training instances, float64 (N, K), rows sum to 1."""

    def training_log_odds(self, component: int) -> np.ndarray:
        """Return the labels' log odds of the training instances under one component, float64 (N, L)."""

    def log_odds(self, X: Any, component: int) -> np.ndarray:
        """Return the labels' log odds of instances X (n, V) under one component, float64 (n, L)."""

    def penalty(self) -> float:
        """Return the penalty of the weights: the negative log density of their prior, up to a constant."""


@dataclass(frozen=True)
class MStep:
    """A partial M step of logistic regressions by `textmix.models.linear.solvers.minimise`.

    The prior over the weights is Gaussian: the penalty of a weight v is v^2 / (2 variance).
    """

    variance: float
    max_iter: int
    tol: float

    def improve(self, problem: LogisticBatch | Multinomial, W: np.ndarray) -> np.ndarray:
        """Return unknowns whose objectives are at most the objectives at the start, float64 (P, B).

        Newton's method solves binary regressions on few instances or few features, see `NEWTON`; L-BFGS all others.
        """
        if isinstance(problem, LogisticBatch) and min(problem.X.shape) <= NEWTON:
            return minimise_newton(problem, W, self.max_iter, self.tol).unknowns
        return minimise(problem, W, self.max_iter, self.tol).unknowns

    def penalty(self, weights: np.ndarray) -> float:
        """Return the penalty of weights of any shape, biases not included."""
        return float(np.sum(weights**2) / (2.0 * self.variance))


class LogisticGate:
    """Multinomial logistic regression with soft targets; the variance is that of each weight of K weight vectors."""

    #: Attributes that predictions read, and their forms, see `textmix.serve.forms`.
    forms: ClassVar[dict[str, str]] = {"coef": "float64 R+1 K"}

    def __init__(self, X: Any, n_components: int, step: MStep) -> None:
        self.X, self.step = X, step
        self.coef = np.zeros((X.shape[1] + 1, n_components))

    def update(self, memberships: np.ndarray) -> None:
        """See `Gate`."""
        n, n_components = memberships.shape
        if n_components > 1:
            problem = Multinomial(self.X, memberships, n_components, np.ones(n), self.step.variance)
            found = self.step.improve(problem, self.coef.reshape(-1, 1))
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
        return self.step.penalty(self.coef[:-1])


class LogisticExperts:
    """K L weighted binary logistic regressions, solved a component at a time as one batch.

    The variance of ``step`` is that of each weight of a classifier's one weight vector.  Instances with a membership
    below ``floor`` are left out of a component's classifiers.  A label with a share in a component below ``constant``,
    or above one minus it, gets a constant there.
    """

    #: Attributes that predictions read, and their forms, see `textmix.serve.forms`.
    forms: ClassVar[dict[str, str]] = {"coef": "float64 K R+1 L", "active": "bool K L"}

    def __init__(self, X: Any, Y: np.ndarray, n_components: int, step: MStep, *, floor: float, constant: float) -> None:
        self.X, self.Y, self.step, self.floor, self.constant = X, Y, step, floor, constant
        self.rate = Y.mean(axis=0)
        self.coef = np.zeros((n_components, X.shape[1] + 1, Y.shape[1]))
        self.active = np.zeros((n_components, Y.shape[1]), dtype=bool)

    def update(self, memberships: np.ndarray) -> None:
        """See `Experts`."""
        for component in range(len(self.coef)):
            self._update(component, memberships[:, component])

    def _update(self, component: int, membership: np.ndarray) -> None:
        """Improve one component's classifiers; they stay unless a membership (N,) is above ``floor``."""
        rows = np.flatnonzero(membership > self.floor)
        if not len(rows):
            return
        X, Y, weight = self.X, self.Y, membership
        if len(rows) < len(membership):
            X, Y, weight = X[rows], Y[rows], membership[rows]
        share = weight @ Y / weight.sum()
        active = np.minimum(share, 1.0 - share) > self.constant
        if self.constant == 0.0:
            # A smoothed constant in place of a trained classifier would decrease the likelihood.
            active |= self.active[component]
        coef, columns = self.coef[component], np.arange(X.shape[1] + 1)
        if sparse.issparse(X):
            # A feature that none of these instances has gets the weight 0.
            used = np.unique(X.indices)
            X, columns = X[:, used], np.append(used, X.shape[1])
        place = np.ix_(columns, np.flatnonzero(active))
        start = coef[place]
        coef[:] = 0.0
        coef[-1] = smoothed_log_odds(share, self.rate)
        self.active[component] = active
        if active.any():
            problem = LogisticBatch(X, np.ascontiguousarray(Y[:, active]), weight, self.step.variance)
            coef[place] = self.step.improve(problem, start)

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
        return self.step.penalty(self.coef[:, :-1])


def smoothed_log_odds(share: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """Return the log odds of labels' shares in a component, smoothed by their shares in all instances, float64 (L,).

    They are finite also for a label of no or of all training instances.
    """
    mixed = np.clip((1.0 - SMOOTHING) * share + SMOOTHING * rate, 1e-9, 1.0 - 1e-9)
    return np.asarray(np.log(mixed) - np.log1p(-mixed))
