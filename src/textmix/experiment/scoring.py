"""From stored predictions to scores: nothing is fitted here, so a changed metric refits nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from textmix.core.errors import ConfigError
from textmix.data.corpus import Corpus
from textmix.experiment.predictions import Predictions
from textmix.experiment.splits import Splits
from textmix.metrics import classification, multilabel
from textmix.metrics.calibration import calibration_error

COLUMNS = ("variant", "trial", "metric", "value")

Metric = Callable[[np.ndarray, np.ndarray, np.ndarray], float]

#: name -> function of (true class, predicted class, log posterior of the true class), all (documents,)
SINGLE_LABEL: dict[str, Metric] = {
    "accuracy": lambda true, predicted, _: classification.accuracy(true, predicted),
    "error_rate": lambda true, predicted, _: classification.error_rate(true, predicted),
    "macro_f1": lambda true, predicted, _: classification.macro_f1(true, predicted),
    "log_loss": lambda _, __, log_proba: classification.log_loss(log_proba),
}

#: name -> function of (true indicators, predicted indicators, log probability of the true set); (documents, L) twice
MULTI_LABEL: dict[str, Metric] = {
    "subset_accuracy": lambda true, predicted, _: multilabel.subset_accuracy(true, predicted),
    "hamming_loss": lambda true, predicted, _: multilabel.hamming_loss(true, predicted),
    "jaccard": lambda true, predicted, _: multilabel.jaccard(true, predicted),
    "sample_f": lambda true, predicted, _: multilabel.sample_f(true, predicted),
    "sample_f_skip": lambda true, predicted, _: multilabel.sample_f(true, predicted, empty="skip"),
    "micro_f": lambda true, predicted, _: multilabel.micro_f(true, predicted),
    "macro_f": lambda true, predicted, _: multilabel.macro_f(true, predicted),
    "set_log_loss": lambda _, __, log_proba: classification.log_loss(log_proba),
}

METRICS = {"single": SINGLE_LABEL, "multi": MULTI_LABEL}

#: The one metric that needs probabilities of what is predicted, not only of what is true.
CALIBRATION = "calibration_error"

#: Metrics of which less is better.
LOSSES = frozenset({"error_rate", "log_loss", "hamming_loss", "set_log_loss", CALIBRATION})


def metrics_of(task: str, names: Sequence[str]) -> dict[str, Metric]:
    """Return the named metrics of a task, ``single`` or ``multi``.

    Raises
    ------
    ConfigError : a metric has no such name.
    """
    known = METRICS[task]
    for name in names:
        if name not in known:
            raise ConfigError(f"metric '{name}' is unknown for {task}-label methods; allowed: {', '.join(known)}")
    return {name: known[name] for name in names}


def score(predictions: Predictions, corpus: Corpus, splits: Splits, metrics: Sequence[str]) -> list[dict[str, Any]]:
    """Return one row a variant, trial and metric (`COLUMNS`); shares are fractions, log losses in nats.

    Raises
    ------
    ConfigError : a metric has no such name.
    """
    named = [name for name in metrics if name != CALIBRATION]
    chosen = metrics_of("single" if predictions.sets is None else "multi", named)
    truth = corpus.classes() if predictions.sets is None else corpus.indicators()
    rows = []
    for row, variant in enumerate(predictions.variants):
        for trial in range(len(splits)):
            place = splits.test_place(trial)
            if predictions.classes is not None:
                predicted = predictions.classes[row, place]
            else:
                predicted = predictions.label_sets(row, place, truth.shape[1])
            data = (truth[splits.test[trial]], predicted, predictions.true_log_proba[row, place])
            rows += [
                {"variant": variant, "trial": trial, "metric": name, "value": float(metric(*data))}
                for name, metric in chosen.items()
            ]
            if CALIBRATION in metrics:
                value = _calibration(predictions, row, place, *data[:2])
                rows.append({"variant": variant, "trial": trial, "metric": CALIBRATION, "value": value})
    return rows


def _calibration(predictions: Predictions, row: int, place: slice, truth: np.ndarray, predicted: np.ndarray) -> float:
    """Return the calibration error of the predicted class, or of all labels; nan without probabilities."""
    if predictions.marginals is None:
        return float("nan")
    happened = truth == predicted if predictions.classes is not None else truth
    return calibration_error(predictions.marginals[row, place], happened)
