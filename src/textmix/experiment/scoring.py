"""Scores of stored predictions.  No method is fitted here, so that a change of a metric needs no new fit."""

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

#: The modules of the table, imported by statement so that the code digest of a score covers them.
_MODULES = {"classification": classification, "multilabel": multilabel, "probability": probability}


@dataclass(frozen=True)
class Evaluation:
    """The truth and the predictions of one method on N documents with L labels.

    ``true`` and ``predicted`` are classes (N,) or label indicators (N, L); ``true_log_proba``, float64 (N,), is in
    nats.  None where the method gives none: ``marginals``, probability of the predicted class (N,) or of each label (N,
    L); ``confidence``, that the predicted label set is right, (N,); ``text``, log likelihood and number of words, (N,
    2).
    """

    true: np.ndarray
    predicted: np.ndarray
    true_log_proba: np.ndarray
    marginals: np.ndarray | None = None
    confidence: np.ndarray | None = None
    text: np.ndarray | None = None


def metric_value(name: str, evaluation: Evaluation) -> float:
    """Return the value of a metric on one evaluation; nan where it takes probabilities and the method gives none."""
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
        return float(function(output, (evaluation.true == evaluation.predicted).all(axis=1)))
    happened = evaluation.true == evaluation.predicted if evaluation.true.ndim == 1 else evaluation.true
    return float(function(output, happened))


def score(predictions: Predictions, corpus: Corpus, splits: Splits, metrics: Sequence[str]) -> list[dict[str, Any]]:
    """Return one row (`SCORE_COLUMNS`) for each variant, trial and metric: shares from 0 to 1, log losses in nats."""
    single = predictions.sets is None
    check_metrics(metrics, metrics_for("single" if single else "multi"), "metrics")
    truth = corpus.classes() if single else corpus.indicators()
    rows = []
    for number, variant in enumerate(predictions.variants):
        for trial in range(len(splits)):
            evaluation = evaluation_of(predictions, number, splits.test_place(trial), truth[splits.test[trial]])
            rows += [
                {"variant": variant, "trial": trial, "metric": name, "value": metric_value(name, evaluation)}
                for name in metrics
            ]
    return rows


def evaluation_of(predictions: Predictions, variant: int, documents: slice, truth: np.ndarray) -> Evaluation:
    """Return truth and predictions of one variant on the test documents of one trial, which stand at ``documents``."""
    if predictions.classes is not None:
        predicted = predictions.classes[variant, documents]
    else:
        predicted = predictions.label_sets(variant, documents, truth.shape[1])
    arrays = [getattr(predictions, name) for name in ("marginals", "confidence", "text")]
    parts = [None if array is None else array[variant, documents] for array in arrays]
    return Evaluation(truth, predicted, predictions.true_log_proba[variant, documents], *parts)
