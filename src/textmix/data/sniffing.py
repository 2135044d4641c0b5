"""A table of the user's own as rows of cells: packing, encoding, delimiter, quotes and header are found by reading it.

Memory holds the first rows, except of UTF-16 in one line, JSON arrays and tables of pandas.
"""

from __future__ import annotations

import codecs
import csv
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from io import BytesIO
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, NamedTuple
from zipfile import BadZipFile, ZipFile

import numpy as np

from textmix.core.errors import ConfigError, DataFormatError
from textmix.core.io import unique_keys
from textmix.data.archives import iter_lines, unpacked
from textmix.data.delimited import Lines, cell_rows
from textmix.data.formats import FORMATS, PACKED, check_dialect, format_of, without_packing

#: Rows by which a table is known; its dialect is found from so many lines, or so many characters of them.
ROWS, HEAD = 2000, 1 << 18
#: Bytes from which the encoding is found.
_START = 1 << 13
#: Delimiters in the order in which ties are decided.
DELIMITERS = (",", ";", "\t", "|")
#: What each label begins with in fastText's files.
PREFIX = "__label__"
#: Longest name of a column without a word that tells it.
LONGEST = 40
#: Names of columns, the more telling ones first.
TEXT_NAMES = tuple(
    "text texts review reviews reviewtext review_text body content document message comment tweet sentence description "
    "abstract title question utterance".split()
)
LABEL_NAMES = tuple(
    "label labels class category categories target y topic topics tags tag sentiment intent rating stars queue genre "
    "polarity".split()
)
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SEPARATOR_LINE = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)
_NUMBER = re.compile(r"[-+]?[0-9]+([.,][0-9]+)?([eE][-+]?[0-9]+)?", re.ASCII)
#: The value of a key that a JSON object does not have.
ABSENT: Any = type("Absent", (), {"__str__": lambda self: "", "__repr__": lambda self: "ABSENT"})()

Rows = Iterator[tuple[int, list[Any]]]
#: Names, rows, first rows and header of a `UserFile`.
_TableParts = tuple[Sequence[str | int], Rows, Sequence[Sequence[Any]], bool]


class _Options(NamedTuple):
    """What `open_table` is asked for, and the remarks on what it finds."""

    wanted: Sequence[str | int]
    header: bool | None
    delimiter: str | None
    looked: int
    remarks: list[str]


@dataclass
class UserFile:
    """An open table.

    Parameters
    ----------
    form : one of `textmix.data.formats.FORMATS`.
    names : of the columns: those of the header, "column 3" for one without a name; or the numbers from 1.
    rows : (number of its first line, a cell for each column) of all rows, read once.
    first : cells of the first rows, which ``rows`` gives too.
    header : whether the first row names the columns.
    remarks : sentences on how the file is written; complete when the rows are read.
    """

    name: str
    form: str
    names: Sequence[str | int]
    rows: Rows
    first: Sequence[Sequence[Any]]
    header: bool
    remarks: list[str]
    lines: Lines | None = None

    @property
    def foreign(self) -> int:
        """Number of lines that were read as Windows-1252 so far."""
        return self.lines.foreign if self.lines else 0


