"""Multi-label baselines without a label order: binary relevance, label powerset, and a pairwise CRF.

Binary relevance and label powerset use logistic regression, linear support vector machines or boosted trees.

Sources: M. R. Boutell et al., Pattern Recognition 37, 2004 (binary relevance); G. Tsoumakas and I. Katakis, IJDWM 3,
2007 (power set); N. Ghamrawi and A. McCallum, CIKM 2005 (pairwise CRF, inference over the training label sets).
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from scipy.special import logsumexp

from textmix.models.cbm.learners import BoostedExperts, BoostedGate
from textmix.models.common.boosted_trees import TREE_METHODS, Growth
from textmix.models.common.f_kernels import listed_expected_f
from textmix.models.common.multilabel import MultiLabelClassifier, in_form_of_y, label_sets
from textmix.models.common.parallel import N_JOBS_CONSTRAINT, map_chunks
from textmix.models.common.sklearn_private import Interval, StrOptions
from textmix.models.common.validation import check_class_weight, check_weights, checked_fit
from textmix.models.label_sets.independent import IndependentLabels
from textmix.models.linear.loss_kernels import class_line
from textmix.models.linear.machines import WarmMachines
from textmix.models.linear.problems import (
    BatchProblem,
    LogisticBatch,
    Multinomial,
    SetScores,
    Solution,
    add_bias,
    features_gradient,
    in_blocks,
    weighted_squares,
)
from textmix.models.linear.row_space import RowSpace
from textmix.models.linear.solvers import SOLVERS

#: Number of instances that the models over all training label sets score per chunk.
CHUNK = 1024
#: Smoothing weight of the overall label proportions in the log odds of a label without trees.
SMOOTHING = 1e-4
#: Maximum number of training instances for which plain L-BFGS works in the row space.  Its iterates are the same in the
#: row space as in feature space, so that the limit can be higher than for the other solver.
MAX_ROWS_OF_PLAIN_SOLVER = 5000


#: Digest of the training matrix and the row space of the latest fit with the plain solver, at most one.
_latest: dict[bytes, RowSpace] = {}


def _latest_row_space(X: Any) -> RowSpace:
    """Construct the row space of X, reusing that of the latest fit if the training matrix is the same.

    Chains and ensembles are fitted with many seeds on one matrix, and its decomposition takes as long as a fit.
    """
    digest = _digest(X)
    if digest in _latest:
        return replace(_latest[digest], X=X)
    space = RowSpace.of(X, MAX_ROWS_OF_PLAIN_SOLVER)
    _latest.clear()
    if space.X is not None:
        _latest[digest] = space
    return space


def _digest(X: Any) -> bytes:
    """Hash the type, shape and elements of a matrix."""
    arrays = (X.indptr, X.indices, X.data) if sparse.issparse(X) else (X,)
    digest = hashlib.blake2b(repr((type(X), X.shape, [array.dtype for array in arrays])).encode())
    for array in arrays:
        digest.update(np.ascontiguousarray(array).data)
    return digest.digest()


class LinearMultiLabel(MultiLabelClassifier):
    r"""Base class of the linear multi-label models.

    Parameters
    ----------
    variance : float, default=1.0
        Variance \sigma^2 of the Gaussian prior; each subclass documents the weights to which it applies.
    max_iter : int, default=500
        Maximum number of L-BFGS iterations.
    tol : float, default=1e-5
        Tolerance of the stopping criterion of ``solver``.
    solver : {"lbfgs", "plain_lbfgs"}, default="lbfgs"
        "lbfgs" is preconditioned by the inverse Hessian diagonal (`textmix.models.linear.solvers.minimise`);
        "plain_lbfgs" is textbook L-BFGS (`textmix.models.linear.solvers.minimise_plain`), for comparisons with programs
        that stop it before convergence.
    penalise_intercept : bool, default=False
        Whether the penalty also applies to intercepts.

    Attributes
    ----------
    coef_ : ndarray of shape (n_outputs, n_features)
        Weights of each label or label set, computed at each access.  Features that are zero in all training instances
        of a sparse X have weight 0.
    intercept_ : ndarray of shape (n_outputs,)
        Intercepts.
    objective_path_ : ndarray of shape (1,)
        Negative penalised log-likelihood of the solution.
    n_iter_ : int
        Number of L-BFGS iterations.
    converged_ : bool
        Whether the stopping criterion was met within ``max_iter`` iterations.
    classes_ : ndarray of shape (n_labels,)
        See `textmix.models.common.multilabel.MultiLabelClassifier`.
    n_features_in_ : int
        Number of features seen during fit.
    """

    #: Attribute with the labels of the rows of ``coef_``.
    _rows_of_coef: ClassVar[str] = "classes_"
    #: Weights of the W features seen during fit, followed by the intercept: float64 (W + 1, K).
    _weights: np.ndarray
    _forms: ClassVar[dict[str, Any]] = {
        **MultiLabelClassifier._forms,
        "objective_path_": "float64 *",
        "n_iter_": "int",
        "converged_": "bool",
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "variance": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "solver": [StrOptions({*SOLVERS})],
        "penalise_intercept": ["boolean"],
    }

    def __init__(
        self,
        *,
        variance: float = 1.0,
        max_iter: int = 500,
        tol: float = 1e-5,
        solver: str = "lbfgs",
        penalise_intercept: bool = False,
    ) -> None:
        self.variance = variance
        self.max_iter = max_iter
        self.tol = tol
        self.solver = solver
        self.penalise_intercept = penalise_intercept

    @property
    def coef_(self) -> np.ndarray:
        """Weights, float64 (K, V)."""
        return self._by_feature(self._weights)

    @property
    def intercept_(self) -> np.ndarray:
        """Intercepts, float64 (K,)."""
        return self._weights[-1].copy()

    def _row_space(self, X: Any) -> RowSpace:
        """Construct the row space in which the model is fitted."""
        if self.solver == "plain_lbfgs":
            return _latest_row_space(X)
        return RowSpace.of(X)

    def _solve(self, problem: BatchProblem, size: tuple[int, int]) -> Solution:
        """Solve the problem from zero initial values, of shape ``size``, and set the fitted attributes."""
        solution = self._minimise(problem, size)
        self.objective_path_ = np.array([solution.total_objective])
        self.n_iter_ = solution.n_iter
        self.converged_ = solution.all_converged
        return solution

    def _minimise(self, problem: BatchProblem, size: tuple[int, int]) -> Solution:
        """Solve the problem from zero initial values of shape ``size``."""
        return SOLVERS[self.solver](problem, np.zeros(size), self.max_iter, self.tol)


class BinaryRelevance(IndependentLabels, LinearMultiLabel):
    r"""Binary relevance with logistic regression: one independent binary classifier per label.

    A label is predicted if its probability is above 1/2.

    Parameters
    ----------
    variance : float, default=1.0
        Variance \sigma^2 of the Gaussian prior.  The CBM paper's code has two weight vectors per label, each with
        variance \sigma^2; their difference, used here, has variance 2 \sigma^2.
    max_iter : int, default=500
        Maximum number of L-BFGS iterations.
    tol : float, default=1e-5
        Tolerance of the stopping criterion of ``solver``.
    solver : {"lbfgs", "plain_lbfgs"}, default="lbfgs"
        Solver, see `LinearMultiLabel`.
    penalise_intercept : bool, default=False
        Whether the penalty also applies to intercepts.
    class_weight : dict, "balanced" or None, default=None
        Factor of the losses: a dict from label to the weight of the instances with this label in the classifier of the
        label, where missing labels have weight 1; "balanced" for weights inversely proportional to the numbers of
        instances with and without each label, as in scikit-learn's
        ``OneVsRestClassifier(LogisticRegression(class_weight="balanced"))``; None for unit weights.
    n_jobs : int, default=None
        Number of parallel jobs that fit the labels if ``class_weight`` is not None. Without class weights, a single
        batch of matrix products fits all labels, and ``n_jobs`` has no effect.

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
        Weights of each label.
    intercept_ : ndarray of shape (n_labels,)
        Intercepts.
    objective_path_, n_iter_, converged_
        See `LinearMultiLabel`.
    classes_ : ndarray of shape (n_labels,)
        See `textmix.models.common.multilabel.MultiLabelClassifier`.
    n_features_in_ : int
        Number of features seen during fit.

    Examples
    --------
    >>> from textmix import BinaryRelevance
    >>> X = [[4, 0, 0], [3, 1, 0], [0, 3, 1], [0, 4, 0], [0, 0, 4], [2, 2, 0], [3, 3, 0], [0, 2, 2]]
    >>> y = [["a"], ["a"], ["b"], ["b"], ["c"], ["a", "b"], ["a", "b"], ["b", "c"]]
    >>> model = BinaryRelevance().fit(X, y)
    >>> list(model.predict([[5, 0, 0], [4, 4, 0]]))
    [('a',), ('a', 'b')]
    """

    _fitted_forms: ClassVar[dict[str, Any]] = {**LinearMultiLabel._forms, "_weights": "float64 W+1 L"}
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearMultiLabel._parameter_constraints,
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "n_jobs": N_JOBS_CONSTRAINT,
    }

    def __init__(
        self,
        *,
        variance: float = 1.0,
        max_iter: int = 500,
        tol: float = 1e-5,
        solver: str = "lbfgs",
        penalise_intercept: bool = False,
        class_weight: dict[Any, float] | str | None = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            variance=variance, max_iter=max_iter, tol=tol, solver=solver, penalise_intercept=penalise_intercept
        )
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    @checked_fit
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (N, V)
            Features.
        y : array-like of shape (N, L), or list of N label lists
            Label indicators (0 or 1), or the labels of each document.
        sample_weight : array-like of shape (N,), default=None
            Nonnegative sample weights; a document of weight n counts as n copies. None is equivalent to unit weights.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        ValueError
            See `textmix.models.common.multilabel.MultiLabelClassifier.fit`; also if a weight is negative.
        """
        self._check_and_fit(X, y, sample_weight=sample_weight)
        return self

    def _fit(self, X: Any, Y: np.ndarray, sample_weight: Any = None) -> None:
        space = self._row_space(X)
        weight = check_weights(sample_weight, X)
        if self.class_weight is None:
            solution = self._solve(self._problem(space.inputs, Y, weight), (space.inputs.shape[1] + 1, Y.shape[1]))
            self._weights = space.lift(solution.unknowns)
            return
        solve_labels = functools.partial(self._solve_labels, space.inputs, Y, weight)
        solutions = map_chunks(solve_labels, range(Y.shape[1]), self.n_jobs)
        self.objective_path_ = np.array([sum(solution.total_objective for solution in solutions)])
        self.n_iter_ = max(solution.n_iter for solution in solutions)
        self.converged_ = all(solution.all_converged for solution in solutions)
        self._weights = space.lift(np.hstack([solution.unknowns for solution in solutions]))

    def _solve_labels(self, inputs: Any, Y: np.ndarray, weight: np.ndarray, labels: Iterable[int]) -> list[Solution]:
        """Fit labels separately, because class weights differ between labels."""
        solutions = []
        for label in labels:
            class_weights = self._class_weights(label, Y[:, label], weight)
            problem = self._problem(inputs, Y[:, [label]], weight * class_weights)
            solutions.append(self._minimise(problem, (inputs.shape[1] + 1, 1)))
        return solutions

    def _problem(self, inputs: Any, Y: np.ndarray, weight: np.ndarray) -> LogisticBatch:
        """Create the logistic regressions of the labels Y (N, L)."""
        return LogisticBatch(
            inputs,
            np.ascontiguousarray(Y),
            weight,
            2.0 * self.variance,
            penalise_intercept=self.penalise_intercept,
        )

    def _class_weights(self, label: int, is_member: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Compute the factors of the losses of one label's classifier, float64 (N,)."""
        codes = is_member.astype(np.int64)
        if self.class_weight == "balanced":
            return check_class_weight("balanced", np.array([0, 1]), codes, weight)[codes]
        factors = check_class_weight(self.class_weight, self.classes_, codes)
        return np.where(is_member, factors[label], 1.0)

    def decision_function(self, X: Any) -> np.ndarray:
        """Compute the log odds of each label, float64 (N, L)."""
        return add_bias(self._checked(X), self._weights)


class SetScorer(MultiLabelClassifier):
    """Base class of probability distributions over the training label sets; all other sets have probability 0.

    Attributes
    ----------
    sets_ : ndarray of shape (n_sets, n_labels), dtype int8
        Distinct label sets of the training instances.
    """

    sets_: np.ndarray

    def _scores(self, X: Any) -> np.ndarray:
        """Compute the score of every label set, float64 (n, S): log p(y|x) up to a term that does not depend on y."""
        raise NotImplementedError

    def _log_proba(self, X: Any) -> Iterator[tuple[slice, np.ndarray]]:
        """Yield row slices and log p(y|x) of every label set, float64 (n, S), in chunks of at most `CHUNK` rows."""
        features = self._checked(X)
        for start in range(0, features.shape[0], CHUNK):
            rows = slice(start, min(start + CHUNK, features.shape[0]))
            scores = self._scores(features[rows])
            yield rows, scores - logsumexp(scores, axis=1, keepdims=True)

    def predict(self, X: Any) -> np.ndarray:
        """Predict the most probable training label set of each instance.

        Returns
        -------
        label_sets : ndarray of shape (N, L), dtype int64, or ndarray of N tuples
            Predictions in the format of the training y.
        """
        return self.decide(X, "mode")

    @in_form_of_y
    def decide(self, X: Any, decision: str) -> np.ndarray:
        """Predict label sets with any decision rule, in the format of the training y.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (N, V)
            Features.
        decision : {"mode", "expected_f", "marginal"}
            "mode" predicts the most probable training label set, which is optimal for subset accuracy; "expected_f" the
            set with the largest expected F1, which may not be a training label set; "marginal" every label with a
            marginal probability above 1/2, which is optimal for the Hamming loss.
        """
        predicted = [decide_listed(self.sets_, log_proba, decision) for _, log_proba in self._log_proba(X)]
        return np.concatenate(predicted).astype(np.int64)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Compute the marginal probability of each label, float64 (N, L)."""
        chunks = [np.exp(log_proba) @ self.sets_ for _, log_proba in self._log_proba(X)]
        return np.concatenate(chunks)

    def set_log_proba(self, X: Any, Y: Any) -> np.ndarray:
        """Compute log p(y|x) of label sets Y (N, L), float64 (N,); -inf for sets that do not occur in training."""
        _, labels = self._checked_sets(X, Y)
        index_of_set = {row.tobytes(): s for s, row in enumerate(self.sets_)}
        code = np.array([index_of_set.get(row.tobytes(), -1) for row in labels])
        value = np.full(len(labels), -np.inf)
        for rows, log_proba in self._log_proba(X):
            in_training = np.flatnonzero(code[rows] >= 0)
            value[rows][in_training] = log_proba[in_training, code[rows][in_training]]
        return value


def decide_listed(sets: np.ndarray, log_proba: np.ndarray, decision: str) -> np.ndarray:
    """Predict label sets, indicators (n, L), from the log probabilities, (n, S), of S candidate sets, (S, L)."""
    if decision == "mode":
        return np.asarray(sets[np.argmax(log_proba, axis=1)])
    if decision == "marginal":
        return np.asarray(np.exp(log_proba) @ sets > 0.5)
    allow_empty = not sets.any(axis=1).all()
    return listed_expected_f(np.exp(log_proba), sets, allow_empty)[0]


class PowerSet(SetScorer, LinearMultiLabel):
    r"""Label powerset: multinomial logistic regression with the training label sets as classes.

    Parameters
    ----------
    variance : float, default=1.0
        Variance \sigma^2 of the Gaussian prior over each weight of the S weight vectors.
    max_iter : int, default=500
        Maximum number of L-BFGS iterations.
    tol : float, default=1e-5
        Tolerance of the stopping criterion of ``solver``.
    solver : {"lbfgs", "plain_lbfgs"}, default="lbfgs"
        Solver, see `LinearMultiLabel`.
    penalise_intercept : bool, default=False
        Whether the penalty also applies to intercepts.

    Attributes
    ----------
    coef_ : ndarray of shape (n_sets, n_features)
        Weights of each label set, in the order of ``sets_``.
    intercept_ : ndarray of shape (n_sets,)
        Intercepts.
    sets_ : ndarray of shape (n_sets, n_labels), dtype int8
        Distinct label sets of the training instances.
    objective_path_, n_iter_, converged_
        See `LinearMultiLabel`.
    classes_ : ndarray of shape (n_labels,)
        See `textmix.models.common.multilabel.MultiLabelClassifier`.
    n_features_in_ : int
        Number of features seen during fit.

    Examples
    --------
    >>> from textmix import PowerSet
    >>> X = [[4, 0, 0], [3, 1, 0], [0, 3, 1], [0, 4, 0], [0, 0, 4], [2, 2, 0], [3, 3, 0], [0, 2, 2]]
    >>> y = [["a"], ["a"], ["b"], ["b"], ["c"], ["a", "b"], ["a", "b"], ["b", "c"]]
    >>> model = PowerSet().fit(X, y)
    >>> list(model.predict([[5, 0, 0], [4, 4, 0]]))
    [('a',), ('a', 'b')]
    """

    _rows_of_coef: ClassVar[str] = "sets_"
    _fitted_forms: ClassVar[dict[str, Any]] = {
        **LinearMultiLabel._forms,
        "sets_": "int8 S L",
        "_weights": "float64 W+1 S",
    }

    def _fit(self, X: Any, Y: np.ndarray) -> None:
        self.sets_, code = label_sets(Y)
        space = self._row_space(X)
        n_sets = len(self.sets_)
        whole = Multinomial(space.inputs, code, n_sets, np.ones(len(code)), self.variance, self.penalise_intercept)
        problem = in_blocks(whole, code, n_sets)
        self._weights = space.lift(self._solve(problem, (len(problem.penalty), 1)).unknowns.reshape(-1, n_sets))

    def _scores(self, X: Any) -> np.ndarray:
        return add_bias(X, self._weights)


class _CRFProblem:
    """Training problem of the pairwise CRF, as a batch of size 1.

    The parameters are a weight vector per label and four weights per pair of labels.

    Parameters
    ----------
    X : {ndarray, sparse array} of shape (N, V)
        Features.
    code : ndarray of shape (N,), dtype int64
        Index of the label set of each instance in ``sets``.
    sets : ndarray of shape (S, L)
        Distinct label sets.
    pairs : sparse array of shape (S, 4 L (L - 1) / 2)
        `pair_states` of ``sets``.
    variance : float
        Variance of the Gaussian prior over every parameter.
    """

    def __init__(self, X: Any, code: np.ndarray, sets: np.ndarray, pairs: sparse.csr_array, variance: float) -> None:
        self.X = X
        self.code = code
        self.sets = sets
        self.pairs = pairs
        self.n_label_weights = (X.shape[1] + 1) * sets.shape[1]
        self.penalty = np.full((self.n_label_weights + self.pairs.shape[1], 1), 1.0 / variance)
        self.weight = np.ones(len(code))

    @cached_property
    def _residual(self) -> np.ndarray:
        """Memory for the gradient in the scores, float64 (N, S), overwritten at each call."""
        return np.empty((len(self.code), len(self.sets)))

    @cached_property
    def inverse_diagonal(self) -> np.ndarray:
        labels = np.repeat(weighted_squares(self.X, self.weight), self.sets.shape[1])
        curvature = np.append(labels, np.full(self.pairs.shape[1], float(len(self.code)))) / 16.0
        return np.asarray(1.0 / (curvature[:, np.newaxis] + self.penalty))

    def predictors(self, W: np.ndarray) -> np.ndarray:
        coef, pair = split_unknowns(W, self.sets.shape[1], self.n_label_weights)
        return add_bias(self.X, coef) @ self.sets.T + self.pairs @ pair

    def gradient(self, residual: np.ndarray) -> np.ndarray:
        return self.joined(features_gradient(self.X, residual @ self.sets), residual.sum(axis=0))

    def set_scores(self, W: np.ndarray) -> SetScores:
        coef, pair = split_unknowns(W, self.sets.shape[1], self.n_label_weights)
        return SetScores(coef, self.sets, self.pairs @ pair)

    def joined(self, gradient: np.ndarray, total: np.ndarray) -> np.ndarray:
        return np.concatenate([gradient.ravel(), self.pairs.T @ total])[:, np.newaxis]

    def loss_on_line(
        self, Z: np.ndarray, D: np.ndarray, t: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        value, derivative, curvature = class_line(Z, D, t[0], self.code, self.weight, self._residual)
        return np.array([value]), np.array([derivative]), np.array([curvature]), self._residual

    def select(self, problems: np.ndarray) -> _CRFProblem:
        return self


def split_unknowns(W: np.ndarray, n_labels: int, n_label_weights: int) -> tuple[np.ndarray, np.ndarray]:
    """Split the parameters into label weights, float64 (V + 1, L), and pair weights, float64 (4 L (L - 1) / 2,)."""
    return W[:n_label_weights, 0].reshape(-1, n_labels), W[n_label_weights:, 0]


def pair_states(sets: np.ndarray) -> sparse.csr_array:
    """One-hot encode the state of each pair of labels in each label set, CSR (S, 4 L (L - 1) / 2).

    Columns 4 p to 4 p + 3 encode the states (0, 0), (0, 1), (1, 0) and (1, 1) of pair p, in the order of
    `numpy.triu_indices`.
    """
    first, second = np.triu_indices(sets.shape[1], k=1)
    state = 2 * sets[:, first].astype(np.int64) + sets[:, second]
    columns = 4 * np.arange(len(first)) + state
    rows = np.repeat(np.arange(len(sets)), len(first))
    shape = (len(sets), 4 * len(first))
    return sparse.csr_array((np.ones(columns.size), (rows, columns.ravel())), shape=shape)


class PairwiseCRF(SetScorer, LinearMultiLabel):
    r"""Conditional random field with pairwise label interactions, normalised over the training label sets.

    score(x, y) = \sum_{l in y} (w_l x + c_l) + \sum_{l < m} u_lm[y_l, y_m].

    Parameters
    ----------
    variance : float, default=1.0
        Variance \sigma^2 of the Gaussian prior over every parameter, including intercepts and pair weights.
    max_iter : int, default=500
        Maximum number of L-BFGS iterations.
    tol : float, default=1e-5
        Tolerance of the stopping criterion of ``solver``.
    solver : {"lbfgs", "plain_lbfgs"}, default="lbfgs"
        Solver, see `LinearMultiLabel`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
        Weights w_l of each label.
    intercept_ : ndarray of shape (n_labels,)
        Intercepts c_l.
    pair_ : ndarray of shape (4 * n_labels * (n_labels - 1) / 2,)
        Weights u_lm of the states (0, 0), (0, 1), (1, 0), (1, 1) of each pair of labels.
    sets_ : ndarray of shape (n_sets, n_labels), dtype int8
        Distinct label sets of the training instances.
    objective_path_, n_iter_, converged_
        See `LinearMultiLabel`.
    classes_ : ndarray of shape (n_labels,)
        See `textmix.models.common.multilabel.MultiLabelClassifier`.
    n_features_in_ : int
        Number of features seen during fit.

    Examples
    --------
    >>> from textmix import PairwiseCRF
    >>> X = [[4, 0, 0], [3, 1, 0], [0, 3, 1], [0, 4, 0], [0, 0, 4], [2, 2, 0], [3, 3, 0], [0, 2, 2]]
    >>> y = [["a"], ["a"], ["b"], ["b"], ["c"], ["a", "b"], ["a", "b"], ["b", "c"]]
    >>> model = PairwiseCRF().fit(X, y)
    >>> list(model.predict([[5, 0, 0], [4, 4, 0]]))
    [('a',), ('a', 'b')]
    """

    _fitted_forms: ClassVar[dict[str, Any]] = {
        **LinearMultiLabel._forms,
        "sets_": "int8 S L",
        "_weights": "float64 W+1 L",
        "pair_": "float64 P",
        "_pair_score": "float64 S",
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        key: LinearMultiLabel._parameter_constraints[key] for key in ("variance", "max_iter", "tol", "solver")
    }

    def __init__(self, *, variance: float = 1.0, max_iter: int = 500, tol: float = 1e-5, solver: str = "lbfgs") -> None:
        super().__init__(variance=variance, max_iter=max_iter, tol=tol, solver=solver, penalise_intercept=True)

    def _fit(self, X: Any, Y: np.ndarray) -> None:
        self.sets_, code = label_sets(Y)
        space = self._row_space(X)
        sets = self.sets_.astype(np.float64)
        pairs = pair_states(self.sets_)
        problem = in_blocks(_CRFProblem(space.inputs, code, sets, pairs, self.variance), code, len(sets))
        unknowns = self._solve(problem, (len(problem.penalty), 1)).unknowns
        n_labels = sets.shape[1]
        coef, self.pair_ = split_unknowns(unknowns, n_labels, (space.inputs.shape[1] + 1) * n_labels)
        self._weights = space.lift(coef)
        self._pair_score = pairs @ self.pair_

    def _scores(self, X: Any) -> np.ndarray:
        return add_bias(X, self._weights) @ self.sets_.T + self._pair_score


class _Machines(WarmMachines, MultiLabelClassifier):
    """Base class of multi-label classifiers that consist of linear support vector machines.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the loss relative to the L2 penalty.
    tol : float, default=1e-4
        Maximum duality gap of each group of machines, relative to the objective.
    max_iter : int, default=1000
        Maximum number of sweeps over the documents.
    warm_start : bool, default=False
        Whether to start from the solution of the previous fit, which must be on the same documents.
    fit_intercept : bool, default=True
        Whether to fit an intercept for each machine.

    Attributes
    ----------
    coef_ : ndarray of shape (n_machines, n_features)
        Weights of each machine.
    intercept_ : ndarray of shape (n_machines,)
        Intercepts.
    converged_ : bool
        Whether the duality gap of every group of machines is at most ``tol``.
    n_iter_ : int
        Maximum number of sweeps over the groups of machines.
    """

    _forms: ClassVar[dict[str, Any]] = {**MultiLabelClassifier._forms, "converged_": "bool", "n_iter_": "int"}

    _weights: np.ndarray

    coef_ = LinearMultiLabel.coef_
    intercept_ = LinearMultiLabel.intercept_

    def _fit_machines(self, X: Any, members: np.ndarray) -> np.ndarray:
        """Fit one machine per column of the indicators, (N, K); return their weights, float64 (W + 1, K)."""
        signs = (2 * members - 1).astype(np.int8)
        return self._solved(X, signs).weights


class SVMRelevance(_Machines):
    """Binary relevance with linear support vector machines: one independent machine per label.

    A label is predicted if its score is positive.  A label without training documents is never predicted, and a label
    of all training documents is always predicted.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the squared hinge loss relative to the L2 penalty.
    tol : float, default=1e-4
        Maximum duality gap of each group of machines, relative to the objective.
    max_iter : int, default=1000
        Maximum number of sweeps over the documents, see `textmix.models.linear.machines.LinearSVM`.
    warm_start : bool, default=False
        Whether to start from the solution of the previous fit, which must be on the same documents.
    fit_intercept : bool, default=True
        Whether to fit an intercept for each machine.

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
        Weights of each label.
    intercept_ : ndarray of shape (n_labels,)
        Intercepts.
    converged_ : bool
        Whether the duality gap of every group of machines is at most ``tol``.
    n_iter_ : int
        Maximum number of sweeps over the groups of machines.
    classes_ : ndarray of shape (n_labels,)
        See `textmix.models.common.multilabel.MultiLabelClassifier`.
    n_features_in_ : int
        Number of features seen during fit.

    Examples
    --------
    >>> from textmix import SVMRelevance
    >>> X = [[4, 0, 0], [3, 1, 0], [0, 3, 1], [0, 4, 0], [0, 0, 4], [2, 2, 0], [3, 3, 0], [0, 2, 2]]
    >>> y = [["a"], ["a"], ["b"], ["b"], ["c"], ["a", "b"], ["a", "b"], ["b", "c"]]
    >>> list(SVMRelevance().fit(X, y).predict([[5, 0, 0], [4, 4, 0]]))
    [('a',), ('a', 'b')]
    """

    _fitted_forms: ClassVar[dict[str, Any]] = {**_Machines._forms, "_weights": "float64 W+1 L"}

    def _fit(self, X: Any, Y: np.ndarray) -> None:
        """Fit one machine for each label that is not constant over the training documents."""
        proportion = Y.mean(axis=0)
        trained = (proportion > 0.0) & (proportion < 1.0)
        self._weights = np.zeros((X.shape[1] + 1, Y.shape[1]))
        self._weights[-1] = np.where(proportion > 0.0, 1.0, -1.0)
        self._weights[:, trained] = self._fit_machines(X, Y[:, trained])

    def decision_function(self, X: Any) -> np.ndarray:
        """Compute the score of each label, float64 (N, L)."""
        return add_bias(self._checked(X), self._weights)

    @in_form_of_y
    def predict(self, X: Any) -> np.ndarray:
        """Predict the labels with a positive score, int64 indicators (N, L)."""
        return (self.decision_function(X) > 0.0).astype(np.int64)


class SVMPowerSet(_Machines):
    """Label powerset: one-vs-rest linear support vector machines with the training label sets as classes.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the squared hinge loss relative to the L2 penalty.
    tol : float, default=1e-4
        Maximum duality gap of each group of machines, relative to the objective.
    max_iter : int, default=1000
        Maximum number of sweeps over the documents, see `textmix.models.linear.machines.LinearSVM`.
    warm_start : bool, default=False
        Whether to start from the solution of the previous fit, which must be on the same documents.
    fit_intercept : bool, default=True
        Whether to fit an intercept for each machine.

    Attributes
    ----------
    sets_ : ndarray of shape (n_sets, n_labels), dtype int8
        Distinct label sets of the training documents.
    coef_ : ndarray of shape (n_sets, n_features)
        Weights of each label set; a single row if there are fewer than three label sets.
    intercept_ : ndarray of shape (n_sets,)
        Intercepts.
    converged_ : bool
        Whether the duality gap of every group of machines is at most ``tol``.
    n_iter_ : int
        Maximum number of sweeps over the groups of machines.
    classes_ : ndarray of shape (n_labels,)
        See `textmix.models.common.multilabel.MultiLabelClassifier`.
    n_features_in_ : int
        Number of features seen during fit.

    Examples
    --------
    >>> from textmix import SVMPowerSet
    >>> X = [[4, 0, 0], [3, 1, 0], [0, 3, 1], [0, 4, 0], [0, 0, 4], [2, 2, 0], [3, 3, 0], [0, 2, 2]]
    >>> y = [["a"], ["a"], ["b"], ["b"], ["c"], ["a", "b"], ["a", "b"], ["b", "c"]]
    >>> list(SVMPowerSet().fit(X, y).predict([[5, 0, 0], [4, 4, 0]]))
    [('a',), ('a', 'b')]
    """

    _rows_of_coef: ClassVar[str] = "sets_"
    _fitted_forms: ClassVar[dict[str, Any]] = {**_Machines._forms, "sets_": "int8 S L", "_weights": "float64 W+1 K"}

    def _fit(self, X: Any, Y: np.ndarray) -> None:
        """Fit one machine per label set; two label sets need a single machine, and one label set needs none."""
        self.sets_, code = label_sets(Y)
        classes = {1: 0, 2: 1}.get(len(self.sets_), len(self.sets_))
        members = code[:, np.newaxis] == np.arange(len(self.sets_) - classes, len(self.sets_))
        weights = self._fit_machines(X, members)
        self._weights = weights if classes else np.zeros((X.shape[1] + 1, 1))

    def _set_scores(self, X: Any) -> np.ndarray:
        """Compute the score of each label set, float64 (N, S)."""
        scores = add_bias(self._checked(X), self._weights)
        return scores if len(self.sets_) > 2 else np.column_stack([-scores, scores])[:, : len(self.sets_)]

    def decision_function(self, X: Any) -> np.ndarray:
        """Compute, for each label, the margin between the best label sets with and without it, float64 (N, L).

        The margin is inf for a label of every set and -inf for a label that does not occur in any set.  It is positive
        exactly for the labels of the predicted set, except for ties between sets.
        """
        scores = self._set_scores(X)

        def best(held: int) -> np.ndarray:
            """Compute the largest score of the label sets with (1) or without (0) each label, float64 (N, L)."""
            inside = (self.sets_ == held).T
            return np.column_stack([scores.max(axis=1, initial=-np.inf, where=each) for each in inside])

        return best(1) - best(0)

    @in_form_of_y
    def predict(self, X: Any) -> np.ndarray:
        """Predict the training label set with the largest score, int64 indicators (N, L)."""
        best = np.argmax(self._set_scores(X), axis=1)
        return self.sets_[best].astype(np.int64)

    def _check_loaded(self) -> None:
        expected = len(self.sets_) if len(self.sets_) > 2 else 1
        if not len(self.sets_) or self._weights.shape[1] != expected:
            raise ValueError(f"_weights has {self._weights.shape[1]} machines for {len(self.sets_)} label sets")


class MajoritySet(SetScorer):
    """Baseline that predicts the most frequent training label set for every document.

    Attributes
    ----------
    sets_ : ndarray of shape (n_sets, n_labels), dtype int8
        Distinct label sets of the training documents.
    log_share_ : ndarray of shape (n_sets,)
        Logarithm of the proportion of training documents with each label set.
    classes_ : ndarray of shape (n_labels,)
        See `textmix.models.common.multilabel.MultiLabelClassifier`.
    n_features_in_ : int
        Number of features seen during fit.

    Examples
    --------
    >>> from textmix import MajoritySet
    >>> list(MajoritySet().fit([[1.0], [2.0], [3.0]], [["a"], ["a"], ["b"]]).predict([[4.0]]))
    [('a',)]
    """

    _fitted_forms: ClassVar[dict[str, Any]] = {
        **MultiLabelClassifier._forms,
        "sets_": "int8 S L",
        "log_share_": "logs S",
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    def _fit(self, X: Any, Y: np.ndarray) -> None:
        self.sets_, code = label_sets(Y)
        self.log_share_ = np.log(np.bincount(code) / len(code))

    def _scores(self, X: Any) -> np.ndarray:
        return np.tile(self.log_share_, (X.shape[0], 1))


class BoostedClassifier(MultiLabelClassifier):
    """Base class of the multi-label baselines with boosted trees.

    Parameters
    ----------
    trees : int, default=100
        Number of trees per output.
    leaves : int, default=5
        Maximum number of leaves of a tree.
    shrinkage : float, default=0.1
        Learning rate.
    tree_method : {"lightgbm", "equal_width"}, default="lightgbm"
        Implementation of the trees, see `textmix.models.common.boosted_trees`.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "trees": [Interval(Integral, 1, None, closed="left")],
        "leaves": [Interval(Integral, 2, None, closed="left")],
        "shrinkage": [Interval(Real, 0, 1, closed="right")],
        "tree_method": [StrOptions({*TREE_METHODS})],
    }
    #: Minimum weight of a leaf of equal-width trees.
    _min_leaf_weight: ClassVar[float] = 1.0

    def __init__(
        self, *, trees: int = 100, leaves: int = 5, shrinkage: float = 0.1, tree_method: str = "lightgbm"
    ) -> None:
        self.trees = trees
        self.leaves = leaves
        self.shrinkage = shrinkage
        self.tree_method = tree_method

    def _growth(self) -> Growth:
        """Return the parameters of the trees."""
        return Growth(self.trees, self.leaves, self.shrinkage, self.tree_method, self._min_leaf_weight)


