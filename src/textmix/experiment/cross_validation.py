"""One cross-validation: each point of a method fitted to the documents outside a fold and scored on those inside."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np

Setting = TypeVar("Setting")
#: Rows to which a fit is made, and rows that it is scored on.
Fold = tuple[np.ndarray, np.ndarray]


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
    """Return the score of each of P points on each of K folds, float64 (P, K).

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
