"""Validate the decision rule and the models of an ensemble that was read from files."""

from __future__ import annotations

from typing import Any

import numpy as np

from textmix.serve.model import TASKS, probe_texts


def check_ensemble(model: Any) -> None:
    """Validate what the models of an ensemble, which were validated, must have in common, and its decision rule.

    Parameters
    ----------
    model : AveragedModel
        The ensemble.

    Raises
    ------
    ValueError
        If the content is inconsistent.
    """
    signatures = {(member.task, *member.label_names) for member in model.parts}
    if len(signatures) != 1 or model.task not in TASKS or len(model.slopes) != len(model.parts):
        raise ValueError("the labels of the models differ, or a slope is missing")
    if not all(np.isfinite(slope) and slope > 0.0 for slope in model.slopes):
        raise ValueError("a slope is not positive")
    if len({member.is_numeric for member in model.parts}) != 1:
        raise ValueError("some of the models take texts, and others numbers")
    _check_thresholds(model)
    _check_support(model)
    _check_label_sets(model)
    model.label(probe_texts(model.extra_columns))


def _check_thresholds(model: Any) -> None:
    thresholds = model.thresholds
    if thresholds is None:
        return
    n_labels = len(model.labels)
    expected_shape = (n_labels,) if model.task == "multi" else (1,)
    has_shape = thresholds.dtype == np.float64 and thresholds.shape == expected_shape
    is_multiclass = model.task == "single" and n_labels != 2
    if not has_shape or is_multiclass or np.isnan(thresholds).any():
        raise ValueError("the thresholds do not match the labels")


def _check_support(model: Any) -> None:
    support = model.support
    if support is None:
        return
    has_shape = support.dtype == np.float64 and support.shape == (2, len(model.labels))
    if not has_shape or not (np.isfinite(support) & (support >= 0.0)).all():
        raise ValueError("the support is not two counts per label")


def _check_label_sets(model: Any) -> None:
    label_sets = model.sets
    weights = model.bonus
    if (label_sets is None) != (weights is None):
        raise ValueError("label sets require weights")
    if label_sets is None or weights is None:
        if model.thresholds is None and model.task == "multi":
            raise ValueError("a multi-label task requires thresholds or label sets")
        return
    if model.task == "single":
        raise ValueError("label sets require a multi-label task")
    if label_sets.dtype != np.int8 or label_sets.ndim != 2 or label_sets.shape[1] != len(model.labels):
        raise ValueError("the label sets do not match the labels")
    if weights.dtype != np.float64 or weights.shape != (len(label_sets),) or np.isnan(weights).any():
        raise ValueError("the weights do not match the label sets")
