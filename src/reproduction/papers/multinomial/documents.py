"""Documents, parameters, thresholds and both multi-label rules, shared by the measures of Vilar, Castro & Sanchis."""

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

#: Value of the estimators' parameter ``length`` for each value of the setting.
LENGTHS = {"none": None, "decision": "decision", "counts": "counts"}


def mentions(source: MeasureData) -> np.ndarray:
    """Count the labels of each document, int (N,). Duplicate topics are counted twice, as in Table 1."""
    named_twice = set(source.corpus.info.get("topic named twice", ()))
    repeated = np.fromiter((name in named_twice for name in source.corpus.ids), dtype=np.int64)
    return source.corpus.label_counts + repeated


def stack(*parts: Documents) -> Documents:
    """Stack the rows of several sets of documents."""
    X = sparse.vstack([part.X for part in parts], format="csr")
    y = sparse.vstack([part.y for part in parts], format="csr")
    return Documents(X, y)


def params_of(settings: Settings, **changed: Any) -> dict[str, Any]:
    """Return the parameters of `AbsoluteDiscountingClassifier` from the settings, with changes."""
    params = {name: settings[name] for name in ("discount", "discount_counts", "length")}
    params |= changed
    params["length"] = LENGTHS[params["length"]]
    return params


def thresholds_of(settings: Settings) -> np.ndarray:
    """Return the increasing thresholds of the curves, float64 (K,).

    They are ``steps`` - 1 equidistant values between ``low`` and ``high``, and values at a distance of 10^-2, 10^-3,
    ..., 10^-``powers`` of the range from both ends.
    """
    low, high, steps = settings["low"], settings["high"], settings["steps"]
    width = high - low
    equidistant = low + width * np.arange(1, steps) / steps
    distances = width * 10.0 ** -np.arange(2, settings["powers"] + 1)
    return np.unique(np.concatenate([equidistant, low + distances, high - distances]))


def sweep_of(method: str, scores: np.ndarray, Y: sparse.csr_array, thresholds: np.ndarray) -> Sweep:
    """Compute precision, recall and set error of a method at each threshold on the posterior."""
    if method == "accumulated":
        return accumulated_sweep(scores, Y, thresholds)
    sweep = threshold_sweep(scores, Y, special.logit(thresholds))
    return replace(sweep, thresholds=thresholds)


def validation(train: Documents, proportion: float, generator: Generator) -> tuple[Documents, Documents]:
    """Split off a random proportion of the training documents for validation.

    Returns
    -------
    fit : Documents
        The other training documents.
    held_out : Documents
        The labelled documents of the validation part.
    """
    order = generator.permutation(train.X.shape[0])
    n_held_out = round(proportion * len(order))
    fit = np.sort(order[n_held_out:])
    held_out = np.sort(order[:n_held_out])
    return train[fit], train[held_out[train.labelled[held_out]]]


class Rules:
    """Classifiers of both multi-label rules.

    Parameters
    ----------
    train : Documents
    params : dict
        Parameters of `AbsoluteDiscountingClassifier`.

    Attributes
    ----------
    accumulated : AbsoluteDiscountingClassifier
        Classifier of the accumulated rule.
    binary : AbsoluteDiscountingBinary
        Binary classifiers, one for each label.
    """

    def __init__(self, train: Documents, params: dict[str, Any]) -> None:
        self.accumulated = train.fitted(AbsoluteDiscountingClassifier(**params))
        self.binary = train.fitted(AbsoluteDiscountingBinary(discount=params["discount"], length=params["length"]))

    def scores(self, X: sparse.csr_array) -> dict[str, np.ndarray]:
        """Compute posteriors and log-odds, float64 (N, L) each.

        Log-odds distinguish posteriors that round to 1.
        """
        return {"accumulated": self.accumulated.predict_proba(X), "binary": self.binary.decision_function(X)}
