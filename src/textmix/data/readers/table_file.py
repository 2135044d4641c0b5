"""Numeric csv tables with the labels in the last columns: the format of Yeast in the ``river`` package."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from textmix.core.errors import DataFormatError
from textmix.data.corpus import Corpus
from textmix.data.delimited import Lines, cell_rows
from textmix.data.numeric_files import CSV, content_of, matrix_corpus, read_numbers, take_labels
from textmix.data.reader_utils import data_files

#: Option -> whether it is required.
OPTIONS: dict[str, bool] = {"n_labels": True}


def read(files: Mapping[str, Path], options: Mapping[str, Any]) -> Corpus:
    """Read numeric csv files with a header line.

    Parameters
    ----------
    files : mapping of str to Path
        ``train`` and ``test``, or ``data``.
    options : mapping
        ``name``; ``n_labels``, number of trailing label columns, with values 0 and 1.

    Returns
    -------
    Corpus
        The corpus; the other columns are features (int32 if all values are counts, else float64).  Ids as in
        `textmix.data.numeric_files.matrix_corpus`.

    Raises
    ------
    DataFormatError
        If the header or a row is invalid, or the files have different columns.
    """
    n_labels = int(options["n_labels"])
    matrices = {}
    names = list[str]()
    for role, path in data_files(files).items():
        data = content_of(path)
        header = _header(path, data, n_labels)
        if names and names != header:
            raise DataFormatError(path, 1, "its columns differ from the columns of the other file of the data set")
        names = header
        table = read_numbers(path, data, len(names), CSV, data.find(b"\n") + 1)
        columns = np.arange(len(names))
        labels = take_labels(table, columns[-n_labels:], names[-n_labels:])
        matrices[role] = (table.matrix[:, columns[:-n_labels]], labels)
    return matrix_corpus(options, matrices, names[:-n_labels], names[-n_labels:])


def _header(path: Path, data: bytes, n_labels: int) -> list[str]:
    first = Lines(path, [data[: data.find(b"\n") + 1]])
    _, names = next(cell_rows(path, first), (1, list[str]()))
    if not 0 < n_labels < len(names) or len(set(names)) != len(names) or not all(names):
        raise DataFormatError(path, 1, f"should name columns, each once, of which the last {n_labels} are labels")
    return names
