"""Whole label sets in the study: three decisions from one fit by three metrics, and confidence against accuracy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from textmix.core.errors import MissingResult
from textmix.data.corpus import Corpus
from textmix.experiment.further import DECISIONS
from textmix.experiment.predictions import Predictions
from textmix.experiment.splits import Splits
from textmix.metrics.multilabel import hamming_loss, sample_f, subset_accuracy

#: Decision -> the metric that it is best for, and the function of the metric.
SUITS = {"mode": "subset_accuracy", "expected_f": "sample_f", "marginal": "hamming_loss"}
_FUNCTIONS = {"subset_accuracy": subset_accuracy, "sample_f": sample_f, "hamming_loss": hamming_loss}


class Stated(NamedTuple):
    """The confidence of a method in its predicted label sets on one data set, and whether each is right, (N,) each."""

    dataset: str
    method: str
    confidence: np.ndarray
    right: np.ndarray


def read_decided(
    predictions: Iterable[Path], places: Mapping[str, tuple[Path, Path]]
) -> tuple[list[dict[str, Any]], list[Stated]]:
    """Return the table of decisions and metrics, and the stated confidences, of the first trial of each fit.

    Parameters
    ----------
    predictions : folders ``results/predictions/<study>/<experiment>/<data set>/<method>``.
    places : data set -> folders of its features and of its splits.

    Returns
    -------
    rows : of ``dataset``, ``method``, ``metric`` and a value for each of `DECISIONS`.
    stated : of the methods that state a confidence.
    """
    rows: list[dict[str, Any]] = []
    stated: list[Stated] = []
    truths: dict[str, tuple[np.ndarray, slice]] = {}
    for folder in predictions:
        dataset, method = folder.parts[-2:]
        try:
            fit = Predictions.load(folder)
            if fit.sets is None or (fit.confidence is None and fit.decisions is None):
                continue
            if dataset not in truths:
                truths[dataset] = _truth(*places[dataset])
        except MissingResult:
            continue
        true, test = truths[dataset]
        if fit.decisions is not None:
            rows += _decided(dataset, method, true, fit.decisions[0, test])
        if fit.confidence is not None:
            right = (fit.label_sets(0, test, true.shape[1]) == true).all(axis=1)
            stated.append(Stated(dataset, method, fit.confidence[0, test], right))
    return rows, stated


def _truth(features: Path, splits: Path) -> tuple[np.ndarray, slice]:
    """Return the true label indicators (n, L) of the first test part, and its place in predictions."""
    corpus, parts = Corpus.load(features), Splits.load(splits)
    return corpus.indicators()[parts.test[0]], parts.test_place(0)


def _decided(dataset: str, method: str, true: np.ndarray, packed: np.ndarray) -> Iterable[dict[str, Any]]:
    """Yield a row for each metric with its value for each decision; packed sets are uint8 (n, 3, ceil(L / 8))."""
    sets = [np.unpackbits(packed[:, i], axis=1, count=true.shape[1]) for i in range(len(DECISIONS))]
    for metric, function in _FUNCTIONS.items():
        values = {
            decision: float(function(true, predicted)) for decision, predicted in zip(DECISIONS, sets, strict=True)
        }
        yield {"dataset": dataset, "method": method, "metric": metric, **values}


def suited(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the sentence on how often the decision that suits a metric has its best value among the decisions."""
    hits = {metric: [0, 0] for metric in _FUNCTIONS}
    for row in rows:
        right = next(decision for decision, metric in SUITS.items() if metric == row["metric"])
        values = [row[decision] for decision in DECISIONS]
        best = min(values) if row["metric"] == "hamming_loss" else max(values)
        hits[row["metric"]][0] += row[right] == best
        hits[row["metric"]][1] += 1
    parts = [
        f"{decision.replace('_', ' ')} for {metric.replace('_', ' ')} {hits[metric][0]} of {hits[metric][1]} times"
        for decision, metric in SUITS.items()
    ]
    return f"From one fit, the decision that suits a metric has its best value: {', '.join(parts)}."
