"""Binary relevance whose likeliest label sets are scored again by a calibrated confidence (BR-rerank).

Source: C. Li, V. Pavlu, J. Aslam, B. Wang and K. Qin, Learning to Calibrate and Rerank Multi-label Predictions,
ECML-PKDD 2019.  There the calibrator learns from a validation set; here it learns from the training instances, whose
candidates come from binary relevance fitted without them (cross-validation).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from scipy.special import expit
from sklearn import isotonic

from textmix.models.cbm.boosted_learners import log_loss_derivatives
from textmix.models.common.boosted_trees import Growth, Trees
from textmix.models.common.checks import NOT_INDICATORS, Failures
from textmix.models.common.multilabel import generator, label_sets
from textmix.models.common.sklearn_private import Interval, StrOptions
from textmix.models.common.targets import in_form_of_y
from textmix.models.label_sets.candidate_kernels import likeliest_sets
from textmix.models.label_sets.estimators import LinearMultiLabel
from textmix.models.label_sets.weights import LinearWeights
from textmix.models.linear.lbfgs import minimise
from textmix.models.linear.problems import LogisticBatch, add_bias
from textmix.models.linear.row_space import RowSpace

#: Largest absolute log odds of a label: a label that all training instances have stays flippable.
LARGEST = 30.0
#: Trees between two looks at the held-out fold, and the learning rate.
STEP, RATE = 5, 0.1


class BRRerank(LinearWeights, LinearMultiLabel):
    r"""Binary relevance, its likeliest label sets as candidates, and a calibrator that chooses among them.

    The calibrator sees of a candidate its probability under binary relevance, its labels, their number, and its share
    among the training label sets, and says how likely it is right.

    Parameters
    ----------
    n_candidates : K, label sets that are scored again; all sets where there are fewer.
    calibrator : "boosting", boosted trees (LightGBM) on log loss; "isotonic", isotonic regression of the
        probability under binary relevance alone, which calibrates and keeps the likeliest set.
    folds : of the cross-validation.
    trees, leaves : most trees of boosting, and their leaves.  The number of trees is the one with the least log loss on
        the candidates of one fold, by trees grown on the remaining ones.
    random_state : draws the folds.
    variance : \sigma^2 of binary relevance; max_iter, tol : see `LinearMultiLabel`.

    Attributes
    ----------
    coef_, intercept_ : float64 (L, V) and (L,), of binary relevance on all training instances.
    sets_, share_ : int8 (S, L) and float64 (S,), label sets of the training instances and their shares.
    calibrator_ : the boosted trees; none with isotonic regression.
    steps_, levels_ : float64 (T,), the points of isotonic regression: probability and confidence; empty with boosting.

    Examples
    --------
    >>> from textmix import BRRerank
    >>> X = [[4, 0, 0], [3, 1, 0], [0, 3, 1], [0, 4, 0], [0, 0, 4], [2, 2, 0], [3, 3, 0], [0, 2, 2]]
    >>> y = [["a"], ["a"], ["b"], ["b"], ["c"], ["a", "b"], ["a", "b"], ["b", "c"]]
    >>> model = BRRerank(trees=20, random_state=0).fit(X * 6, y * 6)
    >>> list(model.predict([[5, 0, 0], [4, 4, 0]]))
    [('a',), ('a', 'b')]
    """

    _expected_failures: ClassVar[Failures] = {"check_decision_proba_consistency": NOT_INDICATORS + "one row"}

    _fitted_forms: ClassVar[dict[str, Any]] = {
        **{**LinearMultiLabel._forms, "_weights": "float64 W+1 L", "sets_": "int8 S L", "share_": "float64 S"},
        **{"calibrator_": (Trees, Trees.forms), "steps_": "float64 T", "levels_": "float64 T"},
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearMultiLabel._parameter_constraints,
        "n_candidates": [Interval(Integral, 1, 1000, closed="both")],
        "calibrator": [StrOptions({"boosting", "isotonic"})],
        "folds": [Interval(Integral, 2, None, closed="left")],
        "trees": [Interval(Integral, 1, None, closed="left")],
        "leaves": [Interval(Integral, 2, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        n_candidates: int = 10,
        calibrator: str = "boosting",
        folds: int = 3,
        trees: int = 100,
        leaves: int = 8,
        variance: float = 1.0,
        max_iter: int = 500,
        tol: float = 1e-5,
        random_state: Any = None,
    ) -> None:
        super().__init__(variance=variance, max_iter=max_iter, tol=tol)
        self.n_candidates = n_candidates
        self.calibrator = calibrator
        self.folds = folds
        self.trees = trees
        self.leaves = leaves
        self.random_state = random_state

    def _fit(self, X: Any, Y: np.ndarray) -> None:
        """Fit binary relevance with and without each fold, and the calibrator to the candidates of the folds."""
        self.sets_, code = label_sets(Y)
        self.share_ = np.bincount(code) / len(code)
        fold = generator(self.random_state).permutation(len(Y)) % self.folds
        odds = np.zeros(Y.shape)
        for number in range(self.folds):
            held, rest = np.flatnonzero(fold == number), np.flatnonzero(fold != number)
            if len(held) and len(rest):
                odds[held] = add_bias(X[held], self._relevance(X[rest], Y[rest]))
        self._weights = self._relevance(X, Y)
        sets, log_probability = self._candidates(odds)
        right = (sets == Y[:, np.newaxis].astype(bool)).all(axis=2)
        self._calibrate(sets, log_probability, right, fold == 0)

    def _relevance(self, X: Any, Y: np.ndarray) -> np.ndarray:
        """Return the weights of binary relevance and, last, the bias, float64 (V + 1, L)."""
        space = RowSpace.of(X)
        problem = LogisticBatch(space.inputs, Y, np.ones(len(Y)), 2.0 * self.variance)
        found = minimise(problem, np.zeros((len(problem.penalty), Y.shape[1])), self.max_iter, self.tol)
        self.objective_path_ = np.array([found.total_objective])
        self.n_iter_, self.converged_ = found.n_iter, found.all_converged
        return space.lift(found.unknowns)

    def _candidates(self, odds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the likeliest label sets, bool (n, K, L), and their log probabilities, (n, K), by log odds (n, L)."""
        wanted = min(self.n_candidates, 2 ** min(odds.shape[1], 20))
        return likeliest_sets(np.clip(odds, -LARGEST, LARGEST), wanted)

    def _facts(self, sets: np.ndarray, log_probability: np.ndarray) -> np.ndarray:
        """Return what the calibrator sees of candidates, float64 (n K, L + 3)."""
        flat = sets.reshape(-1, sets.shape[2])
        known: Mapping[bytes, float] = {
            row.tobytes(): share for row, share in zip(self.sets_.astype(bool), self.share_, strict=True)
        }
        prior = np.array([known.get(row.tobytes(), 0.0) for row in flat])
        return np.column_stack([log_probability.ravel(), flat.sum(axis=1), prior, flat]).astype(np.float64)

    def _calibrate(self, sets: np.ndarray, log_probability: np.ndarray, right: np.ndarray, held: np.ndarray) -> None:
        """Fit the calibrator to candidates and whether each is true, bool (n, K); ``held`` is one fold, bool (n,)."""
        truth = right.reshape(-1, 1).astype(np.float64)
        self.steps_ = self.levels_ = np.empty(0)
        if self.calibrator == "isotonic":
            model = isotonic.IsotonicRegression(y_min=0.0, y_max=1.0).fit(np.exp(log_probability.ravel()), truth[:, 0])
            self.steps_, self.levels_ = (np.asarray(part, dtype=np.float64) for part in _points(model))
        facts = self._facts(sets, log_probability)
        apart = np.repeat(held, sets.shape[1])
        number = self._best_number(facts, truth, apart) if self.calibrator == "boosting" else 0
        self.calibrator_ = _grown(facts, truth, Growth(STEP, self.leaves, RATE), number // STEP)

    def _best_number(self, facts: np.ndarray, truth: np.ndarray, held: np.ndarray) -> int:
        """Return the number of trees, a multiple of `STEP`, with the least log loss on held-out candidates."""
        if held.all() or not held.any():
            return 0
        trees, losses = _grown(facts[~held], truth[~held], Growth(STEP, self.leaves, RATE), 0), []
        if not trees.can_split:
            return 0
        for _ in range(max(1, self.trees // STEP)):
            _grow(trees, truth[~held])
            scores = trees.predict(facts[held])
            losses.append(float(np.mean(np.logaddexp(0.0, scores) - truth[held] * scores)))
        return STEP * (1 + int(np.argmin(losses)))

    def _check_loaded(self) -> None:
        """Raise ValueError if a tree that was read from a file has an index out of range."""
        self.calibrator_.forest.check(len(self.classes_) + 3)

    def _scored(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return the candidates, bool (N, K, L), and their confidence, float64 (N, K)."""
        sets, log_probability = self._candidates(self.decision_function(X))
        if self.calibrator == "isotonic":
            return sets, np.interp(np.exp(log_probability), self.steps_, self.levels_)
        facts = self._facts(sets, log_probability)
        return sets, expit(self.calibrator_.predict(facts)).reshape(log_probability.shape)

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the log odds of each label under binary relevance, float64 (N, L).

        Raises
        ------
        NotFittedError : there was no fit.
        ValueError : X has other columns than in the fit, or holds NaN or infinity.
        """
        return add_bias(self._checked(X), self._weights)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probability of each label under binary relevance, float64 (N, L).

        Raises
        ------
        NotFittedError : there was no fit.
        ValueError : X has other columns than in the fit, or holds NaN or infinity.
        """
        return np.asarray(expit(self.decision_function(X)))

    def confidence(self, X: Any) -> np.ndarray:
        """Return how likely the label set that `predict` returns is the true one, float64 (N,).

        Raises
        ------
        NotFittedError : there was no fit.
        ValueError : X has other columns than in the fit, or holds NaN or infinity.
        """
        return np.asarray(self._scored(X)[1].max(axis=1))

    @in_form_of_y
    def predict(self, X: Any) -> np.ndarray:
        """Return the candidate of the largest confidence, of equal ones the likeliest, int64 (N, L) of 0 and 1.

        Raises
        ------
        NotFittedError : there was no fit.
        ValueError : X has other columns than in the fit, or holds NaN or infinity.
        """
        sets, confidence = self._scored(X)
        return sets[np.arange(len(sets)), np.argmax(confidence, axis=1)].astype(np.int64)


def _grown(facts: np.ndarray, truth: np.ndarray, growth: Growth, calls: int) -> Trees:
    """Return trees that start at the share of right candidates, after a number of calls of `_grow`.

    Parameters
    ----------
    facts, truth : what the calibrator sees of candidates (N, F), and 1 for each right one, else 0, (N, 1).
    growth : of one call.
    """
    trees = Trees(facts, 1, growth)
    share = (truth.sum() + 0.5) / (len(truth) + 1.0)
    trees.start = np.array([np.log(share) - np.log1p(-share)])
    for _ in range(calls if trees.can_split else 0):
        _grow(trees, truth)
    return trees


def _grow(trees: Trees, truth: np.ndarray) -> None:
    """Add trees that fit the log loss of candidates, 1 for each right one, else 0, (N, 1)."""
    trees.grow(partial(log_loss_derivatives, np.ones((len(truth), 1)), truth))


def _points(model: isotonic.IsotonicRegression) -> tuple[Any, Any]:
    """Return the points between which isotonic regression interpolates."""
    return model.X_thresholds_, model.y_thresholds_
