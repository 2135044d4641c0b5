"""Rows of a feature matrix, stored like texts, so that numeric documents pass through the same steps as texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from textmix.core.errors import ConfigError, suggest
from textmix.data.corpus import Corpus, Ragged, TableTexts
from textmix.data.extra_columns import parse_numbers

#: Stored element of a row.
ELEMENT = np.dtype([("column", "<i4"), ("value", "<f8")])
#: Maximum number of elements in the text of a row.
MAX_SHOWN_ELEMENTS = 100


@dataclass(frozen=True)
class FeatureRows(Ragged):
    """Feature vectors of N documents; a row consists of `ELEMENT` records.

    Parameters
    ----------
    values, offsets : ndarray
        The records as bytes, and the row boundaries, as in `Ragged`.
    names : sequence of str
        Names of the V features.
    is_indexed : bool, default=False
        Whether features are identified by their index, as in LIBSVM files, where trailing features may be absent.
    """

    names: Sequence[str]
    is_indexed: bool = False

    @classmethod
    def from_matrix(cls, X: Any, names: Sequence[str], *, is_indexed: bool = False) -> FeatureRows:
        """Encode a matrix of shape (N, V); NaN is a missing value."""
        matrix = sparse.csr_array(X, dtype=np.float64, copy=True)
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        records = np.empty(matrix.nnz, dtype=ELEMENT)
        records["column"] = matrix.indices
        records["value"] = matrix.data
        offsets = matrix.indptr.astype(np.int64) * ELEMENT.itemsize
        return cls(records.view(np.uint8), offsets, list(names), is_indexed)

    @classmethod
    def from_cells(cls, cells: Mapping[str, Sequence[str]]) -> FeatureRows:
        """Parse the cells of numeric columns; an empty cell is a missing value.

        Raises
        ------
        ConfigError
            If a cell is not a number.
        """
        columns = [parse_numbers(name, column) for name, column in cells.items()]
        return cls.from_matrix(np.column_stack(columns), list(cells))

    @property
    def n_elements(self) -> int:
        """Number of stored elements."""
        return len(self.values) // ELEMENT.itemsize

    def matrix(self) -> sparse.csr_array:
        """Decode the rows as a CSR matrix of shape (N, V), float64."""
        records = np.frombuffer(self.values.tobytes(), dtype=ELEMENT)
        indptr = self.offsets // ELEMENT.itemsize
        columns = records["column"].astype(np.int32)
        return sparse.csr_array((records["value"].copy(), columns, indptr), shape=(len(self), len(self.names)))

    def take(self, rows: Sequence[int]) -> FeatureRows:
        """Select rows by index."""
        selected = super().take(rows)
        return FeatureRows(selected.values, selected.offsets, self.names, self.is_indexed)

    def text(self, row: int) -> str:
        """Describe a row by the names and values of its features."""
        records = np.frombuffer(self[row].tobytes(), dtype=ELEMENT)[:MAX_SHOWN_ELEMENTS]
        return ", ".join(f"{self.names[column]}={value:g}" for column, value in records.tolist())


def with_feature_rows(corpus: Corpus, *, is_indexed: bool = False) -> Corpus:
    """Return a corpus of feature vectors, or of numeric columns, with `FeatureRows` in the place of texts.

    Parameters
    ----------
    corpus : Corpus
        Corpus with ``features``, or with a `TableTexts` of numeric columns.
    is_indexed : bool, default=False
        See `FeatureRows`.

    Returns
    -------
    Corpus

    Raises
    ------
    ConfigError
        If a cell is not a number.
    """
    if corpus.features is not None:
        rows = FeatureRows.from_matrix(corpus.features, list(corpus.feature_names or ()), is_indexed=is_indexed)
    else:
        assert isinstance(corpus.text, TableTexts)  # noqa: S101 - read with numeric columns
        rows = FeatureRows.from_cells(corpus.text.cells)
    return replace(corpus, text=rows, features=None, feature_names=None)


def is_feature_matrix(values: Any) -> bool:
    """Check whether a value from Python is a feature matrix: sparse, a numeric 2-D array, or a numeric DataFrame."""
    if sparse.issparse(values):
        return True
    if hasattr(values, "columns") and hasattr(values, "dtypes"):
        return len(values.columns) > 0 and all(_is_numeric_dtype(dtype) for dtype in values.dtypes)
    return isinstance(values, np.ndarray) and values.ndim == 2 and _is_numeric_dtype(values.dtype)


def _is_numeric_dtype(dtype: Any) -> bool:
    return getattr(dtype, "kind", "O") in "biuf"


def feature_rows_of(values: Any, names: Sequence[str] | None = None) -> FeatureRows:
    """Encode a feature matrix from Python.

    Parameters
    ----------
    values : sparse matrix, ndarray, DataFrame or FeatureRows
        Feature matrix of shape (N, V).
    names : sequence of str, default=None
        Names of the features of a fitted model; by default the columns of the DataFrame, or numbers from 1.

    Returns
    -------
    FeatureRows

    Raises
    ------
    ValueError
        If it is not a feature matrix, or has another number of features than the model.
    """
    if isinstance(values, FeatureRows):
        return values
    if not is_feature_matrix(values):
        raise ValueError(f"expected a numeric matrix of features, got a {type(values).__name__}; pass a 2-D array")
    if hasattr(values, "columns"):
        columns = [str(name) for name in values.columns]
        return FeatureRows.from_matrix(np.asarray(values.to_numpy(dtype=np.float64, na_value=np.nan)), columns)
    n_features = values.shape[1]
    if names is None:
        names = [str(number + 1) for number in range(n_features)]
    if len(names) != n_features:
        raise ValueError(f"X has {n_features} features, but the model was fitted to {len(names)}")
    return FeatureRows.from_matrix(values, names)


def align_features(documents: Ragged, names: Mapping[str, int]) -> sparse.csr_array:
    """Return the features of documents in the column order of a fitted model.

    Parameters
    ----------
    documents : FeatureRows or TableTexts
        Feature vectors, or rows of a table with the numeric columns.
    names : mapping of str to int
        Column of each feature.

    Returns
    -------
    csr_array of shape (N, V), float64

    Raises
    ------
    ConfigError
        If a feature is missing, or a cell is not a number.
    """
    if isinstance(documents, TableTexts):
        missing = [name for name in names if name not in documents.cells]
        _check_missing(missing, list(documents.cells))
        documents = FeatureRows.from_cells({name: documents.cells[name] for name in names})
    if not isinstance(documents, FeatureRows):
        raise ConfigError("the model requires numeric features, but the input contains texts; use a file of numbers")
    X = documents.matrix()
    if list(documents.names) == list(names):
        return X
    column_of = {name: column for column, name in enumerate(documents.names)}
    missing = [name for name in names if name not in column_of]
    if not documents.is_indexed:
        _check_missing(missing, list(column_of))
    shared = [name for name in names if name in column_of]
    selected = sparse.coo_array(X[:, [column_of[name] for name in shared]])
    positions = np.array([names[name] for name in shared], dtype=np.int64)
    aligned = (selected.data, (selected.coords[0], positions[selected.coords[1]]))
    return sparse.csr_array(aligned, shape=(X.shape[0], len(names)))


def _check_missing(missing: Sequence[str], available: Sequence[str]) -> None:
    if missing:
        more_missing = f" (and {len(missing) - 1:,} more)" if len(missing) > 1 else ""
        raise ConfigError(
            f"the feature {missing[0]!r}{more_missing} of the model is missing; {suggest(missing[0], available)}"
        )
