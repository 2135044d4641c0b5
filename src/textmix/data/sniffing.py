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

    Of several such delimiters, those come first that give as many cells to the rows below.

    Parameters
    ----------
    lines : of the file; the first few are read.
    columns : names in the first row, or numbers from 1; None for a column that is not wanted.
    """
    first = list(islice(lines, _FIRST))
    wanted = [column for column in columns if column is not None]

    def fit(delimiter: str) -> tuple[bool, bool, int]:
        """Return whether the first row has the wanted columns, whether rows are as wide, and its number of cells."""
        try:
            rows = [row for row in csv.reader(first, delimiter=delimiter) if row]
        except csv.Error:
            return False, False, 0
        cells = rows[0] if rows else []
        names = {cell.strip() for cell in cells}
        has_all = all(column in names if isinstance(column, str) else column <= len(cells) for column in wanted)
        below = [len(row) == len(cells) for row in rows[1:-1]]  # the last row may go on in a line that was not read
        return has_all, len(cells) > 1 and all(below), len(cells)

    return max(DELIMITERS, key=fit)
