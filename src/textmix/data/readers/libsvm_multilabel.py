"""LIBSVM format with one or several labels: ``label,label index:value index:value``, one document per line.

Source: the format section of LIBSVM's README; the pages "Multi-class classification" and "Multi-label classification"
of LIBSVM Data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from textmix.core.errors import DataFormatError
from textmix.data.corpus import Corpus
from textmix.data.numeric_files import LIBSVM, NumberTable, content_of, matrix_corpus, read_numbers
from textmix.data.reader_utils import data_files

#: Option -> whether it is required.
OPTIONS: dict[str, bool] = {
    **{"n_features": True, "n_labels": True, "first_label": False},
    **{"one_label": False, "counted_by": False, "named": False},
}


def read(files: Mapping[str, Path], options: Mapping[str, Any]) -> Corpus:
    """Read LIBSVM files.

    Parameters
    ----------
    files : mapping of str to Path
        ``train`` and ``test``, or ``data``.
    options : mapping
        ``name``; ``n_features`` V and ``n_labels`` L, which the format does not include; ``first_label``, the first
        label number (default 0), or ``found`` to use the L distinct numbers in the files; ``one_label: true`` to
        require exactly one label per document; ``named: true`` to use the numbers as label names; ``counted_by``, the
        origin of word counts, so that vocabulary pruning applies to them.  Feature indices are always 1-based.

    Returns
    -------
    Corpus
        Corpus with features ``Att1`` ... ``AttV`` and labels ``Class1`` ... ``ClassL``, following MULAN; ids as in
        `textmix.data.numeric_files.matrix_corpus`.

    Raises
    ------
    DataFormatError
        If a row is invalid, or labels or values do not match the options.
    """
    n_features = int(options["n_features"])
    tables = {role: _read_part(path, options) for role, path in data_files(files).items()}
    numbers = _numbers(list(tables.values()), options)
    matrices = {role: (file.table.matrix, _label_matrix(file, numbers)) for role, file in tables.items()}
    features = [f"Att{i + 1}" for i in range(n_features)]
    names = [str(number) if options.get("named") else f"Class{i + 1}" for i, number in enumerate(numbers.tolist())]
    corpus = matrix_corpus(options, matrices, features, names)
    counted_by = options.get("counted_by")
    return replace(corpus, info={**corpus.info, "counted_by": counted_by}) if counted_by else corpus


class _Part(NamedTuple):
    """One file: its numbers, and the label numbers ``labels[indptr[i]:indptr[i + 1]]`` of row i, unshifted."""

    table: NumberTable
    indptr: np.ndarray
    labels: np.ndarray


def _read_part(path: Path, options: Mapping[str, Any]) -> _Part:
    table = read_numbers(path, content_of(path), int(options["n_features"]), LIBSVM)
    rows = [list(map(int, row.split(b","))) if row else [] for row in table.labels]
    indptr = np.cumsum([0, *map(len, rows)])
    # Clip to 18 digits, so that labels fit into int64; larger numbers are invalid anyway.
    labels = np.array([min(max(label, -(10**18)), 10**18) for row in rows for label in row], dtype=np.int64)
    if options.get("one_label"):
        _require_one_label(table, indptr)
    if options.get("counted_by"):
        _require_counts(table)
    return _Part(table, indptr, labels)


def _numbers(files: list[_Part], options: Mapping[str, Any]) -> np.ndarray:
    """Return the L label numbers, sorted int64, from the options or, with ``found``, from the files."""
    n_labels = int(options["n_labels"])
    first = options.get("first_label", 0)
    if first != "found":
        return np.arange(n_labels) + int(first)
    numbers = np.unique(np.concatenate([file.labels for file in files]))
    if len(numbers) != n_labels:
        path = files[0].table.path
        raise DataFormatError(
            path, None, f"and its other parts contain {len(numbers)} labels, but n_labels is {n_labels}"
        )
    return numbers


def _require_one_label(table: NumberTable, indptr: np.ndarray) -> None:
    wrong = np.flatnonzero(np.diff(indptr) != 1)
    if len(wrong):
        raise table.fault(int(wrong[0]), f"has {np.diff(indptr)[wrong[0]]} labels, but one_label requires one")


def _require_counts(table: NumberTable) -> None:
    values = table.matrix.data
    wrong = np.flatnonzero((values < 1) | (values >= 2**31) | (values != np.floor(values)))
    if len(wrong):
        value = values[wrong[0]]
        raise table.fault(table.row_of(int(wrong[0])), f"has the value {value:g}, but counted_by requires counts")


def _label_matrix(file: _Part, numbers: np.ndarray) -> sparse.csr_array:
    """Build the label matrix, CSR (N, L) int8, sorted; reject labels that are unknown or repeated in a row."""
    rows = np.repeat(np.arange(len(file.table.lines)), np.diff(file.indptr))
    order = np.lexsort((file.labels, rows))
    labels = file.labels[order]
    columns = np.minimum(np.searchsorted(numbers, labels), len(numbers) - 1)
    twice = np.flatnonzero((np.diff(labels) == 0) & (np.diff(rows) == 0))
    outside = np.flatnonzero(numbers[columns] != labels)
    for bad, problem in (
        (outside, f"has a label outside the {len(numbers)} labels specified by n_labels and first_label"),
        (twice, "has a duplicate label"),
    ):
        if len(bad):
            raise file.table.fault(int(rows[bad[0]]), problem)
    ones = np.ones(len(labels), dtype=np.int8)
    return sparse.csr_array((ones, columns.astype(np.int32), file.indptr), (len(file.table.lines), len(numbers)))
