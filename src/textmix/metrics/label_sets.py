"""Label sets as indicators, so that every metric takes what classifiers predict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

_COLLECTIONS = (list, tuple, set, frozenset, np.ndarray)


def is_label_sets(y: Any) -> bool:
    """Check whether y contains a collection of labels for each document.

    Lists of 0 and 1 of equal length are rows of indicators; sets, lists of strings, lists of different length, and the
    tuples that classifiers predict are label sets.

    Parameters
    ----------
    y : list, tuple or ndarray of length N
        Targets.

    Returns
    -------
    is_label_sets : bool
    """
    if isinstance(y, np.ndarray):
        return y.ndim == 1 and y.dtype == object and len(y) > 0 and all(isinstance(row, _COLLECTIONS) for row in y)
    if not isinstance(y, (list, tuple)) or not y or not all(isinstance(row, _COLLECTIONS) for row in y):
        return False
    has_sets = any(isinstance(row, (set, frozenset)) for row in y)
    has_strings = any(isinstance(label, str) for row in y for label in row)
    return has_sets or has_strings or len({len(row) for row in y}) > 1


def encode_label_sets(true: Any, predicted: Any) -> tuple[Any, Any]:
    """Convert label sets to indicators over the union of their labels; other targets are returned unchanged.

    Parameters
    ----------
    true, predicted : array-like of length N
        Indicators, or a collection of labels for each document.

    Returns
    -------
    true, predicted : array-like
        int8 ndarrays of shape (N, L) if one of them contains label sets.

    Raises
    ------
    ValueError
        If one contains label sets and the other indicators, or their lengths differ.
    """
    if not is_label_sets(true) and not is_label_sets(predicted):
        return true, predicted
    rows = [_as_sets(true, "true"), _as_sets(predicted, "predicted")]
    if len(rows[0]) != len(rows[1]):
        raise ValueError(f"true has {len(rows[0])} label sets and predicted {len(rows[1])}")
    labels = sorted(frozenset[Any]().union(*rows[0], *rows[1]), key=lambda label: (isinstance(label, str), label))
    index = {label: column for column, label in enumerate(labels)}
    return _indicators(rows[0], index), _indicators(rows[1], index)


def _as_sets(y: Any, name: str) -> list[frozenset[Any]]:
    rows = list(y)
    is_all_empty = all(isinstance(row, _COLLECTIONS) and len(row) == 0 for row in rows)
    if not is_label_sets(y) and not is_all_empty:
        raise ValueError(f"{name} contains no label sets, unlike the other argument; pass both in the same format")
    return [frozenset(row.tolist() if isinstance(row, np.ndarray) else row) for row in rows]


def _indicators(rows: Sequence[Iterable[Any]], index: dict[Any, int]) -> np.ndarray:
    indicators = np.zeros((len(rows), max(len(index), 1)), dtype=np.int8)
    for number, row in enumerate(rows):
        indicators[number, [index[label] for label in row]] = 1
    return indicators
