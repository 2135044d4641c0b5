"""Nested tuning: choose parameters by cross-validation within the training documents, never with test documents."""

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
    """Choose the grid point with the best mean of a metric over the folds; of equal ones the first.

    Parameters
    ----------
    task : {"single", "multi"}
    make : callable
        Function that creates an estimator from parameters.
    search : mapping of str to object
        ``grid`` (parameter to values), ``folds``, and ``metric`` (a name of `textmix.metrics.registry`), of which the
        largest mean is the best, or for a loss the smallest.
    data : tuple of (X, y)
        Training documents X (N, V), and their classes (N,) or label indicators (N, L).
    generator : Generator
        Random generator for the folds.

    Returns
    -------
    name : str
        Name of the grid point.
    params : dict
        Its parameters.
    score : float
        Its mean score.

    Raises
    ------
    ConfigError
        If there are fewer documents than folds, or the metric is not applicable.
    """
    n_documents = len(data[1])
    if n_documents < search["folds"]:
        n_folds = search["folds"]
        raise ConfigError(f"tune: folds: {n_folds} exceeds the {n_documents} training documents; lower it")
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
    """Score a fitted estimator on the held-out documents of a fold."""
    X, y = documents
    proba = true_log_proba(task, estimator, X, y)
    return metric_value(metric, Evaluation(y, estimator.predict(X), proba))
