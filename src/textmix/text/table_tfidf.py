"""`TableTfidf`: TF-IDF of texts combined with numeric and categorical columns, for linear models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from textmix.core.errors import ConfigError
from textmix.data.corpus import Ragged, TableTexts
from textmix.data.extra_columns import parse_numbers
from textmix.text.ngram_tfidf import MARK, NgramTfidf

#: Number of quantiles used for the quantile rank of a number, and number of bins of that scale that are additional
#: features, so that a linear model can distinguish the middle of the range from both ends.
POINTS = 101
BINS = 8
PARTS = ("", "missing", *(f"{part + 1} of {BINS}" for part in range(BINS)))
#: Maximum number of categories per column.
CATEGORIES = 1000


class TableTfidf(NgramTfidf):
    """Convert texts and table columns to features: word n-grams, then column features, then character n-grams.

    A numeric column is converted to its quantile rank among the training values, scaled to [-1, 1], and to indicators
    of the `BINS` bins of this scale and of missing data; a categorical column is one-hot encoded. Column features are
    stored between words and characters, so that they form a contiguous range with either of them.

    Parameters
    ----------
    numbers : tuple of str, default=()
        Numeric columns.
    categories : tuple of str, default=()
        Categorical columns.
    words : (int, int) or None, default=(1, 2)
        See `NgramTfidf`.
    characters : (int, int) or None, default=(2, 5)
        See `NgramTfidf`.
    min_df : int or (int, int), default=2
        See `NgramTfidf`; a category must occur in at least ``min_df`` rows, the larger value if there are two.
    max_features : int, default=None
        See `NgramTfidf`.
    char_wb : bool, default=False
        See `NgramTfidf`.

    Attributes
    ----------
    vocabulary_, idf_
        Text features, see `NgramTfidf`.
    names_ : dict of str to int
        Index of each of the W column features, keyed by column number and value.
    points_ : ndarray of shape (M, POINTS), float64
        Quantiles of each numeric column.
    """

    def __init__(
        self,
        *,
        numbers: tuple[str, ...] = (),
        categories: tuple[str, ...] = (),
        words: tuple[int, int] | None = (1, 2),
        characters: tuple[int, int] | None = (2, 5),
        min_df: int | tuple[int, int] = 2,
        max_features: int | None = None,
        char_wb: bool = False,
    ) -> None:
        super().__init__(words=words, characters=characters, min_df=min_df, max_features=max_features, char_wb=char_wb)
        self.numbers = numbers
        self.categories = categories

    @property
    def beside(self) -> tuple[str, ...]:
        """Names of the columns that are required in addition to the texts."""
        return (*self.numbers, *self.categories)

    def fit_transform(self, raw_documents: Iterable[str] | Ragged, y: Any = None) -> sparse.csr_array:
        """Learn the features of N texts with their columns; return the feature matrix, float64 CSR (N, V + W).

        Raises
        ------
        ConfigError
            If a column is missing, or a numeric column contains anything other than numbers; see also
            `NgramTfidf.fit_transform`.
        """
        columns = self._columns(raw_documents)
        X = super().fit_transform(raw_documents)
        numbers = [parse_numbers(name, columns[name]) for name in self.numbers]
        known = [values[~np.isnan(values)] for values in numbers]
        scale = np.linspace(0.0, 1.0, POINTS)
        self.points_ = np.array([np.quantile(each, scale) if len(each) else 0.0 * scale for each in known])
        self.points_ = self.points_.reshape(len(numbers), POINTS)
        names = self._of_numbers()
        min_count = self.min_df if isinstance(self.min_df, int) else max(self.min_df)
        for column, name in enumerate(self.categories, start=len(numbers)):
            counts = Counter(cell for cell in columns[name] if cell)
            often = sorted((cell for cell in counts if counts[cell] >= min_count), key=lambda cell: -counts[cell])
            names += [_key(column, cell) for cell in sorted(often[:CATEGORIES])]
        self.names_ = {name: place for place, name in enumerate(names)}
        return self._joined(X, raw_documents)

    def transform(self, raw_documents: Iterable[str] | Ragged) -> sparse.csr_array:
        """Return the features of N texts with their columns, float64 CSR (N, V + W); raise as `fit_transform` does."""
        return self._joined(super().transform(raw_documents), raw_documents)

    def refitted(self, X: sparse.csr_array, rows: np.ndarray) -> sparse.csr_array:
        """Recompute the features of N texts as if fitted to ``rows`` only; column features are unchanged."""
        first = self.n_words
        last = self.n_words + len(self.names_)
        texts = super().refitted(sparse.csr_array(sparse.hstack([X[:, :first], X[:, last:]], format="csr")), rows)
        parts = [texts[:, :first], X[:, first:last], texts[:, first:]]
        return sparse.csr_array(sparse.hstack(parts, format="csr"))

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the V + W features, object array; the argument is ignored."""
        words = super().get_feature_names_out()
        keys = [name.split("\t", 1) for name in self.names_]
        cells = [f"{self.beside[int(column)]}: {value}".removesuffix(": ") for column, value in keys]
        first = self.n_words
        return np.concatenate([words[:first], np.array(cells, dtype=object), words[first:]])

    @property
    def n_words(self) -> int:
        """Number of word features, which are the first columns."""
        return sum(not name.startswith(MARK) for name in self.vocabulary_)

    def _of_numbers(self) -> list[str]:
        """Return the names of the features of all numeric columns, which precede the categories."""
        return [_key(column, part) for column in range(len(self.numbers)) for part in PARTS]

    def _columns(self, raw_documents: Any) -> dict[str, Sequence[str]]:
        """Extract the required columns; raise ConfigError if one is missing."""
        cells = raw_documents.cells if isinstance(raw_documents, TableTexts) else {}
        for name in self.beside:
            if name not in cells:
                raise ConfigError(f"the column {name!r} is missing, which the model takes beside the text; add it")
        return {name: cells[name] for name in self.beside}

    def _joined(self, X: sparse.csr_array, raw_documents: Any) -> sparse.csr_array:
        """Combine text features and column features."""
        columns = self._columns(raw_documents)
        first = self.n_words
        entries = [self._of_number(number, name, columns[name]) for number, name in enumerate(self.numbers)]
        for number, name in enumerate(self.categories, start=len(self.numbers)):
            found = np.array([self.names_.get(_key(number, cell), -1) for cell in columns[name]], dtype=np.int64)
            rows = np.flatnonzero(found >= 0)
            entries.append((rows, found[rows], np.ones(len(rows))))
        rows, places, values = (np.concatenate(each) for each in zip(*entries, strict=True))
        cells = sparse.csr_array((values, (rows, places)), shape=(X.shape[0], len(self.names_)))
        return sparse.csr_array(sparse.hstack([X[:, :first], cells, X[:, first:]], format="csr"))

    def _of_number(self, number: int, name: str, cells: Sequence[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Compute rows, feature indices and values of a numeric column."""
        values = parse_numbers(name, cells)
        points = self.points_[number]
        missing = np.flatnonzero(np.isnan(values))
        known = np.flatnonzero(~np.isnan(values))
        # Tied values get their mean rank, so the ranks of a binary column reflect the proportions of 0 and 1.
        ranks = np.searchsorted(points, values[known]) + np.searchsorted(points, values[known], side="right")
        share = ranks / (2.0 * POINTS)
        start = number * len(PARTS)
        part = start + 2 + np.minimum((share * BINS).astype(np.int64), BINS - 1)
        places = np.concatenate([np.full(len(known), start), np.full(len(missing), start + 1), part])
        ones = np.ones(len(missing) + len(known))
        return np.concatenate([known, missing, known]), places, np.concatenate([2.0 * share - 1.0, ones])

    def _check_loaded(self) -> None:
        super()._check_loaded()
        expected = self._of_numbers()
        names = list(self.names_)
        columns = {str(number) for number in range(len(self.numbers), len(self.beside))}
        categories = [name.partition("\t") for name in names[len(expected) :]]
        if names[: len(expected)] != expected or not all(column in columns for column, _, _ in categories):
            raise ValueError("the features of the cells are not those of the columns")
        if self.points_.shape != (len(self.numbers), POINTS):
            raise ValueError("there are not the quantiles of each column of numbers")


def _key(column: int, value: str) -> str:
    """Return the key of a column feature, unique across columns."""
    return f"{column}\t{value}"
