"""The documents of Vilar, Castro & Sanchis, their parts, and the thresholds and sweeps that the measures share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse, special

from reproduction.flow.measures import MeasureData
from textmix.experiment.trial import Documents, Trial
from textmix.metrics.accumulated import accumulated_sweep
from textmix.metrics.threshold import Sweep, threshold_sweep

LENGTHS = {"none": None, "decision": "decision", "counts": "counts"}


def source_of(sources: Mapping[str, MeasureData]) -> MeasureData:
    """Return the only data set of a measure."""
    return next(iter(sources.values()))


def first(sources: Mapping[str, MeasureData]) -> Trial:
    """Return the first trial of the only data set: counts and label indicators, CSR."""
    return source_of(sources).first("labels")


def mentions(source: MeasureData) -> np.ndarray:
    """Return how many labels each document is given, int (N,); a topic named twice counts twice, as in Table 1."""
    twice = set(source.corpus.info.get("topic named twice", ()))
    repeated = np.fromiter((name in twice for name in source.corpus.ids), dtype=np.int64)
    return source.corpus.label_counts + repeated


def stack(*parts: Documents) -> Documents:
    """Return the documents of all parts, stacked."""
    X, y = (sparse.vstack([getattr(part, name) for part in parts], format="csr") for name in ("X", "y"))
    return Documents(X, y)


def params_of(settings: Mapping[str, Any], **changed: Any) -> dict[str, Any]:
    """Return the parameters of `AbsoluteDiscountingClassifier`: the choice of the settings, with some changed."""
    chosen = {name: settings[name] for name in ("discount", "discount_counts", "length")} | changed
    return chosen | {"length": LENGTHS[chosen["length"]]}


def thresholds_of(settings: Mapping[str, Any]) -> np.ndarray:
    """Return the thresholds of the curves, increasing, float64 (K,).

    There are ``steps`` even steps between ``low`` and ``high``.  Near each end there are thresholds at a distance of
    10^-2, 10^-3, ..., 10^-``powers`` of the range.
    """
    low, high, steps = settings["low"], settings["high"], settings["steps"]
    even = low + (high - low) * np.arange(1, steps) / steps
    near = (high - low) * 10.0 ** -np.arange(2, settings["powers"] + 1)
    return np.unique(np.concatenate([even, low + near, high - near]))


def sweep_of(method: str, scores: np.ndarray, Y: sparse.csr_array, thresholds: np.ndarray) -> Sweep:
    """Return precision, recall and set error of a method at every threshold on the posterior."""
    if method == "accumulated":
        return accumulated_sweep(scores, Y, thresholds)
    return replace(threshold_sweep(scores, Y, special.logit(thresholds)), thresholds=thresholds)


def validation(train: Documents, share: float, generator: np.random.Generator) -> tuple[Documents, Documents]:
    """Return the training documents without a part drawn at random, and the labelled documents of that part."""
    order = generator.permutation(train.X.shape[0])
    fit, left_out = np.sort(order[round(share * len(order)) :]), np.sort(order[: round(share * len(order))])
    return train[fit], train[left_out[train.labelled[left_out]]]
