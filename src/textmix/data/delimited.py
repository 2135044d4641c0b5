"""Read delimited text row by row.

Memory use is bounded by a row, or a batch of short rows.  The encoding is UTF-8 by default; a UTF-8 byte-order mark is
dropped.  Invalid bytes raise an error, or the line is decoded as Windows-1252 if the caller allows it.  NUL bytes raise
an error, because they indicate UTF-16 or binary data.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textmix.core.errors import DataFormatError
from textmix.data.archives import LONG_LINE_REMEDY, MAX_LINE

#: Default advice in the message about a line with an invalid encoding.
REMEDY = "convert it, or give its encoding"
#: Name of the codec error handler for bytes that are undefined in Windows-1252.
CP1252_FALLBACK = "textmix-cp1252"
#: The five undefined bytes of Windows-1252, mapped to the code point with the same value, as web browsers do.
_CP1252_UNDEFINED = {byte: chr(byte) for byte in (0x81, 0x8D, 0x8F, 0x90, 0x9D)}
#: Missing value in dumps of MySQL, PostgreSQL and Hive.
DATABASE_NULL = "\\N"
#: Batch size in bytes for validating and decoding lines.
BATCH = 1 << 16
#: Maximum number of columns in a message.
_MAX_COLUMNS_IN_MESSAGE = 20


@dataclass
class Lines:
    """Iterator over the decoded lines of a file.

    Parameters
    ----------
    path : str or Path
        The file, for messages.
    raw : iterable of bytes
        The lines with their line ends, in an ASCII-compatible encoding.
    encoding : str, default="utf-8"
        The encoding.
    allow_legacy : bool, default=False
        Whether to decode lines with an invalid encoding as Windows-1252.
    require_final_newline : bool, default=False
        Whether a missing final newline is an error, because it indicates a truncated file.
    remedy : str, default=REMEDY
        Advice in the message about a line with an invalid encoding.
    n_legacy_lines : int, default=0
        Number of lines decoded as Windows-1252 so far.

    Raises
    ------
    DataFormatError
        On iteration, if a line cannot be decoded, is too long, or contains a NUL byte.
    """

    path: str | Path
    raw: Iterable[bytes]
    encoding: str = "utf-8"
    allow_legacy: bool = False
    require_final_newline: bool = False
    remedy: str = REMEDY
    n_legacy_lines: int = 0

    def __iter__(self) -> Iterator[str]:
        """Yield the lines with their line ends, without a byte-order mark."""
        n_lines = 0
        for batch in self._batches():
            # The first line may begin with a byte-order mark.
            decoded = self._decode_batch(batch) if n_lines else None
            yield from decoded or (self._decode(number, line) for number, line in enumerate(batch, start=n_lines + 1))
            n_lines += len(batch)

    def _batches(self) -> Iterator[list[bytes]]:
        """Yield the lines in batches of at least `BATCH` bytes; the first batch is the first line."""
        batch = list[bytes]()
        size = BATCH
        try:
            for line in self.raw:
                batch.append(line)
                size += len(line)
                if size >= BATCH:
                    yield batch
                    batch = []
                    size = 0
        except Exception:
            yield batch  # the lines before the error come first
            raise
        yield batch

    def _decode_batch(self, batch: Sequence[bytes]) -> list[str] | None:
        """Decode a batch; None if its lines have to be validated one by one."""
        joined = b"".join(batch)
        if 0 in joined or len(joined) > MAX_LINE or not joined.endswith(b"\n"):
            return None
        try:
            return [line.decode(self.encoding) for line in batch]
        except UnicodeDecodeError:
            return None

    def _decode(self, number: int, raw: bytes) -> str:
        if self.require_final_newline and not raw.endswith(b"\n"):
            raise DataFormatError(self.path, number, "the last line has no line end: the file is truncated")
        line = raw if number > 1 else self._strip_byte_order_mark(raw)
        if len(line) > MAX_LINE:
            raise DataFormatError(self.path, number, f"is longer than {MAX_LINE:,} bytes; {LONG_LINE_REMEDY}")
        if 0 in line:
            raise DataFormatError(self.path, number, "contains a NUL byte, so it is not text; convert it to UTF-8")
        try:
            return line.decode(self.encoding)
        except UnicodeDecodeError as error:
            return self._decode_legacy(number, line, error)

    def _strip_byte_order_mark(self, line: bytes) -> bytes:
        """Return the first line without a UTF-8 byte-order mark; reject one of UTF-16."""
        if line.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise DataFormatError(self.path, 1, "is UTF-16; save it as UTF-8")
        return line.removeprefix(codecs.BOM_UTF8)

    def _decode_legacy(self, number: int, line: bytes, error: UnicodeDecodeError) -> str:
        if not self.allow_legacy:
            problem = f"byte {line[error.start]:#04x} at {error.start + 1}"
            raise DataFormatError(
                self.path, number, f"is not {self.encoding} text ({problem}); {self.remedy}"
            ) from error
        self.n_legacy_lines += 1
        return line.decode("cp1252", CP1252_FALLBACK)


def _decode_undefined(error: UnicodeError) -> tuple[str, int]:
    """Codec error handler that decodes the undefined bytes of Windows-1252."""
    assert isinstance(error, UnicodeDecodeError)  # noqa: S101 - only decoding calls it
    return "".join(_CP1252_UNDEFINED[byte] for byte in error.object[error.start : error.end]), error.end


codecs.register_error(CP1252_FALLBACK, _decode_undefined)


def utf8(path: str | Path, line: int, value: Any, name: str) -> bytes:
    """Encode a cell as UTF-8.

    Parameters
    ----------
    path, line : str or Path, int
        Location of the cell, for messages.
    value : object
        The cell.
    name : str
        Description of the cell for messages, such as "the text".

    Returns
    -------
    bytes
        The cell in UTF-8.

    Raises
    ------
    DataFormatError
        If the cell is not a string, or contains a NUL or a lone surrogate.
    """
    if not isinstance(value, str):
        raise DataFormatError(path, line, f"{name} is {type(value).__name__}, not text")
    if "\0" in value:
        raise DataFormatError(path, line, f"{name} contains a NUL character")
    try:
        return value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise DataFormatError(path, line, f"{name} contains a lone surrogate; remove it") from error


class _Unquoted(csv.excel_tab):
    """Tab-delimited csv dialect without quoting."""

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
    """Split delimited text (RFC 4180) into rows of cells.

    Parameters
    ----------
    path : str or Path
        The file, for messages.
    lines : iterable of str
        The lines with their line ends.
    delimiter : str, default=","
        The delimiter.
    quotes : bool, default=True
        Whether quotes enclose cells; otherwise a quote is an ordinary character.
    escaped : bool, default=False
        Whether a quote within a cell is escaped with a backslash instead of being doubled.

    Yields
    ------
    line : int
        Number of the first line of the row, from 1.
    cells : list of str
        The cells; a blank line has none.

    Raises
    ------
    DataFormatError
        If the text is not valid csv.
    """
    # The default limit of the csv module, 131,072, is too small for long texts; the setting is global.
    csv.field_size_limit(MAX_LINE)
    dialect = csv.excel if quotes else _Unquoted
    options: dict[str, Any] = {}
    if escaped:
        options = {"escapechar": "\\", "doublequote": False}
        lines = _protect_nulls(lines, delimiter)
    reader = csv.reader(lines, dialect=dialect, delimiter=delimiter, strict=True, **options)
    start = 1
    try:
        for cells in reader:
            yield start, cells
            start = reader.line_num + 1
    except csv.Error as error:
        raise DataFormatError(path, start, f"is not csv, from this line on: {error}") from error


def _protect_nulls(lines: Iterable[str], delimiter: str) -> Iterator[str]:
    r"""Escape the backslash of each cell ``\N``, which would be read as an escaped N."""
    null = re.compile(rf"(?<![^{re.escape(delimiter)}])\\N(?=[{re.escape(delimiter)}\r\n]|$)")
    for line in lines:
        yield null.sub(r"\\\\N", line) if DATABASE_NULL in line else line


def table_rows(
    path: str | Path, rows: Iterable[tuple[int, list[str]]], columns: Sequence[str]
) -> Iterator[tuple[int, list[str]]]:
    """Select columns of a table by name.

    Parameters
    ----------
    path : str or Path
        The file, for messages.
    rows : iterable of (int, list of str)
        The rows of `cell_rows`, the header first.
    columns : sequence of str
        Columns to select.

    Yields
    ------
    line : int
        Number of the first line of the row, from 1.
    cells : list of str
        The cells of the columns.

    Raises
    ------
    DataFormatError
        If a column is missing or ambiguous, or the number of cells in a row differs from the header.
    """
    rows = iter(rows)
    line, header = next(rows, (1, []))
    names = [name.strip() for name in header]
    if not names:
        raise DataFormatError(path, line, "has no header; name the columns in its first line")
    for column in columns:
        if names.count(column) != 1:
            problem = f"more than one column {column!r}" if column in names else f"unknown column {column!r}"
            raise DataFormatError(
                path, line, f"{problem}; the columns are {', '.join(names[:_MAX_COLUMNS_IN_MESSAGE])}"
            )
    positions = [names.index(column) for column in columns]
    for line, cells in rows:
        if len(cells) != len(names):
            raise DataFormatError(path, line, f"has {len(cells)} cells, expected {len(names)}")
        yield line, [cells[position] for position in positions]
