r"""Multinomial naive Bayes with absolute discounting and unigram interpolation: one joint model, or one per class.

Source and estimates, equations (19) to (23), are documented in `textmix.models.naive_bayes.discounting_weights`.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse, special
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from textmix.metrics import threshold_kernels as rules
from textmix.metrics.label_sets import parse_label_sets
from textmix.models.common.multilabel import MultiLabelClassifier, in_form_of_y
from textmix.models.common.sklearn_private import Interval, StrOptions
from textmix.models.common.validation import check_counts, checked_fit
from textmix.models.label_sets.independent import IndependentLabels
from textmix.models.naive_bayes.discounting_kernels import Weights, add_scores
from textmix.models.naive_bayes.discounting_weights import (
    RULES,
    Counts,
    against_rest_weights,
    check_weights,
    class_weights,
    determines_discount,
    discounting_constant,
)

#: Posteriors below this are treated as 0 in the M-step, which keeps the expected counts sparse.
NEGLIGIBLE = 1e-12


class _AbsoluteDiscounting(MultiLabelClassifier):
    """Base class of both models: input validation, counts, discounting constant b, and sums of word weights."""

    _forms: ClassVar[dict[str, Any]] = {
        "classes_": "int C",
        "n_features_in_": "int",
        "_named": "bool",
        "mean_length_": "float",
        "class_count_": "float64 C",
        "word_log_prob_": "logs V",
        "weights_": (
            Weights,
            {
                "group": "int64 V",
                "table": "float64 G C",
                "start": "int64 V+1",
                "seen_by": "int32 K",
                "excess": "float64 K",
            },
        ),
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "discount": [StrOptions(set(RULES)), Interval(Real, 0, 1, closed="right")],
        "length": [StrOptions({"decision", "counts"}), None],
        "priors": [StrOptions({"training", "uniform"})],
        "threshold": [Interval(Real, 0, 1, closed="both")],
    }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags

    def _check_loaded(self) -> None:
        check_weights(self.weights_, len(self.classes_))

    def _scaled(self, counts: sparse.csr_array) -> sparse.csr_array:
        """Scale every document to the mean length of the labelled training documents."""
        length = counts.sum(axis=1)
        factor = self.mean_length_ / np.where(length > 0, length, 1.0)
        data = counts.data * np.repeat(factor, np.diff(counts.indptr))
        return sparse.csr_array((data, counts.indices, counts.indptr), shape=counts.shape)

    def _fit_counts(self, X: Any, labels: sparse.csr_array, use_other: bool) -> tuple[Counts, Counts]:
        """Compute counts for the estimates and unscaled counts for n_r; they differ with ``length="counts"``."""
        counts = check_counts(self, X, reset=True, dtype=np.float64)
        check_consistent_length(counts, labels)
        has_label = np.diff(labels.indptr) > 0
        if not has_label.any():
            raise ValueError("no document has a label; give at least one")
        self.mean_length_ = float(counts[has_label].sum() / has_label.sum()) or 1.0
        self.class_count_ = labels.sum(axis=0)
        whole = Counts.gather(counts, labels, use_other)
        if self.length != "counts":
            return whole, whole
        return Counts.gather(self._scaled(counts), labels, use_other), whole

    def _constant(self, counts: np.ndarray) -> float:
        """Return b: the parameter if it is a number, else its estimate from the counts of words, float64 (V,)."""
        return discounting_constant(counts, self.discount) if isinstance(self.discount, str) else float(self.discount)

    def _set_unigram(self, counts: np.ndarray) -> np.ndarray:
        """Set log p(w) and return p(w), equation (20); all zero if the documents contain no words."""
        unigram = counts / (counts.sum() or 1.0)
        self.word_log_prob_ = np.log(unigram, where=unigram > 0, out=np.full(len(unigram), -np.inf))
        return unigram

    def _add_scores(self, X: Any, start: np.ndarray) -> np.ndarray:
        """Compute ``start`` plus the sum of the word weights of each document, float64 (N, C)."""
        check_is_fitted(self)
        counts = check_counts(self, X, reset=False, dtype=np.float64)
        if self.length is not None:
            counts = self._scaled(counts)
        score = np.tile(start, (counts.shape[0], 1))
        add_scores(counts.indptr, counts.indices, counts.data, self.weights_, score)
        return score


class AbsoluteDiscountingClassifier(_AbsoluteDiscounting):
    r"""Multinomial classifier smoothed by absolute discounting with unigram interpolation, equations (13) to (25).

    Parameters
    ----------
    discount : str or float, default="upper_bound"
        Discounting constant b, 0 < b <= 1, or the rule that estimates it, see
        `textmix.models.naive_bayes.discounting_weights.discounting_constant`.
    discount_counts : str, default="pooled"
        Documents used for the counts of counts n_r: "pooled", the documents of all classes together, equation (22);
        "per_class", the documents of each class, with the pooled b for a class in which no word occurs exactly once or
        no word occurs exactly twice.
    length : str or None, default=None
        None: documents are used unchanged (13); "decision": documents are scaled to the mean training length for
        classification; "counts": for training as well.
    priors : str, default="training"
        p(c) of the classes: "training", their proportions (17); "uniform", equal among classes with documents.
    unlabelled : str, default="smoothing"
        Use of unlabelled training documents: "ignore"; "smoothing", for p(w) and n_r (section 4.1); "em", also for N_cw
        and the priors, with their expected labels (Nigam et al. 2000, section 4).
    threshold : float, default=0.5
        Threshold T, used after a fit to label indicators: `predict` then returns the smallest set of most probable
        labels with posteriors that sum to T or more, equation (6).
    tol : float, default=0.0001
        EM stops when no posterior of an unlabelled document changes by more than ``tol``.
    max_iter : int, default=100
        Maximum number of EM steps; if EM has not converged by then, a `ConvergenceWarning` is issued.

    Attributes
    ----------
    classes_ : ndarray of shape (C,)
        Class labels; for label indicators, their columns.
    class_count_ : ndarray of shape (C,)
        Number of documents of each class, including expected ones under EM.
    class_log_prior_ : ndarray of shape (C,)
        Log p(c); -inf for a class without documents, which is never predicted.
    discount_ : ndarray of shape (C,)
        Discounting constant b.
    mass_ : ndarray of shape (C,)
        Interpolation weight M_c.
    word_log_prob_ : ndarray of shape (V,)
        Log p(w); -inf for a word that does not occur in the training documents and is skipped.
    weights_ : Weights
        Log \hat p(w|c) - log p(w), see `textmix.models.naive_bayes.discounting_kernels.Weights`.
    mean_length_ : float
        Mean length of the labelled training documents.
    n_iter_, converged_, objective_path_ : int, bool, list of float
        Progress of EM (1, True and empty without it); the objective is the log-likelihood of labelled and
        unlabelled documents before each step. Since the smoothing does not correspond to a prior, it may decrease
        slightly.

    References
    ----------
    D. Vilar, M. J. Castro and E. Sanchis, Multi-label Text Classification Using Multinomial Models, EsTAL 2004.
    K. Nigam, A. McCallum, S. Thrun and T. Mitchell, Text Classification from Labeled and Unlabeled Documents using EM,
    Machine Learning 39, 2000.

    Examples
    --------
    >>> from textmix import AbsoluteDiscountingClassifier
    >>> X = [[3, 0, 1], [2, 1, 0], [0, 2, 2], [0, 3, 1]]
    >>> y = ["sport", "sport", "art", "art"]
    >>> model = AbsoluteDiscountingClassifier(discount=0.5).fit(X, y)
    >>> model.predict([[5, 0, 1], [0, 1, 1]]).tolist()
    ['sport', 'art']
    >>> model.predict_proba([[0, 1, 0]]).round(2).tolist()
    [[0.8, 0.2]]
    """

    _fitted_forms: ClassVar[dict[str, Any]] = {
        **_AbsoluteDiscounting._forms,
        "discount_": "float64 C",
        "mass_": "float64 C",
        "class_log_prior_": "logs C",
        "objective_path_": "float64 *",
        "n_iter_": "int",
        "converged_": "bool",
        "_several": "bool",
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **_AbsoluteDiscounting._parameter_constraints,
        "discount_counts": [StrOptions({"pooled", "per_class"})],
        "unlabelled": [StrOptions({"ignore", "smoothing", "em"})],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        *,
        discount: str | float = "upper_bound",
        discount_counts: str = "pooled",
        length: str | None = None,
        priors: str = "training",
        unlabelled: str = "smoothing",
        threshold: float = 0.5,
        tol: float = 1e-4,
        max_iter: int = 100,
    ) -> None:
        self.discount = discount
        self.discount_counts = discount_counts
        self.length = length
        self.priors = priors
        self.unlabelled = unlabelled
        self.threshold = threshold
        self.tol = tol
        self.max_iter = max_iter

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.single_output = True
        tags.target_tags.multi_output = False
        tags.classifier_tags.multi_class = True
        return tags

    @checked_fit
    def fit(self, X: Any, y: Any) -> Self:
        """Estimate priors and word probabilities from counts (N, V) and classes (N,).

        y may also contain label indicators (N, L) or a list of labels per document; an empty row is an unlabelled
        document. Raise ValueError if all documents are unlabelled.
        """
        labels = self._check_labels(y)
        counts, whole = self._fit_counts(X, labels, self.unlabelled != "ignore")
        pooled = self._constant(whole.by_class.sum(axis=1) + whole.other)
        self.discount_ = np.full(labels.shape[1], pooled)
        if self.discount_counts == "per_class":
            own = np.split(whole.by_class.data, whole.by_class.indptr[1:-1])
            self.discount_ = np.array(
                [self._constant(column) if determines_discount(column) else pooled for column in own]
            )
        unigram = self._set_unigram(counts.by_class.sum(axis=1) + counts.other)
        self._estimate(counts.by_class, unigram)
        self.n_iter_ = 1
        self.converged_ = True
        self.objective_path_ = np.empty(0)
        if self.unlabelled == "em":
            self._run_em(X, labels, counts.by_class, unigram)
        return self

    def _check_labels(self, y: Any) -> sparse.csr_array:
        """Convert targets to label indicators, CSR (N, C), and set ``classes_``."""
        named = parse_label_sets(y) is not None
        target = y if named or sparse.issparse(y) or y is None else np.asarray(y)
        self._several = named or (target is not None and target.ndim == 2 and target.shape[1] > 1)
        if self._several:
            return self._fit_targets(y)
        self._named = False
        classes = column_or_1d(target, warn=True)
        # First, because the check of the type casts an infinite target to an integer, of which NumPy warns.
        assert_all_finite(classes, input_name="y")
        check_classification_targets(classes)
        self.classes_, column = np.unique(classes, return_inverse=True)
        row = np.arange(len(classes))
        return sparse.csr_array((np.ones(len(row)), (row, column)), shape=(len(row), len(self.classes_)))

    def _targets(self, y: Any) -> Any:
        """Return targets for scoring as indicators or classes; raise ValueError if the fit used the other format."""
        if self._several:
            return super()._targets(y)
        if parse_label_sets(y) is not None:
            raise ValueError("y contains label sets, but the training y had one class per document; pass classes")
        return y

    def _estimate(self, by_class: sparse.csc_array, unigram: np.ndarray) -> None:
        """Set priors and word weights from counts, equations (17), (19) and (21)."""
        self.mass_, self.weights_ = class_weights(by_class, self.discount_, unigram)
        size = self.class_count_ if self.priors == "training" else np.sign(self.class_count_)
        with np.errstate(divide="ignore"):
            self.class_log_prior_ = np.log(size) - np.log(size.sum())

    def _run_em(self, X: Any, labels: sparse.csr_array, by_class: sparse.csc_array, unigram: np.ndarray) -> None:
        """Run EM: alternate the posteriors of the unlabelled documents and the estimates until convergence."""
        counts = check_counts(self, X, reset=False, dtype=np.float64)
        has_label = np.diff(labels.indptr) > 0
        other = counts[~has_label]
        as_counted = self._scaled(other) if self.length == "counts" else other
        size = self.class_count_
        before = np.full((other.shape[0], labels.shape[1]), -1.0)
        path: list[float] = []
        self.converged_ = False
        while not self.converged_ and len(path) < self.max_iter:
            joint = self.predict_joint_log_proba(counts)
            path.append(_log_likelihood(joint, labels, has_label))
            posterior = special.softmax(joint[~has_label], axis=1)
            self.converged_ = bool(np.max(np.abs(posterior - before), initial=0.0) <= self.tol)
            before = posterior
            share = np.where(posterior > NEGLIGIBLE, posterior, 0.0)
            self.class_count_ = size + share.sum(axis=0)
            self._estimate((by_class + (sparse.csr_array(share).T @ as_counted).T).tocsc(), unigram)
        self.n_iter_ = len(path)
        self.objective_path_ = np.array(path)

    def predict_joint_log_proba(self, X: Any) -> np.ndarray:
        """Compute log p(x, c) without the multinomial coefficient, float64 (N, C); unknown words are skipped."""
        check_is_fitted(self)
        score = self._add_scores(X, self.class_log_prior_)
        counts = check_counts(self, X, reset=False, dtype=np.float64)
        if self.length is not None:
            counts = self._scaled(counts)
        return score + (counts @ np.where(np.isfinite(self.word_log_prob_), self.word_log_prob_, 0.0))[:, np.newaxis]

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Compute the log posteriors, float64 (N, C), equation (25) before exponentiation."""
        check_is_fitted(self)
        return special.log_softmax(self._add_scores(X, self.class_log_prior_), axis=1)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Compute the posteriors, float64 (N, C), equation (25); documents without known words get the priors."""
        return np.exp(self.predict_log_proba(X))

    @in_form_of_y
    def predict(self, X: Any) -> np.ndarray:
        """Predict the most probable class of each document, (N,), equation (13), or the first of tied classes.

        After a fit to label indicators, predict label sets, int64 (N, L) of 0 and 1, equation (7).
        """
        log_proba = self.predict_log_proba(X)
        if not self._several:
            return self.classes_[np.argmax(log_proba, axis=1)]
        sets = np.zeros(log_proba.shape, dtype=bool)
        rules.accumulated_sets(np.exp(log_proba), float(self.threshold), sets)
        return sets.astype(np.int64)


class AbsoluteDiscountingBinary(IndependentLabels, _AbsoluteDiscounting):
    r"""One-vs-rest classifiers smoothed by absolute discounting (section 2.2).

    The sufficient statistics of "all others" are the totals over all documents minus the statistics of the class, so
    that the classifiers of all classes are trained in one pass.

    Parameters
    ----------
    discount : str or float, default="upper_bound"
        See `AbsoluteDiscountingClassifier`; n_r is pooled over the two classes, hence equal for every classifier.
    length : str or None, default=None
        See `AbsoluteDiscountingClassifier`.
    priors : str, default="training"
        See `AbsoluteDiscountingClassifier`.
    unlabelled : str, default="smoothing"
        Use of unlabelled training documents: "ignore"; "smoothing", for p(w) and n_r; "others", also as documents
        without the class, as in equation (8).
    threshold : float, default=0.5
        Threshold T of `predict`, equation (9).

    Attributes
    ----------
    classes_ : ndarray of shape (L,), int
        Columns of y.
    class_count_ : ndarray of shape (L,)
        Number of documents of each class.
    prior_log_odds_ : ndarray of shape (L,)
        Log p(c) - log p(others); infinite if one of the two has no documents.
    discount_ : float
        Discounting constant b.
    word_log_prob_ : ndarray of shape (V,)
        Log p(w); -inf for a word that does not occur in the training documents and is skipped.
    weights_ : Weights
        Log \hat p(w|c) - log \hat p(w|others), see `textmix.models.naive_bayes.discounting_kernels.Weights`.
    mean_length_ : float
        Mean length of the labelled training documents.

    References
    ----------
    D. Vilar, M. J. Castro and E. Sanchis, Multi-label Text Classification Using Multinomial Models, EsTAL 2004.

    Examples
    --------
    >>> from textmix import AbsoluteDiscountingBinary
    >>> X = [[4, 0, 0], [3, 1, 0], [0, 3, 1], [0, 4, 0], [0, 0, 4], [2, 2, 0], [3, 3, 0], [0, 2, 2]]
    >>> y = [["a"], ["a"], ["b"], ["b"], ["c"], ["a", "b"], ["a", "b"], ["b", "c"]]
    >>> model = AbsoluteDiscountingBinary(discount=0.5).fit(X, y)
    >>> list(model.predict([[5, 0, 0], [4, 4, 0]]))
    [('a',), ('a', 'b')]
    """

    _fitted_forms: ClassVar[dict[str, Any]] = {
        **_AbsoluteDiscounting._forms,
        "discount_": "float",
        "prior_log_odds_": "logs C",
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **_AbsoluteDiscounting._parameter_constraints,
        "unlabelled": [StrOptions({"ignore", "smoothing", "others"})],
    }

    def __init__(
        self,
        *,
        discount: str | float = "upper_bound",
        length: str | None = None,
        priors: str = "training",
        unlabelled: str = "smoothing",
        threshold: float = 0.5,
    ) -> None:
        self.discount = discount
        self.length = length
        self.priors = priors
        self.unlabelled = unlabelled
        self.threshold = threshold

    @checked_fit
    def fit(self, X: Any, y: Any) -> Self:
        """Estimate the classifiers of all classes from counts (N, V) and label indicators (N, L) or lists of labels.

        An empty row of y is an unlabelled document. Raise ValueError if all documents are unlabelled.
        """
        labels = self._fit_targets(y)
        counts, whole = self._fit_counts(X, labels, self.unlabelled != "ignore")
        everyone = self.unlabelled == "others"
        self.discount_ = self._constant(whole.labelled + whole.other)
        unigram = self._set_unigram(counts.labelled + counts.other)
        everything = counts.labelled + counts.other if everyone else counts.labelled
        self.weights_ = against_rest_weights(counts.by_class, everything, self.discount_, unigram)
        n_documents = labels.shape[0] if everyone else np.count_nonzero(np.diff(labels.indptr))
        with np.errstate(divide="ignore"):
            odds = np.log(self.class_count_) - np.log(n_documents - self.class_count_)
        self.prior_log_odds_ = odds if self.priors == "training" else np.where(np.isfinite(odds), 0.0, odds)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Compute log p(c|x) - log p(others|x), float64 (N, L); infinite for a class of no or all documents."""
        check_is_fitted(self)
        return self._add_scores(X, self.prior_log_odds_)

    @in_form_of_y
    def predict(self, X: Any) -> np.ndarray:
        """Predict the classes with p(c|x) of at least ``threshold``, int (N, L), equation (9)."""
        return (self.predict_proba(X) >= self.threshold).astype(np.int64)


def _log_likelihood(joint: np.ndarray, labels: sparse.csr_array, has_label: np.ndarray) -> float:
    """Compute the log-likelihood (15) of the labelled documents plus the log-likelihood of the unlabelled words."""
    row = np.repeat(np.arange(len(joint)), np.diff(labels.indptr))
    others = special.logsumexp(joint[~has_label], axis=1)
    return float(joint[row, labels.indices].sum() + others.sum())
