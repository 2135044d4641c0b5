"""Parts that the measures of the thesis share: small samples of each split."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from textmix.experiment.splits import Splits
from textmix.experiment.trial import Documents, Trial


def samples(documents: Documents, splits: Splits, most: int, generator: np.random.Generator) -> Iterator[Trial]:
    """Yield each trial with at most ``most`` random training and test documents, in the order of the data set."""
    for number in range(len(splits)):
        parts = splits.train[number], splits.test[number]
        train, test = (documents[np.sort(generator.permutation(part)[:most])] for part in parts)
        yield Trial(number, train, test)