class BoostedRelevance(IndependentLabels, BoostedClassifier):
    """Binary relevance with boosted trees: one independent binary classifier per label.

    The classifiers are the experts of a conditional Bernoulli mixture with one component.  A label is predicted if its
    probability is above 1/2.

    Parameters
    ----------
    trees : int, default=100
        Number of trees per label.
    leaves : int, default=5
        Maximum number of leaves of a tree.
    shrinkage : float, default=0.1
        Learning rate.
    tree_method : {"lightgbm", "equal_width"}, default="lightgbm"
        Implementation of the trees, see `textmix.models.common.boosted_trees`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_labels,)
        See `textmix.models.common.multilabel.MultiLabelClassifier`.
    n_features_in_ : int
        Number of features seen during fit.

    Examples
    --------
    >>> from textmix import BoostedRelevance
    >>> X = [[4, 0, 0], [3, 1, 0], [0, 3, 1], [0, 4, 0], [0, 0, 4], [2, 2, 0], [3, 3, 0], [0, 2, 2]]
    >>> y = [["a"], ["a"], ["b"], ["b"], ["c"], ["a", "b"], ["a", "b"], ["b", "c"]]
    >>> model = BoostedRelevance(trees=20, leaves=3).fit(X * 10, y * 10)
    >>> list(model.predict([[5, 0, 0], [4, 4, 0]]))
    [('a',), ('a', 'b')]
    """

    _fitted_forms: ClassVar[dict[str, Any]] = {
        **BoostedClassifier._forms,
        "_experts": (BoostedExperts, BoostedExperts.forms),
    }
    _min_leaf_weight: ClassVar[float] = 3.0

    def _fit(self, X: Any, Y: np.ndarray) -> None:
        self._experts = BoostedExperts(X, Y, 1, self._growth(), constant=0.0, smoothing=SMOOTHING)
        self._experts.update(np.ones((len(Y), 1)))

    def _check_loaded(self) -> None:
        self._experts.grown.check(self._n_checked)

    def decision_function(self, X: Any) -> np.ndarray:
        """Compute the log odds of each label, float64 (N, L)."""
        features = self._checked(X)
        return self._experts.log_odds(features, 0)


