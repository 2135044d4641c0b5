"""What the measures of Vilar, Castro & Sanchis share: documents, parameters, thresholds, and both multi-label rules."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy import sparse, special

from reproduction.flow.measures import MeasureData, Settings
from textmix.experiment.trial import Documents
from textmix.metrics.threshold import Sweep, accumulated_sweep, threshold_sweep
from textmix.models.naive_bayes.discounting import AbsoluteDiscountingBinary, AbsoluteDiscountingClassifier

LENGTHS = {"none": None, "decision": "decision", "counts": "counts"}


def mentions(source: MeasureData) -> np.ndarray:
    """Return how many labels each document is given, int (N,); a topic named twice counts twice, as in Table 1."""
    twice = set(source.corpus.info.get("topic named twice", ()))
    repeated = np.fromiter((name in twice for name in source.corpus.ids), dtype=np.int64)
    return source.corpus.label_counts + repeated


def stack(*parts: Documents) -> Documents:
    """Return the documents of all parts, stacked."""
    X, y = (sparse.vstack([getattr(part, name) for part in parts], format="csr") for name in ("X", "y"))
    return Documents(X, y)


def params_of(settings: Settings, **changed: Any) -> dict[str, Any]:
    """Return the parameters of `AbsoluteDiscountingClassifier`: the choice of the settings, with some changed."""
    chosen = {name: settings[name] for name in ("discount", "discount_counts", "length")} | changed
    return chosen | {"length": LENGTHS[chosen["length"]]}


def thresholds_of(settings: Settings) -> np.ndarray:
    """Return the thresholds of the curves, increasing, float64 (K,): ``steps`` even steps between ``low`` and ``high``,
    and near each end those at a distance of 10^-2, 10^-3, ..., 10^-``powers`` of the range.
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


def validation(train: Documents, share: float, generator: Generator) -> tuple[Documents, Documents]:
    """Return the training documents without a part drawn at random, and the labelled documents of that part."""
    order = generator.permutation(train.X.shape[0])
    fit, left_out = np.sort(order[round(share * len(order)) :]), np.sort(order[: round(share * len(order))])
    return train[fit], train[left_out[train.labelled[left_out]]]


class Rules:
    """Both multi-label methods, trained: the classifier under the accumulated rule, and the binary classifiers."""

    def __init__(self, train: Documents, params: dict[str, Any]) -> None:
        shared = {name: params[name] for name in ("discount", "length")}
        self.accumulated = train.fitted(AbsoluteDiscountingClassifier(**params))
        self.binary = train.fitted(AbsoluteDiscountingBinary(**shared))

    def scores(self, X: sparse.csr_array) -> dict[str, np.ndarray]:
        """Return posteriors and log-odds, float64 (N, L) each; log-odds distinguish posteriors that round to 1."""
        return {"accumulated": self.accumulated.predict_proba(X), "binary": self.binary.decision_function(X)}
