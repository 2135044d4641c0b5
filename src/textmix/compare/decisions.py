"""From the scores of candidates to answers: slopes that calibrate, thresholds, and label sets, fitted to other folds.

A decision is fitted to scores of documents that no fit had seen.  So a candidate is ranked by what it can do for the
metric that was asked for, and its value on a fold rests on the other folds alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from textmix.compare.metrics import Answer, ComparisonMetric
from textmix.metrics.threshold import class_thresholds, threshold_sweep
from textmix.models.common.calibration import EDGE, averaged, slope_of
from textmix.models.common.decision import Decision

#: Fewest documents of a label to which a threshold of its own is fitted, by the metric; of the others one is shared.
LEAST = {"macro_f": 3, "hamming_loss": 20}
OFTEN = 10
#: Values of the weight of the log share of a label set, where sets as a whole are to be right.
PRIORS = (0.0, 0.5, 1.0)
#: Most label sets, most scores to which thresholds are fitted, and most to which a slope is.
SETS, FITTED, SLOPED = 2000, 2**22, 2**16
#: Thresholds that are tried, as quantiles of the probabilities of true labels.
TRIED = 200


def answer_of(decision: Decision, scores: Sequence[np.ndarray], task: str) -> Answer:
    """Return the answer of a decision to the scores of each part, float (N, C) or (N, L)."""
    probability = decision.probabilities(scores, task)
    return Answer(decision.labels(probability, task), probability)


def fit_decision(
    scores: Sequence[np.ndarray], truth: np.ndarray, metric: ComparisonMetric, *, never_empty: bool = False
) -> Decision:
    """Return the slopes and the rule that suit a metric.  ``scores`` of each part, (N, C) or (N, L), are of documents
    that no fit had seen; ``truth`` is classes (N,) or indicators (N, L); ``never_empty``: each document has a label.
    """
    step = slice(None, None, max(1, scores[0].size // FITTED))
    scores, truth, task = [each[step] for each in scores], truth[step], metric.task
    slopes = [slope_on(each, truth, task) for each in scores]
    plain = Decision(slopes, never_empty=never_empty)
    if task == "single" and (metric.ranks or metric.name in ("accuracy", "error_rate") or scores[0].shape[1] != 2):
        return plain
    probability = averaged(scores, slopes, task)
    if task == "single":
        tried = np.unique(np.quantile(probability[:, 1], np.linspace(0.0, 1.0, TRIED + 1)))
        rules = [plain, *(replace(plain, thresholds=np.array([threshold])) for threshold in tried)]
    else:
        rules = [replace(plain, thresholds=each) for each in _thresholds(probability, truth, metric)]
    if metric.name == "subset_accuracy":
        sets, bonus = label_sets(truth)
        if len(sets) <= SETS:
            rules += [replace(plain, label_sets=sets, set_weights=weight * bonus) for weight in PRIORS]
    if len(rules) == 1:
        return rules[0]
    values = [metric.sign * metric(truth, Answer(rule.labels(probability, task), probability)) for rule in rules]
    return rules[int(np.argmax(values))]


def slope_on(scores: np.ndarray, truth: np.ndarray, task: str) -> float:
    """Return the slope that calibrates scores (N, C) or (N, L), by a part of them where they are many."""
    step = slice(None, None, max(1, scores.size // SLOPED))
    return slope_of(scores[step], truth[step], task)


def _thresholds(probability: np.ndarray, truth: np.ndarray, metric: ComparisonMetric) -> list[np.ndarray]:
    """Return thresholds among which the metric decides: one for all labels, and one for each frequent label."""
    n_labels = probability.shape[1]
    if metric.ranks:
        return [np.full(n_labels, 0.5)]
    true = probability[truth.astype(bool)]
    tried = np.unique(np.append(np.quantile(true, np.linspace(0.0, 1.0, TRIED + 1)) if len(true) else [], 0.5))
    sweep = threshold_sweep(probability, truth, tried)
    by_errors = metric.name in ("hamming_loss", "subset_accuracy")
    if metric.name == "subset_accuracy":
        shared = float(tried[sweep.lowest_set_error()])
    elif by_errors:
        shared = float(tried[np.argmin(sweep.detected + sweep.reference - 2 * sweep.correct)])
    else:
        shared = float(tried[np.argmax(sweep.f1)])
    least = LEAST.get(metric.name, OFTEN)
    own = class_thresholds(probability, truth, shared, "errors" if by_errors else "f1", least)
    return [np.full(n_labels, shared), own]


def label_sets(truth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the label sets of indicators (N, L), int8 (S, L), and the log of the share of each, (S,)."""
    sets, counts = np.unique(truth.astype(np.int8), axis=0, return_counts=True)
    return sets, np.log(counts / counts.sum())


def of_truth(probability: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Return the log probability of what is true: of each class (N,), or of each decision on a label (N L,)."""
    if truth.ndim == 1:
        stated = probability[np.arange(len(truth)), truth]
    else:
        stated = np.where(truth, probability, 1.0 - probability).ravel()
    return np.asarray(np.log(np.maximum(stated, EDGE)))
