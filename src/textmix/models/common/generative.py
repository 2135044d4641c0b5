"""Base classes of generative classifiers for counts, p(c) p(x|c), with one distribution of counts per class.

Subclasses implement `CountClassifier._fit_classes`, which estimates the parameters of the classes, and
`CountClassifier._class_log_likelihood`, which computes log p(x|c) up to a term that does not depend on c.
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
    check_class_weight,
    check_classified_counts,
    check_counts,
    check_weights,
    checked_fit,
    class_codes,
    document_weights,
    generator,
)

Convention = Literal["bag", "sequence"]


class CountClassifier(ClassifierMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """Base class of generative classifiers for counts, with class priors (N_c + delta) / (N + C delta) for C classes.

    Parameters
    ----------
    delta : float
        Smoothing count of the class priors, from 0 (empirical class frequencies) to infinity (uniform, 1/C).

    Attributes
    ----------
    classes_ : ndarray of shape (C,)
        Class labels, sorted.
    class_count_ : ndarray of shape (C,)
        (Weighted) number of training documents N_c.
    class_log_prior_ : ndarray of shape (C,)
        Log p(c).
    n_features_in_ : int
        Number of features V (vocabulary size).
    """

    delta: float
    #: Class weights of estimators without this parameter.
    class_weight: Any = None
    class_count_: np.ndarray
    #: Schema of the fitted attributes, see `textmix.serve.state_schema`.
    _fitted_forms: ClassVar[dict[str, Any]] = {
        "classes_": "int C",
        "class_count_": "float64 C",
        "class_log_prior_": "logs C",
        "n_features_in_": "int",
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"delta": [Interval(Real, 0, np.inf, closed="both")]}

    @abstractmethod
    def _fit_classes(self, X: sparse.csr_array, codes: np.ndarray, weight: np.ndarray) -> None:
        """Estimate the parameters of all classes from documents with class index ``codes`` and ``weight``, (N,)."""

    @abstractmethod
    def _class_log_likelihood(self, X: sparse.csr_array) -> np.ndarray:
        """Compute log p(x|c) up to a term that depends only on x, float64 (N, C)."""

    @abstractmethod
    def _draw(self, code: int, length: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Sample a document of ``length`` words from a class; return its words and their counts, integer (n,) each."""

    def _log_coefficient(self, X: sparse.csr_array, convention: Convention) -> np.ndarray:
        """Compute the log multinomial coefficients for bags of words, or 0 for sequences, float64 (N,)."""
        if convention == "sequence":
            return np.zeros(X.shape[0])
        return gammaln(row_sums(X.indptr, X.data) + 1.0) - row_sums(X.indptr, gammaln(X.data + 1.0))

    @checked_fit
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Estimate the class priors and the parameters of each class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (N, V)
            Nonnegative counts.
        y : array-like of shape (N,)
            Class labels.
        sample_weight : array-like of shape (N,), default=None
            Nonnegative sample weights; a document of weight n counts as n copies. None is equivalent to unit weights.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        ValueError
            If a count is negative or not finite, a weight is negative, all weights are 0, y does not contain class
            labels, or the lengths are inconsistent.
        """
        X, y = check_classified_counts(self, X, y, reset=True)
        self.classes_, codes = np.unique(y, return_inverse=True)
        weight = document_weights(self, X, codes, sample_weight)
        if weight is None:
            weight = np.ones(X.shape[0])
        self.class_count_ = np.bincount(codes, weight, minlength=len(self.classes_))
        self._set_prior()
        self._fit_classes(X, codes, weight)
        return self

    def predict_joint_log_proba(self, X: Any) -> np.ndarray:
        """Compute log p(c) + log p(x|c) up to a term that depends only on x, float64 (N, C).

        A document with probability 0 in every class gets the log priors.
        """
        check_is_fitted(self)
        joint = self._class_log_likelihood(check_counts(self, X, reset=False))
        joint += self.class_log_prior_
        set_impossible(joint, self.class_log_prior_)
        return joint

    def predict(self, X: Any) -> np.ndarray:
        """Predict the most probable class of each document, (N,); ties are resolved in favour of the first class."""
        joint = self.predict_joint_log_proba(X)
        return self.classes_[np.argmax(joint, axis=1)]

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Compute log p(c|x), float64 (N, C), normalised in log space to avoid underflow for large counts."""
        return log_softmax(self.predict_joint_log_proba(X), axis=1)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Compute p(c|x), float64 (N, C)."""
        return np.exp(self.predict_log_proba(X))

    def predict_both(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Compute `predict`, (N,), and `predict_proba`, (N, C), with a single evaluation of the likelihoods."""
        joint = self.predict_joint_log_proba(X)
        labels = self.classes_[np.argmax(joint, axis=1)]
        return labels, np.exp(log_softmax(joint, axis=1))

    def log_likelihood(self, X: Any, convention: Convention = "bag") -> np.ndarray:
        """Compute the normalised log p(x|c), in nats.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (N, V)
            Counts.
        convention : {"bag", "sequence"}, default="bag"
            "bag" for the probability of the count vector among all count vectors of the same length, as in the
            equations of the EDCM paper; "sequence" for the probability of the word sequence, as in the definition of
            perplexity.

        Returns
        -------
        ndarray of shape (N, C)
        """
        check_is_fitted(self)
        X = check_counts(self, X, reset=False)
        return self._class_log_likelihood(X) + self._log_coefficient(X, convention)[:, np.newaxis]

    def text_lengths(self, X: Any) -> np.ndarray:
        """Count the words of each document, (N,), over which `log_likelihood` sums."""
        counts = check_counts(self, X, reset=False)
        return row_sums(counts.indptr, counts.data)

    def score_samples(self, X: Any) -> np.ndarray:
        """Compute log p(x) = log sum_c p(c) p(x|c) of each document as a bag of words, float64 (N,), in nats."""
        return logsumexp(self.log_likelihood(X) + self.class_log_prior_, axis=1)

    def sample(self, lengths: Any, y: Any = None, random_state: Any = None) -> tuple[sparse.csr_array, np.ndarray]:
        """Sample documents from the fitted model.

        Parameters
        ----------
        lengths : array-like of int of shape (N,)
            Number of words of each document.
        y : array-like of shape (N,), default=None
            Class labels; sampled from the priors if None.
        random_state : int, RandomState, Generator or None, default=None
            Random seed or generator.

        Returns
        -------
        X : csr_array of shape (N, V), dtype int64
            Counts.
        y : ndarray of shape (N,)
            Class labels.

        Raises
        ------
        ValueError
            If y contains labels that are not in ``classes_``.
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
    """Count classifier based on sufficient statistics that are sums over documents, so that `partial_fit` is exact."""

    @abstractmethod
    def _reset_statistics(self) -> None:
        """Set all sufficient statistics to zero."""

    @abstractmethod
    def _add_statistics(self, X: sparse.csr_array, codes: np.ndarray, weight: np.ndarray) -> None:
        """Update the sufficient statistics with documents."""

    @abstractmethod
    def _estimate(self) -> None:
        """Estimate the parameters from the sufficient statistics."""

    def _fit_classes(self, X: sparse.csr_array, codes: np.ndarray, weight: np.ndarray) -> None:
        self._reset_statistics()
        self._add_statistics(X, codes, weight)
        self._estimate()

    @checked_fit
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Update the model with a batch of documents; the result equals `fit` on all batches.

        Parameters
        ----------
        X, y, sample_weight
            See `fit`.
        classes : array-like of shape (C,), default=None
            All class labels that can occur in any batch; required in the first call.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        ValueError
            If the input is invalid (see `fit`), y contains a label that is not in the classes, or ``classes`` is
            missing in the first call or different in a later call. The model is unchanged if an error is raised.
        """
        # Do not test for classes_: a call only counts as the first one after all of its checks have passed.
        first = not hasattr(self, "class_count_")
        known = self._known_classes(classes, first)
        X, y = check_classified_counts(self, X, y, reset=first)
        codes = class_codes(known, y)
        weight = check_weights(sample_weight, X)
        if isinstance(self.class_weight, str):
            raise ValueError("class_weight='balanced' needs all documents; pass a dict, or call fit")
        if self.class_weight is not None:
            weight = weight * check_class_weight(self.class_weight, known, codes)[codes]
        if first:
            self.classes_ = known
            self.class_count_ = np.zeros(len(known))
            self._reset_statistics()
        self.class_count_ += np.bincount(codes, weight, minlength=len(self.classes_))
        self._set_prior()
        self._add_statistics(X, codes, weight)
        self._estimate()
        return self

    def _known_classes(self, classes: Any, first: bool) -> np.ndarray:
        """Return all class labels, sorted, for `partial_fit`; raise ValueError if they are missing or inconsistent."""
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
    """Replace the scores of documents with probability 0 in every class by the log priors, in place."""
    lost = np.flatnonzero(np.isneginf(joint[:, 0]))
    joint[lost[np.isneginf(joint[lost]).all(axis=1)]] = class_log_prior


def subtract_length_term(score: np.ndarray, concentration: np.ndarray, length: np.ndarray) -> None:
    """Subtract log Gamma(s_c + n_d) - log Gamma(s_c) from ``score[d, c]``, evaluated once per distinct length n_d."""
    distinct, place = np.unique(length, return_inverse=True)
    score -= log_rising_table(concentration, distinct)[place]


def zeros(n_rows: int, n_columns: int) -> np.ndarray:
    """Allocate zeros, float64 (n_rows, n_columns), in huge pages of memory, which `numpy.zeros` does not use."""
    array = np.empty((n_rows, n_columns))
    array.fill(0.0)
    return array
