"""Baselines in which labels are inputs of other labels: classifier chains, their ensembles, a dependency network.

In training, the inputs of each label's classifier are the features and the true values of other labels.  All
classifiers of a chain or of the network are therefore one batch of logistic regressions over [X, Y] with some weights
fixed at 0.  The variance is defined as in `textmix.models.label_sets.estimators.BinaryRelevance`.

Sources: see `chain_kernels`; for settings that they do not give, MEKA, which the CBM paper used for these methods.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from textmix.models.common.multilabel import MultiLabelClassifier, in_form_of_y, label_sets
from textmix.models.common.sklearn_private import Interval, StrOptions
from textmix.models.common.validation import generator
from textmix.models.label_sets.chain_kernels import chain_marginals, gibbs_marginals, search_best, search_chain
from textmix.models.label_sets.estimators import LinearMultiLabel
from textmix.models.linear.loss_kernels import set_log_likelihood
from textmix.models.linear.problems import LogisticBatch, add_bias
from textmix.models.linear.row_space import RowSpace

#: Label sets drawn from a chain for the probabilities of its labels.
SAMPLES = 200
#: Most nodes of the exact search that are expanded for one instance.
LIMIT = 10_000


def _with_labels(X: Any, Y: np.ndarray) -> Any:
    """Return the matrix [X, Y], (N, V + L), CSR if X is sparse."""
    if sparse.issparse(X):
        return sparse.csr_array(sparse.hstack([X, sparse.csr_array(Y.astype(np.float64))], format="csr"))
    return np.hstack([X, Y])


def fit_linked(model: Any, space: RowSpace, Y: np.ndarray, weight: np.ndarray, free: np.ndarray) -> None:
    """Fit all labels, each on the features and the labels that are its inputs; set ``links_`` and the weights."""
    n_features, n_labels = space.inputs.shape[1], Y.shape[1]
    every = np.ones((1, n_labels), dtype=bool)
    mask = np.vstack([np.repeat(every, n_features, axis=0), free, every])
    rows = np.flatnonzero(weight > 0)
    inputs = _with_labels(space.inputs[rows], Y[rows])
    problem = LogisticBatch(
        inputs, Y[rows], weight[rows], 2.0 * model.variance, mask, penalise_intercept=model.penalise_intercept
    )
    unknowns = model._solve(problem, mask.shape).unknowns
    model.links_ = unknowns[n_features:-1]
    model._weights = space.lift(np.delete(unknowns, slice(n_features, n_features + n_labels), axis=0))


def search(odds: np.ndarray, order: np.ndarray, links: np.ndarray, beam_width: int = 1) -> np.ndarray:
    """Return the label sets that a chain finds by beam search, int64 (N, L)."""
    member = np.zeros(odds.shape, dtype=np.int64)
    member[:, order] = search_chain(odds, np.ascontiguousarray(links), beam_width)[0]
    return member


def check_order(order: np.ndarray) -> None:
    """Check that an order, int (L,), has every label 0 to L - 1 once."""
    if not np.array_equal(np.sort(order), np.arange(len(order))):
        raise ValueError("order_ must hold every label once; save the model again")


class ClassifierChain(LinearMultiLabel):
    """Classifier chain: each label is predicted from the features and the earlier labels, with a beam search.

    Parameters
    ----------
    beam_width : 1 for the greedy chain (CC); a larger width approximates the mode of a probabilistic chain (PCC).
    random_state : for the order of the labels.
    variance, max_iter, tol, solver, penalise_intercept
        See `textmix.models.label_sets.estimators.LinearMultiLabel`.

    Attributes
    ----------
    order_ : int (L,), the labels in the order of the chain.
    coef_, intercept_ : float64 (L, V) and (L,), labels in the order of ``classes_``.
    links_ : float64 (L, L), labels in the order of the chain; links_[j, l] is the weight of label j for label l > j.

    Examples
    --------
    >>> from textmix import ClassifierChain
    >>> X = [[4, 0, 0], [3, 1, 0], [0, 3, 1], [0, 4, 0], [0, 0, 4], [2, 2, 0], [3, 3, 0], [0, 2, 2]]
    >>> y = [["a"], ["a"], ["b"], ["b"], ["c"], ["a", "b"], ["a", "b"], ["b", "c"]]
    >>> model = ClassifierChain(random_state=0).fit(X, y)
    >>> list(model.predict([[5, 0, 0], [4, 4, 0]]))
    [('a',), ('a', 'b')]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearMultiLabel._parameter_constraints,
        "random_state": ["random_state"],
        "beam_width": [Interval(Integral, 1, None, closed="left")],
    }

    _fitted_forms: ClassVar[dict[str, Any]] = {
        **{**LinearMultiLabel._forms, "_weights": "float64 W+1 L", "links_": "float64 L L", "order_": "int L"},
    }

    def __init__(
        self,
        *,
        beam_width: int = 1,
        variance: float = 1.0,
        max_iter: int = 500,
        tol: float = 1e-5,
        solver: str = "lbfgs",
        penalise_intercept: bool = False,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            variance=variance, max_iter=max_iter, tol=tol, solver=solver, penalise_intercept=penalise_intercept
        )
        self.random_state = random_state
        self.beam_width = beam_width

    def _fit(self, X: Any, Y: np.ndarray) -> None:
        self.fit_weighted(self._row_space(X), Y, np.ones(len(Y)), generator(self.random_state))

    def fit_weighted(self, space: RowSpace, Y: np.ndarray, weight: np.ndarray, rng: np.random.Generator) -> None:
        """Draw the order of the labels and fit to instances of the space with indicators (N, L) and weights (N,)."""
        self.order_ = rng.permutation(Y.shape[1])
        before = np.triu(np.ones((Y.shape[1],) * 2, dtype=bool), k=1)
        fit_linked(self, space, Y[:, self.order_], weight, before)

    @property
    def coef_(self) -> np.ndarray:
        """The weights, float64 (L, V)."""
        return super().coef_[np.argsort(self.order_)]

    @property
    def intercept_(self) -> np.ndarray:
        """The biases, float64 (L,)."""
        return super().intercept_[np.argsort(self.order_)]

    def _check_loaded(self) -> None:
        check_order(self.order_)

    @in_form_of_y
    def predict(self, X: Any) -> np.ndarray:
        """Return the likeliest label set that the beam search finds, int64 (N, L)."""
        return search(self.feature_odds(X), self.order_, self.links_, self.beam_width)

    def feature_odds(self, X: Any) -> np.ndarray:
        """Return the log odds of each label from the features alone, float64 (N, L); labels as in ``order_``."""
        return add_bias(self._checked(X), self._weights)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return p(label in the set | x), float64 (N, L), from `SAMPLES` label sets drawn from the chain.

        `predict` finds a likely whole set, so that it may hold a label of a probability below 1/2.
        """
        odds = self.feature_odds(X)
        proba = np.empty(odds.shape)
        proba[:, self.order_] = chain_marginals(odds, np.ascontiguousarray(self.links_), SAMPLES, 0)
        return proba

    def set_log_proba(self, X: Any, Y: Any) -> np.ndarray:
        """Return log p(y|x) of given label sets Y (N, L) of 0 and 1, float64 (N,)."""
        features, labels = self._checked_sets(X, Y)
        ordered = np.ascontiguousarray(labels[:, self.order_])
        return set_log_likelihood(add_bias(features, self._weights) + ordered @ self.links_, ordered)


class ProbabilisticChain(ClassifierChain):
    """Classifier chain that predicts the most probable label set, by A* or by the epsilon-approximate search.

    Sources: see `textmix.models.label_sets.chain_kernels`.

    Parameters
    ----------
    epsilon : 0 for the exact search; above it, a set of at least this probability is found if there is one.
    informed : whether the search has a bound on the labels that follow (A*), or goes by probability alone.
    variance, max_iter, tol, solver, penalise_intercept, random_state
        See `ClassifierChain`.

    Attributes
    ----------
    order_, coef_, intercept_, links_ : see `ClassifierChain`.

    Examples
    --------
    >>> from textmix import ProbabilisticChain
    >>> X = [[4, 0, 0], [3, 1, 0], [0, 3, 1], [0, 4, 0], [0, 0, 4], [2, 2, 0], [3, 3, 0], [0, 2, 2]]
    >>> y = [["a"], ["a"], ["b"], ["b"], ["c"], ["a", "b"], ["a", "b"], ["b", "c"]]
    >>> model = ProbabilisticChain(random_state=0).fit(X, y)
    >>> list(model.predict([[5, 0, 0], [4, 4, 0]]))
    [('a',), ('a', 'b')]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{key: value for key, value in ClassifierChain._parameter_constraints.items() if key != "beam_width"},
        "epsilon": [Interval(Real, 0, 0.5, closed="left")],
        "informed": ["boolean"],
    }

    def __init__(
        self,
        *,
        epsilon: float = 0.0,
        informed: bool = True,
        variance: float = 1.0,
        max_iter: int = 500,
        tol: float = 1e-5,
        solver: str = "lbfgs",
        penalise_intercept: bool = False,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            variance=variance,
            max_iter=max_iter,
            tol=tol,
            solver=solver,
            penalise_intercept=penalise_intercept,
            random_state=random_state,
        )
        self.epsilon = epsilon
        self.informed = informed

    @in_form_of_y
    def predict(self, X: Any) -> np.ndarray:
        """Return the label set that the search finds, int64 (N, L)."""
        return self.search(X)[0]

    def search(self, X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the label set found, int64 (N, L), its log probability and the number of nodes expanded, (N,) each.

        A search that expands `LIMIT` nodes ends with a greedy completion.
        """
        odds = self.feature_odds(X)
        links = np.ascontiguousarray(self.links_)
        found, value, expanded = search_best(odds, links, float(self.epsilon), bool(self.informed), LIMIT)
        member = np.zeros(found.shape, dtype=np.int64)
        member[:, self.order_] = found
        return member, value, expanded


class ChainEnsemble(MultiLabelClassifier):
    """Ensemble of classifier chains (ECC): chains in random orders, each on a bootstrap sample, vote.

    Parameters
    ----------
    n_chains : number of chains.
    vote : "label", the labels that at least half of the chains predict; "subset", the most frequent predicted set.
    random_state : for orders and samples.
    variance, max_iter, tol, solver, penalise_intercept
        See `textmix.models.label_sets.estimators.LinearMultiLabel`.

    Attributes
    ----------
    order_ : int (M, L), coefs_ : float64 (M, L, V), intercepts_ : float64 (M, L), links_ : float64 (M, L, L); as of
        `ClassifierChain`, for each of M chains.

    Examples
    --------
    >>> from textmix import ChainEnsemble
    >>> X = [[4, 0, 0], [3, 1, 0], [0, 3, 1], [0, 4, 0], [0, 0, 4], [2, 2, 0], [3, 3, 0], [0, 2, 2]]
    >>> y = [["a"], ["a"], ["b"], ["b"], ["c"], ["a", "b"], ["a", "b"], ["b", "c"]]
    >>> model = ChainEnsemble(n_chains=5, random_state=0).fit(X, y)
    >>> list(model.predict([[5, 0, 0], [4, 4, 0]]))
    [('a',), ('a', 'b')]
    """

    _fitted_forms: ClassVar[dict[str, Any]] = {
        **{**LinearMultiLabel._forms, "_weights": "float64 M W+1 L", "links_": "float64 M L L", "order_": "int M L"},
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearMultiLabel._parameter_constraints,
        "random_state": ["random_state"],
        "n_chains": [Interval(Integral, 1, None, closed="left")],
        "vote": [StrOptions({"label", "subset"})],
    }

    def __init__(
        self,
        *,
        n_chains: int = 10,
        vote: str = "label",
        variance: float = 1.0,
        max_iter: int = 500,
        tol: float = 1e-5,
        solver: str = "lbfgs",
        penalise_intercept: bool = False,
        random_state: Any = None,
    ) -> None:
        self.n_chains = n_chains
        self.vote = vote
        self.variance = variance
        self.max_iter = max_iter
        self.tol = tol
        self.solver = solver
        self.penalise_intercept = penalise_intercept
        self.random_state = random_state

    def _fit(self, X: Any, Y: np.ndarray) -> None:
        rng = generator(self.random_state)
        names = ("variance", "max_iter", "tol", "solver", "penalise_intercept")
        params = {name: getattr(self, name) for name in names}
        space = ClassifierChain(**params)._row_space(X)
        fitted = []
        for _ in range(self.n_chains):
            chain = ClassifierChain(**params)
            sample = rng.integers(len(Y), size=len(Y))
            chain.fit_weighted(space, Y, np.bincount(sample, minlength=len(Y)).astype(np.float64), rng)
            fitted.append(chain)
        self.order_, self._weights, self.links_ = (
            np.stack([getattr(chain, name) for chain in fitted]) for name in ("order_", "_weights", "links_")
        )
        self.objective_path_ = np.array([sum(chain.objective_path_[-1] for chain in fitted)])
        self.n_iter_ = max(chain.n_iter_ for chain in fitted)
        self.converged_ = all(chain.converged_ for chain in fitted)

    @property
    def coefs_(self) -> np.ndarray:
        """The weights, float64 (M, L, V)."""
        place = np.argsort(self.order_, axis=-1)[..., np.newaxis]
        return np.take_along_axis(self._by_feature(self._weights), place, axis=-2)

    @property
    def intercepts_(self) -> np.ndarray:
        """The biases, float64 (M, L)."""
        return np.take_along_axis(self._weights[:, -1], np.argsort(self.order_, axis=-1), axis=-1)

    def _check_loaded(self) -> None:
        for order in self.order_:
            check_order(order)

    def _votes(self, X: Any) -> np.ndarray:
        """Return every chain's label sets, int64 (M, N, L)."""
        features = self._checked(X)
        chains = zip(self._weights, self.order_, self.links_, strict=True)
        return np.stack([search(add_bias(features, weights), order, links) for weights, order, links in chains])

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the share of chains that predict each label, float64 (N, L)."""
        return self._votes(X).mean(axis=0)

    @in_form_of_y
    def predict(self, X: Any) -> np.ndarray:
        """Return the label set that ``vote`` selects, int64 (N, L) of 0 and 1.

        Of equally frequent sets it is the first in lexicographic order of the indicators.
        """
        votes = self._votes(X)
        if self.vote == "label":
            return (votes.mean(axis=0) >= 0.5).astype(np.int64)
        chosen = np.empty(votes.shape[1:], dtype=np.int64)
        for i in range(votes.shape[1]):
            sets, code = label_sets(votes[:, i])
            chosen[i] = sets[np.argmax(np.bincount(code))]
        return chosen


class DependencyNetwork(LinearMultiLabel):
    """Conditional dependency network (CDN): each label depends on all others, with marginals by Gibbs sampling.

    Parameters
    ----------
    sweeps, kept : sweeps of the sampler, and the number of last sweeps from which the marginals are computed.
    random_state : for the sampler.
    variance, max_iter, tol, solver, penalise_intercept
        See `textmix.models.label_sets.estimators.LinearMultiLabel`.

    Attributes
    ----------
    coef_, intercept_ : float64 (L, V) and (L,).
    links_ : float64 (L, L); links_[j, l] is the weight of label j in the log odds of label l; its diagonal is zero.
    seed_ : seed of the sampler, the same for every instance.

    Examples
    --------
    >>> from textmix import DependencyNetwork
    >>> X = [[4, 0, 0], [3, 1, 0], [0, 3, 1], [0, 4, 0], [0, 0, 4], [2, 2, 0], [3, 3, 0], [0, 2, 2]]
    >>> y = [["a"], ["a"], ["b"], ["b"], ["c"], ["a", "b"], ["a", "b"], ["b", "c"]]
    >>> model = DependencyNetwork(sweeps=200, random_state=0).fit(X, y)
    >>> list(model.predict([[5, 0, 0], [4, 4, 0]]))
    [('a',), ('a', 'b')]
    """

    _fitted_forms: ClassVar[dict[str, Any]] = {
        **{**LinearMultiLabel._forms, "_weights": "float64 W+1 L", "links_": "float64 L L", "seed_": "int"},
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearMultiLabel._parameter_constraints,
        "random_state": ["random_state"],
        "sweeps": [Interval(Integral, 1, None, closed="left")],
        "kept": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        *,
        sweeps: int = 1000,
        kept: int = 100,
        variance: float = 1.0,
        max_iter: int = 500,
        tol: float = 1e-5,
        solver: str = "lbfgs",
        penalise_intercept: bool = False,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            variance=variance, max_iter=max_iter, tol=tol, solver=solver, penalise_intercept=penalise_intercept
        )
        self.random_state = random_state
        self.sweeps = sweeps
        self.kept = kept

    def _fit(self, X: Any, Y: np.ndarray) -> None:
        """Fit all labels as one batch; raises ValueError if ``kept`` is above ``sweeps``."""
        if self.kept > self.sweeps:
            raise ValueError(f"kept={self.kept} is above sweeps={self.sweeps}; lower it")
        others = ~np.eye(Y.shape[1], dtype=bool)
        fit_linked(self, self._row_space(X), Y, np.ones(len(Y)), others)
        self.seed_ = int(generator(self.random_state).integers(2**63))

    def _check_loaded(self) -> None:
        if not 0 <= self.seed_ < 2**63:
            raise ValueError("seed_ must be at least 0 and below 2^63; save the model again")

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the share of the last ``kept`` sweeps in which each label is on, float64 (N, L)."""
        odds = add_bias(self._checked(X), self._weights)
        # The same seed for all instances: a prediction depends neither on other instances nor on their order.
        seeds = np.full(len(odds), self.seed_, dtype=np.uint64)
        return gibbs_marginals(odds, np.ascontiguousarray(self.links_), self.sweeps, self.kept, seeds)

    @in_form_of_y
    def predict(self, X: Any) -> np.ndarray:
        """Return the labels that are on in more than half of the last ``kept`` sweeps, int64 (N, L)."""
        return (self.predict_proba(X) > 0.5).astype(np.int64)
