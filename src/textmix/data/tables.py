"""Tables of texts, row by row: the one parser of csv, of cells between tabs, of JSON lines and of plain lines.

The readers of the registry, the reader of the user's own data and ``python -m textmix predict`` all read through it.
Memory holds one row.  A file is in one encoding, UTF-8 unless another is named.  A byte order mark of UTF-8, which
spreadsheets write, is dropped.  A line of other bytes is an error with its number, or is read as Windows-1252 where the
caller says that the file is mixed.  A NUL byte is an error: no text has one, and UTF-16 and binary files do.
"""

from __future__ import annotations

import codecs
import csv
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from textmix.core.errors import DataFormatError

#: Longest line and longest cell, bytes: a text of a million words has about ten million.
MAX_LINE = 2**28
#: The end of the message of a line that is not of its encoding.
REMEDY = "convert it, or name its encoding"
#: The characters of the bytes that Windows-1252 leaves free: the same code points, as web browsers read them.
_FREE = {byte: chr(byte) for byte in (0x81, 0x8D, 0x8F, 0x90, 0x9D)}

#: One row: the number of its first line, from 1, and one value for each wanted column (None for a column not wanted).
Row = tuple[int, list[Any]]
#: A column: its name in the header or its key in a JSON object, or its number from 1 in a table without header.
Column = str | int | None


