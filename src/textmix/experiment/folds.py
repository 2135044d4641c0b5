"""Folds: the one way in which documents are cut into parts that are held out in turn, and the one cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np

Setting = TypeVar("Setting")
#: Rows to which a fit is made, and rows that it is scored on.
Fold = tuple[np.ndarray, np.ndarray]


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


class Score(Protocol):
    """A score of a fitted estimator on the documents of a fold."""

    def __call__(self, estimator: Any, documents: tuple[Any, Any], rows: np.ndarray) -> float:
        """Return the score; ``documents`` are features and targets of the fold, ``rows`` their numbers."""


def cross_validate(
    make: Callable[[Setting], Any],
    points: Sequence[Setting],
    documents: tuple[Any, Any],
    folds: Iterable[Fold],
    score: Score,
) -> np.ndarray:
    """Return the score of each of P points, fitted outside each of K folds and scored inside, float64 (P, K).

    Points of a fold are fitted one after the other, so that ``make`` may return an estimator that starts from the last
    fit of the fold.  ``documents`` are features X (N, V) and targets, classes (N,) or label indicators (N, L).
    ``score`` takes a fitted estimator, features and targets that are held out, and their rows.
    """
    X, y = documents
    columns = []
    for outside, inside in folds:
        fit, held = (X[outside], y[outside]), (X[inside], y[inside])
        columns.append([score(make(point).fit(*fit), held, inside) for point in points])
    return np.array(columns, dtype=np.float64).reshape(len(columns), len(points)).T
