"""Parse label sets, and convert them to label indicators."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

#: Types of a row of y that may contain the labels of a document.
COLLECTIONS = (list, tuple, set, frozenset, np.ndarray)
_STRINGS = (str, np.str_)
_INTEGERS = (int, np.integer)


def parse_label_sets(y: Any, ambiguous: str = "raise") -> list[frozenset[Any]] | None:
    """Parse y as label sets, one collection of strings or of integers per document.

    A row of 0 and 1 could be a label set or label indicators.  Rows are indicators if they have the same length and one
    of them repeats a value; tuples, the format of predictions, are label sets otherwise.

    Parameters
    ----------
    y : array-like of length N
        Targets in any format.
    ambiguous : {"raise", "sets", "indicators"}, default="raise"
        What to do with rows of 0 and 1 that may be label sets or indicators.

    Returns
    -------
    label_sets : list of frozenset, or None
        The labels of each document; None if y contains indicators or a single value per document, or is empty.

    Raises
    ------
    ValueError
        If only some rows are label sets, a label is neither a string nor an integer, or rows of 0 and 1 are ambiguous.
    """
    rows = _rows_of(y)
    are_sets = _are_label_sets(rows)
    if are_sets is None and getattr(y, "ndim", 1) == 2:
        are_sets = False  # indicators in an array of objects
    if are_sets is None and ambiguous == "raise":
        raise ValueError(
            f"y contains lists of 0 and 1, such as {list(rows[0])}, which may be indicators or label sets; "
            "pass indicators as a NumPy array, or labels as sets"
        )
    if are_sets is False or (are_sets is None and ambiguous == "indicators"):
        return None
    single = next((row for row in rows if not isinstance(row, COLLECTIONS)), None)
    if single is not None:
        raise ValueError(f"y contains {single!r} among label sets; pass a list of labels for each document")
    sets = [frozenset(row.tolist() if isinstance(row, np.ndarray) else row) for row in rows]
    for labels in sets:
        for label in labels:
            if not isinstance(label, (*_STRINGS, *_INTEGERS)):
                raise ValueError(f"y contains the label {label!r}; labels must be strings or integers")
    return sets


def _rows_of(y: Any) -> list[Any]:
    """Return the rows of y if it may contain label sets, otherwise an empty list."""
    is_numeric = getattr(getattr(y, "dtype", None), "kind", "O") in "biufc"
    is_table = hasattr(y, "columns") or hasattr(y, "tocsr")
    if is_numeric or is_table or isinstance(y, (str, bytes)) or not isinstance(y, Iterable):
        return []
    return list(y)


def _are_label_sets(rows: Sequence[Any]) -> bool | None:
    """Check whether rows are label sets; None if they may be label sets or indicators."""
    collections = [row for row in rows if isinstance(row, COLLECTIONS)]
    labels = [label for row in collections for label in row]
    has_sets = any(isinstance(row, (set, frozenset)) for row in collections)
    if has_sets or any(isinstance(label, _STRINGS) for label in labels):
        return True
    if not labels or len(collections) < len(rows) or not all(map(_is_integer, labels)):
        return False
    if len({len(row) for row in rows}) > 1 or not set(labels) <= {0, 1}:
        return True
    if any(len(set(row)) < len(row) for row in rows):
        return False
    return True if all(isinstance(row, tuple) for row in rows) else None


def _is_integer(label: Any) -> bool:
    return isinstance(label, _INTEGERS) and not isinstance(label, bool)


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
        If one contains label sets and the other indicators, their lengths differ, or one contains strings and the other
        integers.
    """
    has_sets = True in (_are_label_sets(_rows_of(true)), _are_label_sets(_rows_of(predicted)))
    ambiguous = "sets" if has_sets else "raise"
    true_sets = parse_label_sets(true, ambiguous)
    predicted_sets = parse_label_sets(predicted, ambiguous)
    if true_sets is None and predicted_sets is None:
        return true, predicted
    true_sets = _or_empty_sets(true, true_sets, "true")
    predicted_sets = _or_empty_sets(predicted, predicted_sets, "predicted")
    if len(true_sets) != len(predicted_sets):
        raise ValueError(f"true has {len(true_sets)} label sets and predicted {len(predicted_sets)}")
    labels = frozenset[Any]().union(*true_sets, *predicted_sets)
    if len({isinstance(label, _STRINGS) for label in labels}) > 1:
        raise ValueError("labels must all be strings or all be integers, got both in true and predicted")
    index = {label: column for column, label in enumerate(sorted(labels))}
    return _indicators(true_sets, index), _indicators(predicted_sets, index)


def _or_empty_sets(y: Any, label_sets: list[frozenset[Any]] | None, name: str) -> list[frozenset[Any]]:
    """Return the label sets of y, where rows that are all empty are label sets as well."""
    if label_sets is not None:
        return label_sets
    rows = _rows_of(y)
    is_empty_list = isinstance(y, (list, tuple)) and len(y) == 0
    are_empty_sets = bool(rows) and all(isinstance(row, COLLECTIONS) and len(row) == 0 for row in rows)
    if not is_empty_list and not are_empty_sets:
        raise ValueError(f"{name} contains no label sets, unlike the other argument; pass both in the same format")
    return [frozenset() for _ in rows]


def _indicators(label_sets: Sequence[Iterable[Any]], index: dict[Any, int]) -> np.ndarray:
    """Convert label sets to indicators, int8 (N, L), with at least one column."""
    indicators = np.zeros((len(label_sets), max(len(index), 1)), dtype=np.int8)
    for number, labels in enumerate(label_sets):
        indicators[number, [index[label] for label in labels]] = 1
    return indicators
