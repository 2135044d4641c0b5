"""Encode labels from Python for an ensemble, and decode predicted labels."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

MAX_LABELS_IN_MESSAGE = 10


def as_label_array(labels: Sequence[Any]) -> np.ndarray:
    """Return labels as an array that keeps their type; of mixed types as objects."""
    types = {type(label) for label in labels}
    return np.array(list(labels), dtype=None if len(types) == 1 else object)


def encode_labels(y: Any, labels: Sequence[Any], task: str) -> np.ndarray:
    """Encode labels as indices (N,), or as label indicators (N, L).

    Parameters
    ----------
    y : sequence of labels, or of collections of labels, of length N
        The label of each text, or its labels.
    labels : sequence
        The L labels of the model.
    task : {"single", "multi"}
        One label per text, or several.

    Returns
    -------
    ndarray of shape (N,), dtype int64, or of shape (N, L), dtype int8

    Raises
    ------
    ValueError
        If y contains another label.
    """
    index = {label: number for number, label in enumerate(labels)}
    rows = as_label_sets(y) if task == "multi" else [frozenset([label]) for label in as_list(y)]
    unknown = next((label for row in rows for label in row if label not in index), None)
    if unknown is not None:
        raise ValueError(f"y contains the label {unknown!r}, which is not one of classes_: {_summarise(labels)}")
    if task == "single":
        return np.array([index[label] for row in rows for label in row], dtype=np.int64)
    indicators = np.zeros((len(rows), len(index)), dtype=np.int8)
    for number, row in enumerate(rows):
        indicators[number, [index[label] for label in row]] = 1
    return indicators


def decode_labels(predicted: np.ndarray, labels: Sequence[Any]) -> np.ndarray:
    """Return the label of each text for indices (N,), or a tuple of labels for indicators (N, L)."""
    classes = as_label_array(labels)
    if predicted.ndim == 1:
        return np.asarray(classes[predicted])
    decoded = np.empty(len(predicted), dtype=object)
    for row, indicators in enumerate(predicted):
        decoded[row] = tuple(classes[np.flatnonzero(indicators)].tolist())
    return decoded


def accuracy(predicted: np.ndarray, y: Any, labels: Sequence[Any], task: str) -> float:
    """Compute the accuracy of decoded labels, or the subset accuracy if texts have several.

    Raises
    ------
    ValueError
        If y contains indicators instead of labels, or labels of another type, such as "1" instead of 1.
    """
    if task == "multi":
        expected: Sequence[Any] = as_label_sets(y)
        answers: Sequence[Any] = [frozenset(row) for row in predicted]
        members = [label for row in expected for label in row]
    else:
        expected = as_list(y)
        answers = predicted.tolist()
        members = expected
    if members and all(isinstance(label, str) for label in members) != isinstance(labels[0], str):
        raise ValueError(f"y contains {members[0]!r}, while the labels of the model are {_summarise(labels)}")
    return float(np.mean([answer == label for answer, label in zip(answers, expected, strict=True)]))


def as_list(y: Any) -> list[Any]:
    """Return the label of each text as Python objects; an array or a DataFrame may have a single column."""
    if hasattr(y, "columns") and len(y.columns) == 1:
        y = y[y.columns[0]]
    if getattr(y, "ndim", 1) == 2 and y.shape[1] == 1:
        y = y.ravel()
    values = getattr(y, "tolist", lambda: list(y))()
    return list(values)


def as_label_sets(y: Any) -> list[frozenset[Any]]:
    """Return the labels of each text.

    Raises
    ------
    ValueError
        If y does not contain collections of labels.
    """
    rows = list(y)
    is_collection = [isinstance(row, Collection) and not isinstance(row, (str, bytes)) for row in rows]
    if getattr(y, "ndim", 1) == 1 and all(is_collection):
        return [frozenset(row) for row in rows]
    raise ValueError("y does not contain label sets; pass a list of labels for each text")


def _summarise(labels: Sequence[Any]) -> str:
    return ", ".join(repr(label) for label in labels[:MAX_LABELS_IN_MESSAGE])
