"""Multi-label baselines that use labels as features: classifier chains, their ensembles, a dependency network.

In training, the features of each label's classifier are X and the true values of other labels.  All classifiers of a
chain or of the network are therefore one batch of logistic regressions on [X, Y] with some weights fixed at 0.  The
variance is defined as in `textmix.models.label_sets.estimators.BinaryRelevance`.

Sources: see `chain_kernels`.  Settings that they do not specify follow MEKA, which the CBM paper used for these
methods.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from textmix.models.common.multilabel import MultiLabelClassifier, in_form_of_y, label_sets
from textmix.models.common.parallel import N_JOBS_CONSTRAINT, map_chunks
from textmix.models.common.sklearn_private import Interval, StrOptions
from textmix.models.common.validation import generator
from textmix.models.label_sets.chain_kernels import chain_marginals, gibbs_marginals, search_best, search_chain
from textmix.models.label_sets.estimators import LinearMultiLabel
from textmix.models.linear.loss_kernels import set_log_likelihood
from textmix.models.linear.problems import LogisticBatch, add_bias
from textmix.models.linear.row_space import RowSpace

#: Number of label sets sampled from a chain to estimate its marginal probabilities.
SAMPLES = 200
#: Maximum number of nodes that the exact search expands for one instance.
LIMIT = 10_000


def _with_labels(X: Any, Y: np.ndarray) -> Any:
    """Concatenate X and Y to a matrix (N, V + L), CSR if X is sparse."""
    if sparse.issparse(X):
        return sparse.csr_array(sparse.hstack([X, sparse.csr_array(Y.astype(np.float64))], format="csr"))
    return np.hstack([X, Y])


def fit_linked(model: Any, space: RowSpace, Y: np.ndarray, weight: np.ndarray, free: np.ndarray) -> None:
    """Fit all labels in one batch, and set ``links_`` and ``_weights`` of the model.

    Parameters
    ----------
    model : LinearMultiLabel
        Estimator with the parameters of the fit.
    space : RowSpace
        Row space of the training instances.
    Y : ndarray of shape (N, L)
        Label indicators.
    weight : ndarray of shape (N,)
        Sample weights.
    free : ndarray of shape (L, L), dtype bool
        Whether label j (row) is a feature of the classifier of label l (column).
    """
    n_features = space.inputs.shape[1]
    n_labels = Y.shape[1]
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
    """Predict label sets of a chain by beam search, int64 indicators (N, L)."""
    member = np.zeros(odds.shape, dtype=np.int64)
    member[:, order] = search_chain(odds, np.ascontiguousarray(links), beam_width)[0]
    return member


def check_order(order: np.ndarray) -> None:
    """Raise ValueError unless an order, int (L,), is a permutation of the labels 0 to L - 1."""
    if not np.array_equal(np.sort(order), np.arange(len(order))):
        raise ValueError("order_ must hold every label once; save the model again")


class ClassifierChain(LinearMultiLabel):
    r"""Classifier chain of logistic regressions with beam search: labels are features of the labels that follow.

    Parameters
    ----------
    beam_width : int, default=1
        Width of the beam search.  1 is the greedy classifier chain (CC); larger widths approximate the mode of a
        probabilistic classifier chain (PCC).
    variance : float, default=1.0
        Variance \sigma^2 of the Gaussian prior, see `textmix.models.label_sets.estimators.BinaryRelevance`.
    max_iter : int, default=500
        Maximum number of L-BFGS iterations.
    tol : float, default=1e-5
        Tolerance of the stopping criterion of ``solver``.
    solver : {"lbfgs", "plain_lbfgs"}, default="lbfgs"
        Solver, see `textmix.models.label_sets.estimators.LinearMultiLabel`.
    penalise_intercept : bool, default=False
        Whether the penalty also applies to intercepts.
    random_state : int, RandomState instance or None, default=None
        Random seed for the order of the labels.

    Attributes
    ----------
    order_ : ndarray of shape (n_labels,), dtype int
        Label indices in the order of the chain.
    coef_ : ndarray of shape (n_labels, n_features)
        Weights of the features for each label, in the order of ``classes_``.
    intercept_ : ndarray of shape (n_labels,)
        Intercepts, in the order of ``classes_``.
    links_ : ndarray of shape (n_labels, n_labels)
        Weights between labels, in the order of the chain; links_[j, l] is the weight of label j for label l > j.
    objective_path_, n_iter_, converged_
        See `textmix.models.label_sets.estimators.LinearMultiLabel`.
    classes_ : ndarray of shape (n_labels,)
        See `textmix.models.common.multilabel.MultiLabelClassifier`.
    n_features_in_ : int
        Number of features seen during fit.

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
        **LinearMultiLabel._forms,
        "_weights": "float64 W+1 L",
        "links_": "float64 L L",
        "order_": "int L",
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
        space = self._row_space(X)
        order = generator(self.random_state).permutation(Y.shape[1])
        self.fit_weighted(space, Y, np.ones(len(Y)), order)

    def fit_weighted(self, space: RowSpace, Y: np.ndarray, weight: np.ndarray, order: np.ndarray) -> None:
        """Fit to indicators (N, L) with sample weights (N,) and an order of the labels, int (L,)."""
        self.order_ = order
        before = np.triu(np.ones((Y.shape[1],) * 2, dtype=bool), k=1)
        fit_linked(self, space, Y[:, self.order_], weight, before)

    @property
    def coef_(self) -> np.ndarray:
        """Weights of the features, float64 (L, V)."""
        return super().coef_[np.argsort(self.order_)]

    @property
    def intercept_(self) -> np.ndarray:
        """Intercepts, float64 (L,)."""
        return super().intercept_[np.argsort(self.order_)]

    def _check_loaded(self) -> None:
        check_order(self.order_)

    @in_form_of_y
    def predict(self, X: Any) -> np.ndarray:
        """Predict the most probable label set in the beam, int64 indicators (N, L)."""
        return search(self.feature_odds(X), self.order_, self.links_, self.beam_width)

    def feature_odds(self, X: Any) -> np.ndarray:
        """Compute the log odds from the features alone, float64 (N, L), with labels in the order of the chain."""
        return add_bias(self._checked(X), self._weights)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Estimate the marginal label probabilities, float64 (N, L), from `SAMPLES` sampled label sets.

        `predict` maximises the joint probability, so that a predicted label may have a marginal probability below 1/2.
        """
        odds = self.feature_odds(X)
        proba = np.empty(odds.shape)
        proba[:, self.order_] = chain_marginals(odds, np.ascontiguousarray(self.links_), SAMPLES, 0)
        return proba

    def set_log_proba(self, X: Any, Y: Any) -> np.ndarray:
        """Compute log p(y|x) of label sets Y, indicators (N, L), float64 (N,)."""
        features, labels = self._checked_sets(X, Y)
        ordered = np.ascontiguousarray(labels[:, self.order_])
        return set_log_likelihood(add_bias(features, self._weights) + ordered @ self.links_, ordered)


class ProbabilisticChain(ClassifierChain):
    r"""Probabilistic classifier chain that predicts the mode, by A* or epsilon-approximate search.

    Sources: see `textmix.models.label_sets.chain_kernels`.

    Parameters
    ----------
    epsilon : float, default=0.0
        0 for exact search.  A positive value prunes partial label sets with a smaller probability; the result is exact
        if the mode has at least this probability.
    informed : bool, default=True
        Whether the search uses an upper bound on the probability of the remaining labels (A*), or only the probability
        of the partial label set.
    variance : float, default=1.0
        Variance \sigma^2 of the Gaussian prior, see `textmix.models.label_sets.estimators.BinaryRelevance`.
    max_iter : int, default=500
        Maximum number of L-BFGS iterations.
    tol : float, default=1e-5
        Tolerance of the stopping criterion of ``solver``.
    solver : {"lbfgs", "plain_lbfgs"}, default="lbfgs"
        Solver, see `textmix.models.label_sets.estimators.LinearMultiLabel`.
    penalise_intercept : bool, default=False
        Whether the penalty also applies to intercepts.
    random_state : int, RandomState instance or None, default=None
        Random seed for the order of the labels.

    Attributes
    ----------
    order_, coef_, intercept_, links_, objective_path_, n_iter_, converged_, classes_, n_features_in_
        See `ClassifierChain`.

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
        """Predict the result of `search`, int64 indicators (N, L)."""
        return self.search(X)[0]

    def search(self, X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Search for the most probable label set of each instance.

        Partial label sets are completed greedily if all of their children are pruned, or after `LIMIT` expanded nodes.

        Returns
        -------
        label_sets : ndarray of shape (N, L), dtype int64
            Label indicators.
        log_probability : ndarray of shape (N,)
            Log probability of each label set.
        n_expanded : ndarray of shape (N,)
            Number of expanded nodes.
        """
        odds = self.feature_odds(X)
        links = np.ascontiguousarray(self.links_)
        modes, value, expanded = search_best(odds, links, float(self.epsilon), bool(self.informed), LIMIT)
        member = np.zeros(modes.shape, dtype=np.int64)
        member[:, self.order_] = modes
        return member, value, expanded


class ChainEnsemble(MultiLabelClassifier):
    r"""Ensemble of classifier chains (ECC): majority vote of chains with random label orders and bootstrap samples.

    Parameters
    ----------
    n_chains : int, default=10
        Number of chains.
    vote : {"label", "subset"}, default="label"
        "label" predicts the labels that at least half of the chains predict, "subset" the most frequent predicted label
        set.
    variance : float, default=1.0
        Variance \sigma^2 of the Gaussian prior, see `textmix.models.label_sets.estimators.BinaryRelevance`.
    max_iter : int, default=500
        Maximum number of L-BFGS iterations of each chain.
    tol : float, default=1e-5
        Tolerance of the stopping criterion of ``solver``.
    solver : {"lbfgs", "plain_lbfgs"}, default="lbfgs"
        Solver, see `textmix.models.label_sets.estimators.LinearMultiLabel`.
    penalise_intercept : bool, default=False
        Whether the penalty also applies to intercepts.
    random_state : int, RandomState instance or None, default=None
        Random seed for the label orders and the bootstrap samples.
    n_jobs : int, default=None
        Number of parallel jobs that fit the chains.

    Attributes
    ----------
    order_ : ndarray of shape (n_chains, n_labels), dtype int
        Label order of each chain.
    coefs_ : ndarray of shape (n_chains, n_labels, n_features)
        Weights of the features, see `ClassifierChain`.
    intercepts_ : ndarray of shape (n_chains, n_labels)
        Intercepts, see `ClassifierChain`.
    links_ : ndarray of shape (n_chains, n_labels, n_labels)
        Weights between labels, see `ClassifierChain`.
    objective_path_ : ndarray of shape (1,)
        Sum of the final objectives of all chains.
    n_iter_ : int
        Maximum number of iterations over all chains.
    converged_ : bool
        Whether all chains converged.
    classes_ : ndarray of shape (n_labels,)
        See `textmix.models.common.multilabel.MultiLabelClassifier`.
    n_features_in_ : int
        Number of features seen during fit.

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
        **LinearMultiLabel._forms,
        "_weights": "float64 M W+1 L",
        "links_": "float64 M L L",
        "order_": "int M L",
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearMultiLabel._parameter_constraints,
        "random_state": ["random_state"],
        "n_chains": [Interval(Integral, 1, None, closed="left")],
        "vote": [StrOptions({"label", "subset"})],
        "n_jobs": N_JOBS_CONSTRAINT,
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
        n_jobs: int | None = None,
    ) -> None:
        self.n_chains = n_chains
        self.vote = vote
        self.variance = variance
        self.max_iter = max_iter
        self.tol = tol
        self.solver = solver
        self.penalise_intercept = penalise_intercept
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _fit(self, X: Any, Y: np.ndarray) -> None:
        rng = generator(self.random_state)
        samples = []
        for _ in range(self.n_chains):
            rows = rng.integers(len(Y), size=len(Y))
            weight = np.bincount(rows, minlength=len(Y)).astype(np.float64)
            samples.append((weight, rng.permutation(Y.shape[1])))
        fit_chains = functools.partial(self._fit_chains, self._chain()._row_space(X), Y)
        fitted = map_chunks(fit_chains, samples, self.n_jobs)
        self.order_, self._weights, self.links_ = (
            np.stack([getattr(chain, name) for chain in fitted]) for name in ("order_", "_weights", "links_")
        )
        self.objective_path_ = np.array([sum(chain.objective_path_[-1] for chain in fitted)])
        self.n_iter_ = max(chain.n_iter_ for chain in fitted)
        self.converged_ = all(chain.converged_ for chain in fitted)

    def _chain(self) -> ClassifierChain:
        """Construct an unfitted chain."""
        return ClassifierChain(
            variance=self.variance,
            max_iter=self.max_iter,
            tol=self.tol,
            solver=self.solver,
            penalise_intercept=self.penalise_intercept,
        )

    def _fit_chains(
        self, space: RowSpace, Y: np.ndarray, samples: Iterable[tuple[np.ndarray, np.ndarray]]
    ) -> list[ClassifierChain]:
        """Fit one chain for each pair of sample weights (N,) and order of the labels (L,)."""
        chains = []
        for weight, order in samples:
            chain = self._chain()
            chain.fit_weighted(space, Y, weight, order)
            chains.append(chain)
        return chains

    @property
    def coefs_(self) -> np.ndarray:
        """Weights of the features, float64 (M, L, V)."""
        position = np.argsort(self.order_, axis=-1)[..., np.newaxis]
        return np.take_along_axis(self._by_feature(self._weights), position, axis=-2)

    @property
    def intercepts_(self) -> np.ndarray:
        """Intercepts, float64 (M, L)."""
        return np.take_along_axis(self._weights[:, -1], np.argsort(self.order_, axis=-1), axis=-1)

    def _check_loaded(self) -> None:
        for order in self.order_:
            check_order(order)

    def _votes(self, X: Any) -> np.ndarray:
        """Predict label sets with every chain, int64 (M, N, L)."""
        features = self._checked(X)
        chains = zip(self._weights, self.order_, self.links_, strict=True)
        return np.stack([search(add_bias(features, weights), order, links) for weights, order, links in chains])

    def predict_proba(self, X: Any) -> np.ndarray:
        """Compute the proportion of chains that predict each label, float64 (N, L)."""
        return self._votes(X).mean(axis=0)

    @in_form_of_y
    def predict(self, X: Any) -> np.ndarray:
        """Predict label sets by the rule ``vote``, int64 indicators (N, L).

        Ties between equally frequent label sets are resolved in favour of the lexicographically smallest indicators.
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
    r"""Conditional dependency network (CDN): every label depends on all other labels; inference by Gibbs sampling.

    Parameters
    ----------
    sweeps : int, default=1000
        Number of Gibbs sweeps, including burn-in.
    kept : int, default=100
        Number of final sweeps from which the marginals are estimated; at most ``sweeps``.
    variance : float, default=1.0
        Variance \sigma^2 of the Gaussian prior, see `textmix.models.label_sets.estimators.BinaryRelevance`.
    max_iter : int, default=500
        Maximum number of L-BFGS iterations.
    tol : float, default=1e-5
        Tolerance of the stopping criterion of ``solver``.
    solver : {"lbfgs", "plain_lbfgs"}, default="lbfgs"
        Solver, see `textmix.models.label_sets.estimators.LinearMultiLabel`.
    penalise_intercept : bool, default=False
        Whether the penalty also applies to intercepts.
    random_state : int, RandomState instance or None, default=None
        Random seed of the Gibbs sampler.

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
        Weights of the features for each label.
    intercept_ : ndarray of shape (n_labels,)
        Intercepts.
    links_ : ndarray of shape (n_labels, n_labels)
        Weights between labels; links_[j, l] is the weight of label j in the log odds of label l.  The diagonal is 0.
    seed_ : int
        Seed of the Gibbs sampler, the same for every instance.
    objective_path_, n_iter_, converged_
        See `textmix.models.label_sets.estimators.LinearMultiLabel`.
    classes_ : ndarray of shape (n_labels,)
        See `textmix.models.common.multilabel.MultiLabelClassifier`.
    n_features_in_ : int
        Number of features seen during fit.

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
        **LinearMultiLabel._forms,
        "_weights": "float64 W+1 L",
        "links_": "float64 L L",
        "seed_": "int",
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
        """Fit all labels in one batch; raise ValueError if ``kept`` is above ``sweeps``."""
        if self.kept > self.sweeps:
            raise ValueError(f"kept={self.kept} is above sweeps={self.sweeps}; lower it")
        others = ~np.eye(Y.shape[1], dtype=bool)
        fit_linked(self, self._row_space(X), Y, np.ones(len(Y)), others)
        self.seed_ = int(generator(self.random_state).integers(2**63))

    def _check_loaded(self) -> None:
        if not 0 <= self.seed_ < 2**63:
            raise ValueError("seed_ must be at least 0 and below 2^63; save the model again")

    def predict_proba(self, X: Any) -> np.ndarray:
        """Estimate the marginal label probabilities from the last ``kept`` Gibbs sweeps, float64 (N, L)."""
        odds = add_bias(self._checked(X), self._weights)
        # All instances use the same seed, so that a prediction does not depend on other instances or their order.
        seeds = np.full(len(odds), self.seed_, dtype=np.uint64)
        return gibbs_marginals(odds, np.ascontiguousarray(self.links_), self.sweeps, self.kept, seeds)

    @in_form_of_y
    def predict(self, X: Any) -> np.ndarray:
        """Predict the labels with an estimated probability above 1/2, int64 indicators (N, L)."""
        return (self.predict_proba(X) > 0.5).astype(np.int64)