@dataclass
class Lines:
    """The lines of one file as text.

    Parameters
    ----------
    path : of the file, for messages.
    raw : its lines as bytes, each with its line end.
    encoding : of the file.
    mixed : whether a line that is not of this encoding is read as Windows-1252.
    ended : whether the last line must have a line end; a file without one is then called truncated.
    remedy : the end of the message of a line that is not of its encoding.
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
        """Give the lines with their ends.

        Raises
        ------
        DataFormatError : with the line: another encoding, UTF-16, a NUL byte, more than `MAX_LINE` bytes, or no line
            end where one is due.
        """
        for number, raw in enumerate(self.raw, start=1):
            if self.ended and not raw.endswith(b"\n"):
                raise DataFormatError(self.path, number, "the last line has no line end: the file is truncated")
            line = raw if number > 1 else self._start(raw)
            if len(line) > MAX_LINE:
                raise DataFormatError(self.path, number, f"is longer than {MAX_LINE:,} bytes, which no text is")
            if 0 in line:
                raise DataFormatError(self.path, number, "holds a NUL byte: this is not text")
            try:
                yield line.decode(self.encoding)
            except UnicodeDecodeError as error:
                yield self._foreign(number, line, error)

    def _start(self, line: bytes) -> bytes:
        """Return the first line without a byte order mark."""
        if line.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise DataFormatError(self.path, 1, "is UTF-16; save it as UTF-8")
        return line.removeprefix(codecs.BOM_UTF8)

    def _foreign(self, number: int, line: bytes, error: UnicodeDecodeError) -> str:
        """Return a line of another encoding as text."""
        if not self.mixed:
            found = f"byte {line[error.start]:#04x} at {error.start + 1}"
            raise DataFormatError(self.path, number, f"is not {self.encoding} text ({found}); {self.remedy}") from error
        self.foreign += 1
        return line.decode("cp1252", "textmix-free")


def _free(error: UnicodeError) -> tuple[str, int]:
    """Decode a byte that Windows-1252 leaves free."""
    assert isinstance(error, UnicodeDecodeError)  # noqa: S101 - only decoding calls it
    return "".join(_FREE[byte] for byte in error.object[error.start : error.end]), error.end


codecs.register_error("textmix-free", _free)


def utf8(path: str | Path, line: int, value: Any, name: str) -> bytes:
    """Return a value of a table as UTF-8.

    Parameters
    ----------
    path, line : where the value stands.
    value : of any type that JSON has.
    name : of the value in a message: ``the text``, ``the label``.

    Raises
    ------
    DataFormatError : it is no text, or holds a NUL or half a character (JSON escapes can write both).
    """
    if not isinstance(value, str):
        raise DataFormatError(path, line, f"{name} is {type(value).__name__}, not words")
    if "\0" in value:
        raise DataFormatError(path, line, f"{name} holds a NUL")
    try:
        return value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise DataFormatError(path, line, f"{name} holds half a character (a lone surrogate)") from error


class _Tabs(csv.excel_tab):
    """Cells between tabs, in which a quote is a letter."""

    quoting = csv.QUOTE_NONE
    quotechar = None


def cell_rows(
    path: str | Path, lines: Iterable[str], delimiter: str = ",", quotes: bool = True
) -> Iterator[tuple[int, list[str]]]:
    """Give the first line and the cells of every row of a table of cells (RFC 4180); a blank line has no cells.

    Parameters
    ----------
    path : of the file, for messages.
    lines : with their line ends.
    delimiter : between cells.
    quotes : whether quotes enclose a cell; else a quote is a letter.

    Raises
    ------
    DataFormatError : with the first line of the row: a stray or unclosed quote, a carriage return within a line.
    """
    # The standard library's own limit is 131,072 bytes, less than a long text; it holds for the whole process.
    csv.field_size_limit(MAX_LINE)
    dialect = csv.excel if quotes else _Tabs
    reader, start = csv.reader(lines, dialect=dialect, delimiter=delimiter, strict=True), 1
    try:
        for cells in reader:
            yield start, cells
            start = reader.line_num + 1
    except csv.Error as error:
        raise DataFormatError(path, start, f"is not csv, from this line on: {error}") from error


def table_rows(
    path: str | Path, rows: Iterable[tuple[int, list[str]]], columns: Sequence[Column], blank: bool = True
) -> Iterator[Row]:
    """Give the wanted columns of a table of cells.

    Parameters
    ----------
    path : of the file, for messages.
    rows : as `cell_rows` gives them; the first one is a header if the columns are given by name.
    columns : C columns, all by name or all by number; None gives None.
    blank : whether blank lines are passed over; else they are rows without cells.

    Raises
    ------
    DataFormatError : with the line: no header, a column that is missing or stands twice, a row of more or fewer cells
        than the first.
    """
    rows = (row for row in rows if row[1]) if blank else iter(rows)
    line, first = next(rows, (1, []))
    by_number = all(isinstance(column, int) for column in columns if column is not None)
    if not first and not by_number:
        raise DataFormatError(path, line, "has no header; name the columns in its first line")
    places, width = _places(path, line, first, columns, by_number) if first else [], len(first)
    if first and by_number:
        yield line, [None if place is None else first[place] for place in places]
    for line, cells in rows:
        if len(cells) != width:
            raise DataFormatError(path, line, f"has {len(cells)} cells, expected {width}")
        yield line, [None if place is None else cells[place] for place in places]


def _places(
    path: str | Path, line: int, cells: Sequence[str], columns: Sequence[Column], by_number: bool
) -> list[int | None]:
    """Return the position of each wanted column among the cells of the first row."""
    names = [str(number + 1) for number in range(len(cells))] if by_number else [cell.strip() for cell in cells]
    keys = [None if column is None else str(column) for column in columns]
    for key in keys:
        if key is not None and names.count(key) != 1:
            known = f"it has {len(cells)} columns" if by_number else f"the columns are {', '.join(names[:20])}"
            times = "no column" if key not in names else "more than one column"
            raise DataFormatError(path, line, f"there is {times} {key!r}; {known}")
    return [None if key is None else names.index(key) for key in keys]


def json_rows(path: str | Path, lines: Iterable[str], keys: Sequence[Column], bare: bool = False) -> Iterator[Row]:
    """Give the wanted values of a file with a JSON object a line; blank lines are passed over.

    Parameters
    ----------
    path : of the file, for messages.
    lines : with their line ends.
    keys : C keys; None gives None.
    bare : whether a line may also be a JSON string, which is then the value of the first key.

    Raises
    ------
    DataFormatError : with the line: it is no JSON or no object, or has not all keys.
    """
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        value = json_value(path, number, line)
        if bare and isinstance(value, str):
            yield number, [value, *[None] * (len(keys) - 1)]
            continue
        if not isinstance(value, dict):
            raise DataFormatError(path, number, "is not a JSON object ({...})")
        for key in keys:
            if key is not None and key not in value:
                raise DataFormatError(path, number, f"has no {key!r}; it has {', '.join(list(value)[:20]) or 'none'}")
        yield number, [None if key is None else value[key] for key in keys]


def _no_constant(name: str) -> NoReturn:
    """Refuse NaN and Infinity, which JSON does not have."""
    raise ValueError(f"{name} is no JSON")


_JSON, _STRICT_JSON = json.JSONDecoder(), json.JSONDecoder(parse_constant=_no_constant)


def json_value(path: str | Path, line: int, text: str, strict: bool = False) -> Any:
    """Return the value of one line of JSON.

    Parameters
    ----------
    path, line : of the text.
    text : the line.
    strict : whether NaN and Infinity, which JSON does not have and Python writes, are refused.

    Raises
    ------
    DataFormatError : it is no JSON.
    """
    try:
        return (_STRICT_JSON if strict else _JSON).decode(text)
    except (ValueError, RecursionError) as error:
        raise DataFormatError(path, line, f"is not JSON ({str(error)[:80]})") from error


def plain_rows(lines: Iterable[str], n_columns: int) -> Iterator[Row]:
    """Give each line without its end as the first value of a row of C values, the rest None; an empty line too."""
    rest = [None] * (n_columns - 1)
    for number, line in enumerate(lines, start=1):
        yield number, [line.rstrip("\r\n"), *rest]


def read_rows(
    form: str, lines: Lines, columns: Sequence[Column], delimiter: str = ",", bare: bool = False
) -> Iterator[Row]:
    """Give the rows of a file in one of the formats of tables and lines.

    Parameters
    ----------
    form : ``csv``, ``tab``, ``jsonl`` or ``text`` (see `textmix.data.formats`).
    lines : of the file.
    columns : C columns, as `table_rows` and `json_rows` take them; of plain lines the first is the whole line.
    delimiter : between the cells of a csv file.
    bare : as for `json_rows`.

    Raises
    ------
    DataFormatError : see `Lines`, `cell_rows`, `table_rows` and `json_rows`.
    """
    if form == "jsonl":
        return json_rows(lines.path, lines, columns, bare)
    if form == "text":
        return plain_rows(lines, len(columns))
    tabs = form == "tab"
    cells = cell_rows(lines.path, lines, "\t" if tabs else delimiter, quotes=not tabs)
    return table_rows(lines.path, cells, columns)
