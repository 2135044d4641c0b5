"""Base class of multi-label classifiers whose labels are independent given the features."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit

from textmix.models.common.multilabel import MultiLabelClassifier, in_form_of_y
from textmix.models.common.validation import check_label_sets
from textmix.models.linear.loss_kernels import set_log_likelihood


class IndependentLabels(MultiLabelClassifier):
    """Predictions from the log odds of labels that are independent given the features."""

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the log odds of each label, float64 (N, L).

        A model may give -inf to a label that no training instance has, and inf to a label that all of them have.
        """
        raise NotImplementedError

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probability of each label, float64 (N, L)."""
        return np.asarray(expit(self.decision_function(X)))

    @in_form_of_y
    def predict(self, X: Any) -> np.ndarray:
        """Return the labels of probability above one half, int64 (N, L) of 0 and 1; the set may be empty."""
        return (self.decision_function(X) > 0.0).astype(np.int64)

    def set_log_proba(self, X: Any, Y: Any) -> np.ndarray:
        """Return log p(y|x) of given label sets Y (N, L) of 0 and 1, float64 (N,): the sum over all L labels.

        Raises
        ------
        ValueError
            If Y holds another number than 0 and 1, or its shape is not (N, L).
        """
        odds = self.decision_function(X)
        return np.asarray(set_log_likelihood(odds, check_label_sets(self._targets(Y), *odds.shape)))
