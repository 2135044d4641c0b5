"""Gates and binary classifiers ("experts") of conditional Bernoulli mixtures, for three types of base learners.

- Logistic regression: a partial M step never decreases the penalised expected log-likelihood.
- Boosted trees: each M step adds a few trees to every classifier, fitted to the gradient of the expected
  log-likelihood.  All classifiers use the same binned data set.
- Any scikit-learn classifier: an M step fits new classifiers with the responsibilities as sample weights.  The
  likelihood is guaranteed to increase only if the classifier maximises the weighted likelihood.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import log_softmax, logsumexp
from sklearn.base import clone

from textmix.models.common.boosted_trees import FOREST_FORMS, Forest, Growth, Loss, Trees, make_trees
from textmix.models.linear.problems import LogisticBatch, Multinomial, add_bias
from textmix.models.linear.solvers import SOLVERS, minimise_newton

#: Newton's method replaces L-BFGS if min(n_samples, n_features) is at most this.
NEWTON = 150
#: Added to the proportion of a component before taking its logarithm.
MIN_PROPORTION = 1e-6
#: Minimum distance of a probability from 0 and 1; decision trees predict 0 and 1, which have infinite log odds.
MARGIN = 1e-9


class Gate:
    """Model of the mixture weights pi(x); ``X`` is the training matrix of shape (N, V)."""

    X: Any

    def update(self, memberships: np.ndarray) -> None:
        """Update the model with responsibilities of the training instances, float64 (N, K), with rows that sum to 1."""
        raise NotImplementedError

    def log_proba(self, X: Any) -> np.ndarray:
        """Compute log pi(x) of instances X (n, V), float64 (n, K)."""
        raise NotImplementedError

    def training_log_proba(self) -> np.ndarray:
        """Compute log pi of the training instances, float64 (N, K)."""
        return self.log_proba(self.X)

    def penalty(self) -> float:
        """Compute the penalty, the negative log density of the prior up to a constant."""
        return 0.0


class Experts:
    """Model of the label probabilities b(x) of every component, as log odds; ``X`` is defined in `Gate`."""

    X: Any

    def update(self, memberships: np.ndarray) -> None:
        """Update the model with responsibilities of the training instances, float64 (N, K), with rows that sum to 1."""
        raise NotImplementedError

    def log_odds(self, X: Any, component: int) -> np.ndarray:
        """Compute the log odds of all labels in one component for instances X (n, V), float64 (n, L)."""
        raise NotImplementedError

    def training_log_odds(self, component: int) -> np.ndarray:
        """Compute the log odds of all labels in one component for the training instances, float64 (N, L)."""
        return self.log_odds(self.X, component)

    def penalty(self) -> float:
        """Compute the penalty on the weights, see `Gate`."""
        return 0.0


@dataclass(frozen=True)
class MStep:
    """Partial M step of logistic regressions, see `textmix.models.linear.solvers`.

    Parameters
    ----------
    variance : float
        Variance of the Gaussian prior over the weights: the penalty on a weight v is v^2 / (2 variance).
    max_iter : int
        Maximum number of solver iterations.
    tol : float
        Tolerance of the solver.
    solver : {"lbfgs", "plain_lbfgs"}, default="lbfgs"
        Solver of the logistic regressions.
    penalise_intercept : bool, default=False
        Whether the penalty also applies to intercepts.
    """

    variance: float
    max_iter: int
    tol: float
    solver: str = "lbfgs"
    penalise_intercept: bool = False

    def improve(self, problem: LogisticBatch | Multinomial, W: np.ndarray) -> np.ndarray:
        """Update the parameters W, float64 (P, B), without increasing any of the B objectives.

        Newton's method replaces "lbfgs" for binary regressions with few instances or features, see `NEWTON`.
        """
        is_small = min(problem.X.shape) <= NEWTON
        if isinstance(problem, LogisticBatch) and is_small and self.solver == "lbfgs":
            return minimise_newton(problem, W, self.max_iter, self.tol).unknowns
        return SOLVERS[self.solver](problem, W, self.max_iter, self.tol).unknowns

    def penalty(self, weights: np.ndarray, intercepts: np.ndarray) -> float:
        """Compute the penalty on weights and intercepts of any shape."""
        squares = float(np.sum(weights**2))
        if self.penalise_intercept:
            squares += float(np.sum(intercepts**2))
        return squares / (2.0 * self.variance)


class LogisticGate(Gate):
    """Multinomial logistic regression with soft targets; ``step.variance`` is the prior variance of all K vectors."""

    #: Schema of the attributes required for prediction, see `textmix.serve.state_schema`.
    forms: ClassVar[dict[str, str]] = {"coef": "float64 R+1 K"}

    def __init__(self, X: Any, n_components: int, step: MStep) -> None:
        self.X = X
        self.step = step
        self.coef = np.zeros((X.shape[1] + 1, n_components))

    def update(self, memberships: np.ndarray) -> None:
        """See `Gate`."""
        n, n_components = memberships.shape
        if n_components > 1:
            step = self.step
            problem = Multinomial(self.X, memberships, n_components, np.ones(n), step.variance, step.penalise_intercept)
            self.coef = step.improve(problem, self.coef.reshape(-1, 1)).reshape(-1, n_components)

    def log_proba(self, X: Any) -> np.ndarray:
        """See `Gate`."""
        scores = add_bias(X, self.coef)
        return scores - logsumexp(scores, axis=1, keepdims=True)

    def penalty(self) -> float:
        """See `Gate`."""
        return self.step.penalty(self.coef[:-1], self.coef[-1])


class LogisticExperts(Experts):
    """K L weighted binary logistic regressions, solved as one batch per component.

    Each classifier has a single weight vector with prior variance ``step.variance``.  Instances with a responsibility
    of at most ``floor`` are excluded from the classifiers of a component.  A label with a proportion outside
    [``constant``, 1 - ``constant``] in a component gets constant log odds, see `smoothed_log_odds`.
    """

    #: Schema of the attributes required for prediction, see `textmix.serve.state_schema`.
    forms: ClassVar[dict[str, str]] = {"coef": "float64 K R+1 L", "active": "bool K L"}

    def __init__(
        self,
        X: Any,
        Y: np.ndarray,
        n_components: int,
        step: MStep,
        *,
        floor: float,
        constant: float,
        smoothing: float,
    ) -> None:
        self.X = X
        self.Y = Y
        self.step = step
        self.floor = floor
        self.constant = constant
        self.smoothing = smoothing
        self.coef = np.zeros((n_components, X.shape[1] + 1, Y.shape[1]))
        self.active = np.zeros((n_components, Y.shape[1]), dtype=bool)

    def update(self, memberships: np.ndarray) -> None:
        """See `Experts`."""
        for component in range(len(self.coef)):
            self._update(component, memberships[:, component])

    def _update(self, component: int, membership: np.ndarray) -> None:
        """Update the classifiers of one component, if any responsibility, (N,), exceeds ``floor``."""
        rows = np.flatnonzero(membership > self.floor)
        if not len(rows):
            return
        X = self.X
        Y = self.Y
        weight = membership
        if len(rows) < len(membership):
            X = X[rows]
            Y = Y[rows]
            weight = membership[rows]
        proportion = weight @ Y / weight.sum()
        active = np.minimum(proportion, 1.0 - proportion) > self.constant
        if self.constant == 0.0:
            active[:] = True
        coef = self.coef[component]
        columns = np.arange(X.shape[1] + 1)
        if sparse.issparse(X):
            # Features that are zero in all of these instances have weight 0.
            used = np.unique(X.indices)
            X, columns = X[:, used], np.append(used, X.shape[1])
        cells = np.ix_(columns, np.flatnonzero(active))
        start = coef[cells]
        coef[:] = 0.0
        coef[-1] = smoothed_log_odds(weight, Y, self.Y, self.smoothing)
        self.active[component] = active
        if active.any():
            step = self.step
            active_labels = np.ascontiguousarray(Y[:, active])
            problem = LogisticBatch(X, active_labels, weight, step.variance, penalise_intercept=step.penalise_intercept)
            coef[cells] = step.improve(problem, start)

    def log_odds(self, X: Any, component: int) -> np.ndarray:
        """See `Experts`."""
        coef = self.coef[component]
        active = self.active[component]
        odds = np.tile(coef[-1], (X.shape[0], 1))
        odds[:, active] = add_bias(X, coef[:, active])
        return odds

    def penalty(self) -> float:
        """See `Experts`."""
        return self.step.penalty(self.coef[:, :-1], self.coef[:, -1] * self.active)


def smoothed_log_odds(weight: np.ndarray, Y: np.ndarray, all_labels: np.ndarray, smoothing: float) -> np.ndarray:
    """Compute the log odds of the labels in a component, smoothed towards the overall proportions, float64 (L,).

    The proportion of a label is (n_kl + s n_l) / (n_k + s N), where n_kl and n_k are sums of responsibilities, n_l and
    N are counts over all training instances, and s is ``smoothing``.  Proportions are clipped, so that the log odds
    are finite even if no training instance, or every one, has the label.
    """
    count = weight @ Y + smoothing * all_labels.sum(axis=0)
    proportion = count / (weight.sum() + smoothing * len(all_labels))
    proportion = np.clip(proportion, MARGIN, 1.0 - MARGIN)
    return np.asarray(np.log(proportion) - np.log1p(-proportion))


class BoostedGate(Gate):
    """Multinomial gate of boosted trees; each update adds ``growth.trees`` trees to each output.

    LightGBM trees start from the logarithms of the mean responsibilities: with equal initial scores and hundreds of
    classes, most of the trees would be needed to fit the class proportions.  Equal-width trees start from 0.
    """

    #: Schema of the attributes required for prediction, see `textmix.serve.state_schema`.
    forms: ClassVar[dict[str, Any]] = {"trees": (Trees, Trees.forms)}

    def __init__(self, X: Any, n_components: int, growth: Growth) -> None:
        self.trees = make_trees(X, n_components, growth)
        self._is_started = growth.method == "equal_width"

    def update(self, memberships: np.ndarray) -> None:
        """See `Gate`."""
        n, n_components = memberships.shape
        if n_components == 1:
            return
        if not self._is_started:
            self._is_started = True
            self.trees.start = np.log(memberships.mean(axis=0) + MIN_PROPORTION)
            self.trees.scores = np.tile(self.trees.start, (n, 1))
        if self.trees.can_split:
            self.trees.grow(Loss(memberships, np.ones(n)))

    def training_log_proba(self) -> np.ndarray:
        """See `Gate`."""
        return np.asarray(log_softmax(self.trees.scores, axis=1))

    def log_proba(self, X: Any) -> np.ndarray:
        """See `Gate`."""
        return np.asarray(log_softmax(self.trees.predict(X), axis=1))


class Grown(NamedTuple):
    """Trees of the A (component, label) pairs in which the label is not constant.

    Parameters
    ----------
    first : ndarray of shape (A + 1,), dtype int64
        Index of the first tree of each pair; the last element is the total number of trees.
    place : ndarray of shape (K, L), dtype int64
        Index of the pair of each component and label; -1 if the label is constant in the component.
    forest : Forest
        Trees of all pairs.
    """

    first: np.ndarray
    place: np.ndarray
    forest: Forest

    def check(self, n_features: int) -> None:
        """Raise ValueError if an index of a deserialized object is out of range."""
        self.forest.check(n_features)
        ordered = self.first[0] == 0 and self.first[-1] == len(self.forest.root) and (np.diff(self.first) >= 0).all()
        if not (ordered and self.place.min(initial=0) >= -1 and self.place.max(initial=-1) < len(self.first) - 1):
            raise ValueError("the trees of the labels hold an index out of range")

    def log_odds(self, X: Any, component: int, label: int) -> np.ndarray:
        """Compute the log odds of a label in a component for instances X (n, V), float64 (n,)."""
        pair = self.place[component, label]
        scores = np.zeros((X.shape[0], 1))
        root = self.forest.root[self.first[pair] : self.first[pair + 1]]
        self.forest._replace(root=root).add_scores(X, scores)
        return scores[:, 0]


class BoostedExperts(Experts):
    """Boosted trees for each label that is not constant in a component; constant log odds for all other labels.

    An update adds ``growth.trees`` trees to each classifier; ``constant`` is defined in `LogisticExperts`.
    """

    #: Schema of the attributes required for prediction, see `textmix.serve.state_schema`.
    forms: ClassVar[dict[str, Any]] = {
        "fixed": "float64 K L",
        "grown": (Grown, {"first": "int64 A+1", "place": "int64 K L", "forest": (Forest, FOREST_FORMS)}),
    }

    def __init__(
        self, X: Any, Y: np.ndarray, n_components: int, growth: Growth, *, constant: float, smoothing: float
    ) -> None:
        self.X = X
        self.Y = Y
        self.growth = growth
        self.constant = constant
        self.smoothing = smoothing
        self.fixed = np.zeros((n_components, Y.shape[1]))
        self.trees: list[dict[int, Trees]] = [{} for _ in range(n_components)]
        self.active = np.zeros((n_components, Y.shape[1]), dtype=bool)
        self._first = make_trees(X, 1, growth)

    def update(self, memberships: np.ndarray) -> None:
        """See `Experts`."""
        vars(self).pop("grown", None)
        for component, trees in enumerate(self.trees):
            weight = np.ascontiguousarray(memberships[:, component])
            if not weight.any():
                continue
            self.active[component] = self._varies(weight)
            self.fixed[component] = smoothed_log_odds(weight, self.Y, self.Y, self.smoothing)
            labels = np.flatnonzero(self.active[component]).tolist()
            for label in labels:
                if label not in trees:
                    trees[label] = make_trees(self.X, 1, self.growth, self._first)
            losses = [Loss(self.Y[:, [label]], weight) for label in labels]
            self._first.grow_all([trees[label] for label in labels], losses)

    def _varies(self, weight: np.ndarray) -> np.ndarray:
        """Return a mask of the labels with trees in a component with responsibilities ``weight``, bool (L,)."""
        if self.constant == 0.0 and self.growth.method == "equal_width":
            return np.ones(self.Y.shape[1], dtype=bool)
        proportion = weight @ self.Y / weight.sum()
        return (np.minimum(proportion, 1.0 - proportion) > self.constant) & self._first.can_split

    @cached_property
    def grown(self) -> Grown:
        """Trees grown so far for the labels that are not constant."""
        place = np.where(self.active, np.cumsum(self.active).reshape(self.active.shape) - 1, -1)
        forests = [self.trees[k][label].forest for k, label in np.argwhere(self.active).tolist()]
        first = np.cumsum([0, *(len(forest.root) for forest in forests)])
        return Grown(first, place, Forest.joined(forests))

    def training_log_odds(self, component: int) -> np.ndarray:
        """See `Experts`."""
        odds = np.tile(self.fixed[component], (self.X.shape[0], 1))
        for label in np.flatnonzero(self.active[component]).tolist():
            odds[:, label] = self.trees[component][label].scores[:, 0]
        return odds

    def log_odds(self, X: Any, component: int) -> np.ndarray:
        """See `Experts`."""
        odds = np.tile(self.fixed[component], (X.shape[0], 1))
        rows = sparse.csr_array(X)
        for label in np.flatnonzero(self.grown.place[component] >= 0).tolist():
            odds[:, label] = self.grown.log_odds(rows, component, label)
        return odds


class EstimatorGate(Gate):
    """Gate that uses any multi-class classifier; its classes are the components.

    Each update fits a clone of ``estimator``, with one sample for each instance and component of positive
    responsibility, weighted by the responsibility.  The mixture weights are uniform until at least two components have
    positive responsibilities.
    """

    def __init__(self, X: Any, n_components: int, estimator: Any) -> None:
        self.X = X
        self.n_components = n_components
        self.estimator = estimator
        self._fitted: Any = None

    def update(self, memberships: np.ndarray) -> None:
        """See `Gate`."""
        instances, components = np.nonzero(memberships)
        if len(np.unique(components)) > 1:
            weight = memberships[instances, components]
            self._fitted = clone(self.estimator).fit(self.X[instances], components, sample_weight=weight)

    def log_proba(self, X: Any) -> np.ndarray:
        """See `Gate`."""
        pi = np.full((X.shape[0], self.n_components), MARGIN)
        if self._fitted is None:
            pi[:] = 1.0
        else:
            pi[:, self._fitted.classes_] += self._fitted.predict_proba(X)
        return np.asarray(np.log(pi / pi.sum(axis=1, keepdims=True)))


class EstimatorExperts(Experts):
    """Clones of ``estimator`` for each label that is not constant in a component; constant log odds for other labels.

    ``floor`` and ``constant`` are defined in `LogisticExperts`.
    """

    def __init__(
        self,
        X: Any,
        Y: np.ndarray,
        n_components: int,
        estimator: Any,
        *,
        floor: float,
        constant: float,
        smoothing: float,
    ) -> None:
        self.X = X
        self.Y = Y
        self.estimator = estimator
        self.floor = floor
        self.constant = constant
        self.smoothing = smoothing
        self.fixed = np.zeros((n_components, Y.shape[1]))
        self._fitted: list[dict[int, Any]] = [{} for _ in range(n_components)]

    def update(self, memberships: np.ndarray) -> None:
        """See `Experts`."""
        for component, membership in enumerate(memberships.T):
            rows = np.flatnonzero(membership > self.floor)
            if not len(rows):
                continue
            X = self.X[rows]
            Y = self.Y[rows]
            weight = membership[rows]
            proportion = weight @ Y / weight.sum()
            self.fixed[component] = smoothed_log_odds(weight, Y, self.Y, self.smoothing)
            # A classifier requires samples of both classes, even if ``constant`` is 0.
            varying = (np.minimum(proportion, 1.0 - proportion) > self.constant) & (Y.min(axis=0) < Y.max(axis=0))
            self._fitted[component] = {
                label: clone(self.estimator).fit(X, Y[:, label], sample_weight=weight)
                for label in np.flatnonzero(varying).tolist()
            }

    def log_odds(self, X: Any, component: int) -> np.ndarray:
        """See `Experts`."""
        odds = np.tile(self.fixed[component], (X.shape[0], 1))
        for label, fitted in self._fitted[component].items():
            b = np.clip(fitted.predict_proba(X)[:, 1], MARGIN, 1.0 - MARGIN)
            odds[:, label] = np.log(b) - np.log1p(-b)
        return odds
