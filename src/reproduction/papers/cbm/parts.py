"""Parts that the measures of the CBM slides share: the trial, seeds, and numbers of their predictions."""

from __future__ import annotations

import numpy as np

from reproduction.flow.measures import MeasureData
from textmix.experiment.trial import Trial


def first(source: MeasureData) -> Trial:
    """Return the first trial of a data set: features and label indicators."""
    return source.first("indicators")


def seed_from(generator: np.random.Generator) -> int:
    """Return a seed for an estimator."""
    return int(generator.integers(2**31))


def exactly_right(true: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Return 1 for each predicted label set that equals the true one, else 0, float64 (N,)."""
    return np.asarray((true == predicted).all(axis=1), dtype=np.float64)
