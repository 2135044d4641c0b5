"""Multi-label targets: conversion and validation of the two formats of y.

y is either an indicator matrix (N, L) of 0 and 1, or a list of label sets: the labels of each document as a list, tuple
or set, such as ``[["art"], ["art", "music"], []]``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy import sparse

from textmix.metrics.label_sets import COLLECTIONS

_STRINGS = (str, np.str_)


def names_of_columns(y: Any) -> np.ndarray | None:
    """Return the column names of a DataFrame of indicators, (L,), if all are strings; otherwise None."""
    columns = list(y.columns) if hasattr(y, "columns") else []
    return np.array(columns) if columns and all(isinstance(name, _STRINGS) for name in columns) else None


def check_not_single_label(y: Any) -> None:
    """Raise ValueError if y is a single string, or has one value per document instead of a label set."""
    if isinstance(y, (str, bytes)):
        raise ValueError("y is a single string; pass a list of labels for each document")
    is_single = getattr(y, "ndim", None) == 1
    if isinstance(y, (list, tuple)) and len(y):
        is_single = not isinstance(y[0], COLLECTIONS) and np.ndim(y[0]) == 0
    if not is_single:
        return
    kind = "string" if isinstance(next(iter(y), None), _STRINGS) else "value"
    raise ValueError(
        f"y has one {kind} per document, but this classifier is multi-label; pass a list of labels for each document, "
        "or indicators of shape (N, L).  For cross_val_predict with probabilities and label sets, encode y with "
        "MultiLabelBinarizer"
    )


def distinct_labels(sets: Iterable[frozenset[Any]]) -> np.ndarray:
    """Return the sorted unique labels of label sets, (L,); raise ValueError if there are none or types are mixed."""
    labels = frozenset().union(*sets)
    if not labels:
        raise ValueError("y contains no label; at least one document must have a label")
    if len({isinstance(label, _STRINGS) for label in labels}) > 1:
        raise ValueError("y contains strings and integers as labels; pass all labels as strings")
    return np.array(sorted(labels))


def indicators_of(sets: list[frozenset[Any]], classes: np.ndarray) -> sparse.csr_array:
    """Convert label sets to indicators, float64 CSR (N, L) with sorted indices; raise ValueError on unknown labels."""
    index = {label: column for column, label in enumerate(classes.tolist())}
    unknown = next((label for labels in sets for label in labels if label not in index), None)
    if unknown is not None:
        raise ValueError(f"unknown label {unknown!r}: it does not occur in the training y; remove it, or fit with it")
    rows = [sorted(index[label] for label in labels) for labels in sets]
    indptr = np.cumsum([0, *map(len, rows)])
    columns = np.array([column for row in rows for column in row], dtype=np.int32)
    return sparse.csr_array((np.ones(len(columns)), columns, indptr), shape=(len(sets), len(classes)))
