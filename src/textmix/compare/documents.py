"""Documents of a comparison, and the folds of their cross-validation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from textmix.compare.candidates import BASELINE_VIEW, SCALED_NUMBERS
from textmix.data.corpus import Ragged, TableTexts
from textmix.data.feature_rows import FeatureRows
from textmix.experiment.folds import Fold, fold_numbers, halves_of
from textmix.numerics.seeding import rng

#: Number of folds of a cross-validation.
N_FOLDS = 5
#: Bit mask that identifies UTF-8 continuation bytes, and their masked value.
CONTINUATION_MASK = 0xC0
CONTINUATION = 0x80
#: Characters that take as long to process as an element of a feature vector.
CHARACTERS_PER_ELEMENT = 5


class LabelledTexts(NamedTuple):
    """Texts with labels.

    Parameters
    ----------
    texts : Ragged
        Texts in UTF-8; a `TableTexts` if a table has extra columns; `FeatureRows` of numeric data.
    y : ndarray of shape (n_documents,) or (n_documents, n_labels)
        Class indices, or label indicators.
    n_labels : int
        Number of classes or labels.
    """

    texts: Ragged
    y: np.ndarray
    n_labels: int

    @property
    def task(self) -> str:
        """``single`` for one label per document, else ``multi``."""
        return "single" if self.y.ndim == 1 else "multi"

    @property
    def cells(self) -> Mapping[str, Sequence[str]]:
        """Cells of the extra columns, by column."""
        return self.texts.cells if isinstance(self.texts, TableTexts) else {}

    @property
    def is_numeric(self) -> bool:
        """Whether the documents are feature vectors instead of texts."""
        return isinstance(self.texts, FeatureRows)

    @property
    def is_nonnegative(self) -> bool:
        """Whether no feature is negative; False for texts."""
        return isinstance(self.texts, FeatureRows) and not (self.texts.matrix().data < 0.0).any()

    @property
    def baseline_view(self) -> str:
        """Features of the baseline."""
        return SCALED_NUMBERS if self.is_numeric else BASELINE_VIEW

    @property
    def n_characters(self) -> int:
        """Number of characters of all texts, or an equivalent number for feature vectors."""
        if isinstance(self.texts, FeatureRows):
            return CHARACTERS_PER_ELEMENT * self.texts.n_elements
        return int(np.count_nonzero(self.texts.values & CONTINUATION_MASK != CONTINUATION))

    def subset(self, rows: Sequence[int] | np.ndarray) -> LabelledTexts:
        """Select documents by row."""
        rows = np.asarray(rows, dtype=np.int64)
        return LabelledTexts(self.texts.take(rows.tolist()), self.y[rows], self.n_labels)


class Folds:
    """Random folds, resampled for each repetition of the cross-validation.

    Parameters
    ----------
    y : ndarray of shape (n_documents,) or (n_documents, n_labels)
        Class indices, used to stratify the folds, or label indicators.
    seed : int
        Random seed.
    """

    def __init__(self, y: np.ndarray, seed: int) -> None:
        self.y = y
        self.seed = seed
        self._folds: dict[int, list[Fold]] = {}

    def __getitem__(self, repetition: int) -> list[Fold]:
        """Return the training rows and the held-out rows of each fold of a repetition."""
        if repetition not in self._folds:
            generator = rng(self.seed, "compare", repetition)
            n_documents = len(self.y)
            classes = self.y if self.y.ndim == 1 else None
            numbers = fold_numbers(n_documents, min(N_FOLDS, n_documents), generator, classes)
            self._folds[repetition] = list(halves_of(numbers))
        return self._folds[repetition]

    def training_rows(self, repetition: int, fold: int | None) -> np.ndarray:
        """Return the rows outside a fold, or all rows if ``fold`` is None."""
        return np.arange(len(self.y)) if fold is None else self[repetition][fold][0]

    def held_out_rows(self, repetition: int, fold: int) -> np.ndarray:
        """Return the rows of a fold."""
        return self[repetition][fold][1]
