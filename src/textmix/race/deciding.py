"""How scores of held-out documents become an average: its parts, slopes and thresholds, and its value on each fold.

On a fold all of it is decided by the other folds, and at last by all folds.  Parts are added as long as the mean log
probability of what is true grows (after R. Caruana, A. Niculescu-Mizil, G. Crew and A. Ksikes, ICML 2004, but without
replacement).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from textmix.experiment.scoring import Evaluation, metric_value
from textmix.metrics.threshold import class_thresholds
from textmix.models.common.averaging import EDGE, averaged, calibrated, decided, slope_of

#: Metric -> criterion of the thresholds that suit it; of all other metrics it is that of F.
CRITERIA = {"hamming_loss": "errors", "subset_accuracy": "errors"}
#: Fewest documents of a label to which its threshold is fitted, and the threshold of the others.
LEAST, DEFAULT = 3, 0.5
#: Least gain of one more part, in nats a decision.
GAIN = 1e-4
#: Most scores of an arm to which its slope is fitted.
SLOPED = 2**17


class Decision(NamedTuple):
    """How probabilities are averaged.

    Parameters
    ----------
    slopes : of each part.
    thresholds : of each label, or None.
    parts : numbers of the parts, of those that were offered.
    """

    slopes: list[float]
    thresholds: np.ndarray | None
    parts: list[int]


def decision_of(
    scores: Sequence[np.ndarray], truth: np.ndarray, task: str, metric: str, most: int | None = None
) -> Decision:
    """Return parts, slopes, and thresholds that suit a metric, fitted to held-out documents.

    Parameters
    ----------
    scores : of each part that is offered, float64 (N, L).
    truth : classes (N,) or label indicators (N, L).
    task, metric : of the race.
    most : parts that are chosen; None for all that are offered.
    """
    some = slice(None, None, max(1, -(-scores[0].size // SLOPED)))
    slopes = [slope_of(each[some], truth[some], task) for each in scores]
    parts = list(range(len(scores)))
    if most is not None:
        parts = chosen_parts(
            [of_truth(calibrated(*pair, task), truth) for pair in zip(scores, slopes, strict=True)], most
        )
    slopes = [slopes[part] for part in parts]
    if task == "single":
        return Decision(slopes, None, parts)
    criterion = CRITERIA.get(metric, "f1")
    probability = averaged([scores[part] for part in parts], slopes, task)
    return Decision(slopes, class_thresholds(probability, truth, DEFAULT, criterion, LEAST), parts)


def of_truth(probability: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Return the probability of what is true: of each class (N,), or of each decision on a label (N L,)."""
    if truth.ndim == 1:
        return np.asarray(probability[np.arange(len(truth)), truth])
    return np.asarray(np.where(truth, probability, 1.0 - probability).ravel())


def chosen_parts(stated: Sequence[np.ndarray], most: int) -> list[int]:
    """Return the numbers of the parts whose average has, step by step, the greatest mean log probability.

    Parameters
    ----------
    stated : of each part its probability of what is true, of `of_truth`.
    most : parts.
    """
    found, total, value = list[int](), np.zeros_like(stated[0]), -np.inf
    while len(found) < min(most, len(stated)):
        means = {
            part: float(np.mean(np.log(np.maximum((total + stated[part]) / (len(found) + 1), EDGE))))
            for part in range(len(stated))
            if part not in found
        }
        best = max(means, key=lambda part: means[part])
        if found and means[best] < value + GAIN:
            break
        found.append(best)
        total, value = total + stated[best], means[best]
    return found


def validated(
    rounds: Sequence[tuple[Sequence[Sequence[np.ndarray]], Sequence[np.ndarray]]],
    task: str,
    metric: str,
    *,
    never_empty: bool,
    most: int | None = None,
) -> tuple[list[float], Decision]:
    """Return the metric on each fold, decided by the other folds, and the decision by all folds.

    Parameters
    ----------
    rounds : of each cross-validation, of each fold the scores of each part for its held-out documents, float64
        (N, L), and of each fold classes (N,) or label indicators (N, L).
    task, metric : of the race.
    never_empty : whether each document gets a label.
    most : see `decision_of`.
    """
    values = []
    for folds, truths in rounds:
        for fold, truth in enumerate(truths):
            others = [number for number in range(len(folds)) if number != fold]
            truth_of_rest = np.concatenate([truths[number] for number in others])
            decision = decision_of(_joined(folds, others), truth_of_rest, task, metric, most)
            probability = averaged([folds[fold][part] for part in decision.parts], decision.slopes, task)
            values.append(_value(metric, truth, probability, decision.thresholds, never_empty))
    every = [fold for folds, _ in rounds for fold in folds]
    truth = np.concatenate([truth for _, truths in rounds for truth in truths])
    return values, decision_of(_joined(every, range(len(every))), truth, task, metric, most)


def _joined(folds: Sequence[Sequence[np.ndarray]], chosen: Sequence[int] | range) -> list[np.ndarray]:
    """Return the scores of each part for the documents of some folds."""
    return [np.concatenate([folds[number][part] for number in chosen]) for part in range(len(folds[0]))]


def _value(
    metric: str, truth: np.ndarray, probability: np.ndarray, thresholds: np.ndarray | None, never_empty: bool
) -> float:
    """Return the metric of decided probabilities."""
    predicted = decided(probability, thresholds, never_empty=never_empty)
    marginals = probability if thresholds is not None else probability.max(axis=1)
    return metric_value(metric, Evaluation(truth, predicted, log_of_truth(probability, truth), marginals))


def log_of_truth(probability: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Return the log probability of the true class (N,); nan for label sets, which an average gives no probability."""
    if truth.ndim > 1:
        return np.full(len(truth), np.nan)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(probability[np.arange(len(truth)), truth]))
