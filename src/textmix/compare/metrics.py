"""The metrics by which candidates are compared, of answers or of probabilities, and the paired test of two of them."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from textmix.core.errors import ConfigError, suggest
from textmix.experiment.scoring import Evaluation, metric_value
from textmix.metrics.registry import METRICS, main_metric, tuning_metrics
from textmix.metrics.significance import Estimate
from textmix.numerics.seeding import rng

#: Metrics beside those of `textmix.metrics.registry`: of answers, of probabilities, and that of one label, ``f:LABEL``.
WEIGHTED, RANKING, ONE = "weighted_f", ("average_precision", "auc"), "f:"
#: Metrics of the page besides the one that was asked for.
SHOWN = {
    "single": ("accuracy", "macro_f1", WEIGHTED, "log_loss"),
    "multi": ("subset_accuracy", "micro_f", "macro_f", "sample_f", "hamming_loss"),
}
#: Resamples of a paired test, and those by which their time is known.
RESAMPLES, TRIED = 1000, 5


class Answer(NamedTuple):
    """Predicted classes (N,) or indicators (N, L), and the probability of each class or label, (N, C) or (N, L)."""

    labels: np.ndarray
    probability: np.ndarray


class ComparisonMetric(NamedTuple):
    """A metric of a comparison, by the name that the user gives; ``task`` is ``single`` or ``multi``, ``label`` the
    number of the one label of ``f:LABEL``.
    """

    name: str
    task: str
    label: int | None = None

    @property
    def loss(self) -> bool:
        """Whether less is better."""
        return self.name in METRICS and METRICS[self.name].loss

    @property
    def sign(self) -> float:
        """The factor with which more is better."""
        return -1.0 if self.loss else 1.0

    @property
    def ranks(self) -> bool:
        """Whether it is of probabilities alone, so that no decision changes it."""
        return self.name in RANKING or self.name.endswith("log_loss")

    def __call__(self, truth: np.ndarray, answer: Answer) -> float:
        """Return its value, of classes (N,) or label indicators (N, L)."""
        if self.label is not None:
            pair = (truth, answer.labels) if truth.ndim == 2 else (_inside(truth, self), _inside(answer.labels, self))
            return _f(*(each[:, self.label] if each.ndim == 2 else each for each in pair))
        if self.name == WEIGHTED:
            return _weighted_f(truth, answer.labels)
        if self.name in RANKING:
            return _ranked(self.name, truth, answer.probability)
        logs = np.full(len(truth), np.nan)
        if truth.ndim == 1 and self.ranks:
            logs = np.log(np.maximum(answer.probability[np.arange(len(truth)), truth], 1e-15))
        return metric_value(self.name, Evaluation(truth, answer.labels, logs))


def metric_of(name: str | None, task: str, labels: list[str]) -> ComparisonMetric:
    """Return the metric of a name, by default the main one of the task (``single`` or ``multi``); else ConfigError."""
    name = name or main_metric(task)
    if name.startswith(ONE):
        label = name.removeprefix(ONE)
        if label not in labels:
            raise ConfigError(f"metric: there is no label {label!r}; {suggest(label, labels)}")
        return ComparisonMetric(name, task, labels.index(label))
    allowed = names_of(task)
    if name not in allowed:
        raise ConfigError(f"metric: {name!r} is not allowed; {suggest(name, [*allowed, f'{ONE}LABEL'])}")
    return ComparisonMetric(name, task)


def names_of(task: str) -> list[str]:
    """Return the names of the metrics of a task, ``single`` or ``multi``, but for those of one label."""
    return [*(name for name in tuning_metrics(task) if name != "set_log_loss"), WEIGHTED, *RANKING]


def paired_bootstrap(
    metric: ComparisonMetric, truth: np.ndarray, answers: tuple[Answer, Answer], seed: int = 0
) -> Estimate:
    """Return the difference of two answers to the same documents, the first less the second, by `RESAMPLES` paired
    resamples.  ``truth`` is classes (N,) or label indicators (N, L).
    """
    value = metric(truth, answers[0]) - metric(truth, answers[1])
    first, second = (_resampled(metric, truth, answer, seed) for answer in answers)
    low, high = np.quantile(first - second, (0.025, 0.975)).tolist()
    tail = min(float(np.mean(first <= second)), float(np.mean(first >= second)))
    return Estimate(value, low, high, min(1.0, 2.0 * max(tail, 1.0 / RESAMPLES)))


def interval(metric: ComparisonMetric, truth: np.ndarray, answer: Answer, seed: int = 0) -> tuple[float, float]:
    """Return the ends of the 95 % interval of a metric over the documents, by a bootstrap."""
    low, high = np.quantile(_resampled(metric, truth, answer, seed), (0.025, 0.975)).tolist()
    return float(low), float(high)


def resampling_seconds(metric: ComparisonMetric, truth: np.ndarray, answer: Answer) -> float:
    """Return about how many seconds of the processor all resamples of N documents take."""
    start = time.thread_time()  # other threads fit
    _resampled(metric, truth, answer, 0, TRIED)
    return (time.thread_time() - start) * RESAMPLES / TRIED


def _resampled(
    metric: ComparisonMetric, truth: np.ndarray, answer: Answer, seed: int, resamples: int = RESAMPLES
) -> np.ndarray:
    """Return the metric on resamples of the documents, which the seed alone decides, float64 (R,)."""
    generator, values = rng(seed, "resamples"), np.empty(resamples)
    right: np.ndarray | None = None
    if metric.name in ("accuracy", "subset_accuracy"):
        same = np.asarray(answer.labels == truth).reshape(len(truth), -1)
        right = np.asarray(same.all(axis=1), dtype=np.float64)
    for resample in range(resamples):
        rows = generator.integers(len(truth), size=len(truth))
        if right is not None:
            values[resample] = right[rows].mean()
        else:
            probability = answer.probability[rows] if metric.ranks else answer.probability
            values[resample] = metric(truth[rows], Answer(answer.labels[rows], probability))
    return values


def _inside(classes: np.ndarray, metric: ComparisonMetric) -> np.ndarray:
    """Return whether each document has the class of the metric."""
    return np.asarray(classes == metric.label)


def _f(true: np.ndarray, predicted: np.ndarray) -> float:
    """Return F of one label, 0 where it is neither true nor predicted."""
    true, predicted = true.astype(bool), predicted.astype(bool)
    total = true.sum() + predicted.sum()
    return float(2.0 * (true & predicted).sum() / total) if total else 0.0


def _ranked(name: str, truth: np.ndarray, probability: np.ndarray) -> float:
    """Return the area under a curve: of the second of two classes, else the mean over those that are there and not."""
    inside = truth if truth.ndim == 2 else np.equal.outer(truth, np.arange(probability.shape[1]))
    if truth.ndim == 1 and probability.shape[1] == 2:
        inside, probability = inside[:, 1:], probability[:, 1:]
    known = np.flatnonzero(inside.any(axis=0) & ~inside.all(axis=0))
    return float(np.mean([_area(name, inside[:, k], probability[:, k]) for k in known])) if len(known) else 0.0


def _area(name: str, inside: np.ndarray, score: np.ndarray) -> float:
    """Return the area under a curve of one label; documents of one score count together."""
    order = np.argsort(-score, kind="stable")
    last = np.append(np.flatnonzero(np.diff(score[order])), len(order) - 1)
    hits = np.cumsum(inside[order])[last]
    if name == "average_precision":
        return float(np.sum(np.diff(hits, prepend=0) * hits / (last + 1.0)) / hits[-1])
    others = last + 1.0 - hits
    between = hits - np.diff(hits, prepend=0) / 2.0
    return float(np.sum(between * np.diff(others, prepend=0.0)) / (hits[-1] * others[-1]))


def _weighted_f(true: np.ndarray, predicted: np.ndarray) -> float:
    """Return the mean of F of the labels, each weighted by its documents."""
    if true.ndim == 1:
        n_labels = int(max(true.max(), predicted.max())) + 1
        hits = np.bincount(true[true == predicted], minlength=n_labels)
        support, claimed = np.bincount(true, minlength=n_labels), np.bincount(predicted, minlength=n_labels)
    else:
        hits, support, claimed = (true * predicted).sum(axis=0), true.sum(axis=0), predicted.sum(axis=0)
    total = support + claimed
    f = np.where(total > 0, 2.0 * hits / np.maximum(total, 1), 0.0)
    return float(np.sum(support * f) / max(support.sum(), 1))
