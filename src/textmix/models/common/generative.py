"""The base classes of the generative classifiers of counts: p(c) p(x|c), a distribution of counts for each class.

A model implements: `CountClassifier._fit_classes` estimates the classes' parameters, and
`CountClassifier._class_log_likelihood` returns log p(x|c) up to a term that does not depend on c.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from numbers import Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy import sparse
from scipy.special import gammaln, log_softmax, logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import unique_labels
from sklearn.utils.validation import check_is_fitted

from textmix.models.common.count_kernels import row_sums
from textmix.models.common.sklearn_private import Interval
from textmix.models.common.special_kernels import log_rising_table
from textmix.models.common.validation import (
    check_classified_counts,
    check_counts,
    check_weights,
    checked_fit,
    class_codes,
    generator,
)

Convention = Literal["bag", "sequence"]


class CountClassifier(ClassifierMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """Naive Bayes over count vectors, with class priors (N_c + delta) / (N + C delta) for C classes.

    Parameters
    ----------
    delta : float
        Smoothing count of the class priors, from 0 (fractions of the classes) to infinity (1/C).

    Attributes
    ----------
    classes_ : ndarray of shape (C,)
        Class labels, sorted.
    class_count_ : ndarray of shape (C,)
        (weighted) number of training documents N_c.
    class_log_prior_ : ndarray of shape (C,)
        Log p(c).
    n_features_in_ : int
        V, the number of words.
    """

    delta: float
    class_count_: np.ndarray
    #: Fitted attributes and their forms, see `textmix.serve.state_schema`.
    _fitted_forms: ClassVar[dict[str, Any]] = {
        **{"classes_": "int C", "class_count_": "float64 C", "class_log_prior_": "logs C", "n_features_in_": "int"}
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"delta": [Interval(Real, 0, np.inf, closed="both")]}

    @abstractmethod
    def _fit_classes(self, X: sparse.csr_array, codes: np.ndarray, weight: np.ndarray) -> None:
        """Estimate the parameters of all classes from documents with class index ``codes`` and ``weight``, (N,)."""

    @abstractmethod
    def _class_log_likelihood(self, X: sparse.csr_array) -> np.ndarray:
        """Return log p(x|c) up to a term in x alone, float64 (N, C)."""

    @abstractmethod
    def _draw(self, code: int, length: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Draw one document of ``length`` words from a class; return its words and their counts, integer (n,) each."""

    def _log_coefficient(self, X: sparse.csr_array, convention: Convention) -> np.ndarray:
        """Return the log multinomial coefficient of a bag, or 0 for a sequence, float64 (N,)."""
        if convention == "sequence":
            return np.zeros(X.shape[0])
        return gammaln(row_sums(X.indptr, X.data) + 1.0) - row_sums(X.indptr, gammaln(X.data + 1.0))

    @checked_fit
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Estimate the class priors and the parameters of each class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (N, V)
            Counts (N, V), sparse or dense, not negative.
        y : array-like of shape (N,)
            Class labels (N,).
        sample_weight : array-like of shape (N,), default=None
            Not negative; a document of weight n counts as n copies of it. None: 1 each.

        Raises
        ------
        ValueError
            If a negative or non-finite count, a negative weight, y no class labels, or different lengths.
        """
        X, y = check_classified_counts(self, X, y, reset=True)
        weight = check_weights(sample_weight, X)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.class_count_ = np.bincount(codes, weight, minlength=len(self.classes_))
        self._set_prior()
        self._fit_classes(X, codes, weight)
        return self

    def predict_joint_log_proba(self, X: Any) -> np.ndarray:
        """Return log p(c) + log p(x|c) up to a term in x alone, float64 (N, C).

        A document that has probability 0 in every class gets the log priors.
        """
        check_is_fitted(self)
        joint = self._class_log_likelihood(check_counts(self, X, reset=False))
        joint += self.class_log_prior_
        set_impossible(joint, self.class_log_prior_)
        return joint

    def predict(self, X: Any) -> np.ndarray:
        """Return the most probable class of each document, (N,); of equally likely classes the first."""
        joint = self.predict_joint_log_proba(X)
        return self.classes_[np.argmax(joint, axis=1)]

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Return log p(c|x), float64 (N, C); the probabilities sum to 1 however large the counts are."""
        return log_softmax(self.predict_joint_log_proba(X), axis=1)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return p(c|x), float64 (N, C)."""
        return np.exp(self.predict_log_proba(X))

    def predict_both(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return the results of `predict`, (N,), and of `predict_proba`, (N, C); each document is scored once."""
        joint = self.predict_joint_log_proba(X)
        labels = self.classes_[np.argmax(joint, axis=1)]
        return labels, np.exp(log_softmax(joint, axis=1))

    def log_likelihood(self, X: Any, convention: Convention = "bag") -> np.ndarray:
        """Return log p(x|c) with all terms, float64 (N, C), in nats.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (N, V)
            Counts (N, V).
        convention : Convention, default="bag"
            "bag" for the probability of the count vector among all count vectors of its length, as in the EDCM paper's
            equations; "sequence" for that of the document's words in their order, as a perplexity takes it.
        """
        check_is_fitted(self)
        X = check_counts(self, X, reset=False)
        return self._class_log_likelihood(X) + self._log_coefficient(X, convention)[:, np.newaxis]

    def text_lengths(self, X: Any) -> np.ndarray:
        """Return the number of words of each document, (N,), the words of `log_likelihood`."""
        counts = check_counts(self, X, reset=False)
        return row_sums(counts.indptr, counts.data)

    def score_samples(self, X: Any) -> np.ndarray:
        """Return log p(x) = log sum_c p(c) p(x|c) of each document as a bag of words, float64 (N,), in nats."""
        return logsumexp(self.log_likelihood(X) + self.class_log_prior_, axis=1)

    def sample(self, lengths: Any, y: Any = None, random_state: Any = None) -> tuple[sparse.csr_array, np.ndarray]:
        """Return documents drawn from the fitted model, counts int64 CSR (N, V), and their class labels (N,).

        Parameters
        ----------
        lengths : array-like of shape (N,)
            Whole numbers (N,), the length of each document.
        y : array-like of shape (N,), default=None
            Class labels (N,), ValueError at one that is not among ``classes_``; drawn from the priors if None.
        random_state : int, RandomState or None, default=None
            Seed, RandomState or Generator.
        """
        check_is_fitted(self)
        rng = generator(random_state)
        lengths = np.asarray(lengths, dtype=np.int64)
        codes: np.ndarray
        if y is None:
            codes = rng.choice(len(self.classes_), size=len(lengths), p=np.exp(self.class_log_prior_))
        else:
            codes = class_codes(self.classes_, np.asarray(y))
        drawn = [self._draw(int(code), int(length), rng) for code, length in zip(codes, lengths, strict=True)]
        rows = np.repeat(np.arange(len(drawn)), [len(pair[0]) for pair in drawn])
        words, counts = (np.concatenate([pair[part] for pair in drawn]).astype(np.int64) for part in (0, 1))
        X = sparse.coo_array((counts, (rows, words)), shape=(len(drawn), self.n_features_in_)).tocsr()
        return X, self.classes_[codes]

    def _set_prior(self) -> None:
        """Set the class log priors from the class counts."""
        n_classes = len(self.classes_)
        total = self.class_count_.sum()
        if np.isinf(self.delta) or total + n_classes * self.delta == 0:
            prior = np.full(n_classes, 1.0 / n_classes)
        else:
            prior = (self.class_count_ + self.delta) / (total + n_classes * self.delta)
        with np.errstate(divide="ignore"):
            self.class_log_prior_ = np.log(prior)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags


