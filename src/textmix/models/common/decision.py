"""Turn calibrated scores into labels: the rule shared by model selection and by saved models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import brentq
from scipy.special import logit, logsumexp

from textmix.metrics.threshold import class_thresholds, threshold_sets, threshold_sweep
from textmix.models.common.calibration import EDGE, averaged, slope_of

#: Threshold of a label for which none was tuned.
DEFAULT_THRESHOLD = 0.5
#: Minimum number of documents for a per-label threshold; rarer labels use a common threshold.
MIN_LABEL_DOCUMENTS = 10
#: Thresholds that are tried: quantiles of the probabilities of the true labels.
N_QUANTILES = 200
#: Minimum and maximum weight of the log frequencies of label sets.
SET_PRIOR_WEIGHTS = (1e-3, 1e3)


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


def label_support(truth: np.ndarray, n_labels: int) -> np.ndarray:
    """Count the documents with and without each label, float64 (2, n_labels)."""
    n_with = np.bincount(truth, minlength=n_labels) if truth.ndim == 1 else truth.sum(axis=0)
    return np.array([n_with, len(truth) - n_with], dtype=np.float64)


def observed_label_sets(truth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct label sets of documents, and their log frequencies.

    Parameters
    ----------
    truth : ndarray of shape (n_documents, n_labels)
        Label indicators.

    Returns
    -------
    label_sets : ndarray of shape (n_sets, n_labels), dtype int8
    log_frequency : ndarray of shape (n_sets,)
    """
    label_sets, counts = np.unique(truth.astype(np.int8), axis=0, return_counts=True)
    return label_sets, np.log(counts / counts.sum())


def label_thresholds(
    probability: np.ndarray, truth: np.ndarray, criterion: str, min_documents: int = MIN_LABEL_DOCUMENTS
) -> tuple[np.ndarray, np.ndarray]:
    """Tune the threshold shared by all labels, and the threshold of each frequent label.

    Parameters
    ----------
    probability : ndarray of shape (n_documents, n_labels)
        Probability of each label.
    truth : ndarray of shape (n_documents, n_labels)
        Label indicators.
    criterion : {"f1", "errors", "sets"}
        Maximise F1, minimise the number of wrong decisions, or minimise the number of wrong label sets; per label,
        "sets" minimises the number of wrong decisions.
    min_documents : int, default=10
        Minimum number of documents of a label with its own threshold; the others use the shared one.

    Returns
    -------
    shared, per_label : ndarray of shape (n_labels,)
    """
    true_probability = probability[truth.astype(bool)]
    quantiles = np.linspace(0.0, 1.0, N_QUANTILES + 1)
    candidates = np.quantile(true_probability, quantiles) if len(true_probability) else np.empty(0)
    candidates = np.unique(np.append(candidates, DEFAULT_THRESHOLD))
    sweep = threshold_sweep(probability, truth, candidates)
    if criterion == "sets":
        shared = float(candidates[sweep.lowest_set_error()])
    elif criterion == "errors":
        shared = float(candidates[np.argmin(sweep.detected + sweep.reference - 2 * sweep.correct)])
    else:
        shared = float(candidates[np.argmax(sweep.f1)])
    label_criterion = "f1" if criterion == "f1" else "errors"
    per_label = class_thresholds(probability, truth, shared, label_criterion, min_documents)
    return np.full(probability.shape[1], shared), per_label


def refit_decision(
    decision: Decision, scores: Sequence[np.ndarray], truth: np.ndarray, task: str, criterion: str
) -> Decision:
    """Estimate a decision rule of the same kind from the scores of other documents.

    Thresholds that are all 0.5 and ``never_empty`` are kept.

    Parameters
    ----------
    decision : Decision
        Decision rule to be estimated again.
    scores : sequence of ndarray of shape (n_documents, n_labels)
        Scores of each member, of documents that it was not fitted to.
    truth : ndarray of shape (n_documents,) or (n_documents, n_labels)
        Class indices, or label indicators.
    task : {"single", "multi"}
        Whether a document has one label or a set of labels.
    criterion : {"f1", "errors", "sets"}
        Criterion of the thresholds, see `label_thresholds`.

    Returns
    -------
    Decision
    """
    support = None if decision.support is None else label_support(truth, decision.support.shape[1])
    slopes = [slope_of(member, truth, task) for member in scores]
    refitted = replace(decision, slopes=slopes, support=support)
    if decision.label_sets is not None and decision.set_weights is not None:
        label_sets, log_frequency = observed_label_sets(truth)
        weight = _set_prior_weight(decision.set_weights)
        refitted = replace(refitted, label_sets=label_sets, set_weights=weight * log_frequency)
    if decision.thresholds is None or (decision.thresholds == DEFAULT_THRESHOLD).all():
        return refitted
    probability = refitted.probabilities(scores, task)
    if task == "single":
        probability = np.ascontiguousarray(probability[:, 1:])
        truth = truth[:, np.newaxis]
    shared, per_label = label_thresholds(probability, truth, criterion)
    has_shared = task == "multi" and len(set(decision.thresholds.tolist())) == 1
    return replace(refitted, thresholds=shared if has_shared else per_label)


def _set_prior_weight(set_weights: np.ndarray) -> float:
    """Recover the weight w from w log p, where p are the proportions of label sets, which sum to 1."""
    if not set_weights.any():
        return 0.0

    def log_total(weight: float) -> float:
        """Compute the log of the sum of the proportions."""
        return float(logsumexp(set_weights / weight))

    low, high = SET_PRIOR_WEIGHTS
    if log_total(low) * log_total(high) > 0:
        return 1.0
    return float(brentq(log_total, low, high))
