"""Assign documents to folds, and cross-validate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np

Setting = TypeVar("Setting")
#: Rows of training and of held-out documents.
Fold = tuple[np.ndarray, np.ndarray]


def fold_numbers(
    n_documents: int, n_folds: int, generator: np.random.Generator | None = None, classes: np.ndarray | None = None
) -> np.ndarray:
    """Assign documents to folds of sizes that differ by at most one.

    Parameters
    ----------
    n_documents : int
    n_folds : int
    generator : Generator, default=None
        Random generator for the order of assignment; None keeps the order of the documents.
    classes : ndarray of shape (N,), default=None
        Classes for stratification: the documents of a class in two folds differ by at most one.

    Returns
    -------
    numbers : ndarray of shape (N,), dtype=int64
        Number of the fold of each document, from 0.
    """
    order = np.arange(n_documents) if generator is None else generator.permutation(n_documents)
    if classes is not None:
        order = order[np.argsort(classes[order], kind="stable")]  # grouped by class
    numbers = np.empty(n_documents, dtype=np.int64)
    numbers[order] = np.arange(n_documents) % n_folds
    return numbers


def halves_of(numbers: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the training and the held-out rows of each fold, int64, in increasing order."""
    n_folds = int(numbers.max(initial=-1)) + 1
    for fold in range(n_folds):
        yield np.flatnonzero(numbers != fold), np.flatnonzero(numbers == fold)


def evenly(order: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Reorder rows (N,) so that each prefix has nearly the same class proportions as the whole."""
    position = np.empty(len(order))
    for label in np.unique(classes[order]):
        rows = np.flatnonzero(classes[order] == label)
        n_rows = len(rows)
        position[rows] = (np.arange(n_rows) + 0.5) / n_rows
    return order[np.argsort(position, kind="stable")]


class Score(Protocol):
    """Scoring function for the held-out documents of a fold."""

    def __call__(self, estimator: Any, documents: tuple[Any, Any], rows: np.ndarray) -> float:
        """Score a fitted estimator on features and targets of held-out documents, which have the numbers ``rows``."""


def cross_validate(
    make: Callable[[Setting], Any],
    points: Sequence[Setting],
    documents: tuple[Any, Any],
    folds: Iterable[Fold],
    score: Score,
) -> np.ndarray:
    """Cross-validate P grid points on K folds.

    The points of a fold are fitted one after the other, so that ``make`` may return an estimator that is warm-started
    from the previous fit of the fold.

    Parameters
    ----------
    make : callable
        Function that creates an estimator from a grid point.
    points : sequence of length P
        Grid points.
    documents : tuple of (X, y)
        Features (N, V), and classes (N,) or label indicators (N, L).
    folds : iterable of (ndarray, ndarray) of length K
        Rows of training and of held-out documents.
    score : Score
        Scoring function.

    Returns
    -------
    scores : ndarray of shape (P, K), dtype=float64
    """
    X, y = documents
    columns = []
    for train, held_out in folds:
        X_train = X[train]
        y_train = y[train]
        test_documents = (X[held_out], y[held_out])
        scores = []
        for point in points:
            estimator = make(point).fit(X_train, y_train)
            scores.append(score(estimator, test_documents, held_out))
        columns.append(scores)
    scores_of_folds = np.array(columns, dtype=np.float64)
    return scores_of_folds.reshape(len(columns), len(points)).T
