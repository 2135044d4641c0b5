"""Nested tuning: parameters chosen by cross-validation inside a training part, never with its test documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from textmix.core.errors import ConfigError
from textmix.experiment.methods import variants
from textmix.experiment.predictions import true_log_proba
from textmix.experiment.scoring import Evaluation, metric_value
from textmix.metrics.table import METRICS, check_metrics, tuning_metrics


def folds_of(n_documents: int, n_folds: int, generator: np.random.Generator) -> list[np.ndarray]:
    """Return ``n_folds`` disjoint arrays of rows, int64 and in increasing order, whose sizes differ by at most one.

    Parameters
    ----------
    n_documents : number of rows; each row from 0 to n_documents - 1 is in one fold.
    n_folds : number of folds.
    generator : draws the folds.
    """
    order = generator.permutation(n_documents)
    return [np.sort(order[fold::n_folds]) for fold in range(n_folds)]


def tune(
    task: str,
    make: Callable[[Mapping[str, Any]], Any],
    search: Mapping[str, Any],
    data: tuple[Any, np.ndarray],
    generator: np.random.Generator,
) -> tuple[str, dict[str, Any]]:
    """Return name and parameters of the grid point with the best mean of a metric over the folds.

    The best mean is the largest, or for a loss the smallest; the first of tied points is taken.

    Parameters
    ----------
    task : ``single`` or ``multi``.
    make : returns a new estimator with the parameters of a grid point.
    search : ``grid`` (parameter -> values), ``folds`` and ``metric`` (a name of `textmix.metrics.table`).
    data : training rows X (N, V) and their classes (N,) or label indicators (N, L).
    generator : draws the folds.

    Raises
    ------
    ConfigError : there are fewer training documents than folds, or tuning cannot use the metric.
    """
    n_documents = len(data[1])
    if n_documents < search["folds"]:
        raise ConfigError(f"tune: folds: {n_documents} training documents make no {search['folds']} folds; lower it")
    metric = search["metric"]
    check_metrics([metric], tuning_metrics(task), "tune: metric")
    sign = -1.0 if METRICS[metric].loss else 1.0
    folds = folds_of(n_documents, search["folds"], generator)
    points = list(variants({}, search["grid"]))
    means = [
        sign * np.mean([_held_out(task, make(point), metric, data, fold) for fold in folds]) for _, point in points
    ]
    return points[int(np.argmax(means))]


def _held_out(task: str, estimator: Any, metric: str, data: tuple[Any, np.ndarray], fold: np.ndarray) -> float:
    """Fit an estimator to all rows outside a fold and return the value of the metric on the rows of the fold."""
    X, y = data
    rest = np.setdiff1d(np.arange(len(y)), fold, assume_unique=True)
    estimator.fit(X[rest], y[rest])
    evaluation = Evaluation(y[fold], estimator.predict(X[fold]), true_log_proba(task, estimator, X[fold], y[fold]))
    return metric_value(metric, evaluation)
