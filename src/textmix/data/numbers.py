"""Files of numbers as sparse matrices: shared by the readers of ARFF, LIBSVM and csv tables of numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from textmix.core.errors import DataFormatError
from textmix.data import number_kernels as kernels
from textmix.data.archives import open_plain
from textmix.data.corpus import Corpus
from textmix.data.reading import SPLITS, require_documents, split_array

_FAULTS = {
    kernels.NUMBER: "a number should stand here",
    kernels.INDEX: "an index should stand here",
    kernels.ORDER: "indices must increase within a row; this one is a duplicate or out of order",
    kernels.RANGE: "this index lies outside the {columns} columns that the header or the registry gives",
    kernels.SEPARATOR: "a separator of the format should stand here",
    kernels.FEW: "the row ends before {columns} values",
    kernels.MANY: "the row should end here, after {columns} values at most",
    kernels.TRUNCATED: "the file ends within this row: it is truncated; fetch it again",
    kernels.EMPTY: "an empty line stands where a document should",
}
_NUMBER = re.compile(rb"[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?")


def content_of(path: Path) -> bytes:
    """Return the unpacked content of a file; lines that end with a carriage return alone end with a line feed in it."""
    data = open_plain(path)
    return data if b"\n" in data else data.replace(b"\r", b"\n")


@dataclass(frozen=True)
class NumberTable:
    """The numbers of one file.

    Parameters
    ----------
    path : the file.
    data : its unpacked content.
    matrix : CSR (N, columns), float64, no zeros, finite, sorted indices.
    starts : int64 (N,), position of each row in ``data``, bytes.
    """

    path: Path
    data: bytes
    matrix: sparse.csr_array
    starts: np.ndarray

    def row_of(self, entry: int) -> int:
        """Return the row, from 0, of the entry at a place in ``matrix.data``."""
        return int(np.searchsorted(self.matrix.indptr, entry, side="right")) - 1

    def fault(self, row: int, what: str) -> DataFormatError:
        """Return the error for a fault in a row, numbered from 0; it names file and line."""
        return fault_at(self.path, self.data, int(self.starts[row]), what)


def fault_at(path: Path, data: bytes, position: int, what: str) -> DataFormatError:
    """Return the error for a fault at a position in the unpacked content of a file; it names file and line."""
    return DataFormatError(path, data.count(b"\n", 0, position) + 1, what)


def read_numbers(
    path: Path, data: bytes, columns: int, kernel: Callable[[np.ndarray, kernels.Rows], tuple[int, int, int]], room: int
) -> NumberTable:
    """Run a kernel of `textmix.data.number_kernels` over a file.

    Parameters
    ----------
    path, data : the file and its unpacked content.
    columns : number of columns of the matrix.
    kernel : a function of the content (uint8) and the `Rows` to fill that returns number of rows, status and position
        of the fault; `table_rows` or `svm_rows` with its other arguments bound.
    room : upper bound of the number of values in the file.

    Returns
    -------
    the numbers; its matrix is (N, columns).
    """
    height = data.count(b"\n") + 2
    rows = kernels.Rows(
        starts=np.empty(height, dtype=np.int64),
        indptr=np.empty(height, dtype=np.int64),
        indices=np.empty(room, dtype=np.int32),
        values=np.empty(room, dtype=np.float64),
        long=np.empty((room, 2), dtype=np.int64),
        counts=np.zeros(2, dtype=np.int64),
    )
    n_rows, status, position = kernel(np.frombuffer(data, dtype=np.uint8), rows)
    if status != kernels.OK:
        column = position - data.rfind(b"\n", 0, position)
        beginning = data[position : position + 20].split(b"\n")[0].decode("latin-1")
        what = _FAULTS[status].format(columns=columns)
        raise fault_at(path, data, position, f"column {column} ({beginning!r}): {what}")
    entries = rows.counts[0]
    values = rows.values[:entries].copy()
    _convert_long(path, data, values, rows.long[: rows.counts[1]])
    matrix = sparse.csr_array((values, rows.indices[:entries].copy(), rows.indptr[: n_rows + 1]), (n_rows, columns))
    matrix.eliminate_zeros()
    return NumberTable(path, data, matrix, rows.starts[:n_rows])


def _convert_long(path: Path, data: bytes, values: np.ndarray, long: np.ndarray) -> None:
    """Convert the long numbers, which the kernel left as NaN, in place; Python rounds them correctly."""
    for entry, position in long.tolist():
        match = _NUMBER.match(data, position)
        value = float(match[0]) if match else np.nan
        if not np.isfinite(value):
            raise fault_at(path, data, position, "this number is too large for a 64-bit float")
        values[entry] = value


def take_labels(table: NumberTable, columns: np.ndarray, names: Sequence[str]) -> sparse.csr_array:
    """Return some columns of a table as a label matrix.

    Parameters
    ----------
    table : the numbers.
    columns : int (L,), increasing.
    names : L label names, for the message.

    Returns
    -------
    CSR (N, L), int8 ones.
    """
    labels = table.matrix[:, columns]
    bad = np.flatnonzero(labels.data != 1)
    if len(bad):
        row = int(np.searchsorted(labels.indptr, bad[0], side="right")) - 1
        name = names[labels.indices[bad[0]]]
        raise table.fault(row, f"label {name!r} has the value {labels.data[bad[0]]:g}, expected 0 or 1")
    return sparse.csr_array(labels.astype(np.int8))


def as_counts(matrix: sparse.csr_array) -> sparse.csr_array:
    """Return a CSR matrix as int32 counts if all its values are whole numbers from 0 to 2^31 - 1, else unchanged."""
    values = matrix.data
    if np.all((values >= 0) & (values < 2**31) & (values == np.floor(values))):
        return matrix.astype(np.int32)
    return matrix


def matrix_corpus(
    options: Mapping[str, Any],
    parts: Mapping[str, tuple[sparse.csr_array, sparse.csr_array]],
    feature_names: Sequence[str],
    label_names: Sequence[str],
) -> Corpus:
    """Put the parts of a data set together.

    Parameters
    ----------
    options : options of the reader; ``name`` is used.
    parts : role -> CSR features (n, V), float64, and labels (n, L), int8, in the order of the documents; the roles are
        ``train`` and ``test``, or ``data`` where no split is given.
    feature_names, label_names : V and L names.

    Returns
    -------
    a `Corpus` with document ids ``role/row``, or ``row`` for the role ``data``; rows are counted from 0 in each part.
    """
    features = as_counts(sparse.csr_array(sparse.vstack([part[0] for part in parts.values()], format="csr")))
    labels = sparse.csr_array(sparse.vstack([part[1] for part in parts.values()], format="csr"))
    sizes = {role: part[0].shape[0] for role, part in parts.items()}
    require_documents(options, sum(sizes.values()))
    return Corpus(
        name=options["name"],
        ids=[f"{role}/{row}" if role in SPLITS else str(row) for role, size in sizes.items() for row in range(size)],
        label_names=label_names,
        labels=labels,
        split=split_array(sizes),
        features=features,
        feature_names=feature_names,
    )
