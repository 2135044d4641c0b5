"""The encoding and the delimiter of a user's table, detected from its content."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from textmix.data.archives import iter_lines, open_plain
from textmix.data.tables import Column

#: Delimiters in the order in which ties are decided.
DELIMITERS = (",", ";", "\t", "|")
#: Number of first lines from which the delimiter of a table is detected.
_FIRST = 20


def is_utf16(path: Path, longest: int, ratio: int) -> bool:
    """Return whether a file begins with the byte order mark of UTF-16; the parameters are those of `iter_lines`."""
    first = next(iter_lines(path, longest=longest, ratio=ratio), b"")
    return first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))


def utf16_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a UTF-16 file in UTF-8; the whole file is in memory."""
    text = open_plain(path).decode("utf-16")
    yield from (f"{line}\n".encode() for line in text.removesuffix("\n").split("\n"))


def delimiter_of(lines: Iterable[str], columns: Sequence[Column]) -> str:
    """Return the delimiter of a csv file: the one that gives its first row the wanted columns, and the most cells.

    Parameters
    ----------
    lines : of the file; the first few are read.
    columns : names in the first row, or numbers from 1; None for a column that is not wanted.
    """
    first = list(islice(lines, _FIRST))
    wanted = [column for column in columns if column is not None]

    def fit(delimiter: str) -> tuple[bool, int]:
        """Return whether the first row has the wanted columns, and its number of cells."""
        try:
            cells = next(csv.reader(first, delimiter=delimiter), [])
        except csv.Error:
            return False, 0
        names = {cell.strip() for cell in cells}
        has_all = all(column in names if isinstance(column, str) else column <= len(cells) for column in wanted)
        return has_all, len(cells)

    return max(DELIMITERS, key=fit)
