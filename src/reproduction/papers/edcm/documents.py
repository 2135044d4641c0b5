"""The documents a measure works on: counts and classes of the parts of a split."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from reproduction.stored.measures import MeasureData

#: Key -> value, or value and its standard deviation; and the rows of a table, column -> cell.
Values = dict[str, float | tuple[float, float]]
Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Documents:
    """Counts X, CSR (N, V), and class index y, int (N,), of some documents."""

    X: sparse.csr_array
    y: np.ndarray

    def __getitem__(self, rows: np.ndarray) -> Documents:
        """Return the documents of some rows: indices, or a mask of N truth values."""
        return Documents(self.X[rows], self.y[rows])

    @property
    def lengths(self) -> np.ndarray:
        """Number of words of each document, float64 (N,)."""
        return np.asarray(self.X.sum(axis=1), dtype=np.float64).ravel()

    def sample(self, per_class: int, generator: np.random.Generator) -> Documents:
        """Draw ``per_class`` documents that have words from each class, or all of them where there are fewer."""
        full = self.lengths > 0
        groups = [np.flatnonzero((self.y == c) & full) for c in np.unique(self.y)]
        drawn = [generator.permutation(rows)[:per_class] for rows in groups]
        return self[np.sort(np.concatenate(drawn))]


def only(sources: Mapping[str, MeasureData]) -> MeasureData:
    """Return the only data set of a measure."""
    return next(iter(sources.values()))


def trials(source: MeasureData, most: int | None = None) -> Iterator[tuple[Documents, Documents]]:
    """Yield training and test documents of each of the first ``most`` splits, of all splits if it is None."""
    every = Documents(source.corpus.features, source.corpus.classes())
    for trial in range(min(len(source.splits), most or len(source.splits))):
        yield every[source.splits.train[trial]], every[source.splits.test[trial]]


def first(sources: Mapping[str, MeasureData]) -> tuple[Documents, Documents]:
    """Return training and test documents of the first split of the only data set."""
    return next(trials(only(sources)))


def mean_and_deviation(values: Any) -> tuple[float, float]:
    """Return mean and sample standard deviation of all values of an array of any shape; one value deviates by 0."""
    values = np.asarray(values, dtype=np.float64)
    return float(values.mean()), float(values.std(ddof=1)) if values.size > 1 else 0.0
