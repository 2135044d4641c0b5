"""Multi-label targets: conversion and validation of the two formats of y.

y is either an indicator matrix (N, L) of 0 and 1, or a list of label sets: the labels of each document as a list, tuple
or set, such as ``[["art"], ["art", "music"], []]``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy import sparse

_ROWS = (set, frozenset, list, tuple, np.ndarray)
_NAMES = (str, np.str_)


def label_sets_of(y: Any) -> list[frozenset[Any]] | None:
    """Return the labels of each document, or None if y is a matrix or has a single value per document.

    Lists and tuples count as label sets only if they contain a string, because lists of numbers can be rows of
    indicators.  Integer labels must therefore be passed as sets.

    Raises
    ------
    ValueError
        If only some rows are label sets, or a label is neither a string nor an integer.
    """
    numbers = getattr(getattr(y, "dtype", None), "kind", "O") in "biufc"
    if not isinstance(y, Iterable) or numbers or sparse.issparse(y) or hasattr(y, "columns"):
        return None
    rows = list(y)
    if not rows or not any(map(_names_labels, rows)):
        return None
    wrong = next((row for row in rows if not isinstance(row, _ROWS)), None)
    if wrong is not None:
        raise ValueError(f"y holds {wrong!r} among label sets; give a list of labels for each document")
    sets = [frozenset(row.tolist() if isinstance(row, np.ndarray) else row) for row in rows]
    known = (*_NAMES, int, np.integer)
    odd = next((label for labels in sets for label in labels if not isinstance(label, known)), None)
    if odd is not None:
        raise ValueError(f"y holds the label {odd!r}; labels are strings or whole numbers")
    return sets


def names_of_columns(y: Any) -> np.ndarray | None:
    """Return the column names of a DataFrame of indicators, (L,), if all are strings; otherwise None."""
    columns = list(y.columns) if hasattr(y, "columns") else []
    return np.array(columns) if columns and all(isinstance(name, _NAMES) for name in columns) else None


def refuse_one_dimension(y: Any) -> None:
    """Raise ValueError if y has a single value per document instead of a label set."""
    one = getattr(y, "ndim", None) == 1
    if isinstance(y, (list, tuple)) and len(y):
        one = not isinstance(y[0], _ROWS) and np.ndim(y[0]) == 0
    if one:
        what = "string" if isinstance(next(iter(y), None), _NAMES) else "value"
        raise ValueError(
            f"y holds one {what} a document, as a 1D array does; give a list of labels for each document, "
            "or indicators of 0 and 1 with a row for each document and a column for each label"
        )


def _names_labels(row: Any) -> bool:
    """Check whether a row is unambiguously a label set: a set, or a list, tuple or array that contains a string."""
    if isinstance(row, (set, frozenset)):
        return True
    return isinstance(row, _ROWS) and any(isinstance(label, _NAMES) for label in row)


def distinct_labels(sets: Iterable[frozenset[Any]]) -> np.ndarray:
    """Return the sorted unique labels of label sets, (L,); raise ValueError if there are none or types are mixed."""
    labels = frozenset().union(*sets)
    if not labels:
        raise ValueError("y holds no label; give at least one document a label")
    if len({isinstance(label, _NAMES) for label in labels}) > 1:
        raise ValueError("y mixes labels that are strings with labels that are numbers; give all as strings")
    return np.array(sorted(labels))


def indicators_of(sets: list[frozenset[Any]], classes: np.ndarray) -> sparse.csr_array:
    """Convert label sets to indicators, float64 CSR (N, L) with sorted indices; raise ValueError on unknown labels."""
    place = {label: column for column, label in enumerate(classes.tolist())}
    unknown = next((label for labels in sets for label in labels if label not in place), None)
    if unknown is not None:
        raise ValueError(f"the label {unknown!r} is not among the labels of the fit; leave it out, or fit with it")
    rows = [sorted(place[label] for label in labels) for labels in sets]
    indptr = np.cumsum([0, *map(len, rows)])
    columns = np.array([column for row in rows for column in row], dtype=np.int32)
    return sparse.csr_array((np.ones(len(columns)), columns, indptr), shape=(len(sets), len(classes)))
