r"""Multinomial naive Bayes with absolute discounting and unigram interpolation, for one label, several, or one by one.

Source: D. Vilar, M. J. Castro and E. Sanchis, "Multi-label Text Classification Using Multinomial Models", EsTAL 2004.
With N_cw the count of word w in the documents of class c, those with several labels counted in each of their classes
(equation 14; it is Y^T X, no document is copied), and b the discounting constant:

    p(w) = \sum_c N_cw / \sum_{w', c} N_cw'                                                     (20)
    M_c = \sum_w min(b, N_cw) / \sum_w N_cw                                                     (19)
    \hat p(w|c) = max(0, N_cw - b) / \sum_w' N_cw' + p(w) M_c                                   (21)

Equation (19) has b |{w : N_cw > 0}| in place of \sum_w min(b, N_cw), which is the same for whole counts, as b <= 1;
the form here also sums to one where counts are scaled or expected.
"""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from scipy import sparse, special
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, check_non_negative, validate_data

from textmix.kernels import discounting as kernels
from textmix.kernels import threshold as rules

#: How b is found from n_r, the numbers of words counted r times.
RULES = ("upper_bound", "printed", "leaving_one_out")
#: Where no word is counted once these rules give b = 0, and words unseen in a class would get no probability.
SMALLEST_DISCOUNT = 1e-6
#: Class of a document without one, where y is a class a document.
UNLABELLED = -1
#: An expected share of a document below this is not counted, which keeps the counts sparse.
NEGLIGIBLE = 1e-12
#: A share of all occurrences below this is taken for a rounding error.
ROUNDING = 1e-10


def discounting_constant(counts: np.ndarray, rule: str) -> float:
    """Return b from the counts of words, held between `SMALLEST_DISCOUNT` and 1; 1/2 where no word tells anything.

    Parameters
    ----------
    counts : (V,), not negative; a fraction belongs to the next whole number.
    rule : "upper_bound", n_1 / (n_1 + 2 n_2), the bound in equation (22) that (23) is said to be; "printed", n_1 /
        (n_1 + n_2), as (23) stands; "leaving_one_out", the root of the equation that both approximate.
    """
    values, number = np.unique(np.ceil(counts[counts > 0]), return_counts=True)
    n1, n2 = (float(number[values == r].sum()) for r in (1, 2))
    if n1 + n2 == 0:
        return 0.5
    if rule == "leaving_one_out":
        b = kernels.leaving_one_out_root(values.astype(np.float64), number.astype(np.float64))
    else:
        b = n1 / (n1 + (2.0 if rule == "upper_bound" else 1.0) * n2)
    return min(max(b, SMALLEST_DISCOUNT), 1.0)


class _Counts(NamedTuple):
    """Sufficient statistics.

    Parameters
    ----------
    by_class : CSC (V, C), N_cw.
    labelled : float64 (V,), counts in the labelled documents, each once.
    other : float64 (V,), counts in the documents without label.
    """

    by_class: sparse.csc_array
    labelled: np.ndarray
    other: np.ndarray


def _column_sums(matrix: sparse.csc_array, values: np.ndarray) -> np.ndarray:
    """Return the sum over each column of values stored in a CSC matrix's order."""
    column = np.repeat(np.arange(matrix.shape[1]), np.diff(matrix.indptr))
    return np.bincount(column, weights=values, minlength=matrix.shape[1])


def _share(part: np.ndarray, total: np.ndarray) -> np.ndarray:
    """Return part / total, and 1 where there is no total: a class without words has p(w|c) = p(w)."""
    return np.where(total > 0, part / np.where(total > 0, total, 1.0), 1.0)


class _Excess:
    """The sparse part of `kernels.Weights`: the classes that have seen each word.

    Parameters
    ----------
    by_class : CSC (V, C), N_cw.
    discount : float64 (C,), b.
    unigram : float64 (V,), p(w).
    """

    def __init__(self, by_class: sparse.csc_array, discount: np.ndarray, unigram: np.ndarray) -> None:
        self.by_class, counts = by_class, by_class.data
        self.word = by_class.indices
        self.column = np.repeat(np.arange(by_class.shape[1]), np.diff(by_class.indptr))
        self.total = _column_sums(by_class, counts)
        b = discount[self.column]
        self.mass = _share(_column_sums(by_class, np.minimum(counts, b)), self.total)
        kept = np.maximum(counts - b, 0.0) / self.total[self.column]
        #: log \hat p(w|c) - log p(w) M_c for the words that class c has seen.
        self.ratio = np.log1p(kept / (unigram[self.word] * self.mass[self.column]))

    def weights(self, group: np.ndarray, table: np.ndarray, values: np.ndarray) -> kernels.Weights:
        """Return weights by word, from values in the order of ``word`` and ``column``."""
        matrix = sparse.csc_array((values, self.word, self.by_class.indptr), shape=self.by_class.shape).tocsr()
        start = matrix.indptr.astype(np.int64)
        return kernels.Weights(group, table, start, matrix.indices.astype(np.int32), matrix.data)


