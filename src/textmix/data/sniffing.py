"""Open a user's table as rows of cells; detect compression, format, encoding, delimiter, quoting and header.

Only the first rows are kept in memory, except for single-line UTF-16, JSON documents and tables read with pandas.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from io import BytesIO
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, NamedTuple
from zipfile import BadZipFile, ZipFile

import numpy as np

from textmix.core.errors import ConfigError, DataFormatError
from textmix.data.archives import iter_lines, unpacked
from textmix.data.delimited import DATABASE_NULL, Lines, cell_rows
from textmix.data.encodings import decoded_lines
from textmix.data.formats import COMPRESSED, FORMATS, LOCK_PREFIX, check_dialect, format_of, without_packing
from textmix.data.json_tables import ABSENT, TEXT_NAMES, open_json

__all__ = ["ABSENT", "LABEL_NAMES", "TEXT_NAMES", "TableFile", "detect_format", "is_number", "open_table"]

#: Suffix of a workbook -> package with which pandas reads it, if it is not in the extra ``tables``.
_READER_PACKAGES = {".xls": "xlrd", ".ods": "odfpy"}
#: Number of rows used to infer the columns of a table.
SNIFF_ROWS = 2000
#: Maximum number of characters used to detect the dialect of a table.
SNIFF_CHARACTERS = 1 << 18
#: Number of lines used to detect the format of a file and the delimiter of a table.
SNIFF_LINES = 100
DELIMITER_LINES = 20
#: Maximum number of title rows above a header.
_MAX_TITLE_ROWS = 10
#: Candidate delimiters; ties are resolved in this order.
DELIMITERS = (",", ";", "\t", "|")
#: Label prefix in the fastText format.
PREFIX = "__label__"
#: Maximum length of a header cell or a category.
MAX_CELL_CHARACTERS = 40
#: If a header is optional, its cells must have at most this many words ...
MAX_HEADER_WORDS = 3
#: ... and the texts below must have at least this many words on average, in at least so many rows.
MIN_TEXT_WORDS = 5
MIN_TEXT_ROWS = 5
#: Common names of label columns, the most specific ones first.
LABEL_NAMES = tuple(
    "label labels class category categories target y topic topics tags tag sentiment intent rating stars queue genre "
    "polarity".split()
)
_SEPARATOR_LINE = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)
_NUMBER = re.compile(r"[-+]?[0-9]+([.,][0-9]+)?([eE][-+]?[0-9]+)?", re.ASCII)
_ZIP_MAGIC = b"PK\x03\x04"
#: Magic number of Excel 97-2003 workbooks.
_OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

Rows = Iterator[tuple[int, list[Any]]]


class _Content(NamedTuple):
    """Column names, rows and head of a table; see `TableFile`."""

    names: Sequence[str | int]
    rows: Rows
    head: Sequence[Sequence[Any]]
    header: bool
    label_columns: tuple[str, ...] = ()
    has_split: bool = False


class _Options(NamedTuple):
    """Options of `open_table`, and notes on detected properties."""

    required: Sequence[str | int]
    header: bool | None
    delimiter: str | None
    n_rows: int
    may_lack_header: bool
    notes: list[str]


@dataclass
class TableFile:
    """An open table.

    Parameters
    ----------
    name : str
        Name of the file, for messages.
    format : str
        A key of `textmix.data.formats.FORMATS`.
    names : sequence of str or int
        Column names; "column 3" for an unnamed column, numbers from 1 without a header.
    rows : iterator of (int, list)
        Number of the first line and cells of each row; can be iterated once.
    head : sequence of sequence
        The cells of the first rows, which ``rows`` yields too.
    header : bool
        Whether the first row is a header.
    notes : list of str
        Notes on the format of the file; complete after all rows have been read.
    lines : Lines, default=None
        The lines of a text file.
    label_columns : tuple of str, default=()
        Label columns declared by the format.
    has_split : bool, default=False
        Whether a column `textmix.data.json_tables.SPLIT_COLUMN` was created from the parts of a JSON document.
    """

    name: str
    format: str
    names: Sequence[str | int]
    rows: Rows
    head: Sequence[Sequence[Any]]
    header: bool
    notes: list[str]
    lines: Lines | None = None
    label_columns: tuple[str, ...] = ()
    has_split: bool = False

    @property
    def n_legacy_lines(self) -> int:
        """Number of lines decoded as Windows-1252 so far."""
        return self.lines.n_legacy_lines if self.lines else 0


def open_table(
    path: str | Path,
    format: str | None = None,
    *,
    stream: IO[bytes] | None = None,
    required: Sequence[str | int] = (),
    header: bool | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    prefix: str = "",
    n_rows: int = SNIFF_ROWS,
    may_lack_header: bool = False,
) -> TableFile:
    """Open a table.

    Parameters
    ----------
    path : str or Path
        The file, optionally compressed; only used for messages if ``stream`` is passed.
    format : str, default=None
        A key of `textmix.data.formats.FORMATS`; inferred from the file extension by default.
    stream : binary stream, default=None
        The content of the file.
    required : sequence of str or int, default=()
        Required columns.
    header : bool, default=None
        Whether the first row is a header; detected by default.
    encoding : str, default=None
        Encoding; by default UTF-8, UTF-16 or UTF-32 is detected, and invalid lines are decoded as Windows-1252.
    delimiter : str, default=None
        Delimiter; detected by default.
    prefix : str, default=""
        Label prefix in the format ``labelled``; empty if the first word is the label.
    n_rows : int, default=SNIFF_ROWS
        Number of rows in the head.
    may_lack_header : bool, default=False
        Whether to detect a header only if the first row has common column names or differs clearly from the texts.

    Returns
    -------
    TableFile
        The open table.

    Raises
    ------
    ConfigError
        If the format is unknown or an option is invalid.
    DataFormatError
        If the file is not in its format.
    """
    name = str(path)
    if Path(name).name.startswith(LOCK_PREFIX):
        book = Path(name).name.removeprefix(LOCK_PREFIX)
        raise ConfigError(f"{Path(name).name}: is a lock file, which Excel writes while a workbook is open; use {book}")
    format = format or format_of(without_packing(path), FORMATS)
    if format is None or FORMATS[format].kind not in ("table", "frame", "lines", "labelled"):
        extensions = ".csv, .tsv, .jsonl, .parquet or .xlsx"
        raise ConfigError(f"{Path(name).name}: cannot infer the format of this file; rename it to {extensions}")
    check_dialect(encoding, delimiter)
    options = _Options(required, header, delimiter, n_rows, may_lack_header, [])
    if stream is None and FORMATS[format].kind != "frame" and _is_workbook(Path(name)):
        format = "excel"
    if FORMATS[format].kind == "frame":
        if stream is not None:
            raise ConfigError(f"{name}: tables in format {format} cannot be read from a stream; save it as a file")
        return _table_file(name, format, _open_frame(Path(name), format, options), options)
    lines = decoded_lines(name, iter_lines(Path(name), stream=stream), encoding, options.notes)
    if format == "jsonl":
        table = open_json(name, lines, required, n_rows, options.notes)
        has_header = not table.names or isinstance(table.names[0], str)
        content = _Content(table.names, table.rows, table.head, has_header, table.label_columns, table.has_split)
    elif format == "text":
        rows = ((number, [line.rstrip("\r\n")]) for number, line in enumerate(lines, start=1))
        content = _Content(["text"], rows, [], True)
    elif format == "labelled":
        content = _open_rows([1, 2], _labelled_rows(name, lines, prefix), False, options)
    else:
        content = _open_cells(name, format, lines, options)
    return _table_file(name, format, content, options, lines)


def _table_file(name: str, format: str, content: _Content, options: _Options, lines: Lines | None = None) -> TableFile:
    return TableFile(
        name,
        format,
        content.names,
        content.rows,
        content.head,
        content.header,
        options.notes,
        lines,
        content.label_columns,
        content.has_split,
    )


def _open_rows(names: Sequence[str | int], rows: Rows, header: bool, options: _Options) -> _Content:
    """Open rows with predefined columns."""
    head = list(islice(rows, options.n_rows))
    return _Content(names, chain(head, rows), [cells for _, cells in head], header)


# --- format --------------------------------------------------------------------------------------------------------


def detect_format(path: str | Path, stream: IO[bytes] | None = None, prefix: str | None = None) -> str | None:
    """Detect the format of a file with an unknown extension from its first lines.

    Parameters
    ----------
    path : str or Path
        The file.
    stream : binary stream, default=None
        The content of the file; rewound afterwards.
    prefix : str, default=None
        Label prefix; by default the fastText prefix.

    Returns
    -------
    str or None
        The format, such as ``jsonl``, ``labelled``, ``tab`` or ``csv``; None for plain lines and for streams that are
        not seekable.
    """
    if stream is not None and not stream.seekable():
        return None
    file = open_table(path, "text", stream=stream)
    if file.format != "text":
        return file.format
    lines = [cells[0] for (_, cells), _ in zip(file.rows, range(SNIFF_LINES), strict=False) if cells[0].strip()]
    if stream is not None:
        stream.seek(0)
    return _format_of_lines(lines, prefix or PREFIX) if lines else None


def _format_of_lines(lines: Sequence[str], prefix: str) -> str | None:
    label = re.compile(rf"(?<!\S){re.escape(prefix)}\S")
    if any(label.search(line) for line in lines):
        return "labelled"
    if lines[0].lstrip()[:1] == "{" or re.match(r"\s*\[\s*($|[\[{])", lines[0]):
        return "jsonl"
    n_tabs = {line.count("\t") for line in lines}
    if len(n_tabs) == 1 and n_tabs != {0} and len(lines) > 1:
        return "tab"
    for delimiter in DELIMITERS:
        names = {_strip_header_cell(cell).strip('"').lower() for cell in lines[0].split(delimiter)}
        if names & set(TEXT_NAMES) and names & set(LABEL_NAMES):
            return "tab" if delimiter == "\t" else "csv"
    return None


def _is_workbook(path: Path) -> bool:
    """Check whether a file is an Excel workbook, regardless of its extension."""
    try:
        with open(path, "rb") as raw:
            magic = raw.read(len(_OLE_MAGIC))
        if magic == _OLE_MAGIC:
            return True
        if not magic.startswith(_ZIP_MAGIC):
            return False
        with ZipFile(path) as archive:
            return "xl/workbook.xml" in archive.namelist()
    except (BadZipFile, OSError):
        return False


# --- delimited text ------------------------------------------------------------------------------------------------


def _open_cells(name: str, format: str, lines: Lines, options: _Options) -> _Content:
    source = iter(lines)
    head = list[str]()
    size = 0
    delimiter = options.delimiter
    for line in source:
        head.append(line)
        size += len(line)
        if size >= SNIFF_CHARACTERS or len(head) > options.n_rows:
            break
    declared = _SEPARATOR_LINE.fullmatch(head[0]) if head else None
    if declared:  # the "sep=" line that declares the delimiter for Excel
        delimiter = delimiter or declared[1]
        head = head[1:]
    elif delimiter is None:
        delimiter = _detect_delimiter(head, format, options.required)
        if format == "csv" and delimiter != ",":
            options.notes.append(f"{Path(name).name} is delimited by {delimiter!r}.")
    quoted = format == "csv" or delimiter != "\t" or _has_quotes(head)
    escaped = quoted and _has_escapes(head, delimiter)
    cells = cell_rows(name, chain(head, source), delimiter, quoted, escaped=escaped)
    rows: Rows = (
        (number + bool(declared), [None if cell == DATABASE_NULL else cell for cell in row])
        for number, row in cells
        if row and row != ["\x1a"]  # DOS end-of-file character
    )
    hint = "" if quoted else "; if a cell in quotes continues in the next line, save the table as csv"
    return _with_header(name, rows, options, hint)


def _detect_delimiter(head: Sequence[str], format: str, required: Sequence[str | int]) -> str:
    """Detect the delimiter: it must yield the required columns in the first row, then as many cells as possible."""
    head = head[:DELIMITER_LINES]
    # If the sample is incomplete, the last row may continue in a line that has not been read.
    last = -1 if len(head) == DELIMITER_LINES else None

    def score(delimiter: str) -> tuple[bool, bool, int]:
        """Return whether the first row has the required columns, whether all rows have equal width, and the width."""
        try:
            rows = [row for row in csv.reader(head, delimiter=delimiter) if row]
        except csv.Error:
            return False, False, 0
        cells = rows[0] if rows else []
        names = {_strip_header_cell(cell) for cell in cells}
        has_wanted = all(column in names if isinstance(column, str) else column <= len(cells) for column in required)
        as_wide = [len(row) == len(cells) for row in rows[1:last]]
        return has_wanted, len(cells) > 1 and all(as_wide), len(cells)

    if format == "tab" and any("\t" in line for line in head):
        return "\t"
    return max(DELIMITERS, key=score)


def _has_quotes(head: Sequence[str]) -> bool:
    """Check whether quotes enclose cells of tab-delimited text or are ordinary characters."""
    plain = [line.rstrip("\r\n").split("\t") for line in head if line.strip()]
    quoted = [cell for row in plain for cell in row if cell.startswith('"')]
    if not quoted:
        return False
    is_even = len({len(row) for row in plain}) == 1
    if is_even and not all(len(cell) > 1 and cell.endswith('"') for cell in quoted):
        return False
    try:
        rows = [row for row in csv.reader(head, delimiter="\t", strict=True) if row]
    except csv.Error:
        return False
    return len({len(row) for row in rows}) == 1


def _has_escapes(head: Sequence[str], delimiter: str) -> bool:
    """Check whether quotes within cells are escaped with a backslash, as in csv exports of databases."""
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
        return "unexpected end" in str(error)  # the last row continues in a line that has not been read
    return len({len(row) for row in rows if row}) == 1


def _strip_header_cell(cell: Any) -> str:
    """Strip whitespace and byte-order marks from a header cell."""
    return ("" if cell is None else str(cell)).strip().strip("\ufeff\u200b").strip()


def is_number(text: str) -> bool:
    """Check whether a string is a number in ASCII digits with a decimal point or comma.

    Parameters
    ----------
    text : str
        A cell.

    Returns
    -------
    bool
        Whether the string is a number.
    """
    return _NUMBER.fullmatch(text) is not None


# --- header --------------------------------------------------------------------------------------------------------


def _has_header(rows: Sequence[Sequence[Any]], required: Sequence[str | int]) -> bool:
    """Detect whether the first row is a header."""
    first = [_strip_header_cell(cell) for cell in rows[0]]
    wanted_names = {column for column in required if isinstance(column, str)}
    if wanted_names and wanted_names <= set(first):
        return True
    names = {name.lower() for name in first}
    if names & {*TEXT_NAMES} and names & {*LABEL_NAMES}:
        return True
    below = [[_strip_header_cell(cell) for cell in row] for row in rows[1:] if len(row) == len(first)]
    columns = [[row[column] for row in below if row[column] and row != first] for column in range(len(first))]
    for name, cells in zip(first, columns, strict=True):
        is_choice = set(cells) == {name} and len(cells) < len(
            below
        )  # survey export: cells are empty or repeat the column name
        if name and ((name in cells and not is_choice) or (is_number(name) and cells and all(map(is_number, cells)))):
            return False
    if any(len(cell) > MAX_CELL_CHARACTERS for cell in first):  # form questions, if another column is categorical
        recur = any(len(cells) > 3 and len(set(cells)) <= len(cells) / 2 for cells in columns)
        return recur and max(map(len, first)) <= 3 * MAX_CELL_CHARACTERS
    return any(first)


def _stands_out(rows: Sequence[Sequence[Any]]) -> bool:
    """Detect a header by common column names, or by a cell much shorter than all texts below it."""
    first = [_strip_header_cell(cell) for cell in rows[0]]
    names = {name.lower() for name in first}
    if names & {*TEXT_NAMES, *LABEL_NAMES}:
        return True
    below = [row for row in rows[1:] if len(row) == len(first)]
    if len(below) < MIN_TEXT_ROWS or not _has_header(rows, ()):
        return False
    for column, name in enumerate(first):
        n_words = [len(_strip_header_cell(row[column]).split()) for row in below]
        if len(name.split()) <= MAX_HEADER_WORDS < min(n_words) and np.mean(n_words) >= MIN_TEXT_WORDS:
            return True
    return False


def _count_titles(rows: Sequence[Sequence[Any]]) -> int:
    """Count the single-cell rows, such as titles, above a row with common names of text and label columns."""
    for column, row in enumerate(rows):
        names = {_strip_header_cell(cell).lower() for cell in row}
        if names & {*TEXT_NAMES} and names & {*LABEL_NAMES}:
            return column
        if sum(bool(_strip_header_cell(cell)) for cell in row) > 1:
            return 0
    return 0


def _with_header(name: str, rows: Rows, options: _Options, hint: str = "") -> _Content:
    """Open rows of cells with an optional header."""
    head = list(islice(rows, options.n_rows + 1))
    while head and not any(map(_strip_header_cell, head[0][1])):
        head = head[1:]
    if not head:
        return _Content([], iter(()), [], False)
    n_titles = _count_titles([row for _, row in head[:_MAX_TITLE_ROWS]])
    if n_titles:
        options.notes.append(f"{n_titles} rows above the header were skipped.")
        head = head[n_titles:]
    cells = [row for _, row in head]
    header = options.header
    if header is None:
        header = _stands_out(cells) if options.may_lack_header else _has_header(cells, options.required)
    first = [_strip_header_cell(cell) for cell in cells[0]]
    width = len(first)
    has_row_names = len(cells) > 1 and all(
        len(row) == width + 1 and is_number(_strip_header_cell(row[0])) for row in cells[1:]
    )
    if header and has_row_names:  # as written by R's write.table
        first = ["", *first]
        width += 1
    names: list[str | int] = [*range(1, width + 1)]
    if header:
        names = [column or f"column {number}" for number, column in enumerate(first, start=1)]

    def repeats_header(row: Sequence[Any]) -> bool:
        return bool(header) and [_strip_header_cell(cell) for cell in row] == first

    def checked_rows() -> Rows:
        """Yield the rows below the header, skipping repeated headers."""
        n_repeated = 0
        for line, row in chain(head[int(header) :], rows):
            if len(row) != width:
                raise DataFormatError(name, line, f"has {len(row)} cells, expected {width}{hint}")
            if header and _strip_header_cell(row[0]) in first and {*map(_strip_header_cell, row)} == {*first}:
                if not repeats_header(row):
                    problem = "has the column names in another order; join only tables with the same order of columns"
                    raise DataFormatError(name, line, problem)
                n_repeated += 1
            else:
                yield line, row
        if n_repeated:
            options.notes.append(f"{n_repeated:,} rows repeat the header and were skipped.")

    below = [row for row in cells[int(header) :] if len(row) == width and not repeats_header(row)]
    return _Content(names, checked_rows(), below, header)


# --- tables that pandas reads --------------------------------------------------------------------------------------


def _open_frame(path: Path, format: str, options: _Options) -> _Content:
    """Open a Parquet file or the first sheet of a workbook."""
    names, rows = _read_frame(path, format, options.notes)
    if format == "parquet":
        return _open_rows(names, rows, True, options)
    return _with_header(str(path), rows, options)


def _read_frame(path: Path, format: str, notes: list[str]) -> tuple[list[str | int], Rows]:
    """Read a table with pandas; return column names (meaningless for a workbook) and rows."""
    import pandas as pd  # lazy import, since most tables do not need it

    try:
        source: Any = path
        if path.suffix.lower() in COMPRESSED:
            with open(path, "rb") as raw:
                source = BytesIO(unpacked(raw).read())
        if format == "parquet":
            frame = pd.read_parquet(source)
        else:
            with pd.ExcelFile(source) as book:
                sheets = [str(sheet) for sheet in book.sheet_names]
                frame = book.parse(header=None, dtype=object, keep_default_na=False)
            if len(sheets) > 1:
                notes.append(f"{path.name} has {len(sheets)} sheets; the first, {sheets[0]}, is read.")
    except ImportError as error:
        # The old binary format and OpenDocument have readers of their own.
        package = _READER_PACKAGES.get(path.suffix.lower(), "textmix[tables]")
        remedy = f"run: pip install '{package}'"
        raise ConfigError(f"{path}: format {format} requires more packages; {remedy}") from error
    except MemoryError:
        raise
    except Exception as error:  # corrupt files cause arbitrary exceptions in zip, XML or Arrow
        problem = f"cannot be read as {format} ({str(error)[:80]}); save it again, or as csv"
        raise DataFormatError(path, None, problem) from error
    rows = ((n, [*map(_frame_cell, row)]) for n, row in enumerate(frame.itertuples(index=False, name=None), start=1))
    return [str(name) for name in frame.columns], rows


def _frame_cell(value: Any) -> Any:
    """Convert a cell to a string, list or mapping; None for a missing value."""
    if isinstance(value, (list, tuple, np.ndarray)):
        return [_frame_cell(item) for item in value]
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


# --- labels within lines -------------------------------------------------------------------------------------------


def _labelled_rows(name: str, lines: Iterable[str], prefix: str) -> Rows:
    """Parse lines of labelled text to (line, [label or labels, text]); skip blank lines."""
    label = re.compile(rf"(?<!\S){re.escape(prefix)}(\S*)[ \t]*")
    for number, line in enumerate(lines, start=1):
        text = line.strip(" \t\r\n")  # other whitespace characters may be part of the text
        if not text:
            continue
        if prefix:
            labels: Any = [match.rstrip(",;") for match in label.findall(text)]
            if not all(labels):
                raise DataFormatError(name, number, f"has no label after {prefix!r}")
            text = label.sub("", text).strip(" \t")
            labels = labels or None
        else:
            labels, *words = re.split("[ \t]+", text, maxsplit=1)
            text = words[0] if words else ""
        if not text:
            raise DataFormatError(name, number, "has no text after its label; write label, blank, text")
        yield number, [labels, text]
