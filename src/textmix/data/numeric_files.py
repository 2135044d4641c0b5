"""Parse numeric files to sparse matrices: rows of sparse and dense ARFF, csv and LIBSVM.

Sources: Weka's manual, "Attribute-Relation File Format", sections "ARFF data section" and "Sparse ARFF files"; LIBSVM's
README, "The format of training and testing data files".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from textmix.core.errors import DataFormatError
from textmix.data.archives import open_plain
from textmix.data.corpus import Corpus
from textmix.data.reader_utils import SPLITS, require_documents, split_array

# Quantifiers are possessive to prevent catastrophic backtracking: rejecting a malformed row takes linear time.
_BLANKS = rb"[ \t\r]*+"
_NUMBER = rb"[-+]?(?>[0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)(?:[eE][-+]?[0-9]++)?+"
_LABELS = rb"(?P<labels>[-+]?[0-9]++(?:,[-+]?[0-9]++)*+(?=[ \t\r]|\Z))?"
#: Number of rows converted per batch.
_BLOCK = 4096
_TO_BLANKS = bytes.maketrans(b",:\r\t", b"    ")


class Form(NamedTuple):
    """Row syntax of a numeric format.

    Parameters
    ----------
    row : re.Pattern
        Pattern of a complete row, with its items in the group ``items``.
    item : re.Pattern
        Pattern of an item.
    between : bytes or None
        Item delimiter; None for whitespace.
    expected : str
        Description of an item, for messages.
    low : int, default=None
        Index of the first column; None for dense rows, which have no indices.
    comment : bytes, default=None
        Prefix of comment lines, which are skipped.
    """

    row: re.Pattern[bytes]
    item: re.Pattern[bytes]
    between: bytes | None
    expected: str
    low: int | None = None
    comment: bytes | None = None


def _separated(item: bytes) -> bytes:
    """Return the pattern of comma-separated items."""
    return b"%b%b%b(?:,%b%b%b)*+" % (_BLANKS, item, _BLANKS, _BLANKS, item, _BLANKS)


_PAIR = rb"[0-9]++[ \t\r]++" + _NUMBER
_COLON_PAIR = rb"[0-9]++:" + _NUMBER
CSV = Form(re.compile(b"(?P<items>%b)" % _separated(_NUMBER)), re.compile(_NUMBER), b",", "a number")
DENSE = CSV._replace(comment=b"%")
SPARSE = Form(
    re.compile(rb"%b\{(?P<items>(?:%b)?+%b)\}%b" % (_BLANKS, _separated(_PAIR), _BLANKS, _BLANKS)),
    re.compile(_PAIR),
    b",",
    "an index and a number, as in {0 1.5,3 2}",
    low=0,
    comment=b"%",
)
LIBSVM = Form(
    re.compile(_LABELS + rb"(?P<items>(?:%b%b(?=[ \t\r]|\Z))*+%b)" % (_BLANKS, _COLON_PAIR, _BLANKS)),
    re.compile(_COLON_PAIR),
    None,
    "index:number, after the labels as in 1,2 1:0.5 3:2",
    low=1,
)


def content_of(path: Path) -> bytes:
    """Read and decompress a file, converting line ends that are a single carriage return to line feeds.

    Parameters
    ----------
    path : Path
        The file, as in `textmix.data.archives.open_plain`.

    Returns
    -------
    bytes
        The content.

    Raises
    ------
    DataFormatError
        If the file is corrupt or too large.
    """
    data = open_plain(path)
    return data if b"\n" in data else data.replace(b"\r", b"\n")


@dataclass(frozen=True)
class NumberTable:
    """Numbers of one file.

    Parameters
    ----------
    path : Path
        The file.
    matrix : csr_array of shape (N, n_columns), dtype float64
        Finite values in canonical CSR format without explicit zeros.
    lines : ndarray of shape (N,), dtype int64
        Line number of each row, from 1.
    labels : sequence of bytes
        Label field of each row in LIBSVM format, such as ``3,1,2``; empty for other formats.
    """

    path: Path
    matrix: sparse.csr_array
    lines: np.ndarray
    labels: Sequence[bytes]

    def row_of(self, entry: int) -> int:
        """Return the row index of an element of ``matrix.data``."""
        return int(np.searchsorted(self.matrix.indptr, entry, side="right")) - 1

    def fault(self, row: int, problem: str) -> DataFormatError:
        """Create the error for an invalid row.

        Parameters
        ----------
        row : int
            Row index, from 0.
        problem : str
            Description of the problem.

        Returns
        -------
        DataFormatError
            Error with file and line number.
        """
        return DataFormatError(self.path, int(self.lines[row]), problem)


def read_numbers(path: Path, data: bytes, columns: int, form: Form, start: int = 0) -> NumberTable:
    """Parse the rows of a numeric file.

    Parameters
    ----------
    path : Path
        The file, for messages.
    data : bytes
        Its content.
    columns : int
        Number of columns.
    form : Form
        Row syntax.
    start : int, default=0
        Byte offset of the first row.

    Returns
    -------
    NumberTable
        The parsed rows.

    Raises
    ------
    DataFormatError
        If a row does not match the syntax, has a wrong number of values or invalid indices, or is truncated.
    """
    lines = list[int]()
    labels = list[bytes]()
    items = list[bytes]()
    blocks = list[sparse.csr_array]()
    for number, row in _rows(path, data, form, start):
        match = form.row.fullmatch(row)
        if match is None:
            raise DataFormatError(path, number, f"{_wrong_item(row, form)!r} should be {form.expected}")
        lines.append(number)
        items.append(match["items"])
        if form is LIBSVM:
            labels.append(match["labels"] or b"")
        if len(items) == _BLOCK:
            blocks.append(_matrix(path, lines[-_BLOCK:], items, columns, form))
            items = []
    blocks.append(_matrix(path, lines[len(lines) - len(items) :], items, columns, form))
    return NumberTable(path, sparse.csr_array(sparse.vstack(blocks, format="csr")), np.array(lines, np.int64), labels)


def _rows(path: Path, data: bytes, form: Form, start: int) -> Iterator[tuple[int, bytes]]:
    """Yield the line number, from 1, and the content of each row."""
    first = data.count(b"\n", 0, start) + 1
    rows = data[start:].split(b"\n")
    for number, row in enumerate(rows, start=first):
        ended = number < first + len(rows) - 1
        bare = row if form is LIBSVM else row.strip(b" \t\r")
        left_out = not bare or bare == b"\r" or (form.comment is not None and bare.startswith(form.comment))
        if not (ended or left_out):
            raise DataFormatError(path, number, "the file ends within this row: it is truncated; fetch it again")
        if ended and left_out and form is LIBSVM:
            raise DataFormatError(path, number, "empty line, but a document is expected; remove it")
        if not left_out:
            yield number, row


def _wrong_item(row: bytes, form: Form) -> str:
    """Return the first invalid item of a row, or an excerpt of the row."""
    items = row.split(form.between)
    if form is SPARSE:
        items = row.strip(b" \t\r").removeprefix(b"{").removesuffix(b"}").split(b",")
    if form is LIBSVM and items and b":" not in items[0]:
        items = items[1:] if re.fullmatch(_LABELS, items[0]) else items
    wrong = (item for item in items if not form.item.fullmatch(item.strip(b" \t\r")))
    return next(wrong, row)[:60].decode("latin-1")


def _matrix(path: Path, lines: Sequence[int], rows: Sequence[bytes], columns: int, form: Form) -> sparse.csr_array:
    """Convert rows to a CSR matrix of shape (n_rows, n_columns), float64, without explicit zeros."""
    words = [row.translate(_TO_BLANKS).split() for row in rows]
    sizes = np.array(list(map(len, words)), dtype=np.int64) // (1 if form.low is None else 2)
    numbers: np.ndarray = np.array(list(chain.from_iterable(words)), dtype=bytes).astype(np.float64)
    indices: np.ndarray
    if form.low is None:
        wrong = np.flatnonzero(sizes != columns)
        if len(wrong):
            raise DataFormatError(path, lines[wrong[0]], f"has {sizes[wrong[0]]} values, expected {columns}")
        indices = np.tile(np.arange(columns), len(rows))
        values = numbers
    else:
        indices = numbers[::2] - form.low
        values = numbers[1::2]
    row = np.repeat(np.arange(len(rows)), sizes)
    falls = np.zeros(len(values), dtype=bool)
    falls[1:] = (np.diff(indices) <= 0) & (np.diff(row) == 0)
    for bad, problem in (
        ((indices < 0) | (indices >= columns), f"has an index outside the {columns} columns"),
        (falls, "has an index that is a duplicate or out of order"),
        (~np.isfinite(values), "has a number that is too large for a 64-bit float"),
    ):
        if bad.any():
            raise DataFormatError(path, lines[row[np.argmax(bad)]], problem)
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    matrix = sparse.csr_array((values, indices.astype(np.int32), indptr), shape=(len(rows), columns))
    matrix.eliminate_zeros()
    return matrix


def take_labels(table: NumberTable, columns: np.ndarray, names: Sequence[str]) -> sparse.csr_array:
    """Convert columns of a numeric table to a label matrix.

    Parameters
    ----------
    table : NumberTable
        The table.
    columns : ndarray of shape (L,), dtype int
        Column indices in increasing order.
    names : sequence of str
        Column names, for messages.

    Returns
    -------
    csr_array of shape (N, L), dtype int8
        Label indicators.

    Raises
    ------
    DataFormatError
        If a value is neither 0 nor 1.
    """
    labels = table.matrix[:, columns]
    bad = np.flatnonzero(labels.data != 1)
    if len(bad):
        row = int(np.searchsorted(labels.indptr, bad[0], side="right")) - 1
        name = names[labels.indices[bad[0]]]
        raise table.fault(row, f"label {name!r} has the value {labels.data[bad[0]]:g}, expected 0 or 1")
    return sparse.csr_array(labels.astype(np.int8))


def as_counts(matrix: sparse.csr_array) -> sparse.csr_array:
    """Convert a CSR matrix to int32 if all values are integers from 0 to 2^31 - 1; otherwise return it unchanged.

    Parameters
    ----------
    matrix : csr_array
        The matrix.

    Returns
    -------
    csr_array
        The converted matrix, or ``matrix`` itself.
    """
    values = matrix.data
    if np.all((values >= 0) & (values < 2**31) & (values == np.floor(values))):
        return matrix.astype(np.int32)
    return matrix


def matrix_corpus(
    options: Mapping[str, Any],
    matrices: Mapping[str, tuple[sparse.csr_array, sparse.csr_array]],
    feature_names: Sequence[str],
    label_names: Sequence[str],
) -> Corpus:
    """Build a corpus from feature and label matrices.

    Parameters
    ----------
    options : mapping
        Options of the reader; ``name`` is used.
    matrices : mapping of str to (csr_array, csr_array)
        Role -> features, (n, V) float64, and labels, (n, L) int8.  The roles are ``train`` and ``test``, or ``data``
        for data without a split.
    feature_names : sequence of str
        Names of the V features.
    label_names : sequence of str
        Names of the L labels.

    Returns
    -------
    Corpus
        The corpus.  The ids are ``role/row``, or ``row`` for ``data``, with 0-based row numbers in each part.

    Raises
    ------
    DataFormatError
        If there are no documents.
    """
    features = as_counts(
        sparse.csr_array(sparse.vstack([matrix_pair[0] for matrix_pair in matrices.values()], format="csr"))
    )
    labels = sparse.csr_array(sparse.vstack([matrix_pair[1] for matrix_pair in matrices.values()], format="csr"))
    sizes = {role: matrix_pair[0].shape[0] for role, matrix_pair in matrices.items()}
    require_documents(options, sum(sizes.values()))
    ids = [f"{role}/{row}" if role in SPLITS else str(row) for role, size in sizes.items() for row in range(size)]
    return Corpus(
        name=options["name"],
        ids=ids,
        label_names=label_names,
        labels=labels,
        split=split_array(sizes),
        features=features,
        feature_names=feature_names,
    )