class _AbsoluteDiscounting(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """What both models share: input, counts, b, and sums of word weights."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "discount": [StrOptions(set(RULES)), Interval(Real, 0, 1, closed="right")],
        "length": [StrOptions({"decision", "counts"}), None],
        "priors": [StrOptions({"training", "uniform"})],
        "threshold": [Interval(Real, 0, 1, closed="both")],
    }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.target_tags.multi_output = True
        tags.classifier_tags.multi_label = True
        return tags

    def _check_counts(self, X: Any, reset: bool) -> sparse.csr_array:
        """Return counts as CSR in the kernels' types."""
        checked = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=reset)
        check_non_negative(checked, type(self).__name__)
        return _without_zeros(sparse.csr_array(checked))

    def _scaled(self, counts: sparse.csr_array) -> sparse.csr_array:
        """Return counts with every document scaled to the mean length of the labelled training documents."""
        length = np.asarray(counts.sum(axis=1)).ravel()
        factor = self.mean_length_ / np.where(length > 0, length, 1.0)
        data = counts.data * np.repeat(factor, np.diff(counts.indptr))
        return sparse.csr_array((data, counts.indices, counts.indptr), shape=counts.shape)

    def _fit_counts(self, X: Any, labels: sparse.csr_array, use_other: bool) -> tuple[_Counts, _Counts]:
        """Gather the counts for the estimates, and the whole ones for n_r, which differ by length normalisation."""
        counts = self._check_counts(X, reset=True)
        check_consistent_length(counts, labels)
        has_label = np.diff(labels.indptr) > 0
        if not has_label.any():
            raise ValueError("no document has a label; give at least one")
        self.mean_length_ = float(counts[has_label].sum() / has_label.sum()) or 1.0
        self.class_count_ = np.asarray(labels.sum(axis=0), dtype=np.float64).ravel()
        whole = self._gather(counts, labels, has_label, use_other)
        if self.length != "counts":
            return whole, whole
        return self._gather(self._scaled(counts), labels, has_label, use_other), whole

    def _gather(
        self, counts: sparse.csr_array, labels: sparse.csr_array, has_label: np.ndarray, use_other: bool
    ) -> _Counts:
        """Return the sufficient statistics of documents and their labels."""
        by_class = (labels.T @ counts).T.tocsc()
        once, other = (np.asarray(counts[rows].sum(axis=0)).ravel() for rows in (has_label, ~has_label))
        return _Counts(by_class, once, other if use_other else np.zeros_like(other))

    def _constant(self, counts: np.ndarray) -> float:
        """Return b for the counts of words, or the number given."""
        if isinstance(self.discount, str):
            return discounting_constant(counts, self.discount)
        return float(self.discount)

    def _set_unigram(self, counts: np.ndarray) -> np.ndarray:
        """Set and return p(w), equation (20)."""
        unigram = counts / max(counts.sum(), np.finfo(float).tiny)
        self.word_log_prob_ = np.log(unigram, where=unigram > 0, out=np.full(len(unigram), -np.inf))
        return unigram

    def _add_scores(self, X: Any, start: np.ndarray) -> tuple[sparse.csr_array, np.ndarray]:
        """Return the documents as they are decided on and ``start`` plus the sums of their word weights."""
        check_is_fitted(self)
        counts = self._check_counts(X, reset=False)
        if self.length is not None:
            counts = self._scaled(counts)
        score = np.tile(start, (counts.shape[0], 1))
        kernels.add_scores(counts.indptr, counts.indices, counts.data, self.weights_, score)
        return counts, score


