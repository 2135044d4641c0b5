"""Parts that both models of absolute discounting share: input, counts, the constant b, and sums of word weights."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted

from textmix.models.common.sklearn_private import Interval, StrOptions
from textmix.models.common.targets import LabelSetTargets
from textmix.models.common.validation import check_counts
from textmix.models.naive_bayes.discounting_kernels import add_scores
from textmix.models.naive_bayes.discounting_weights import RULES, Counts, check_weights, discounting_constant


class _AbsoluteDiscounting(LabelSetTargets, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The base of both models."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "discount": [StrOptions(set(RULES)), Interval(Real, 0, 1, closed="right")],
        "length": [StrOptions({"decision", "counts"}), None],
        "priors": [StrOptions({"training", "uniform"})],
        "threshold": [Interval(Real, 0, 1, closed="both")],
    }

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn: sparse input, no negative values, label sets, no claim on data that are not counts."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.classifier_tags.multi_label = True
        tags.classifier_tags.poor_score = True
        return tags

    def _check_loaded(self) -> None:
        """Raise ValueError if attributes that were read from a file have an index out of range."""
        check_weights(self.weights_, len(self.classes_))

    def _scaled(self, counts: sparse.csr_array) -> sparse.csr_array:
        """Return counts with every document scaled to the mean length of the labelled training documents."""
        length = counts.sum(axis=1)
        factor = self.mean_length_ / np.where(length > 0, length, 1.0)
        data = counts.data * np.repeat(factor, np.diff(counts.indptr))
        return sparse.csr_array((data, counts.indices, counts.indptr), shape=counts.shape)

    def _fit_counts(self, X: Any, labels: sparse.csr_array, use_other: bool) -> tuple[Counts, Counts]:
        """Return the counts for the estimates and the unscaled ones for n_r; they differ with ``length="counts"``."""
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
        """Return b: the parameter if it is a number, else the estimate from the counts of words, float64 (V,)."""
        return discounting_constant(counts, self.discount) if isinstance(self.discount, str) else float(self.discount)

    def _set_unigram(self, counts: np.ndarray) -> np.ndarray:
        """Set log p(w) and return p(w), equation (20); all zero where there are no words."""
        unigram = counts / (counts.sum() or 1.0)
        self.word_log_prob_ = np.log(unigram, where=unigram > 0, out=np.full(len(unigram), -np.inf))
        return unigram

    def _add_scores(self, X: Any, start: np.ndarray) -> np.ndarray:
        """Return ``start`` plus the sum of the word weights of each document, float64 (N, C)."""
        check_is_fitted(self)
        counts = check_counts(self, X, reset=False, dtype=np.float64)
        if self.length is not None:
            counts = self._scaled(counts)
        score = np.tile(start, (counts.shape[0], 1))
        add_scores(counts.indptr, counts.indices, counts.data, self.weights_, score)
        return score
