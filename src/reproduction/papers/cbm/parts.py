"""The parts of a data set on which the measures of the CBM slides fit and test, and numbers of their predictions."""

from __future__ import annotations

import numpy as np

from reproduction.stored.measures import MeasureData


class Parts:
    """Training and test part of the first split: features X (N, V), label indicators Y (N, L), names of labels."""

    def __init__(self, source: MeasureData) -> None:
        train, test = source.splits.train[0], source.splits.test[0]
        X, Y = source.corpus.features, source.corpus.indicators()
        self.X, self.Y = X[train], Y[train]  # type: ignore[index]
        self.X_test, self.Y_test = X[test], Y[test]  # type: ignore[index]
        self.labels = list(source.corpus.label_names)


def seed_from(generator: np.random.Generator) -> int:
    """Return a seed for an estimator."""
    return int(generator.integers(2**31))


def exactly_right(true: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Return 1 for each predicted label set that equals the true one, else 0, float64 (N,)."""
    return np.asarray((true == predicted).all(axis=1), dtype=np.float64)


def deviation_of(values: list[float]) -> float:
    """Return the sample standard deviation; 0 of a single value."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
