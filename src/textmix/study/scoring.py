"""From stored predictions to scores: nothing is fitted here, so a changed metric refits nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from textmix.data.corpus import Corpus
from textmix.errors import ConfigError
from textmix.metrics import classification
from textmix.study.splits import Splits
from textmix.study.trials import Predictions

COLUMNS = ("variant", "trial", "metric", "value")

#: name -> function of (true class, predicted class, log posterior of the true class), all (documents,)
SINGLE_LABEL: dict[str, Callable[[np.ndarray, np.ndarray, np.ndarray], float]] = {
    "accuracy": lambda true, predicted, _: classification.accuracy(true, predicted),
    "error_rate": lambda true, predicted, _: classification.error_rate(true, predicted),
    "macro_f1": lambda true, predicted, _: classification.macro_f1(true, predicted),
}


def score(predictions: Predictions, corpus: Corpus, splits: Splits, metrics: Sequence[str]) -> list[dict[str, Any]]:
    """Return one row a variant, trial and metric (`COLUMNS`); all metrics are fractions.

    Raises
    ------
    ConfigError : a metric has no such name.
    """
    unknown = [name for name in metrics if name not in SINGLE_LABEL]
    if unknown:
        raise ConfigError(f"metric '{unknown[0]}' is unknown; allowed: {', '.join(SINGLE_LABEL)}")
    labels = corpus.classes()
    rows = []
    for row, variant in enumerate(predictions.variants):
        for trial in range(len(splits)):
            place = slice(int(splits.test.offsets[trial]), int(splits.test.offsets[trial + 1]))
            data = (labels[splits.test[trial]], predictions.classes[row, place], predictions.true_log_proba[row, place])
            rows += [
                {"variant": variant, "trial": trial, "metric": name, "value": float(SINGLE_LABEL[name](*data))}
                for name in metrics
            ]
    return rows
