"""Parts that the measures of the EDCM paper share: the documents of a trial, samples of them, and means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from reproduction.flow.measures import MeasureData, Value
from textmix.experiment.trial import Documents, Trial

#: The values of a measure by key, and the rows of a table, column -> cell.
Values = dict[str, Value]
Rows = list[dict[str, Any]]


def sample(documents: Documents, per_class: int, generator: np.random.Generator) -> Documents:
    """Draw ``per_class`` documents that have words from each class, or all of them where there are fewer."""
    full = documents.lengths > 0
    groups = [np.flatnonzero((documents.y == c) & full) for c in np.unique(documents.y)]
    drawn = [generator.permutation(rows)[:per_class] for rows in groups]
    return documents[np.sort(np.concatenate(drawn))]


def only(sources: Mapping[str, MeasureData]) -> MeasureData:
    """Return the only data set of a measure."""
    return next(iter(sources.values()))


def first(sources: Mapping[str, MeasureData]) -> Trial:
    """Return the first trial of the only data set."""
    return only(sources).first()


def mean_and_deviation(values: Any) -> tuple[float, float]:
    """Return mean and sample standard deviation of all values of an array of any shape; one value deviates by 0."""
    values = np.asarray(values, dtype=np.float64)
    return float(values.mean()), float(values.std(ddof=1)) if values.size > 1 else 0.0
