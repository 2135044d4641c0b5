"""The first M steps of CBM from the same initial responsibilities, with several solvers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.random import Generator

from reproduction.flow.measures import Measure, Settings, Sources, Value, seed_from
from textmix.experiment.trial import Trial
from textmix.metrics.multilabel import subset_accuracy
from textmix.models.cbm.estimator import CBMClassifier


def first_m_steps(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Measure the accuracy of CBM after each of its first M steps, with several solvers.

    All solvers start from the same responsibilities, the posterior of the same Bernoulli mixture of the label sets.

    Settings: ``params`` of `CBMClassifier` by role; ``solvers``, by role a mapping from a name to further parameters,
    of which the first is the reference.
    Result: the table ``steps`` (role, solver, m_step, subset_accuracy, agreement); ``agreement`` is the proportion of
    test documents for which the reference predicts the same label set after the same M step.  The values are
    ``<role>_<solver>_<m_step>`` and ``<role>_<solver>_<m_step>_agreement``.
    """
    rows: list[dict[str, Any]] = []
    for role, source in sources.items():
        trial = source.first("indicators")
        seed = seed_from(generator)
        reference: list[np.ndarray] = []
        for solver, extra in settings["solvers"][role].items():
            predicted = _predict_after_m_steps(trial, {**settings["params"][role], **extra}, seed)
            reference = reference or predicted
            for m_step, (label_sets, expected) in enumerate(zip(predicted, reference, strict=True), start=1):
                row = {
                    "role": role,
                    "solver": solver,
                    "m_step": m_step,
                    "subset_accuracy": subset_accuracy(trial.test.y, label_sets),
                    "agreement": subset_accuracy(expected, label_sets),
                }
                rows.append(row)
    values: dict[str, Value] = {}
    for row in rows:
        key = f"{row['role']}_{row['solver']}_{row['m_step']}"
        values[key] = row["subset_accuracy"]
        values[f"{key}_agreement"] = row["agreement"]
    return Measure(values, {"steps": rows})


def _predict_after_m_steps(trial: Trial, params: Mapping[str, Any], seed: int) -> list[np.ndarray]:
    """Predict the label sets (N, L) of the test documents after each M step."""
    predicted: list[np.ndarray] = []

    def predict(model: CBMClassifier) -> None:
        predicted.append(np.asarray(model.predict(trial.test.X)))

    trial.train.fitted(CBMClassifier(**params, tol=0.0, random_state=seed, callback=predict))
    return predicted