def open_table(
    path: str | Path,
    form: str | None = None,
    *,
    stream: IO[bytes] | None = None,
    wanted: Sequence[str | int] = (),
    header: bool | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    prefix: str = "",
    looked: int = ROWS,
) -> UserFile:
    """Open a table and find how it is written; what is None is found.

    Parameters
    ----------
    path : the file, packed or not; for messages alone if ``stream``, the content, is given.
    wanted : columns that are known to be there.
    header : whether the first row names the columns.
    encoding : if found, it is UTF-8, UTF-16, UTF-32, or UTF-8 with lines of Windows-1252.
    prefix : of the labels of the form labelled; empty where the first word is the label.
    looked : number of first rows.
    """
    name = str(path)
    form = form or format_of(without_packing(path), FORMATS)
    if form is None or FORMATS[form].kind not in ("table", "frame", "lines", "labelled"):
        endings = ".csv, .tsv, .jsonl, .parquet or .xlsx"
        raise ConfigError(f"{Path(name).name}: its name does not tell its form; name it {endings}")
    check_dialect(encoding, delimiter)
    asked = _Options(wanted, header, delimiter, looked, [])
    if stream is None and FORMATS[form].kind != "frame" and _is_workbook(Path(name)):
        form = "excel"
    if FORMATS[form].kind == "frame":
        if stream is not None:
            raise ConfigError(f"{name}: a table of the form {form} is opened by its name; save it as a file")
        return UserFile(name, form, *_open_frame(Path(name), form, asked), asked.remarks)
    lines = _lines(name, iter_lines(Path(name), stream=stream), encoding, asked.remarks)
    if form == "jsonl":
        opened = _open_json(name, lines, asked)
    elif form == "text":
        opened = ["text"], ((n, [line.rstrip("\r\n")]) for n, line in enumerate(lines, start=1)), [], True
    elif form == "labelled":
        opened = _open_rows([1, 2], _labelled(name, lines, prefix), False, asked)
    else:
        opened = _open_cells(name, form, lines, asked)
    return UserFile(name, form, *opened, asked.remarks, lines)


def _open_rows(names: Sequence[str | int], rows: Rows, header: bool, asked: _Options) -> _TableParts:
    """Open rows whose columns are known."""
    first = list(islice(rows, asked.looked))
    return names, chain(first, rows), [cells for _, cells in first], header


# --- lines ---------------------------------------------------------------------------------------------------------


