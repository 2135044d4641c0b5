"""Folds: the one way in which documents are cut into parts that are held out in turn."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np


def fold_numbers(
    n_documents: int, n_folds: int, generator: np.random.Generator | None = None, classes: np.ndarray | None = None
) -> np.ndarray:
    """Return the number of the fold of each document, int64 (N,), from 0; sizes of folds differ by one at most.

    ``generator`` draws the order in which documents go to the folds in turn; None takes the order of the documents.
    With ``classes`` (N,) the documents of a class in two folds differ by one at most, too.
    """
    order = np.arange(n_documents) if generator is None else generator.permutation(n_documents)
    if classes is not None:
        order = order[np.argsort(classes[order], kind="stable")]  # of each class in turn
    numbers = np.empty(n_documents, dtype=np.int64)
    numbers[order] = np.arange(n_documents) % n_folds
    return numbers


def halves_of(numbers: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield for each fold the rows outside it and the rows in it, int64, each in increasing order."""
    for fold in range(int(numbers.max(initial=-1)) + 1):
        yield np.flatnonzero(numbers != fold), np.flatnonzero(numbers == fold)


def evenly(order: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Return the rows (N,) reordered so that each prefix holds nearly the overall share of each class."""
    position = np.empty(len(order))
    for label in np.unique(classes[order]):
        rows = np.flatnonzero(classes[order] == label)
        position[rows] = (np.arange(len(rows)) + 0.5) / len(rows)
    return order[np.argsort(position, kind="stable")]
