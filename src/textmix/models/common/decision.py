"""Turn calibrated scores into labels: the rule shared by model selection and by saved models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import logit

from textmix.metrics.threshold import threshold_sets
from textmix.models.common.calibration import EDGE, averaged

#: Threshold of a label for which none was tuned.
DEFAULT_THRESHOLD = 0.5


@dataclass(frozen=True)
class Decision:
    """Decision rule of one estimator, or of an ensemble whose calibrated probabilities are averaged.

    Parameters
    ----------
    slopes : sequence of float
        Calibration slope of each member of the ensemble.
    thresholds : ndarray of shape (n_labels,) or (1,), default=None
        Threshold of each label, or of the positive class in binary classification. If None, predict the most probable
        class (single-label) or every label with a probability of at least 0.5 (multi-label).
    label_sets : ndarray of shape (n_sets, n_labels), dtype int8, default=None
        Candidate label sets; if set, the most probable candidate is predicted instead of applying thresholds.
    set_weights : ndarray of shape (n_sets,), default=None
        Weight that is added to the log-odds of each label set.
    never_empty : bool, default=False
        Whether every document gets at least one label (multi-label only).
    support : ndarray of shape (2, n_labels), default=None
        Number of calibration documents with and without each label. If not None, probabilities are bounded, see
        `bound_probabilities`.
    """

    slopes: Sequence[float]
    thresholds: np.ndarray | None = None
    label_sets: np.ndarray | None = None
    set_weights: np.ndarray | None = None
    never_empty: bool = False
    support: np.ndarray | None = None

    def probabilities(self, scores: Sequence[np.ndarray], task: str) -> np.ndarray:
        """Average the calibrated probabilities of the members, and bound them if ``support`` is not None.

        Parameters
        ----------
        scores : sequence of ndarray of shape (n_documents, n_labels)
            Scores of each member.
        task : {"single", "multi"}
            Whether a document has one label or a set of labels.

        Returns
        -------
        ndarray of shape (n_documents, n_labels)
        """
        probability = averaged(scores, self.slopes, task)
        if self.support is None:
            return probability
        return bound_probabilities(probability, self.support, task)

    def labels(self, probability: np.ndarray, task: str) -> np.ndarray:
        """Predict labels from probabilities.

        Parameters
        ----------
        probability : ndarray of shape (n_documents, n_labels)
            Result of `probabilities`.
        task : {"single", "multi"}
            Whether a document has one label or a set of labels.

        Returns
        -------
        ndarray of shape (n_documents,) or (n_documents, n_labels), dtype int64
            Class indices, or label indicators.
        """
        if self.label_sets is not None and self.set_weights is not None:
            return most_probable_sets(probability, self.label_sets, self.set_weights)
        if task == "multi":
            thresholds = DEFAULT_THRESHOLD if self.thresholds is None else self.thresholds
            return threshold_sets(probability, thresholds, never_empty=self.never_empty).astype(np.int64)
        if self.thresholds is None:
            return np.argmax(probability, axis=1)
        return (probability[:, 1] >= self.thresholds[0]).astype(np.int64)


def most_probable_sets(probability: np.ndarray, label_sets: np.ndarray, set_weights: np.ndarray) -> np.ndarray:
    """Predict the most probable candidate label set, assuming independent labels.

    Parameters
    ----------
    probability : ndarray of shape (n_documents, n_labels)
        Marginal probability of each label.
    label_sets : ndarray of shape (n_sets, n_labels), dtype int8
        Candidate label sets.
    set_weights : ndarray of shape (n_sets,)
        Weight that is added to the log-odds of each set.

    Returns
    -------
    ndarray of shape (n_documents, n_labels), dtype int64
    """
    log_odds = logit(np.clip(probability, EDGE, 1.0 - EDGE))
    best = np.argmax(log_odds @ label_sets.T.astype(np.float64) + set_weights, axis=1)
    return np.asarray(label_sets[best], dtype=np.int64)


def bound_probabilities(probability: np.ndarray, support: np.ndarray, task: str) -> np.ndarray:
    """Shrink probabilities to the confidence that the number of calibration documents supports.

    The most probable class, or each decision on a label, gets at most Platt's target (n + 1) / (n + 2), where n is the
    number of calibration documents with that outcome. The order of the labels of a document, and the decision at 0.5,
    do not change.

    Source: J. Platt, Probabilistic outputs for support vector machines, 1999, section 2.2.

    Parameters
    ----------
    probability : ndarray of shape (n_documents, n_labels)
        Probabilities of the classes, or of each label.
    support : ndarray of shape (2, n_labels)
        Number of calibration documents with and without each label.
    task : {"single", "multi"}
        Whether a document has one label or a set of labels.

    Returns
    -------
    ndarray of shape (n_documents, n_labels)
    """
    targets = (support + 1.0) / (support + 2.0)
    n_labels = probability.shape[1]
    if task == "multi":
        target = np.where(probability >= 0.5, targets[0], targets[1])
        return np.asarray(0.5 + (probability - 0.5) * (2.0 * target - 1.0))
    if n_labels < 2:
        return probability
    # A mixture with the uniform distribution still sums to 1.
    uniform = (1.0 - targets[0][np.argmax(probability, axis=1)]) * n_labels / (n_labels - 1)
    uniform = uniform[:, np.newaxis]
    return np.asarray((1.0 - uniform) * probability + uniform / n_labels)
