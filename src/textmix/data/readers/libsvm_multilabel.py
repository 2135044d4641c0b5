"""LIBSVM multi-label text: ``label,label index:value index:value``, a document a line.

Source: the format section of LIBSVM's README; the "Multi-label Classification" page of LIBSVM Data.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from textmix.data import number_kernels as kernels
from textmix.data.archives import open_plain
from textmix.data.corpus import Corpus
from textmix.data.numbers import NumberTable, matrix_corpus, read_numbers
from textmix.data.reading import data_files

#: Options, and which of them are required.
OPTIONS: dict[str, bool] = {"n_features": True, "n_labels": True, "first_label": False}


def read(files: Mapping[str, Path], options: Mapping[str, Any]) -> Corpus:
    """Read LIBSVM multi-label files.

    Parameters
    ----------
    files : ``train`` and ``test``, or ``data``.
    options : ``name``; ``n_features`` V and ``n_labels`` L, which the format does not state; ``first_label``, the
        number of the first label (default 0); features are always numbered from 1.

    Returns
    -------
    a `Corpus` whose features are named ``Att1`` ... ``AttV`` and labels ``Class1`` ... ``ClassL``, as MULAN names them;
    ids as in `textmix.data.numbers.matrix_corpus`.

    Raises
    ------
    DataFormatError : with the line: the indices do not increase or lie outside 1 to V, a label stands twice or is not
        one of the L, a value is no finite number, a line is empty, or the last line has no line end.
    """
    n_features, n_labels = int(options["n_features"]), int(options["n_labels"])
    first = int(options.get("first_label", 0))
    parts = {role: _read_part(path, n_features, n_labels, first) for role, path in data_files(files).items()}
    features = [f"Att{i + 1}" for i in range(n_features)]
    return matrix_corpus(options, parts, features, [f"Class{i + 1}" for i in range(n_labels)])


def _read_part(path: Path, n_features: int, n_labels: int, first: int) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Return features, CSR (N, V) float64, and labels, CSR (N, L) int8, of one file."""
    data = open_plain(path)
    label_indptr = np.zeros(data.count(b"\n") + 2, dtype=np.int64)
    labels = np.empty(data.count(b",") + len(label_indptr), dtype=np.int64)

    def fill(raw: np.ndarray, rows: kernels.Rows) -> tuple[int, int, int]:
        """Fill ``rows`` and the labels from the file; return number of rows, status and position of the fault."""
        return kernels.svm_rows(raw, n_features, label_indptr, labels, rows)

    table = read_numbers(path, data, n_features, fill, data.count(b":") + 1)
    label_indptr = label_indptr[: len(table.starts) + 1]
    return table.matrix, _label_matrix(table, label_indptr, labels[: label_indptr[-1]] - first, n_labels)


def _label_matrix(table: NumberTable, indptr: np.ndarray, labels: np.ndarray, n_labels: int) -> sparse.csr_array:
    """Return the labels as CSR (N, L), int8 ones, indices sorted in each row; refuse a label outside or twice in a row.

    Parameters
    ----------
    table : the numbers of the file, for messages.
    indptr, labels : int64 (N + 1,) and (labels,): row i has the labels ``labels[indptr[i]:indptr[i + 1]]``, from 0.
    n_labels : number of labels L.
    """
    rows = np.repeat(np.arange(len(table.starts)), np.diff(indptr))
    order = np.lexsort((labels, rows))
    labels = labels[order]
    twice = np.flatnonzero((np.diff(labels) == 0) & (np.diff(rows) == 0))
    outside = np.flatnonzero((labels < 0) | (labels >= n_labels))
    for bad, what in (
        (outside, f"names a label outside the {n_labels} that n_labels and first_label give"),
        (twice, "names a label twice"),
    ):
        if len(bad):
            raise table.fault(int(rows[bad[0]]), what)
    ones = np.ones(len(labels), dtype=np.int8)
    return sparse.csr_array((ones, labels.astype(np.int32), indptr), (len(table.starts), n_labels))