class AbsoluteDiscountingClassifier(_AbsoluteDiscounting):
    r"""Multinomial classifier smoothed by absolute discounting with unigram interpolation, equations (13) to (25).

    Parameters
    ----------
    discount : b, a number above 0 up to 1 or the rule that finds it, see `discounting_constant`.
    discount_counts : what n_r counts words in: "pooled", all classes together, as (22) says; "per_class", each class
        alone, but the pooled b for a class in which no word is counted once, or none twice.
    length : None, documents count with all their words (13); "decision", documents are scaled to the mean training
        length when they are classified; "counts", also when they are counted.
    priors : p(c) of the classes: "training", their shares (17); "uniform", equal among classes with documents.
    unlabelled : use of training documents without a label: "ignore"; "smoothing", they enter p(w) and n_r (section
        4.1); "em", also N_cw and the priors with their expected labels (Nigam et al. 2000, section 4).
    threshold : T of `predict` after a fit to label indicators, which gives the likeliest labels whose posteriors
        together reach it, equation (6).
    tol, max_iter : EM stops when no posterior of an unlabelled document moves by more than ``tol``; a
        `ConvergenceWarning` if that needs more than ``max_iter`` steps.

    Attributes
    ----------
    classes_ : the classes; of label indicators, their columns.
    class_count_ : float64 (C,); documents of each class, expected ones under EM included.
    class_log_prior_ : float64 (C,); -inf for a class without documents, which is never predicted.
    discount_ : float64 (C,); b.
    mass_ : float64 (C,); M_c.
    word_log_prob_ : float64 (V,); log p(w), -inf for a word that training has not seen, which is skipped.
    weights_ : log \hat p(w|c) - log p(w), see `textmix.kernels.discounting.Weights`.
    mean_length_ : mean length of the labelled training documents.
    n_iter_, converged_, objective_path_ : of EM; the objective is the log-likelihood of labelled and unlabelled
        documents before each step.  As smoothing is no prior, it may fall a little.

    References
    ----------
    D. Vilar, M. J. Castro and E. Sanchis, Multi-label Text Classification Using Multinomial Models, EsTAL 2004.
    K. Nigam, A. McCallum, S. Thrun and T. Mitchell, Text Classification from Labeled and Unlabeled Documents using EM,
    Machine Learning 39, 2000.
    """

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

    def fit(self, X: Any, y: Any) -> Self:
        """Estimate priors and word probabilities.

        Parameters
        ----------
        X : counts (N, V), CSR or dense, not negative.
        y : classes (N,), `UNLABELLED` (-1) for a document without one, or label indicators (N, L), CSR or dense, with
            an empty row for it.

        Raises
        ------
        ValueError : a negative or non-finite count, a label indicator other than 0 and 1, or no labelled document.
        """
        self._validate_params()
        labels = self._check_labels(y)
        counts, whole = self._fit_counts(X, labels, self.unlabelled != "ignore")
        pooled = self._constant(np.asarray(whole.by_class.sum(axis=1)).ravel() + whole.other)
        self.discount_ = np.full(labels.shape[1], pooled)
        if self.discount_counts == "per_class":
            own = np.split(whole.by_class.data, whole.by_class.indptr[1:-1])
            self.discount_ = np.array([self._constant(counts) if _tells(counts) else pooled for counts in own])
        unigram = self._set_unigram(np.asarray(counts.by_class.sum(axis=1)).ravel() + counts.other)
        self._estimate(counts.by_class, unigram)
        if self.unlabelled == "em":
            self._climb(X, labels, counts.by_class, unigram)
        return self

    def _check_labels(self, y: Any) -> sparse.csr_array:
        """Return label indicators, CSR (N, C), and set ``classes_``."""
        self._several = sparse.issparse(y) or np.ndim(y) == 2 and np.shape(y)[1] > 1
        if self._several:
            labels = checked_indicators(y)
            self.classes_ = np.arange(labels.shape[1])
            return labels
        target = column_or_1d(y, warn=True)
        check_classification_targets(target)
        known = np.flatnonzero(target != UNLABELLED)
        self.classes_, column = np.unique(target[known], return_inverse=True)
        return sparse.csr_array((np.ones(len(known)), (known, column)), shape=(len(target), len(self.classes_)))

    def _estimate(self, by_class: sparse.csc_array, unigram: np.ndarray) -> None:
        """Set priors and word weights from counts, equations (17), (19) and (21)."""
        seen = _Excess(by_class, self.discount_, unigram)
        self.mass_ = seen.mass
        group = np.where(unigram > 0, 0, -1)
        self.weights_ = seen.weights(group, np.log(seen.mass)[np.newaxis], seen.ratio)
        size = self.class_count_ if self.priors == "training" else np.sign(self.class_count_)
        with np.errstate(divide="ignore"):
            self.class_log_prior_ = np.log(size) - np.log(size.sum())

    def _climb(self, X: Any, labels: sparse.csr_array, by_class: sparse.csc_array, unigram: np.ndarray) -> None:
        """Alternate the expected labels of unlabelled documents and the estimates until the former stay."""
        counts = self._check_counts(X, reset=False)
        has_label = np.diff(labels.indptr) > 0
        other = counts[~has_label]
        as_counted = self._scaled(other) if self.length == "counts" else other
        size, before = self.class_count_, np.full((other.shape[0], labels.shape[1]), -1.0)
        path: list[float] = []
        self.converged_ = False
        while not self.converged_ and len(path) < self.max_iter:
            joint = self.predict_joint_log_proba(counts)
            path.append(_log_likelihood(joint, labels, has_label))
            posterior = special.softmax(joint[~has_label], axis=1)
            self.converged_ = bool(np.max(np.abs(posterior - before), initial=0.0) <= self.tol)
            before, share = posterior, np.where(posterior > NEGLIGIBLE, posterior, 0.0)
            self.class_count_ = size + share.sum(axis=0)
            self._estimate((by_class + (sparse.csr_array(share).T @ as_counted).T).tocsc(), unigram)
        self.n_iter_, self.objective_path_ = len(path), np.array(path)
        if not self.converged_:
            warnings.warn(
                f"a posterior still moved by more than tol={self.tol} after {self.max_iter} steps; raise max_iter",
                ConvergenceWarning,
                stacklevel=3,
            )

    def predict_joint_log_proba(self, X: Any) -> np.ndarray:
        """Return log p(x, c) without the multinomial coefficient, float64 (N, C); unseen words are skipped."""
        counts, score = self._add_scores(X, self.class_log_prior_)
        return score + (counts @ np.where(np.isfinite(self.word_log_prob_), self.word_log_prob_, 0.0))[:, np.newaxis]

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Return the log posteriors, float64 (N, C), equation (25) before its exponential."""
        return special.log_softmax(self._add_scores(X, self.class_log_prior_)[1], axis=1)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the posteriors, float64 (N, C), equation (25); a document without known words gets the priors."""
        return special.softmax(self._add_scores(X, self.class_log_prior_)[1], axis=1)

    def predict(self, X: Any) -> np.ndarray:
        """Return the likeliest class (N,), equation (13), ties to the first; after label indicators sets (N, L), (7)."""
        if not self._several:
            return self.classes_[np.argmax(self._add_scores(X, self.class_log_prior_)[1], axis=1)]
        sets = np.zeros((np.shape(X)[0], len(self.classes_)), dtype=bool)
        rules.accumulated_sets(self.predict_proba(X), float(self.threshold), sets)
        return sets.astype(np.int8)


