"""Fit decision rules: calibration slopes, thresholds and label sets that suit a metric.

A decision rule is fitted to scores of documents that the estimators were not fitted to. A candidate is thus ranked by
what it can achieve for the chosen metric, and its value on a fold depends on the other folds only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from textmix.compare.metrics import Answer, ComparisonMetric
from textmix.models.common.calibration import EDGE, slope_of
from textmix.models.common.decision import (
    MIN_LABEL_DOCUMENTS,
    N_QUANTILES,
    Decision,
    label_support,
    label_thresholds,
    observed_label_sets,
)

#: Minimum number of documents for a per-label threshold, by metric; rarer labels use a common threshold.
MIN_LABEL_DOCUMENTS_BY_METRIC = {"macro_f": 3, "hamming_loss": 20}
#: Metrics that only depend on the most probable class.
LARGEST_SCORE_METRICS = ("accuracy", "error_rate")
#: Metrics of label errors, for which thresholds minimise the number of errors.
ERROR_METRICS = ("hamming_loss", "subset_accuracy")
#: Weights of the log frequency of a label set, tried if whole sets are to be correct.
SET_PRIOR_WEIGHTS = (0.0, 0.5, 1.0)
MAX_LABEL_SETS = 2000
#: Maximum numbers of scores used to fit thresholds and slopes.
MAX_THRESHOLD_SCORES = 2**22
MAX_SLOPE_SCORES = 2**16


def answer_of(decision: Decision, scores: Sequence[np.ndarray], task: str) -> Answer:
    """Apply a decision rule to the scores of each member, of shape (n_documents, n_labels)."""
    probability = decision.probabilities(scores, task)
    return Answer(decision.labels(probability, task), probability)


def decides_by_largest_score(metric: ComparisonMetric, n_labels: int) -> bool:
    """Return whether the labels of a single candidate do not depend on its calibration."""
    return metric.name in LARGEST_SCORE_METRICS or (metric.name == "macro_f1" and n_labels > 2)


def fit_decision(
    scores: Sequence[np.ndarray], truth: np.ndarray, metric: ComparisonMetric, *, never_empty: bool = False
) -> Decision:
    """Fit the slopes and the decision rule that suit a metric.

    Parameters
    ----------
    scores : sequence of ndarray of shape (n_documents, n_labels)
        Scores of each member, of documents that it was not fitted to.
    truth : ndarray of shape (n_documents,) or (n_documents, n_labels)
        Class indices, or label indicators.
    metric : ComparisonMetric
        Metric to optimise.
    never_empty : bool, default=False
        Whether every document gets at least one label.

    Returns
    -------
    Decision
    """
    step = slice(None, None, max(1, scores[0].size // MAX_THRESHOLD_SCORES))
    scores = [member[step] for member in scores]
    truth = truth[step]
    task = metric.task
    slopes = [fit_slope(member, truth, task) for member in scores]
    support = label_support(truth, scores[0].shape[1])
    plain = Decision(slopes, never_empty=never_empty, support=support)
    if task == "single" and (metric.ranks or metric.name in LARGEST_SCORE_METRICS or scores[0].shape[1] != 2):
        return plain
    probability = plain.probabilities(scores, task)
    decisions = _decisions(plain, probability, truth, metric)
    if len(decisions) == 1:
        return decisions[0]
    answers = [Answer(decision.labels(probability, task), probability) for decision in decisions]
    values = [metric.sign * metric(truth, answer) for answer in answers]
    return decisions[int(np.argmax(values))]


def _decisions(plain: Decision, probability: np.ndarray, truth: np.ndarray, metric: ComparisonMetric) -> list[Decision]:
    """Return the decision rules to try."""
    if metric.task == "single":
        thresholds = np.unique(np.quantile(probability[:, 1], np.linspace(0.0, 1.0, N_QUANTILES + 1)))
        return [plain, *(replace(plain, thresholds=np.array([threshold])) for threshold in thresholds)]
    decisions = [replace(plain, thresholds=row) for row in _label_thresholds(probability, truth, metric)]
    if metric.name == "subset_accuracy":
        label_sets, log_frequency = observed_label_sets(truth)
        if len(label_sets) <= MAX_LABEL_SETS:
            decisions += [
                replace(plain, label_sets=label_sets, set_weights=weight * log_frequency)
                for weight in SET_PRIOR_WEIGHTS
            ]
    return decisions


def fit_slope(scores: np.ndarray, truth: np.ndarray, task: str) -> float:
    """Fit the slope that calibrates scores of shape (n_documents, n_labels), to a sample if there are many."""
    step = slice(None, None, max(1, scores.size // MAX_SLOPE_SCORES))
    return slope_of(scores[step], truth[step], task)


def _label_thresholds(probability: np.ndarray, truth: np.ndarray, metric: ComparisonMetric) -> list[np.ndarray]:
    """Return thresholds to try: the best one shared by all labels, and one for each frequent label."""
    n_labels = probability.shape[1]
    if metric.ranks:
        return [np.full(n_labels, 0.5)]
    if metric.name == "subset_accuracy":
        criterion = "sets"
    else:
        criterion = "errors" if metric.name in ERROR_METRICS else "f1"
    min_documents = MIN_LABEL_DOCUMENTS_BY_METRIC.get(metric.name, MIN_LABEL_DOCUMENTS)
    return list(label_thresholds(probability, truth, criterion, min_documents))


def log_probability_of_truth(probability: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Return the log probability of each true class, or of each correct decision on a label (flattened)."""
    if truth.ndim == 1:
        true_probability = probability[np.arange(len(truth)), truth]
    else:
        true_probability = np.where(truth, probability, 1.0 - probability).ravel()
    return np.asarray(np.log(np.maximum(true_probability, EDGE)))
