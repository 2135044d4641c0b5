"""Metrics of a comparison, their confidence intervals, and the paired bootstrap test."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from textmix.core.errors import ConfigError, suggest
from textmix.experiment.scoring import Evaluation, metric_value
from textmix.metrics.registry import METRICS, main_metric, tuning_metrics
from textmix.metrics.significance import Estimate
from textmix.numerics.seeding import rng

#: Additions to the metrics of `textmix.metrics.registry`: weighted F1, probability metrics, and F1 of a label.
WEIGHTED_F = "weighted_f"
RANKING_METRICS = ("average_precision", "auc")
LABEL_PREFIX = "f:"
#: Metrics that are means over the documents.
MEAN_METRICS = ("accuracy", "subset_accuracy")
#: Metric of the registry that needs probabilities of label sets, which candidates do not have.
UNSUPPORTED_METRIC = "set_log_loss"
#: Metrics of the report, in addition to the chosen one.
REPORTED_METRICS = {
    "single": ("accuracy", "macro_f1", WEIGHTED_F, "log_loss"),
    "multi": ("subset_accuracy", "micro_f", "macro_f", "sample_f", "hamming_loss"),
}
N_RESAMPLES = 1000
#: Number of resamples used to predict the total time.
N_TIMED_RESAMPLES = 5
#: Quantiles of a 95 % interval.
INTERVAL = (0.025, 0.975)
MIN_PROBABILITY = 1e-15


class Answer(NamedTuple):
    """Predictions.

    Parameters
    ----------
    labels : ndarray of shape (n_documents,) or (n_documents, n_labels)
        Class indices, or label indicators.
    probability : ndarray of shape (n_documents, n_labels)
        Probability of each class or label.
    """

    labels: np.ndarray
    probability: np.ndarray


class ComparisonMetric(NamedTuple):
    """Metric of a comparison.

    Parameters
    ----------
    name : str
        Name, as on the command line.
    task : {"single", "multi"}
        Whether a document has one label or a set of labels.
    label : int, default=None
        Index of the label of ``f:LABEL``.
    """

    name: str
    task: str
    label: int | None = None

    @property
    def is_loss(self) -> bool:
        """Whether smaller values are better."""
        return self.name in METRICS and METRICS[self.name].loss

    @property
    def sign(self) -> float:
        """1 if larger values are better, else -1."""
        return -1.0 if self.is_loss else 1.0

    @property
    def ranks(self) -> bool:
        """Whether the metric depends on probabilities only, so that no decision rule changes it."""
        return self.name in RANKING_METRICS or self.name.endswith("log_loss")

    @property
    def title(self) -> str:
        """Display title."""
        return self.name.replace("_", " ")

    def __call__(self, truth: np.ndarray, answer: Answer) -> float:
        """Evaluate predictions.

        Parameters
        ----------
        truth : ndarray of shape (n_documents,) or (n_documents, n_labels)
            Class indices, or label indicators.
        answer : Answer
            Predictions.

        Returns
        -------
        float
        """
        if self.label is not None:
            return _f1(_has_label(truth, self.label), _has_label(answer.labels, self.label))
        if self.name == WEIGHTED_F:
            return _weighted_f1(truth, answer.labels)
        if self.name in RANKING_METRICS:
            return _mean_area(self.name, truth, answer.probability)
        log_probability = np.full(len(truth), np.nan)
        if truth.ndim == 1 and self.ranks:
            probability = answer.probability[np.arange(len(truth)), truth]
            log_probability = np.log(np.maximum(probability, MIN_PROBABILITY))
        return metric_value(self.name, Evaluation(truth, answer.labels, log_probability))


def metric_of(name: str | None, task: str, labels: list[str]) -> ComparisonMetric:
    """Return the metric with a name, by default the main one of the task.

    Parameters
    ----------
    name : str or None
        A name of `metric_names`, or ``f:LABEL``.
    task : {"single", "multi"}
        Whether a document has one label or a set of labels.
    labels : list of str
        Names of the labels.

    Returns
    -------
    ComparisonMetric

    Raises
    ------
    ConfigError
        If the metric or the label is unknown.
    """
    name = name or main_metric(task)
    if name.startswith(LABEL_PREFIX):
        label = name.removeprefix(LABEL_PREFIX)
        if label not in labels:
            raise ConfigError(f"metric: unknown label {label!r}; {suggest(label, labels)}")
        return ComparisonMetric(name, task, labels.index(label))
    names = metric_names(task)
    if name not in names:
        raise ConfigError(f"metric: unknown metric {name!r}; {suggest(name, [*names, f'{LABEL_PREFIX}LABEL'])}")
    return ComparisonMetric(name, task)


def metric_names(task: str) -> list[str]:
    """List the metrics of a task, except F1 of a label.

    Parameters
    ----------
    task : {"single", "multi"}
        The task.

    Returns
    -------
    list of str
        Names of the metrics.
    """
    names = [name for name in tuning_metrics(task) if name != UNSUPPORTED_METRIC]
    return [*names, WEIGHTED_F, *RANKING_METRICS]


def paired_bootstrap(
    metric: ComparisonMetric, truth: np.ndarray, answers: tuple[Answer, Answer], seed: int = 0
) -> Estimate:
    """Compare two sets of predictions of the same documents by a paired bootstrap.

    Parameters
    ----------
    metric : ComparisonMetric
        Metric to compare.
    truth : ndarray of shape (n_documents,) or (n_documents, n_labels)
        Class indices, or label indicators.
    answers : (Answer, Answer)
        Predictions.
    seed : int, default=0
        Random seed of the resamples.

    Returns
    -------
    Estimate
        Difference of the metric, first minus second predictions, with its confidence interval.
    """
    value = metric(truth, answers[0]) - metric(truth, answers[1])
    first = _resample(metric, truth, answers[0], seed)
    second = _resample(metric, truth, answers[1], seed)
    low, high = np.quantile(first - second, INTERVAL).tolist()
    tail = min(float(np.mean(first <= second)), float(np.mean(first >= second)))
    return Estimate(value, low, high, min(1.0, 2.0 * max(tail, 1.0 / N_RESAMPLES)))


def bootstrap_interval(
    metric: ComparisonMetric, truth: np.ndarray, answer: Answer, seed: int = 0
) -> tuple[float, float]:
    """Compute the 95 % bootstrap confidence interval of a metric.

    Parameters
    ----------
    metric : ComparisonMetric
        The metric.
    truth : ndarray of shape (n_documents,) or (n_documents, n_labels)
        Class indices or label indicators.
    answer : Answer
        Predictions.
    seed : int, default=0
        Random seed of the resamples.

    Returns
    -------
    (float, float)
        Lower and upper bound.
    """
    low, high = np.quantile(_resample(metric, truth, answer, seed), INTERVAL).tolist()
    return float(low), float(high)


def resampling_seconds(metric: ComparisonMetric, truth: np.ndarray, answer: Answer) -> float:
    """Predict the CPU seconds of all resamples of the documents."""
    start = time.thread_time()  # excludes other threads, which are fitting
    _resample(metric, truth, answer, 0, N_TIMED_RESAMPLES)
    return (time.thread_time() - start) * N_RESAMPLES / N_TIMED_RESAMPLES


def _resample(
    metric: ComparisonMetric, truth: np.ndarray, answer: Answer, seed: int, n_resamples: int = N_RESAMPLES
) -> np.ndarray:
    """Return the metric on bootstrap resamples of the documents, float64 (n_resamples,)."""
    generator = rng(seed, "resamples")
    values = np.empty(n_resamples)
    is_correct: np.ndarray | None = None
    if metric.name in MEAN_METRICS:
        matches = np.asarray(answer.labels == truth).reshape(len(truth), -1)
        is_correct = np.asarray(matches.all(axis=1), dtype=np.float64)
    for resample in range(n_resamples):
        rows = generator.integers(len(truth), size=len(truth))
        if is_correct is not None:
            values[resample] = is_correct[rows].mean()
        else:
            probability = answer.probability[rows] if metric.ranks else answer.probability
            values[resample] = metric(truth[rows], Answer(answer.labels[rows], probability))
    return values


def _has_label(labels: np.ndarray, label: int) -> np.ndarray:
    """Return whether each document has a label, of class indices or label indicators."""
    return np.asarray(labels == label) if labels.ndim == 1 else labels[:, label].astype(bool)


def _f1(true: np.ndarray, predicted: np.ndarray) -> float:
    """Compute F1 of a label; 0 if it has no true and no predicted documents."""
    total = true.sum() + predicted.sum()
    return float(2.0 * (true & predicted).sum() / total) if total else 0.0


def _mean_area(name: str, truth: np.ndarray, probability: np.ndarray) -> float:
    """Compute the area under a curve: for the positive class if binary, else the mean over nonconstant labels."""
    is_true = truth if truth.ndim == 2 else np.equal.outer(truth, np.arange(probability.shape[1]))
    if truth.ndim == 1 and probability.shape[1] == 2:
        is_true = is_true[:, 1:]
        probability = probability[:, 1:]
    varying = np.flatnonzero(is_true.any(axis=0) & ~is_true.all(axis=0))
    areas = [_area(name, is_true[:, label], probability[:, label]) for label in varying]
    return float(np.mean(areas)) if areas else 0.0


def _area(name: str, is_true: np.ndarray, score: np.ndarray) -> float:
    """Compute average precision or the area under the ROC curve of a label, treating equal scores as ties."""
    order = np.argsort(-score, kind="stable")
    last_of_ties = np.append(np.flatnonzero(np.diff(score[order])), len(order) - 1)
    true_positives = np.cumsum(is_true[order])[last_of_ties]
    new_positives = np.diff(true_positives, prepend=0)
    if name == "average_precision":
        return float(np.sum(new_positives * true_positives / (last_of_ties + 1.0)) / true_positives[-1])
    false_positives = last_of_ties + 1.0 - true_positives
    heights = true_positives - new_positives / 2.0
    total = true_positives[-1] * false_positives[-1]
    return float(np.sum(heights * np.diff(false_positives, prepend=0.0)) / total)


def _weighted_f1(true: np.ndarray, predicted: np.ndarray) -> float:
    """Compute the mean F1 of the labels, weighted by support."""
    if true.ndim == 1:
        n_labels = int(max(true.max(), predicted.max())) + 1
        true_positives = np.bincount(true[true == predicted], minlength=n_labels)
        n_true = np.bincount(true, minlength=n_labels)
        n_predicted = np.bincount(predicted, minlength=n_labels)
    else:
        true_positives = (true * predicted).sum(axis=0)
        n_true = true.sum(axis=0)
        n_predicted = predicted.sum(axis=0)
    total = n_true + n_predicted
    f1 = np.where(total > 0, 2.0 * true_positives / np.maximum(total, 1), 0.0)
    return float(np.sum(n_true * f1) / max(n_true.sum(), 1))
