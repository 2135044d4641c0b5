"""Single-label text in a csv file (RFC 4180), columns told by name."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from textmix.core.errors import DataFormatError
from textmix.data.archives import open_plain
from textmix.data.corpus import Corpus
from textmix.data.reading import SPLITS, Document, data_files, decode, split_array, text_corpus

#: Options, and which of them are required.
OPTIONS: dict[str, bool] = {
    "text": True,
    "label": True,
    "where": False,
    "label_names": False,
    "encoding": False,
    "test_every": False,
}


def read(files: Mapping[str, Path], options: Mapping[str, Any]) -> Corpus:
    """Read csv files of one text and one label column.

    Parameters
    ----------
    files : ``train`` and ``test``, or ``data``.
    options : ``name``; ``text`` and ``label``, names of columns; ``where``, a mapping from column to the value that a
        row must have to be read (default: all rows); ``label_names``, a mapping from label values to label names,
        which then must cover all (default: the values); ``encoding`` (default utf-8); ``test_every``, see
        `textmix.data.reading.text_corpus`.

    Returns
    -------
    a `Corpus` with document ids ``role/row`` (or ``row``), counted from 0 over all rows, also those left out.

    Raises
    ------
    DataFormatError : with the line: see `csv_rows`; or a label value that ``label_names`` does not have.
    """
    documents, sizes = list[Document](), dict[str, int]()
    for role, path in data_files(files).items():
        part = list(_documents(path, f"{role}/" if role in SPLITS else "", options))
        documents += part
        sizes[role] = len(part)
    return text_corpus(options, documents, split_array(sizes))


def _documents(path: Path, prefix: str, options: Mapping[str, Any]) -> Iterator[Document]:
    """Give the documents of one file."""
    text, label = options["text"], options["label"]
    where: Mapping[str, str] = options.get("where", {})
    names: Mapping[str, str] | None = options.get("label_names")
    rows = csv_rows(path, open_plain(path), [text, label, *where], options.get("encoding", "utf-8"))
    for row, (line, cells) in enumerate(rows):
        if any(cells[2 + i] != value for i, value in enumerate(where.values())):
            continue
        name = cells[1] if names is None else names.get(cells[1])
        if not name:
            raise DataFormatError(path, line, f"the label {cells[1]!r} is not one of {sorted(names or ['any word'])}")
        yield Document(f"{prefix}{row}", name, cells[0].encode("utf-8"))


def csv_rows(
    path: str | Path, data: bytes, columns: Sequence[str], encoding: str = "utf-8"
) -> Iterator[tuple[int, list[str]]]:
    """Give last line and the cells of some columns of each row of a csv file.

    Parameters
    ----------
    path, data : the file, for messages, and its content.
    columns : names in the first line.
    encoding : of the file.

    Raises
    ------
    DataFormatError : with the line: a column missing or named twice, a row with more or fewer cells than the first, a
        stray or unclosed quote, NUL, another encoding, a last line without line end.
    """
    text = decode(path, data, encoding)
    if not text.endswith("\n"):
        raise DataFormatError(path, text.count("\n") + 1, "the last line has no line end: the file is truncated")
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = next(reader)
        if any(header.count(name) != 1 for name in columns):
            raise DataFormatError(
                path, 1, f"should name the columns {list(columns)}, each once; it names {header[:20]}"
            )
        places = [header.index(name) for name in columns]
        for row in reader:
            if len(row) != len(header):
                raise DataFormatError(path, reader.line_num, f"has {len(row)} cells, expected {len(header)}")
            yield reader.line_num, [row[place] for place in places]
    except csv.Error as error:
        raise DataFormatError(path, reader.line_num, f"is not csv: {error}") from error
