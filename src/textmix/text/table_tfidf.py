"""`TableTfidf`: TF-IDF of texts, and beside it the numbers and categories of a table, for linear models of both."""

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

#: Quantiles by which the place of a number is found, and parts of this scale that are features of their own, so that a
#: linear model can tell the middle from both ends.
POINTS, BINS = 101, 8
PARTS = ("", "missing", *(f"{part + 1} of {BINS}" for part in range(BINS)))
#: Most categories of a column.
CATEGORIES = 1000


class TableTfidf(NgramTfidf):
    """Turn texts and the cells beside them into the features of words, of cells, and of characters.

    Of a number there is its place among those of the fit, from -1 to 1, and whether it lies in each of `BINS` parts of
    this scale, or is missing; of a category whether the cell holds it.  Cells stand between words and characters, so
    that each of both can be taken with them as one range.

    Parameters
    ----------
    numbers, categories : names of columns.
    words, characters, min_df, max_features, char_wb : see `NgramTfidf`; a category is in at least ``min_df`` rows, the
        larger of two.

    Attributes
    ----------
    vocabulary_, idf_ : of the texts.
    names_ : number of the column and value -> feature of the cells, W of them.
    points_ : float64 (M, `POINTS`), quantiles of each column of numbers.
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
        """The columns whose cells come with the texts."""
        return (*self.numbers, *self.categories)

    def fit_transform(self, raw_documents: Iterable[str] | Ragged, y: Any = None) -> sparse.csr_array:
        """Find the features of N texts with their cells and return them, float64 CSR (N, V + W).

        Raises `ConfigError` if a column is missing, or holds another text than numbers; see `NgramTfidf.fit_transform`.
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
        """Return the features of N texts with their cells, float64 CSR (N, V + W); errors as in `fit_transform`."""
        return self._joined(super().transform(raw_documents), raw_documents)

    def refitted(self, X: sparse.csr_array, rows: np.ndarray) -> sparse.csr_array:
        """Return features of N texts as a fit to some of them makes them; cells stay as they are."""
        first, last = self.n_words, self.n_words + len(self.names_)
        texts = super().refitted(sparse.csr_array(sparse.hstack([X[:, :first], X[:, last:]], format="csr")), rows)
        parts = [texts[:, :first], X[:, first:last], texts[:, first:]]
        return sparse.csr_array(sparse.hstack(parts, format="csr"))

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the V + W names of the features, object; the argument is ignored."""
        words, keys = super().get_feature_names_out(), [name.split("\t", 1) for name in self.names_]
        cells = [f"{self.beside[int(column)]}: {value}".removesuffix(": ") for column, value in keys]
        first = self.n_words
        return np.concatenate([words[:first], np.array(cells, dtype=object), words[first:]])

    @property
    def n_words(self) -> int:
        """Number of features of words, which come first."""
        return sum(not name.startswith(MARK) for name in self.vocabulary_)

    def _of_numbers(self) -> list[str]:
        """Return the names of the features of all columns of numbers, which come first."""
        return [_key(column, part) for column in range(len(self.numbers)) for part in PARTS]

    def _columns(self, raw_documents: Any) -> dict[str, Sequence[str]]:
        """Return the cells of the columns; raises ConfigError if one is missing."""
        cells = raw_documents.cells if isinstance(raw_documents, TableTexts) else {}
        for name in self.beside:
            if name not in cells:
                raise ConfigError(f"the column {name!r} is missing, which the model takes beside the text; add it")
        return {name: cells[name] for name in self.beside}

    def _joined(self, X: sparse.csr_array, raw_documents: Any) -> sparse.csr_array:
        """Return the features of texts with those of the cells."""
        columns, first = self._columns(raw_documents), self.n_words
        entries = [self._of_number(number, name, columns[name]) for number, name in enumerate(self.numbers)]
        for number, name in enumerate(self.categories, start=len(self.numbers)):
            found = np.array([self.names_.get(_key(number, cell), -1) for cell in columns[name]], dtype=np.int64)
            rows = np.flatnonzero(found >= 0)
            entries.append((rows, found[rows], np.ones(len(rows))))
        rows, places, values = (np.concatenate(each) for each in zip(*entries, strict=True))
        cells = sparse.csr_array((values, (rows, places)), shape=(X.shape[0], len(self.names_)))
        return sparse.csr_array(sparse.hstack([X[:, :first], cells, X[:, first:]], format="csr"))

    def _of_number(self, number: int, name: str, cells: Sequence[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return rows, features and values of a column of numbers."""
        values, points = parse_numbers(name, cells), self.points_[number]
        missing = np.flatnonzero(np.isnan(values))
        known = np.flatnonzero(~np.isnan(values))
        # Of equal numbers the middle: 0 and 1 stand where their shares put them.
        ranks = np.searchsorted(points, values[known]) + np.searchsorted(points, values[known], side="right")
        share = ranks / (2.0 * POINTS)
        start = number * len(PARTS)
        part = start + 2 + np.minimum((share * BINS).astype(np.int64), BINS - 1)
        places = np.concatenate([np.full(len(known), start), np.full(len(missing), start + 1), part])
        ones = np.ones(len(missing) + len(known))
        return np.concatenate([known, missing, known]), places, np.concatenate([2.0 * share - 1.0, ones])

    def _check_loaded(self) -> None:
        super()._check_loaded()
        expected, names = self._of_numbers(), list(self.names_)
        columns = {str(number) for number in range(len(self.numbers), len(self.beside))}
        categories = [name.partition("\t") for name in names[len(expected) :]]
        if names[: len(expected)] != expected or not all(column in columns for column, _, _ in categories):
            raise ValueError("the features of the cells are not those of the columns")
        if self.points_.shape != (len(self.numbers), POINTS):
            raise ValueError("there are not the quantiles of each column of numbers")


def _key(column: int, value: str) -> str:
    """Return the name of a feature of the cells: no value of another column can be alike."""
    return f"{column}\t{value}"
