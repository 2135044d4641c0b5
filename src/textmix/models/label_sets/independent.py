"""Base class of multi-label classifiers that assume conditionally independent labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit

from textmix.models.common.multilabel import MultiLabelClassifier, in_form_of_y
from textmix.models.common.validation import check_label_sets
from textmix.models.linear.loss_kernels import set_log_likelihood


class IndependentLabels(MultiLabelClassifier):
    """Base class of classifiers that assume labels to be conditionally independent, conditional on the features."""

    def decision_function(self, X: Any) -> np.ndarray:
        """Compute the log odds of each label, float64 (N, L).

        They may be -inf for a label without training instances, and inf for a label of all training instances.
        """
        raise NotImplementedError

    def predict_proba(self, X: Any) -> np.ndarray:
        """Compute the probability of each label, float64 (N, L)."""
        return np.asarray(expit(self.decision_function(X)))

    @in_form_of_y
    def predict(self, X: Any) -> np.ndarray:
        """Predict the labels with a probability above 1/2, int64 indicators (N, L); the label set may be empty."""
        return (self.decision_function(X) > 0.0).astype(np.int64)

    def set_log_proba(self, X: Any, Y: Any) -> np.ndarray:
        """Compute log p(y|x) of label sets Y, the sum of the log probabilities of all L labels.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (N, V)
            Features.
        Y : array-like of shape (N, L), or list of N label lists
            Label sets.

        Returns
        -------
        ndarray of shape (N,)

        Raises
        ------
        ValueError
            If Y contains values other than 0 and 1, or its shape is not (N, L).
        """
        odds = self.decision_function(X)
        return np.asarray(set_log_likelihood(odds, check_label_sets(self._targets(Y), *odds.shape)))
