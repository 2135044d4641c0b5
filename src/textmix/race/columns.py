"""The columns of text and labels of a table that nobody described: found by their names and their content.

Where more columns than one could be meant, an error names them: a guess that is wrong would cost more than a question.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from textmix.core.errors import ConfigError, DataFormatError, suggest
from textmix.data.archives import MAX_LINE, MAX_RATIO, iter_lines
from textmix.data.formats import FORMATS, format_of, without_packing
from textmix.data.frames import frame_names, frame_rows
from textmix.data.sniffing import delimiter_of, is_utf16, utf16_lines
from textmix.data.tables import Lines, cell_rows

#: Formats of tables.
TABLES = tuple(name for name, form in FORMATS.items() if form.kind in ("table", "frame"))
#: Rows that are looked at.
ROWS = 2000
#: Names of columns that decide between several candidates, the more telling ones first.
TEXT_NAMES = tuple(
    "text texts review reviews reviewtext review_text body content document message comment tweet sentence description "
    "abstract title question utterance".split()
)
LABEL_NAMES = tuple(
    "label labels class category categories target y topic topics tags tag sentiment intent rating stars queue genre "
    "polarity".split()
)
#: Mean numbers of words and of characters from which a column may be text, and up to which it may hold labels.
WORDS, CHARACTERS, LONGEST = 3.0, 15.0, 40.0
#: Most labels for each row, and how many times longer than any other text the text may be taken without a question.
OFTEN, LONGER = 0.5, 3.0
_NUMBER = re.compile(r"[-+]?[0-9]+([.,][0-9]+)?([eE][-+]?[0-9]+)?")


@dataclass(frozen=True)
class Column:
    """A column as its first rows are.

    Parameters
    ----------
    name : in the header, or its number from 1.
    words, characters : mean of the cells that are not empty.
    distinct : share of the cells that are not empty of which no earlier one is the same.
    several : whether cells are lists.
    numbers : whether all cells are numbers.
    """

    name: str | int
    words: float
    characters: float
    distinct: float
    several: bool
    numbers: bool = False

    @property
    def is_text(self) -> bool:
        """Whether it may be the text."""
        return (
            not self.several
            and not self.numbers
            and self.distinct > 0.1
            and (self.words >= WORDS or self.characters >= CHARACTERS)
        )

    @property
    def is_label(self) -> bool:
        """Whether it may hold labels."""
        return self.several or (self.characters <= LONGEST and self.distinct <= OFTEN)


class Found(NamedTuple):
    """How a table is read.

    Parameters
    ----------
    form : its format.
    text : columns of which the text is joined, mostly one.
    label : column; all columns are given by name or all by number.
    several : whether a text may have several labels.
    delimiter : between the cells of a csv file; None elsewhere.
    unread : further columns, which nothing is taken from.
    """

    form: str
    text: tuple[str | int, ...]
    label: str | int
    several: bool
    delimiter: str | None
    unread: tuple[str | int, ...] = ()


def find_columns(
    path: Path,
    text: str | None,
    label: str | None,
    separator: str | None,
    others: Mapping[str, str | None] = MappingProxyType({}),
) -> Found:
    """Return how a table is read.

    Parameters
    ----------
    path : of the table.
    text, label : names of the columns, or their numbers from 1 in a table without a header; None to find them.
        Names of several columns of text are joined by commas.
    separator : between several labels of one cell, or None.
    others : option -> its column, such as that of the parts, which is neither text nor label; None where there is none.

    Raises
    ------
    ConfigError : the format is unknown, there is no such column, or no column or more than one could be meant; the
        message names the candidates.
    DataFormatError : the file cannot be read.
    """
    form = format_of(without_packing(path), TABLES)
    if form is None:
        raise ConfigError(
            f"{path.name}: its name does not tell its form; name it .csv, .tsv, .jsonl, .parquet or .xlsx"
        )
    names, rows, delimiter = _first_rows(path, form)
    if not rows:
        raise DataFormatError(path, None, "holds no documents: it is empty, or has a header only")
    columns = [_column(name, [row[place] for row in rows]) for place, name in enumerate(names)]
    allowed = [str(column.name) for column in columns]
    texts = [] if text is None else [text] if text in allowed else text.split(",")
    _check_asked(path, [*(("--text", each) for each in texts), ("--labels", label), *others.items()], allowed)
    by_name = {str(column.name): column for column in columns}
    columns = [column for column in columns if str(column.name) not in others.values()]
    free = [column for column in columns if str(column.name) not in (*texts, label)]
    if texts and label is not None:
        chosen = by_name[label]
    elif texts:
        chosen = _one(path, "labels", free, free)
    elif label is not None:
        texts, chosen = [str(_one(path, "text", free, free).name)], by_name[label]
    else:
        of_text = _one(path, "text", columns, [column for column in columns if not column.several])
        chosen = _one(path, "labels", [column for column in columns if column is not of_text], columns)
        texts = [str(of_text.name)]
    unread = tuple(column.name for column in columns if str(column.name) not in texts and column is not chosen)
    several = separator is not None or chosen.several
    return Found(form, tuple(by_name[each].name for each in texts), chosen.name, several, delimiter, unread)


def _check_asked(path: Path, asked: Sequence[tuple[str, str | None]], allowed: Sequence[str]) -> None:
    """Check that columns that options name are there, each for one option; the errors are those of `find_columns`."""
    given: dict[str, str] = {}
    for option, name in asked:
        if name is None:
            continue
        if name not in allowed:
            raise ConfigError(f"{path.name}: {option}: there is no column {name!r}; {suggest(name, allowed)}")
        if given.setdefault(name, option) != option:
            raise ConfigError(f"{path.name}: {given[name]} and {option} name the column {name!r} both; name two")


def _one(path: Path, kind: str, columns: Sequence[Column], all_columns: Sequence[Column]) -> Column:
    """Return the column of the text or of the labels among some columns, or raise ConfigError with the candidates."""
    is_text = kind == "text"
    found = [column for column in columns if (column.is_text if is_text else column.is_label)]
    names = TEXT_NAMES if is_text else LABEL_NAMES
    named = sorted(
        (column for column in (found or columns) if str(column.name).lower() in names),
        key=lambda column: names.index(str(column.name).lower()),
    )
    option = "--text" if is_text else "--labels"
    if named:
        return named[0]
    if len(found) == 1:
        return found[0]
    if len(columns) == 1 and not (is_text and columns[0].numbers):
        return columns[0]
    if is_text and found:
        order = sorted(found, key=lambda column: -column.characters)
        if order[0].characters >= LONGER * order[1].characters:
            return order[0]
    if is_text and columns and all(column.numbers for column in columns):
        raise ConfigError(f"{path.name}: all columns that could be the text hold numbers; a comparison needs texts")
    what = f"more than one column could be the {kind}" if found else f"no column looks like {kind}"
    candidates = ", ".join(str(column.name) for column in (found or all_columns))
    raise ConfigError(f"{path.name}: {what}; name it by {option}: {candidates}")


def _column(name: str | int, cells: Sequence[Any]) -> Column:
    """Return what is known of a column by its cells."""
    texts = [
        json.dumps(cell) if isinstance(cell, (list, dict)) else str(cell).strip() for cell in cells if _filled(cell)
    ]
    if not texts:
        return Column(name, 0.0, 0.0, 1.0, several=False)
    several = any(isinstance(cell, list) for cell in cells)
    words = float(np.mean([len(text.split()) for text in texts]))
    distinct = len(set(texts)) / len(texts)
    return Column(name, words, float(np.mean([*map(len, texts)])), distinct, several, all(map(_is_number, texts)))


def _is_number(cell: str) -> bool:
    """Return whether a cell is a number, with a decimal point or a decimal comma."""
    return _NUMBER.fullmatch(cell) is not None


def _filled(cell: Any) -> bool:
    """Return whether a cell is neither None nor empty."""
    return cell is not None and str(cell).strip() != ""


def _first_rows(path: Path, form: str) -> tuple[list[str | int], list[list[Any]], str | None]:
    """Return names of the columns, the first rows with a cell for each of them, and the delimiter of a csv file."""
    if FORMATS[form].kind == "frame":
        names = frame_names(path, form)
        rows = [cells for _, cells in itertools.islice(frame_rows(path, form, names), ROWS)]
        return list(names), rows, None
    lines = lines_of(path)
    if form == "jsonl":
        return *_json_rows(path, lines()), None
    delimiter = delimiter_of(lines(), []) if form == "csv" else "\t"
    rows_of = cell_rows(path, lines(), delimiter, quotes=form == "csv")
    cells = [row for _, row in itertools.islice(rows_of, ROWS + 1) if row]
    if not cells:
        return [], [], delimiter
    width = len(cells[0])
    if _has_header(cells):
        header = [cell.strip() for cell in cells[0]]
        return list(header), [row for row in cells[1:] if len(row) == width], delimiter
    return list(range(1, width + 1)), [row for row in cells if len(row) == width], delimiter


def lines_of(path: Path) -> Callable[[], Lines]:
    """Return a function that gives the lines of a file from the first on; UTF-16 and Windows-1252 are read, too."""
    wide = list(utf16_lines(path)) if is_utf16(path, MAX_LINE, MAX_RATIO) else None
    return lambda: Lines(path, wide or iter_lines(path), mixed=wide is None)


def _json_rows(path: Path, lines: Iterator[str] | Lines) -> tuple[list[str | int], list[list[Any]]]:
    """Return the keys of the first objects of JSON lines, and a value for each key of each of them."""
    objects: list[Mapping[str, Any]] = []
    for number, line in enumerate(itertools.islice(lines, ROWS), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except ValueError as error:
            raise DataFormatError(path, number, f"is not JSON ({error}); each line is one object") from error
        if not isinstance(value, dict):
            raise DataFormatError(path, number, "is no JSON object; each line is one object with the same keys")
        objects.append(value)
    keys = list(dict.fromkeys(key for each in objects for key in each))
    return list(keys), [[each.get(key) for key in keys] for each in objects]


def _has_header(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row of a table names its columns.

    It does unless a cell of it is empty, is a long text, stands twice in it, or stands again in a later row of its
    column.
    """
    first = [cell.strip() for cell in rows[0]]
    if not all(first) or len(set(first)) < len(first) or any(len(cell) > LONGEST for cell in first):
        return False
    later = [row for row in rows[1:] if len(row) == len(first)]
    return not any(first[place] == row[place].strip() for row in later for place in range(len(first)))
