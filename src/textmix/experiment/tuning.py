"""Nested tuning: parameters chosen by cross-validation inside a training part, never with its test documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from textmix.core.errors import ConfigError
from textmix.experiment.folds import cross_validate, fold_numbers, halves_of
from textmix.experiment.methods import variants
from textmix.experiment.predictions import true_log_proba
from textmix.experiment.scoring import Evaluation, metric_value
from textmix.metrics.registry import METRICS, check_metrics, tuning_metrics


def tune(
    task: str,
    make: Callable[[Mapping[str, Any]], Any],
    search: Mapping[str, Any],
    data: tuple[Any, np.ndarray],
    generator: np.random.Generator,
) -> tuple[str, dict[str, Any], float]:
    """Return name and parameters of the first grid point with the best mean of a metric over the folds, and this mean.

    The best mean is the largest, or for a loss the smallest.  ``search`` has ``grid`` (parameter -> values), ``folds``
    and ``metric`` (a name of `textmix.metrics.registry`).  ``data`` are training rows X (N, V) and their classes (N,)
    or label indicators (N, L).
    """
    n_documents = len(data[1])
    if n_documents < search["folds"]:
        raise ConfigError(f"tune: folds: {n_documents} training documents make no {search['folds']} folds; lower it")
    metric = search["metric"]
    check_metrics([metric], tuning_metrics(task), "tune: metric")
    sign = -1.0 if METRICS[metric].loss else 1.0
    folds = list(halves_of(fold_numbers(n_documents, search["folds"], generator)))
    points = list(variants({}, search["grid"]))
    values = cross_validate(lambda point: make(point[1]), points, data, folds, partial(_value, task, metric))
    means = [np.mean(row.copy()) for row in values]
    best = int(np.argmax(np.multiply(sign, means)))
    return *points[best], float(means[best])


def _value(task: str, metric: str, estimator: Any, documents: tuple[Any, np.ndarray], rows: np.ndarray) -> float:
    """Return the value of the metric of a fitted estimator on the documents of a fold."""
    X, y = documents
    proba = true_log_proba(task, estimator, X, y)
    return metric_value(metric, Evaluation(y, estimator.predict(X), proba))
