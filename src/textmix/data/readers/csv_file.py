"""Single-label text in a csv file (RFC 4180) with a header; columns are selected by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from textmix.core.errors import DataFormatError
from textmix.data.archives import MAX_BYTES, iter_lines
from textmix.data.corpus import Corpus
from textmix.data.delimited import Lines, cell_rows, table_rows
from textmix.data.reader_utils import Document, corpus_of_parts, data_files

#: Option -> whether it is required.
OPTIONS: dict[str, bool] = {
    **dict.fromkeys(("text", "label"), True),
    **dict.fromkeys(("where", "label_names", "encoding", "test_every"), False),
}


def read(files: Mapping[str, Path], options: Mapping[str, Any]) -> Corpus:
    """Read csv files with a text column and a label column.

    Parameters
    ----------
    files : mapping of str to Path
        ``train`` and ``test``, or ``data``.
    options : mapping
        ``name``; ``text`` and ``label``, column names; ``where``, column -> required value, to filter rows;
        ``label_names``, value of the label column -> label name (default: the value); ``encoding`` (default utf-8);
        ``test_every``, see `textmix.data.reader_utils.text_corpus`.

    Returns
    -------
    Corpus
        The corpus.  The ids are ``role/row``, or ``row`` for ``data``, with 0-based row numbers before filtering.

    Raises
    ------
    DataFormatError
        If a file is not valid csv, or a column or a label is unknown.
    """
    return corpus_of_parts(options, {role: _documents(path, options) for role, path in data_files(files).items()})


def _documents(path: Path, options: Mapping[str, Any]) -> Iterator[Document]:
    text = options["text"]
    label = options["label"]
    where: Mapping[str, str] = options.get("where", {})
    names: Mapping[str, str] | None = options.get("label_names")
    lines = Lines(path, iter_lines(path, MAX_BYTES), options.get("encoding", "utf-8"), require_final_newline=True)
    rows = table_rows(path, cell_rows(path, lines), [text, label, *where])
    for row, (line, cells) in enumerate(rows):
        if any(cells[2 + i] != value for i, value in enumerate(where.values())):
            continue
        name = cells[1] if names is None else names.get(cells[1])
        if not name:
            raise DataFormatError(path, line, f"the label {cells[1]!r} is not one of {sorted(names or ['any text'])}")
        yield Document(str(row), name, cells[0].encode("utf-8"))
