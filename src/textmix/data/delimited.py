"""Tables of texts, row by row: lines and their encoding, cells between delimiters, and columns of a strict table.

Memory holds a row, or a few short ones.  A file is in one encoding, UTF-8 unless another is named; a byte order mark of
UTF-8 is dropped.  A line that is not in this encoding is an error, or is read as Windows-1252 where the caller says
that the file is mixed.  A NUL byte is an error: no text has one, but UTF-16 and binary files do.
"""

from __future__ import annotations

import codecs
import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textmix.core.errors import DataFormatError
from textmix.data.archives import LONGER, MAX_LINE

#: The remedy in the message about a line that is not in the file's encoding.
REMEDY = "convert it, or name its encoding"
#: Name of the handler of errors by which bytes that Windows-1252 leaves undefined are read.
FREE = "textmix-free"
#: Windows-1252 leaves five bytes undefined; each is read as the character of the same code point, as in web browsers.
_FREE = {byte: chr(byte) for byte in (0x81, 0x8D, 0x8F, 0x90, 0x9D)}

#: Bytes of lines that are checked and decoded together.
BATCH = 1 << 16


@dataclass
class Lines:
    """The lines of one file as text; iterating reads them once.

    ``raw`` are lines as bytes with their ends, in a codec in which the byte 10 ends a line.  If ``mixed``, a line that
    is not in it is read as Windows-1252; if ``ended``, a last line without an end is an error, because the file is
    truncated.  ``remedy`` is for the message about a wrong encoding.
    """

    path: str | Path
    raw: Iterable[bytes]
    encoding: str = "utf-8"
    mixed: bool = False
    ended: bool = False
    remedy: str = REMEDY
    #: Lines read as Windows-1252 so far.
    foreign: int = 0

    def __iter__(self) -> Iterator[str]:
        """Yield the lines with their line ends, without a byte order mark."""
        n_lines = 0
        for batch in self._batches():
            # The first line may begin with a byte order mark.
            whole = self._whole(batch) if n_lines else None
            yield from whole or (self._line(number, line) for number, line in enumerate(batch, start=n_lines + 1))
            n_lines += len(batch)

    def _batches(self) -> Iterator[list[bytes]]:
        """Yield the lines in batches that end once they have `BATCH` bytes; the first line is one of its own."""
        batch, size = list[bytes](), BATCH
        try:
            for line in self.raw:
                batch.append(line)
                size += len(line)
                if size >= BATCH:
                    yield batch
                    batch, size = [], 0
        except Exception:
            yield batch  # the lines before the fault come first
            raise
        yield batch

    def _whole(self, batch: Sequence[bytes]) -> list[str] | None:
        """Return a batch of lines as text; None where a line must be checked on its own."""
        joined = b"".join(batch)
        if 0 in joined or len(joined) > MAX_LINE or not joined.endswith(b"\n"):
            return None
        try:
            return [line.decode(self.encoding) for line in batch]
        except UnicodeDecodeError:
            return None

    def _line(self, number: int, raw: bytes) -> str:
        if self.ended and not raw.endswith(b"\n"):
            raise DataFormatError(self.path, number, "the last line has no line end: the file is truncated")
        line = raw if number > 1 else self._start(raw)
        if len(line) > MAX_LINE:
            raise DataFormatError(self.path, number, f"is longer than {MAX_LINE:,} bytes; {LONGER}")
        if 0 in line:
            raise DataFormatError(self.path, number, "holds a NUL byte: this is not text")
        try:
            return line.decode(self.encoding)
        except UnicodeDecodeError as error:
            return self._foreign(number, line, error)

    def _start(self, line: bytes) -> bytes:
        """Return the first line without a byte order mark of UTF-8; refuse one of UTF-16."""
        if line.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise DataFormatError(self.path, 1, "is UTF-16; save it as UTF-8")
        return line.removeprefix(codecs.BOM_UTF8)

    def _foreign(self, number: int, line: bytes, error: UnicodeDecodeError) -> str:
        """Return a line that is not in the encoding, read as Windows-1252 if the file is mixed; else raise."""
        if not self.mixed:
            what = f"byte {line[error.start]:#04x} at {error.start + 1}"
            raise DataFormatError(self.path, number, f"is not {self.encoding} text ({what}); {self.remedy}") from error
        self.foreign += 1
        return line.decode("cp1252", FREE)


def _free(error: UnicodeError) -> tuple[str, int]:
    """Return the characters of bytes that Windows-1252 leaves undefined, and the position to go on from."""
    assert isinstance(error, UnicodeDecodeError)  # noqa: S101 - only decoding calls it
    return "".join(_FREE[byte] for byte in error.object[error.start : error.end]), error.end


codecs.register_error(FREE, _free)


def utf8(path: str | Path, line: int, value: Any, name: str) -> bytes:
    """Return a value of a table as UTF-8."""
    if not isinstance(value, str):
        raise DataFormatError(path, line, f"{name} is {type(value).__name__}, not text")
    if "\0" in value:
        raise DataFormatError(path, line, f"{name} holds a NUL")
    try:
        return value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise DataFormatError(path, line, f"{name} holds half a character (a lone surrogate)") from error


class _Tabs(csv.excel_tab):
    """The csv dialect of cells between tabs, in which a quote is an ordinary character."""

    quoting = csv.QUOTE_NONE
    quotechar = None


def cell_rows(
    path: str | Path,
    lines: Iterable[str],
    delimiter: str = ",",
    quotes: bool = True,
    *,
    escaped: bool = False,
) -> Iterator[tuple[int, list[str]]]:
    """Yield (number of its first line, from 1, cells) for every row of a table (RFC 4180); a blank line has none.

    ``lines`` have their ends.  Without ``quotes`` a quote is an ordinary character; if ``escaped``, one within a cell
    has a backslash before it, in place of a second quote.
    """
    # The standard library's own limit is 131,072 bytes, less than a long text; it holds for the whole process.
    csv.field_size_limit(MAX_LINE)
    dialect = csv.excel if quotes else _Tabs
    escape: dict[str, Any] = {"escapechar": "\\", "doublequote": False} if escaped else {}
    reader, start = csv.reader(lines, dialect=dialect, delimiter=delimiter, strict=True, **escape), 1
    try:
        for cells in reader:
            yield start, cells
            start = reader.line_num + 1
    except csv.Error as error:
        raise DataFormatError(path, start, f"is not csv, from this line on: {error}") from error


def table_rows(
    path: str | Path, rows: Iterable[tuple[int, list[str]]], columns: Sequence[str]
) -> Iterator[tuple[int, list[str]]]:
    """Yield (number of its first line, cells of the wanted columns) for every row below the header."""
    rows = iter(rows)
    line, header = next(rows, (1, []))
    names = [name.strip() for name in header]
    if not names:
        raise DataFormatError(path, line, "has no header; name the columns in its first line")
    for column in columns:
        if names.count(column) != 1:
            times = "more than one column" if column in names else "no column"
            raise DataFormatError(path, line, f"there is {times} {column!r}; the columns are {', '.join(names[:20])}")
    wanted = [names.index(column) for column in columns]
    for line, cells in rows:
        if len(cells) != len(names):
            raise DataFormatError(path, line, f"has {len(cells)} cells, expected {len(names)}")
        yield line, [cells[place] for place in wanted]