class BoostedPowerSet(SetScorer, BoostedClassifier):
    """Label powerset: boosted trees with the training label sets as classes.

    Parameters
    ----------
    trees : int, default=100
        Number of trees per label set.
    leaves : int, default=5
        Maximum number of leaves of a tree.
    shrinkage : float, default=0.1
        Learning rate.
    tree_method : {"lightgbm", "equal_width"}, default="lightgbm"
        Implementation of the trees, see `textmix.models.common.boosted_trees`.

    Attributes
    ----------
    sets_ : ndarray of shape (n_sets, n_labels), dtype int8
        Distinct label sets of the training documents.
    classes_ : ndarray of shape (n_labels,)
        See `textmix.models.common.multilabel.MultiLabelClassifier`.
    n_features_in_ : int
        Number of features seen during fit.

    Examples
    --------
    >>> from textmix import BoostedPowerSet
    >>> X = [[4, 0, 0], [3, 1, 0], [0, 3, 1], [0, 4, 0], [0, 0, 4], [2, 2, 0], [3, 3, 0], [0, 2, 2]]
    >>> y = [["a"], ["a"], ["b"], ["b"], ["c"], ["a", "b"], ["a", "b"], ["b", "c"]]
    >>> model = BoostedPowerSet(trees=20, leaves=3).fit(X * 10, y * 10)
    >>> list(model.predict([[5, 0, 0], [4, 4, 0]]))
    [('a',), ('a', 'b')]
    """

    _fitted_forms: ClassVar[dict[str, Any]] = {
        **BoostedClassifier._forms,
        "sets_": "int8 S L",
        "_gate": (BoostedGate, BoostedGate.forms),
    }

    def _fit(self, X: Any, Y: np.ndarray) -> None:
        self.sets_, code = label_sets(Y)
        self._gate = BoostedGate(X, len(self.sets_), self._growth())
        self._gate.update(np.eye(len(self.sets_))[code])

    def _check_loaded(self) -> None:
        self._gate.trees.forest.check(self._n_checked)
        if {self._gate.trees.outputs, len(self._gate.trees.start)} != {len(self.sets_)}:
            raise ValueError("the trees do not score each of the label sets")

    def _scores(self, X: Any) -> np.ndarray:
        return self._gate.trees.predict(X)