def _lines(name: str, pieces: Iterator[bytes], encoding: str | None, remarks: list[str]) -> Lines:
    first, size = list[bytes](), 0
    for piece in pieces:
        first.append(piece)
        size += len(piece)
        if size >= _START:
            break
    start, pieces = b"".join(first)[: 4 * _START], chain(first, pieces)
    wide = _wide(start) if encoding is None else encoding if codecs.lookup(encoding).name[:6] in _WIDE else None
    if wide is not None:
        if encoding is None:
            remarks.append(f"{Path(name).name} is {wide.upper()[:6]}.")
        start = start[: len(start) // 4 * 4].decode(wide, "ignore").encode()
        pieces = _narrowed(name, pieces, wide)
    if b"\r" in start and b"\n" not in start:
        pieces = _ended_by_returns(pieces)
    narrow = "utf-8" if wide or encoding is None else encoding
    mixed, remedy = encoding is None and wide is None, "is it of another encoding? name it by --encoding"
    return Lines(name, pieces, narrow, mixed=mixed, remedy=remedy)


#: Encodings in which a line feed is not the one byte 10.
_WIDE = ("utf-16", "utf-32")


def _wide(start: bytes) -> str | None:
    """Return the encoding of which a line feed is not the one byte 10, by its mark or by its zeros; else None."""
    marked = next((name for mark, name in _MARKS if start.startswith(mark)), None)
    if marked is not None or len(start) < 8:
        return marked
    even, odd, half = start[::2].count(0), start[1::2].count(0), len(start) // 2
    if max(even, odd) < max(3, 0.1 * half) or min(even, odd) > 0.1 * max(even, odd):
        return None
    return "utf-16-le" if odd > even else "utf-16-be"


def _narrowed(name: str, pieces: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    """Yield the lines of a text of a wide encoding in UTF-8."""
    decoder, rest, number = codecs.getincrementaldecoder(encoding)(), "", 1
    try:
        for piece in chain(pieces, [b""]):
            *whole, rest = (rest + decoder.decode(piece, final=not piece)).split("\n")
            yield from (f"{line}\n".encode() for line in whole)
            number += len(whole)
    except UnicodeDecodeError as error:
        what = f"is not whole {encoding} text ({error.reason}); the file is cut or damaged: save it anew, as UTF-8"
        raise DataFormatError(name, number, what) from error
    if rest:
        yield rest.encode()


def _ended_by_returns(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines of a file whose lines end with a carriage return alone, with a line feed in its place."""
    rest = b""
    for piece in pieces:
        *whole, rest = (rest + piece).split(b"\r")
        yield from (line + b"\n" for line in whole)
    if rest:
        yield rest


# --- cells between delimiters --------------------------------------------------------------------------------------


def _open_cells(name: str, form: str, lines: Lines, asked: _Options) -> _TableParts:
    source, head, size, delimiter = iter(lines), list[str](), 0, asked.delimiter
    for line in source:
        head.append(line)
        size += len(line)
        if size >= HEAD or len(head) > asked.looked:
            break
    declared = _SEPARATOR_LINE.fullmatch(head[0]) if head else None
    if declared:  # the line that tells Excel the delimiter
        delimiter, head = delimiter or declared[1], head[1:]
    elif delimiter is None:
        delimiter = _delimiter(head, form, asked.wanted)
        if form == "csv" and delimiter != ",":
            asked.remarks.append(f"{Path(name).name} has {delimiter!r} between its cells.")
    quoted = form == "csv" or delimiter != "\t" or _is_quoted(head)
    escaped = quoted and _is_escaped(head, delimiter)
    cells = cell_rows(name, chain(head, source), delimiter, quoted, escaped=escaped)
    rows: Rows = (
        (number + bool(declared), [*row]) for number, row in cells if row and row != ["\x1a"]
    )  # DOS ends a file with 1A
    hint = "" if quoted else "; if a cell in quotes goes on in the next line, save the table as csv"
    return _headed(name, rows, asked, hint)


def _delimiter(head: Sequence[str], form: str, wanted: Sequence[str | int]) -> str:
    """Return the delimiter: the one that gives the first row the wanted columns, and the most cells."""
    head = head[:20]
    last = -1 if len(head) == 20 else None  # of more lines, the last row may go on in one that is not read

    def fit(delimiter: str) -> tuple[bool, bool, int]:
        """Return whether the first row has the wanted columns, whether rows are as wide, and its number of cells."""
        try:
            rows = [row for row in csv.reader(head, delimiter=delimiter) if row]
        except csv.Error:
            return False, False, 0
        cells = rows[0] if rows else []
        names = {_bare(cell) for cell in cells}
        has_all = all(column in names if isinstance(column, str) else column <= len(cells) for column in wanted)
        below = [len(row) == len(cells) for row in rows[1:last]]
        return has_all, len(cells) > 1 and all(below), len(cells)

    if form == "tab" and any("\t" in line for line in head):
        return "\t"
    return max(DELIMITERS, key=fit)


def _is_quoted(head: Sequence[str]) -> bool:
    """Return whether quotes enclose cells between tabs; where quotes are letters, no other reading fits the lines."""
    plain = [line.rstrip("\r\n").split("\t") for line in head if line.strip()]
    quoted = [cell for row in plain for cell in row if cell.startswith('"')]
    if not quoted:
        return False
    even = len({len(row) for row in plain}) == 1
    if even and not all(len(cell) > 1 and cell.endswith('"') for cell in quoted):
        return False
    try:
        rows = [row for row in csv.reader(head, delimiter="\t", strict=True) if row]
    except csv.Error:
        return False
    return len({len(row) for row in rows}) == 1


def _is_escaped(head: Sequence[str], delimiter: str) -> bool:
    """Return whether quotes within cells have a backslash before them, as databases write csv."""
    if not any('\\"' in line for line in head):
        return False
    try:
        list(csv.reader(head, delimiter=delimiter, strict=True))
    except csv.Error:
        pass
    else:
        return False
    try:
        rows = list(csv.reader(head, delimiter=delimiter, strict=True, escapechar="\\", doublequote=False))
    except csv.Error as error:
        return "unexpected end" in str(error)  # the last row goes on in a line that was not read
    return len({len(row) for row in rows if row}) == 1


def _bare(cell: Any) -> str:
    """Return a cell of a header without blanks and marks of an encoding around it."""
    return ("" if cell is None else str(cell)).strip().strip("\ufeff\u200b").strip()


def is_number(text: str) -> bool:
    """Return whether a text is a number in ASCII digits, with a decimal point or a decimal comma."""
    return _NUMBER.fullmatch(text) is not None


def _has_header(rows: Sequence[Sequence[Any]], wanted: Sequence[str | int]) -> bool:
    """Return whether the first row names the columns."""
    first, asked = [_bare(cell) for cell in rows[0]], [column for column in wanted if isinstance(column, str)]
    if asked and set(asked) <= set(first):
        return True
    names = {name.lower() for name in first}
    if names & {*TEXT_NAMES} and names & {*LABEL_NAMES}:
        return True
    below = [[_bare(cell) for cell in row] for row in rows[1:] if len(row) == len(first)]
    columns = [[row[place] for row in below if row[place] and row != first] for place in range(len(first))]
    for name, cells in zip(first, columns, strict=True):
        if name and (name in cells or (is_number(name) and cells and all(map(is_number, cells)))):
            return False
    if any(len(cell) > LONGEST for cell in first):  # a question of a form, if a class stands in no second row
        recur = any(len(cells) > 3 and len(set(cells)) <= len(cells) / 2 for cells in columns)
        return recur and max(map(len, first)) <= 3 * LONGEST
    return any(first)


def _titles(rows: Sequence[Sequence[Any]]) -> int:
    """Return how many rows of one cell, such as a title, stand above a row with the names of a text and of a label."""
    for place, row in enumerate(rows):
        names = {_bare(cell).lower() for cell in row}
        if names & {*TEXT_NAMES} and names & {*LABEL_NAMES}:
            return place
        if sum(bool(_bare(cell)) for cell in row) > 1:
            return 0
    return 0


def _headed(name: str, rows: Rows, asked: _Options, hint: str = "") -> _TableParts:
    """Open rows of cells of which the first may name the columns."""
    head = list(islice(rows, asked.looked + 1))
    while head and not any(map(_bare, head[0][1])):
        head = head[1:]
    if not head:
        return [], iter(()), [], False
    titles = _titles([row for _, row in head[:10]])
    if titles:
        asked.remarks.append(f"{titles} rows above the header were left out.")
        head = head[titles:]
    cells = [row for _, row in head]
    header = _has_header(cells, asked.wanted) if asked.header is None else asked.header
    first, width = [_bare(cell) for cell in cells[0]], len(cells[0])
    numbered = len(cells) > 1 and all(len(row) == width + 1 and is_number(_bare(row[0])) for row in cells[1:])
    if header and numbered:
        first, width = ["", *first], width + 1  # as R writes a table with names of rows
    bare = first if header else None
    names: list[str | int] = (
        [each or f"column {n}" for n, each in enumerate(first, 1)] if header else [*range(1, width + 1)]
    )

    def repeats(row: Sequence[Any]) -> bool:
        return bare is not None and [_bare(cell) for cell in row] == bare

    def checked() -> Rows:
        """Yield the rows below the header, without its repetitions."""
        again = 0
        for line, row in chain(head[int(header) :], rows):
            if len(row) != width:
                raise DataFormatError(name, line, f"has {len(row)} cells, expected {width}{hint}")
            if bare is not None and _bare(row[0]) in bare and {*map(_bare, row)} == {*bare}:
                if not repeats(row):
                    raise DataFormatError(
                        name, line, "has the names of the columns in another order; join tables of one order"
                    )
                again += 1
            else:
                yield line, row
        if again:
            asked.remarks.append(f"{again:,} rows repeat the header and were left out.")

    below = [row for row in cells[int(header) :] if len(row) == width and not repeats(row)]
    return names, checked(), below, header


# --- tables of pandas ----------------------------------------------------------------------------------------------


def _is_workbook(path: Path) -> bool:
    """Return whether a file is a workbook of Excel, whatever its name."""
    try:
        with open(path, "rb") as raw:
            if raw.read(4) != b"PK\x03\x04":
                return False
        with ZipFile(path) as archive:
            return "xl/workbook.xml" in archive.namelist()
    except (BadZipFile, OSError):
        return False


def _open_frame(path: Path, form: str, asked: _Options) -> _TableParts:
    """Open a table that pandas reads: Parquet, or the first sheet of a workbook."""
    names, rows = _frame(path, form, asked.remarks)
    return _open_rows(names, rows, True, asked) if form == "parquet" else _headed(str(path), rows, asked)


def _frame(path: Path, form: str, remarks: list[str]) -> tuple[list[str | int], Rows]:
    """Return names of the columns and rows of a table that pandas reads; of Excel the names mean nothing."""
    import pandas as pd  # here, for most data need none of it

    try:
        source: Any = path
        if path.suffix.lower() in PACKED:
            with open(path, "rb") as raw:
                source = BytesIO(unpacked(raw).read())
        if form == "parquet":
            frame = pd.read_parquet(source)
        else:
            with pd.ExcelFile(source) as book:
                sheets = [str(sheet) for sheet in book.sheet_names]
                frame = book.parse(header=None, dtype=object, keep_default_na=False)
            if len(sheets) > 1:
                remarks.append(f"{path.name} has {len(sheets)} sheets; the first, {sheets[0]}, is read.")
    except ImportError as error:
        raise ConfigError(f"{path}: format {form} needs packages; run: pip install 'pandas[{form}]'") from error
    except MemoryError:
        raise
    except Exception as error:  # a damaged file ends in errors of zip, XML or Arrow, of any class
        what = f"cannot be read as {form} ({str(error)[:80]}); save it anew, or as csv"
        raise DataFormatError(path, None, what) from error
    rows = ((n, [*map(_cell, row)]) for n, row in enumerate(frame.itertuples(index=False, name=None), start=1))
    return [str(name) for name in frame.columns], rows


def _cell(value: Any) -> Any:
    """Return a cell as text, as a list or as a mapping; of what pandas takes as missing None."""
    if isinstance(value, (list, tuple, np.ndarray)):
        return [_cell(item) for item in value]
    if isinstance(value, (str, dict)):
        return value
    from pandas import isna

    if isna(value):
        return None
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    if isinstance(value, datetime) and value.time() == datetime.min.time() and value.tzinfo is None:
        return value.date().isoformat()
    return str(value)


# --- JSON ----------------------------------------------------------------------------------------------------------


def _constant(name: str) -> float:
    """Return NaN, by which Python writes a missing value; refuse the other words that JSON does not have."""
    if name != "NaN":
        raise ValueError(f"{name} is no JSON")
    return math.nan


_JSON = json.JSONDecoder(object_pairs_hook=unique_keys, parse_constant=_constant)


def _open_json(name: str, lines: Lines, asked: _Options) -> _TableParts:
    """Open JSON: an object or a text a line, an array of objects, or one object with an array for each column."""
    found = _json_values(name, lines)
    head = list(islice(found, max(asked.looked, 2)))
    if len(head) == 1:
        head = _by_rows(*head[0])
    bare = next((str(column) for column in asked.wanted), "text")

    def mapping(line: int, value: Any) -> dict[str, Any]:
        """Return a value as an object; a text alone is the value of the first wanted key."""
        if isinstance(value, str):
            return {bare: value}
        if not isinstance(value, dict):
            raise DataFormatError(name, line, "is not a JSON object ({...})")
        return value

    objects = [(line, mapping(line, value)) for line, value in head]
    names = [*dict.fromkeys(key for _, each in objects for key in each)]
    rest = ((line, mapping(line, value)) for line, value in found)
    rows: Rows = ((line, [_json_cell(each.get(key, ABSENT)) for key in names]) for line, each in chain(objects, rest))
    first = [[_json_cell(each.get(key)) for key in names] for _, each in objects]
    return names, rows, first, True


def _json_cell(value: Any) -> Any:
    """Return a value of JSON; of NaN None."""
    return None if isinstance(value, float) and math.isnan(value) else value


def _json_values(name: str, lines: Iterable[str]) -> Iterator[tuple[int, Any]]:
    """Yield (line, value) of the values of a file with a value a line, or of one array."""
    numbered = enumerate(lines, start=1)
    for number, line in numbered:
        if line.lstrip().startswith("["):
            yield from _array(name, number, line + "".join(rest for _, rest in numbered))
            return
        if whole := line.strip():
            given: tuple[Any, ...] = (_JSON.decode, whole) if number > 1 else (_first_value, whole, numbered)
            yield number, _decoded(name, number, *given)


def _first_value(line: str, rest: Iterator[tuple[int, str]]) -> Any:
    """Return the value of the first line, or of all lines together where they are one object."""
    try:
        return _JSON.decode(line)
    except ValueError:
        if line != "{":
            raise
        return _JSON.decode("".join([line, *(text for _, text in rest)]).strip())


def _decoded(name: str, line: int, decode: Callable[..., Any], *given: Any) -> Any:
    """Return what the parser of JSON makes of what is given; its faults become an error that names the line."""
    try:
        return decode(*given)
    except (ValueError, RecursionError) as error:
        what = f"is not JSON ({str(error)[:80]}); write an object a line, or an array of objects"
        raise DataFormatError(name, line, what) from error


def _array(name: str, line: int, text: str) -> Iterator[tuple[int, Any]]:
    """Yield (line, value) of the values of a JSON array, from its bracket on."""
    blank, place, seen, closed = re.compile(r"[\s,]*"), text.index("[") + 1, 0, False
    while place < len(text):
        place = blank.match(text, place).end()  # type: ignore[union-attr]
        if text[place : place + 1] in ("]", ""):
            closed = text[place:].strip() == "]"
            break
        line, seen = line + text.count("\n", seen, place), place
        value, place = _decoded(name, line, _JSON.raw_decode, text, place)
        yield line, value
    if not closed:
        last = line + text.count("\n", seen)
        raise DataFormatError(name, last, "is not JSON: the array does not end with its bracket; the file may be cut")


def _by_rows(line: int, value: Any) -> list[tuple[int, Any]]:
    """Return the objects of a file that holds one: an array of objects, or an array or a mapping for each column."""
    inside = [each for each in value.values() if isinstance(each, list)] if isinstance(value, dict) else []
    if len(inside) == 1 and inside[0] and all(isinstance(each, dict) for each in inside[0]):
        return [(line, each) for each in inside[0]]
    if isinstance(value, dict) and {"columns", "data"} <= value.keys():  # as pandas writes it with orient="split"
        return [(line, dict(zip(value["columns"], row, strict=False))) for row in value["data"]]
    cells = list(value.values()) if isinstance(value, dict) else []
    if cells and all(isinstance(cell, dict) and cell.keys() == cells[0].keys() for cell in cells):
        cells = [list(cell.values()) for cell in cells]
    if len(cells) < 2 or not all(isinstance(cell, list) and len(cell) == len(cells[0]) > 1 for cell in cells):
        return [(line, value)]
    return [(line, dict(zip(value, row, strict=True))) for row in zip(*cells, strict=True)]


# --- labels within lines -------------------------------------------------------------------------------------------


def _labelled(name: str, lines: Iterable[str], prefix: str) -> Rows:
    """Yield (line, [label or labels, text]) of every line of texts with labels; blank lines are left out."""
    word = re.compile(rf"(?<!\S){re.escape(prefix)}(\S*)[ \t]*")
    for number, line in enumerate(lines, start=1):
        text = line.strip(" \t\r\n")  # other spaces belong to words of some texts
        if not text:
            continue
        if prefix:
            labels: Any = [found.rstrip(",;") for found in word.findall(text)]
            if not all(labels):
                raise DataFormatError(name, number, f"has no label after {prefix!r}")
            text, labels = word.sub("", text).strip(" \t"), labels or None
        else:
            labels, *rest = re.split("[ \t]+", text, maxsplit=1)
            text = rest[0] if rest else ""
        if not text:
            raise DataFormatError(name, number, "has no text after its label; write label, blank, text")
        yield number, [labels, text]
