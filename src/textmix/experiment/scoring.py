"""Compute metrics from stored predictions, without fitting a method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from textmix.data.corpus import Corpus
from textmix.experiment.predictions import Predictions
from textmix.experiment.splits import Splits
from textmix.metrics import classification, multilabel, probability
from textmix.metrics.registry import METRICS, check_metrics, metrics_for

#: Columns of a score file.
SCORE_COLUMNS = ("variant", "trial", "metric", "value")

#: Modules of the metrics, imported by statement so that the code digest of a score includes them.
_MODULES = {"classification": classification, "multilabel": multilabel, "probability": probability}


@dataclass(frozen=True)
class Evaluation:
    """True and predicted labels of N documents.

    Parameters
    ----------
    true, predicted : ndarray of shape (N,) or (N, L)
        Classes or label indicators.
    true_log_proba : ndarray of shape (N,), dtype=float64
        Log probability of the true class or label set, in nats.
    marginals : ndarray of shape (N,) or (N, L), default=None
        Probability of the predicted class, or of each label.
    confidence : ndarray of shape (N,), default=None
        Probability that the predicted label set is correct.
    text : ndarray of shape (N, 2), default=None
        Log likelihood and number of words of each text.
    """

    true: np.ndarray
    predicted: np.ndarray
    true_log_proba: np.ndarray
    marginals: np.ndarray | None = None
    confidence: np.ndarray | None = None
    text: np.ndarray | None = None


def metric_value(name: str, evaluation: Evaluation) -> float:
    """Compute a metric; nan if it requires probabilities and the method does not provide them."""
    row = METRICS[name]
    function = getattr(_MODULES[row.module], name)
    if row.input == "decisions":
        return float(function(evaluation.true, evaluation.predicted))
    if row.input == "true_log_proba":
        return float(function(evaluation.true_log_proba))
    output = getattr(evaluation, row.input)
    if output is None:
        return float("nan")
    if row.input == "text":
        return float(function(output))
    if row.input == "confidence":
        is_correct = (evaluation.true == evaluation.predicted).all(axis=1)
        return float(function(output, is_correct))
    is_single = evaluation.true.ndim == 1
    outcome = evaluation.true == evaluation.predicted if is_single else evaluation.true
    return float(function(output, outcome))


def score(predictions: Predictions, corpus: Corpus, splits: Splits, metrics: Sequence[str]) -> list[dict[str, Any]]:
    """Compute one row (`SCORE_COLUMNS`) per variant, trial and metric: proportions from 0 to 1, log losses in nats."""
    single = predictions.sets is None
    check_metrics(metrics, metrics_for("single" if single else "multi"), "metrics")
    truth = corpus.classes() if single else corpus.indicators()
    rows = []
    for number, variant in enumerate(predictions.variants):
        for trial in range(len(splits)):
            documents = splits.test_place(trial)
            test_rows = splits.test[trial]
            evaluation = evaluation_of(predictions, number, documents, truth[test_rows])
            for name in metrics:
                value = metric_value(name, evaluation)
                rows.append({"variant": variant, "trial": trial, "metric": name, "value": value})
    return rows


def evaluation_of(predictions: Predictions, variant: int, documents: slice, truth: np.ndarray) -> Evaluation:
    """Return true and predicted labels of one variant for the test documents of one trial."""
    if predictions.classes is not None:
        predicted = predictions.classes[variant, documents]
    else:
        predicted = predictions.label_sets(variant, documents, truth.shape[1])
    optional = {}
    for name in ("marginals", "confidence", "text"):
        array = getattr(predictions, name)
        optional[name] = None if array is None else array[variant, documents]
    return Evaluation(truth, predicted, predictions.true_log_proba[variant, documents], **optional)