class AbsoluteDiscountingBinary(_AbsoluteDiscounting):
    r"""One classifier a class: its documents against all others, both multinomial and smoothed as (21), section 2.2.

    The sufficient statistics of "all others" are those of all documents minus those of the class, so that the
    classifiers of all classes are trained in one pass.

    Parameters
    ----------
    discount, length, priors, threshold : see `AbsoluteDiscountingClassifier`; n_r is pooled over the two classes, which
        is the same for every classifier; ``threshold`` is T of equation (9).
    unlabelled : use of training documents without a label: "ignore"; "smoothing", they enter p(w) and n_r; "others",
        they also count as documents without the class, which equation (8) reads them as.

    Attributes
    ----------
    classes_ : int (L,), the columns of y.
    class_count_ : float64 (L,); documents of each class.
    prior_log_odds_ : float64 (L,); log p(c) - log p(others); infinite where one of them has no documents.
    discount_ : b.
    word_log_prob_ : float64 (V,); log p(w), -inf for a word that training has not seen, which is skipped.
    weights_ : log \hat p(w|c) - log \hat p(w|others), see `textmix.kernels.discounting.Weights`.
    mean_length_ : mean length of the labelled training documents.

    References
    ----------
    D. Vilar, M. J. Castro and E. Sanchis, Multi-label Text Classification Using Multinomial Models, EsTAL 2004.
    """

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

    def fit(self, X: Any, y: Any) -> Self:
        """Estimate the classifiers of all classes.

        Parameters
        ----------
        X : counts (N, V), CSR or dense, not negative.
        y : label indicators (N, L), CSR or dense; an empty row is a document without a label.

        Raises
        ------
        ValueError : a negative or non-finite count, a label indicator other than 0 and 1, or no labelled document.
        """
        self._validate_params()
        labels = checked_indicators(y)
        self.classes_ = np.arange(labels.shape[1])
        counts, whole = self._fit_counts(X, labels, self.unlabelled != "ignore")
        self.discount_ = self._constant(whole.labelled + whole.other)
        unigram = self._set_unigram(counts.labelled + counts.other)
        everything = counts.labelled + counts.other if self.unlabelled == "others" else counts.labelled
        self._estimate(counts.by_class, everything, unigram)
        n_documents = labels.shape[0] if self.unlabelled == "others" else np.count_nonzero(np.diff(labels.indptr))
        with np.errstate(divide="ignore"):
            odds = np.log(self.class_count_) - np.log(n_documents - self.class_count_)
        self.prior_log_odds_ = odds if self.priors == "training" else np.where(np.isfinite(odds), 0.0, odds)
        return self

    def _estimate(self, by_class: sparse.csc_array, everything: np.ndarray, unigram: np.ndarray) -> None:
        """Set the word weights; words with equal counts that a class has not seen have equal weights and share a row."""
        b = self.discount_
        seen = _Excess(by_class, np.full(by_class.shape[1], b), unigram)
        # Scaled counts leave rounding errors where a class has all occurrences.
        others = np.maximum(everything[seen.word] - by_class.data, 0.0)
        total = everything.sum() - seen.total
        total[total < ROUNDING * everything.sum()] = 0.0
        kept = np.minimum(everything, b)
        change = np.minimum(others, b) - kept[seen.word]
        mass = _share(kept.sum() + _column_sums(by_class, change), total)

        known = np.flatnonzero(unigram > 0)
        kinds, row = np.unique(np.stack([everything[known], unigram[known]]), axis=1, return_inverse=True)
        group = np.full(len(unigram), -1)
        group[known] = row.ravel()
        table = np.log(seen.mass) - _log_ratio(kinds[0][:, np.newaxis], kinds[1][:, np.newaxis], b, total, mass)
        own = _log_ratio(others, unigram[seen.word], b, total[seen.column], mass[seen.column])
        excess = np.log(seen.mass)[seen.column] + seen.ratio - own - table[group[seen.word], seen.column]
        self.weights_ = seen.weights(group, table, excess)

    def decision_function(self, X: Any) -> np.ndarray:
        """Return log p(c|x) - log p(others|x), float64 (N, L), infinite for a class of no or of all documents."""
        return self._add_scores(X, self.prior_log_odds_)[1]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return p(c|x) of each class against all others, float64 (N, L); a row need not sum to one."""
        return special.expit(self.decision_function(X))

    def predict(self, X: Any) -> np.ndarray:
        """Return the classes with p(c|x) of at least ``threshold``, int8 (N, L), equation (9)."""
        return (self.predict_proba(X) >= self.threshold).astype(np.int8)


def checked_indicators(y: Any) -> sparse.csr_array:
    """Return label indicators as float64 CSR (N, L) without stored zeros; raises ValueError at other than 0 and 1."""
    checked = _without_zeros(sparse.csr_array(check_array(y, accept_sparse="csr", dtype=np.float64)))
    if (checked.data != 1).any():
        raise ValueError("y must hold label indicators, 0 or 1 (N, L); use MultiLabelBinarizer on lists of labels")
    return checked


def _without_zeros(matrix: sparse.csr_array) -> sparse.csr_array:
    """Return a CSR matrix without stored zeros and double entries; the same one where it has none."""
    if matrix.data.all() and matrix.has_canonical_format:
        return matrix
    clean = matrix.copy()
    clean.sum_duplicates()
    clean.eliminate_zeros()
    return clean


def _tells(counts: np.ndarray) -> bool:
    """Return whether both words counted once and words counted twice are there, as an estimate of b needs."""
    return bool((counts == 1).any() and (counts == 2).any())


def _log_ratio(
    counts: np.ndarray, unigram: np.ndarray, b: float, total: np.ndarray, mass: np.ndarray
) -> np.ndarray:
    """Return log(\\hat p(w|c) / p(w)) of words with the given counts in a class of ``total`` words, equation (21)."""
    kept = np.maximum(counts - b, 0.0) / np.where(total > 0, total, 1.0)
    return np.log(kept / unigram + mass)


def _log_likelihood(joint: np.ndarray, labels: sparse.csr_array, has_label: np.ndarray) -> float:
    """Return the log-likelihood (15) of the labelled documents plus that of the words of the others."""
    row = np.repeat(np.arange(len(joint)), np.diff(labels.indptr))
    others = special.logsumexp(joint[~has_label], axis=1)
    return float(joint[row, labels.indices].sum() + others.sum())
