r"""Conditional Bernoulli Mixtures: p(y|x) = \sum_k \pi_k(x) \prod_l b_kl(x)^{y_l} (1 - b_kl(x))^{1 - y_l}.

Source: C. Li, B. Wang, V. Pavlu and J. A. Aslam, Conditional Bernoulli Mixtures for Multi-label Classification, ICML
2016.  Settings that the paper does not specify follow the authors' published code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy.special import expit, logsumexp
from sklearn.base import clone

from textmix.models.cbm.learners import (
    BoostedExperts,
    BoostedGate,
    EstimatorExperts,
    EstimatorGate,
    Experts,
    Gate,
    LogisticExperts,
    LogisticGate,
    MStep,
)
from textmix.models.cbm.mixture_kernels import search_expected_f, search_modes
from textmix.models.common.boosted_trees import TREE_METHODS, Growth
from textmix.models.common.multilabel import MultiLabelClassifier, in_form_of_y, label_sets
from textmix.models.common.sklearn_private import HasMethods, Interval, StrOptions
from textmix.models.common.validation import generator
from textmix.models.linear.loss_kernels import set_log_likelihood
from textmix.models.linear.row_space import RowSpace
from textmix.models.linear.solvers import SOLVERS
from textmix.numerics import seeding

#: Number of instances predicted per chunk, which bounds the memory for their log odds, an array of shape (K, N, L).
CHUNK = 2048
#: Maximum number of label sets scored in the search for the mode of one instance.
SEARCH_LIMIT = 10_000
#: Numbers of components that "auto" tries, in this order.
AUTO_COMPONENTS = (1, 2, 5, 10, 20)
#: Proportion of the training instances by whose likelihood "auto" selects the number of components.
HELD_OUT_PROPORTION = 0.2


class CBMClassifier(MultiLabelClassifier):
    r"""Conditional Bernoulli mixture (CBM) for multi-label classification, trained by generalized EM.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        Number of mixture components K.  "auto" fits mixtures with 1, 2, 5, 10 and 20 components to four fifths of the
        training instances, and selects the K with the largest mean log-likelihood of the other instances.  This takes
        about three times as long as a fit with 20 components.  A fit with the selected K as parameter gives the same
        model.  The likelihood need not select the K with the best subset accuracy.
    learner : {"logistic", "boosting"} or classifier, default="logistic"
        Base learner of the gate and of the binary classifiers, or a scikit-learn classifier that supports
        ``predict_proba`` and ``sample_weight``, which is used for the binary classifiers only.
    gate : classifier, default=None
        Scikit-learn classifier of the mixture weights that supports ``predict_proba`` and ``sample_weight``.  None
        selects the gate of ``learner``, or logistic regression if ``learner`` is a classifier.
    variance : float, default=1.0
        Variance \sigma^2 of the Gaussian prior.  The authors' program has K weight vectors for the gate and two for
        each binary classifier; their difference, used here, has variance 2 \sigma^2.
    max_iter : int, default=50
        Maximum number of EM iterations.
    tol : float, default=1e-6
        EM stops when the relative change of the penalised log-likelihood is at most ``tol``.
    steps : int, default=10
        Maximum number of solver iterations in an M step of logistic regressions.
    step_tol : float, default=1e-6
        Tolerance of the solver in an M step.
    trees : int, default=20
        Number of trees that an M step adds to each boosted classifier.
    leaves : int, default=5
        Maximum number of leaves of a tree.
    shrinkage : float, default=0.1
        Learning rate of boosting.
    init : {"mixture", "label_sets"}, default="mixture"
        Initial responsibilities: the posterior of a Bernoulli mixture fitted to the label sets, or one component for
        each distinct label set.
    n_init : int, default=10
        Number of random initialisations of the Bernoulli mixture; the one with the highest likelihood is used.
    floor : float, default=1e-5
        Responsibilities below this value are set to 0, except the largest one of an instance, and renormalised.
    constant : float, default=1e-5
        A label with a proportion outside [``constant``, 1 - ``constant``] in a component gets constant log odds instead
        of a classifier.  With 0, every label has a classifier, except with LightGBM trees.
    smoothing : float, default=1e-4
        Weight of all training instances in these log odds, see `textmix.models.cbm.learners.smoothed_log_odds`.
    solver : {"lbfgs", "plain_lbfgs"}, default="lbfgs"
        Solver of logistic regressions, see `textmix.models.label_sets.estimators.LinearMultiLabel`.
    penalise_intercept : bool, default=False
        Whether the penalty also applies to intercepts.
    tree_method : {"lightgbm", "equal_width"}, default="lightgbm"
        Implementation of the boosted trees, see `textmix.models.common.boosted_trees`.
    decision : {"mode", "expected_f", "marginal"}, default="mode"
        Decision rule: predict the most probable label set, the set with the largest expected F1, or every label with a
        marginal probability above 1/2.
    allow_empty : bool or "auto", default="auto"
        Whether the empty set may be predicted; "auto" allows it if any training instance is unlabelled.
    random_state : int, RandomState instance or None, default=None
        Seed of the random initialisations.
    callback : callable, default=None
        Called with the estimator, which can already predict, after every EM iteration.

    Attributes
    ----------
    gate_ : Gate
        Gate, see `textmix.models.cbm.learners`.  Logistic regressions are fitted to coordinates in ``space_``.
    experts_ : Experts
        Binary classifiers of all components.
    space_ : RowSpace
        Row space of the training instances, see `textmix.models.linear.row_space`.
    n_components_ : int
        Number of components; with ``init="label_sets"``, the number of distinct training label sets.
    component_scores_ : ndarray of shape (n_tried,)
        Mean held-out log-likelihood of the numbers of components that "auto" tried, in the order above; empty if
        ``n_components`` is an integer.
    objective_path_ : ndarray of shape (n_iter_,)
        Penalised log-likelihood after every iteration.  With logistic regression, ``floor=0`` and ``constant=0`` it
        never decreases.
    n_iter_ : int
        Number of EM iterations.
    converged_ : bool
        Whether EM stopped by ``tol``.
    allow_empty_ : bool
        Whether the empty set may be predicted.
    classes_ : ndarray of shape (n_labels,)
        See `textmix.models.common.multilabel.MultiLabelClassifier`.
    n_features_in_ : int
        Number of features seen during fit.

    Examples
    --------
    >>> from textmix import CBMClassifier
    >>> X = [[4, 0, 0], [3, 1, 0], [0, 3, 1], [0, 4, 0], [0, 0, 4], [2, 2, 0], [3, 3, 0], [0, 2, 2]]
    >>> y = [["a"], ["a"], ["b"], ["b"], ["c"], ["a", "b"], ["a", "b"], ["b", "c"]]
    >>> model = CBMClassifier(n_components=3, random_state=0).fit(X, y)
    >>> list(model.predict([[5, 0, 0], [4, 4, 0]]))
    [('a',), ('a', 'b')]
    >>> model.label_correlations([[4, 4, 0]]).shape
    (1, 3, 3)
    """

    @property
    def _fitted_forms(self) -> dict[str, Any]:
        """Schema of the fitted attributes, which depends on ``learner``; see `textmix.serve.state_schema`."""
        gate: Any = BoostedGate if self.learner == "boosting" else LogisticGate
        experts: Any = BoostedExperts if self.learner == "boosting" else LogisticExperts
        return {
            **self._forms,
            "n_components_": "int",
            "allow_empty_": "bool",
            "component_scores_": "float64 *",
            "objective_path_": "float64 *",
            "n_iter_": "int",
            "converged_": "bool",
            "space_": (RowSpace, RowSpace.forms),
            "gate_": (gate, gate.forms),
            "experts_": (experts, experts.forms),
        }

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "learner": [StrOptions({"logistic", "boosting"}), HasMethods(["fit", "predict_proba"])],
        "gate": [HasMethods(["fit", "predict_proba"]), None],
        "variance": [Interval(Real, 0, None, closed="neither")],
        "trees": [Interval(Integral, 1, None, closed="left")],
        "leaves": [Interval(Integral, 2, None, closed="left")],
        "shrinkage": [Interval(Real, 0, 1, closed="right")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "steps": [Interval(Integral, 1, None, closed="left")],
        "step_tol": [Interval(Real, 0, None, closed="left")],
        "init": [StrOptions({"mixture", "label_sets"})],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "floor": [Interval(Real, 0, 1, closed="left")],
        "constant": [Interval(Real, 0, 0.5, closed="left")],
        "smoothing": [Interval(Real, 0, None, closed="left")],
        "solver": [StrOptions({*SOLVERS})],
        "penalise_intercept": ["boolean"],
        "tree_method": [StrOptions({*TREE_METHODS})],
        "decision": [StrOptions({"mode", "expected_f", "marginal"})],
        "allow_empty": [StrOptions({"auto"}), "boolean"],
        "random_state": ["random_state"],
        "callback": [callable, None],
    }

    def __init__(
        self,
        *,
        n_components: int | str = "auto",
        learner: Any = "logistic",
        gate: Any = None,
        variance: float = 1.0,
        max_iter: int = 50,
        tol: float = 1e-6,
        steps: int = 10,
        step_tol: float = 1e-6,
        trees: int = 20,
        leaves: int = 5,
        shrinkage: float = 0.1,
        init: str = "mixture",
        n_init: int = 10,
        floor: float = 1e-5,
        constant: float = 1e-5,
        smoothing: float = 1e-4,
        solver: str = "lbfgs",
        penalise_intercept: bool = False,
        tree_method: str = "lightgbm",
        decision: str = "mode",
        allow_empty: bool | str = "auto",
        random_state: Any = None,
        callback: Callable[[CBMClassifier], object] | None = None,
    ) -> None:
        self.n_components = n_components
        self.learner = learner
        self.gate = gate
        self.variance = variance
        self.max_iter = max_iter
        self.tol = tol
        self.steps = steps
        self.step_tol = step_tol
        self.trees = trees
        self.leaves = leaves
        self.shrinkage = shrinkage
        self.init = init
        self.n_init = n_init
        self.floor = floor
        self.constant = constant
        self.smoothing = smoothing
        self.solver = solver
        self.penalise_intercept = penalise_intercept
        self.tree_method = tree_method
        self.decision = decision
        self.allow_empty = allow_empty
        self.random_state = random_state
        self.callback = callback

    def _check_loaded(self) -> None:
        gate: Any = self.gate_
        experts: Any = self.experts_
        if self.learner == "boosting":
            gate.trees.forest.check(self._n_checked)
            experts.grown.check(self._n_checked)
            sizes = {gate.trees.outputs, len(gate.trees.start), len(experts.fixed)}
        else:
            sizes = {gate.coef.shape[1], len(experts.coef)}
        if sizes != {self.n_components_}:
            raise ValueError(f"n_components_ is {self.n_components_}, but the arrays have {sorted(sizes)} components")

    def _fit(self, X: Any, Y: np.ndarray) -> None:
        empty = not Y.any(axis=1).all()
        self.allow_empty_ = empty if self.allow_empty == "auto" else bool(self.allow_empty)
        self.component_scores_ = np.zeros(0)
        memberships = self._start(X, Y)
        self.n_components_ = memberships.shape[1]
        self.gate_, self.experts_ = self._learners(X, Y)
        path: list[float] = []
        for _ in range(self.max_iter):
            self.experts_.update(memberships)
            self.gate_.update(memberships)
            objective, memberships = self._expectation(Y)
            path.append(objective)
            self.converged_ = len(path) > 1 and abs(path[-1] - path[-2]) <= self.tol * abs(path[-1])
            self.objective_path_ = np.array(path)
            self.n_iter_ = len(path)
            if self.callback is not None:
                self.callback(self)
            if self.converged_:
                return

    def _start(self, X: Any, Y: np.ndarray) -> np.ndarray:
        """Compute the initial responsibilities, float64 (N, K)."""
        if self.init == "label_sets":
            _, code = label_sets(Y)
            return np.eye(code.max() + 1)[code]
        is_selected = isinstance(self.n_components, str)
        n_components = self._select_n_components(X, Y) if is_selected else int(self.n_components)
        return bernoulli_mixture(Y, n_components, self.n_init, generator(self.random_state))

    def _select_n_components(self, X: Any, Y: np.ndarray) -> int:
        """Select the number of components by the likelihood of held-out instances; set ``component_scores_``."""
        order = seeding.rng(0, "number of components").permutation(len(Y))
        n_held_out = int(HELD_OUT_PROPORTION * len(Y))
        if not n_held_out:
            return 1
        held_out = np.sort(order[:n_held_out])
        training = np.sort(order[n_held_out:])
        scores: list[float] = []
        for n_components in AUTO_COMPONENTS:
            model = clone(self).set_params(n_components=n_components, random_state=0, callback=None)
            model._check_and_fit(X[training], Y[training])
            scores.append(float(np.mean(model.set_log_proba(X[held_out], Y[held_out]))))
        self.component_scores_ = np.array(scores)
        return AUTO_COMPONENTS[int(np.argmax(scores))]

    def _learners(self, X: Any, Y: np.ndarray) -> tuple[Gate, Experts]:
        """Construct the untrained gate and binary classifiers, and set ``space_``."""
        size = self.n_components_
        in_row_space = self.learner == "logistic" and self.gate is None
        self.space_ = RowSpace.of(X) if in_row_space else RowSpace(X)
        X = self.space_.inputs
        constants = {"constant": self.constant, "smoothing": self.smoothing}
        gate: Gate
        experts: Experts
        if self.learner == "boosting":
            growth = Growth(self.trees, self.leaves, self.shrinkage, self.tree_method)
            gate = BoostedGate(X, size, growth)
            experts = BoostedExperts(X, Y, size, growth, **constants)
        else:
            gate = LogisticGate(X, size, self._m_step(self.variance))
            if self.learner == "logistic":
                step = self._m_step(2.0 * self.variance)
                experts = LogisticExperts(X, Y, size, step, floor=self.floor, **constants)
            else:
                experts = EstimatorExperts(X, Y, size, self.learner, floor=self.floor, **constants)
        if self.gate is not None:
            gate = EstimatorGate(X, size, self.gate)
        return gate, experts

    def _m_step(self, variance: float) -> MStep:
        """Construct the partial M step of logistic regressions with this prior variance."""
        return MStep(variance, self.steps, self.step_tol, self.solver, self.penalise_intercept)

    def _expectation(self, Y: np.ndarray) -> tuple[float, np.ndarray]:
        """Run the E step: compute the penalised log-likelihood and the responsibilities, float64 (N, K)."""
        joint = self.gate_.training_log_proba()
        for k in range(self.n_components_):
            joint[:, k] += set_log_likelihood(self.experts_.training_log_odds(k), Y)
        total = logsumexp(joint, axis=1, keepdims=True)
        memberships = np.exp(joint - total)
        # Keep the largest responsibility: with a larger floor, the instance would not belong to any component.
        floor = np.minimum(self.floor, memberships.max(axis=1, keepdims=True))
        memberships[memberships < floor] = 0.0
        memberships /= memberships.sum(axis=1, keepdims=True)
        return float(total.sum()) - self.gate_.penalty() - self.experts_.penalty(), memberships

    def _chunks(self, X: Any) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
        """Yield row slices, log pi (n, K) and log odds (K, n, L) in chunks of at most `CHUNK` instances."""
        for start in range(0, X.shape[0], CHUNK):
            rows = slice(start, min(start + CHUNK, X.shape[0]))
            coordinates = self.space_.coordinates(X[rows])
            odds = np.stack([self.experts_.log_odds(coordinates, k) for k in range(self.n_components_)])
            yield rows, self.gate_.log_proba(coordinates), odds

    def predict(self, X: Any) -> np.ndarray:
        """Predict label sets with the decision rule ``decision``, in the format of the training y."""
        return self.decide(X, self.decision)

    @in_form_of_y
    def decide(self, X: Any, decision: str) -> np.ndarray:
        """Predict label sets with any decision rule, in the format of the training y.

        "mode" is optimal for subset accuracy, "expected_f" for the sample-averaged F1, "marginal" for the Hamming loss.
        """
        if decision == "marginal":
            return (self.predict_proba(X) > 0.5).astype(np.int64)
        if decision == "mode":
            return self.search(X)[0]
        features = self._checked(X)
        predicted = np.zeros((features.shape[0], len(self.classes_)), dtype=np.int64)
        for rows, log_pi, odds in self._chunks(features):
            predicted[rows] = search_expected_f(log_pi, odds, self.allow_empty_)[0]
        return predicted

    def search(self, X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Find the mode of p(y|x), int64 (N, L), its log probability, and the number of scored label sets, (N,) each.

        The mode is exact unless the number of scored label sets reaches `SEARCH_LIMIT`.
        """
        features = self._checked(X)
        n = features.shape[0]
        modes = np.zeros((n, len(self.classes_)), dtype=np.int64)
        log_probability = np.zeros(n)
        evaluations = np.zeros(n, dtype=np.int64)
        for rows, log_pi, odds in self._chunks(features):
            chunk = search_modes(log_pi, odds, self.allow_empty_, SEARCH_LIMIT)
            modes[rows] = chunk[0]
            log_probability[rows] = chunk[1]
            evaluations[rows] = chunk[2]
        return modes, log_probability, evaluations

    def predict_proba(self, X: Any) -> np.ndarray:
        r"""Compute the marginals p(y_l = 1|x) = \sum_k \pi_k b_kl, float64 (N, L)."""
        features = self._checked(X)
        marginal = np.zeros((features.shape[0], len(self.classes_)))
        for rows, log_pi, odds in self._chunks(features):
            marginal[rows] = np.einsum("nk,knl->nl", np.exp(log_pi), expit(odds))
        return marginal

    def set_log_proba(self, X: Any, Y: Any) -> np.ndarray:
        """Compute log p(y|x) of label sets Y, indicators (N, L), float64 (N,)."""
        return self.features_log_proba(*self._checked_sets(X, Y))

    def features_log_proba(self, features: Any, labels: np.ndarray) -> np.ndarray:
        """Compute `set_log_proba` of int8 indicators (N, L) from validated features (N, W); also usable during EM."""
        value = np.zeros(len(labels))
        for rows, log_pi, odds in self._chunks(features):
            terms = [set_log_likelihood(z, labels[rows]) for z in odds]
            value[rows] = logsumexp(log_pi + np.stack(terms, axis=1), axis=1)
        return value

    def components(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Compute the mixture weights pi, float64 (N, K), and the label probabilities b, float64 (N, K, L)."""
        features = self._checked(X)
        chunks = [(np.exp(log_pi), expit(odds).swapaxes(0, 1)) for _, log_pi, odds in self._chunks(features)]
        return np.concatenate([pi for pi, _ in chunks]), np.concatenate([b for _, b in chunks])

    def label_correlations(self, X: Any) -> np.ndarray:
        r"""Compute the correlation of each pair of labels given x, float64 (N, L, L).

        E[y_l y_m] = \sum_k \pi_k b_kl b_km for l != m.  A label whose probability is 0 or 1 has correlation 0 with
        every other label.
        """
        pi, b = self.components(X)
        mean = np.einsum("nk,nkl->nl", pi, b)
        covariance = np.einsum("nk,nkl,nkm->nlm", pi, b, b) - mean[:, :, None] * mean[:, None, :]
        deviation = np.sqrt(mean * (1.0 - mean))
        scale = deviation[:, :, None] * deviation[:, None, :]
        correlation = np.divide(covariance, scale, out=np.zeros_like(covariance), where=scale > 0)
        labels = np.arange(mean.shape[1])
        correlation[:, labels, labels] = 1.0
        return correlation


def bernoulli_mixture(
    Y: np.ndarray, n_components: int, n_init: int, rng: np.random.Generator, max_iter: int = 200
) -> np.ndarray:
    """Compute the memberships of label sets in a mixture of independent Bernoulli labels, float64 (N, K).

    The result is that of the most probable of ``n_init`` EM runs, which start from uniform label probabilities in
    (1/4, 3/4) and equal mixture weights.  A run stops when the relative increase of the log-likelihood is at most 1e-6.
    """
    sets, code = label_sets(Y)
    count = np.bincount(code).astype(np.float64)
    labels = sets.astype(np.float64)
    best = -np.inf
    chosen = np.ones((len(sets), n_components))
    for _ in range(n_init):
        b = rng.uniform(0.25, 0.75, size=(n_components, Y.shape[1]))
        log_weight = np.full(n_components, -np.log(n_components))
        before = -np.inf
        for _ in range(max_iter):
            joint = labels @ np.log(b).T + (1.0 - labels) @ np.log1p(-b).T + log_weight
            total = logsumexp(joint, axis=1, keepdims=True)
            memberships = np.exp(joint - total)
            likelihood = float(count @ total[:, 0])
            if likelihood - before <= 1e-6 * abs(likelihood):
                break
            before = likelihood
            size = count @ memberships + 1e-12
            log_weight = np.log(size / size.sum())
            b = np.clip((memberships * count[:, None]).T @ labels / size[:, None], 1e-6, 1.0 - 1e-6)
        if likelihood > best:
            best = likelihood
            chosen = memberships
    result: np.ndarray = chosen[code]
    return result