class IncrementalCountClassifier(CountClassifier):
    """A count classifier whose estimate depends only on sums over the documents, so that `partial_fit` is exact."""

    @abstractmethod
    def _reset_statistics(self) -> None:
        """Set all sums to zero."""

    @abstractmethod
    def _add_statistics(self, X: sparse.csr_array, codes: np.ndarray, weight: np.ndarray) -> None:
        """Add the documents to the sums."""

    @abstractmethod
    def _estimate(self) -> None:
        """Set the parameters from the sums."""

    def _fit_classes(self, X: sparse.csr_array, codes: np.ndarray, weight: np.ndarray) -> None:
        self._reset_statistics()
        self._add_statistics(X, codes, weight)
        self._estimate()

    @checked_fit
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add documents to the documents of earlier calls; the model then equals `fit` on all of them.

        Parameters
        ----------
        X, y, sample_weight : object
            As for `fit`.
        classes : object, default=None
            All class labels of this and later calls; needed at the first call.

        Raises
        ------
        ValueError
            As `fit`; also a label that is not among the classes, no ``classes`` at the first call, or others at a later
            one. A call that raises adds no document.
        """
        # Not by classes_: nothing is a first call's before all of its checks have passed.
        first = not hasattr(self, "class_count_")
        known = self._known_classes(classes, first)
        X, y = check_classified_counts(self, X, y, reset=first)
        codes, weight = class_codes(known, y), check_weights(sample_weight, X)
        if first:
            self.classes_, self.class_count_ = known, np.zeros(len(known))
            self._reset_statistics()
        self.class_count_ += np.bincount(codes, weight, minlength=len(self.classes_))
        self._set_prior()
        self._add_statistics(X, codes, weight)
        self._estimate()
        return self

    def _known_classes(self, classes: Any, first: bool) -> np.ndarray:
        """Return all class labels, sorted, of a ``first`` or a later call of `partial_fit`; raises ValueError as it."""
        if classes is None:
            if first:
                raise ValueError("classes is missing: the first documents need not be of all classes; pass all labels")
            return self.classes_
        known = np.asarray(unique_labels(classes))
        if not first and not np.array_equal(known, self.classes_):
            raise ValueError(
                f"classes={known.tolist()} are not those of the first call, {self.classes_.tolist()}; leave classes out"
            )
        return known


def set_impossible(joint: np.ndarray, class_log_prior: np.ndarray) -> None:
    """Give documents that have probability 0 in every class the log priors."""
    lost = np.flatnonzero(np.isneginf(joint[:, 0]))
    joint[lost[np.isneginf(joint[lost]).all(axis=1)]] = class_log_prior


def subtract_length_term(score: np.ndarray, concentration: np.ndarray, length: np.ndarray) -> None:
    """Subtract log Gamma(s_c + n_d) - log Gamma(s_c) from ``score[d, c]``, evaluated once for each distinct length."""
    distinct, place = np.unique(length, return_inverse=True)
    score -= log_rising_table(concentration, distinct)[place]


def zeros(n_rows: int, n_columns: int) -> np.ndarray:
    """Return zeros, float64 (n_rows, n_columns), in huge pages of memory, which `numpy.zeros` does not use."""
    array = np.empty((n_rows, n_columns))
    array.fill(0.0)
    return array
