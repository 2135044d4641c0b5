"""The one reader of a user's table: its texts, its labels, and the columns beside them.

Columns that nobody names are found by their names and their content.  Where more than one could be meant, an error
names them: a guess that is wrong would cost more than a question.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, NamedTuple

import numpy as np
from scipy import sparse

from textmix.core.errors import ConfigError, DataFormatError, suggest
from textmix.data.archives import ends_line
from textmix.data.corpus import TEST, TRAIN, Corpus, Ragged, TableTexts
from textmix.data.delimited import utf8
from textmix.data.extra_columns import OFTEN, cell_text
from textmix.data.formats import FORMATS, format_of, name_of, without_packing
from textmix.data.labels import LabelError, applies, are_printed, label_name, labels_of, remarks_on
from textmix.data.reader_utils import SPLITS, split_array
from textmix.data.sniffing import ABSENT, LABEL_NAMES, LONGEST, PREFIX, TEXT_NAMES, UserFile, is_number, open_table
from textmix.data.splits import by_dates, by_groups, times_of

#: Mean numbers of words and of characters from which a column may be text.
WORDS, CHARACTERS = 3.0, 15.0
#: How many times longer than any other text the text may be taken without a question.
LONGER = 3.0
#: Separators as a shell lets them be written.
_WRITTEN = {"\\t": "\t", "\\n": "\n"}
#: Words of a column of parts.
_PARTS = {"train": TRAIN, "training": TRAIN, "test": TEST, "testing": TEST}
#: Most columns that a remark names, and rows of new texts that are looked at.
NAMED, NEW = 10, 100

Reference = str | int


class _Options(NamedTuple):
    """The options of `read_table` that say which columns are which."""

    text: Reference | Sequence[Reference] | None
    labels: Reference | Sequence[Reference] | None
    separator: str | None
    several: bool | None
    marks: Mapping[str, Reference]
    further: Reference | Sequence[Reference] | None
    flags: tuple[str, str]


class Layout(NamedTuple):
    """How a table is read.

    ``text`` are the columns whose text is joined, mostly one: a name, or a number from 1; ``labels`` are one column, or
    several of 0 and 1.  ``separator`` stands between several labels of a cell; ``header`` says whether the first row
    names the columns.
    """

    form: str
    text: tuple[Reference, ...]
    labels: tuple[Reference, ...]
    several: bool
    separator: str | None
    header: bool

    def card(self) -> dict[str, Any]:
        """Return what the card of a model keeps of it, so that further tables are read alike (`of_card`)."""
        columns = {"text column": self.text, "label column": self.labels}
        card: dict[str, Any] = {key: value[0] if len(value) == 1 else [*value] for key, value in columns.items()}
        return {**card, "header": self.header, **({} if self.separator is None else {"separator": self.separator})}


class Table(NamedTuple):
    """A table: its corpus (``info["remarks"]`` has sentences on how it was read), and its layout."""

    corpus: Corpus
    layout: Layout


class NewText(NamedTuple):
    """One text: its identifier (its number from 1 without one), number of its first line from 1, UTF-8, and cells."""

    id: str
    line: int
    text: bytes
    cells: tuple[str, ...] = ()


@dataclass
class _Documents:
    """The rows read so far: texts and labels one after the other, with the end of each, and the marks."""

    text: bytearray = field(default_factory=bytearray)
    ends: array[int] = field(default_factory=lambda: array("q", [0]))
    labels: array[int] = field(default_factory=lambda: array("i"))
    label_ends: array[int] = field(default_factory=lambda: array("q", [0]))
    numbers: dict[str, int] = field(default_factory=dict)
    lines: array[int] = field(default_factory=lambda: array("q"))
    marks: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    cells: dict[str, list[str]] = field(default_factory=dict)
    unlabelled: int = 0
    textless: int = 0


def read_table(
    path: Path | Mapping[str, Path],
    *,
    text: Reference | Sequence[Reference] | None = None,
    labels: Reference | Sequence[Reference] | None = None,
    separator: str | None = None,
    several: bool | None = None,
    marks: Mapping[str, Reference] = MappingProxyType({}),
    form: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    prefix: str | None = None,
    unlabelled: str = "drop",
    further: Reference | Sequence[Reference] | None = None,
    name: str | None = None,
    flags: tuple[str, str] = ("--text", "--labels"),
) -> Table:
    """Read a table of texts and labels.

    Parameters
    ----------
    path : the table; or ``train`` and ``test`` -> two tables of the same form.
    text, labels : a column, its number from 1, or several (a list, or joined by commas): texts are joined, and columns
        of labels hold 0 and 1; None to find it.
    separator : between several labels of one cell.
    several : whether a text may have several labels; None to find it.
    marks : ``parts``, ``groups``, ``dates`` or ``id`` -> column: the words train and test; groups, of which whole ones
        are the test documents; dates, of which the latest fifth is the test; identifiers.
    form, header, encoding, delimiter : as in `textmix.data.sniffing.open_table`.
    prefix : of the labels of a file of lines; None to find fastText's.
    unlabelled : ``drop`` to leave out, and count, rows without a label or a text; ``refuse`` to raise an error, and to
        take a row without a label for one of which none of several applies.
    further : columns beside the text, whose cells come with it (`textmix.data.corpus.TableTexts`).
    flags : the options that name text and labels, for messages.

    Raises
    ------
    ConfigError : the form is unknown, or no or more than one column could be meant.
    DataFormatError : the table is wrong: a column, a cell, a text, a label or an id is missing, or an id stands twice.
    """
    files = {"data": path} if isinstance(path, Path) else dict(path)
    separator = None if separator is None else _WRITTEN.get(separator, separator)
    asked = _Options(text, labels, separator, several, marks, further, flags)
    table, sizes, remarks, layout = _Documents(), dict[str, int](), list[str](), None
    for role, place in files.items():
        before = len(table.lines)
        asked_form, asked_prefix = _form_of(place, form, prefix)
        file = open_table(
            place,
            asked_form,
            wanted=_wanted(asked.text, asked.labels, [*marks.values()], further),
            header=layout.header if layout and not layout.header else header,
            encoding=encoding,
            delimiter=delimiter,
            prefix=asked_prefix,
        )
        if not file.names:
            raise DataFormatError(place, None, "holds no documents: it is empty, or has a header only")
        found, reader = _find(file, asked)
        if layout is None:
            layout = found
            remarks += _column_remarks(file, found, reader)
            asked = asked._replace(text=found.text, labels=found.labels, several=found.several)
        _read(table, file, reader, layout=found, drop=unlabelled == "drop")
        remarks += file.remarks
        if file.foreign:
            what = "lines are no UTF-8 and were read as Windows-1252 (Latin-1 with quotes and dashes)"
            remarks.append(f"{place.name}: {file.foreign:,} {what}; if letters are wrong, name the encoding.")
        sizes[role] = len(table.lines) - before
        if not sizes[role]:
            raise DataFormatError(place, None, "holds no documents: it is empty, or has a header only")
        if file.lines is not None:
            _check_end(table, place)
    assert layout is not None  # noqa: S101 - there is a file
    first = next(iter(files.values()))
    split, ids = _split(table, sizes, first, marks, remarks), _ids(table, sizes, files)
    return Table(_corpus(table, layout, remarks, name=name or name_of(first), ids=ids, split=split), layout)


def read_texts(
    path: str | Path,
    *,
    stream: IO[bytes] | None = None,
    form: str | None = None,
    text: Reference | Sequence[Reference] | None = None,
    id: str | None = None,
    further: Sequence[Reference] = (),
    header: bool | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    flag: str = "--column",
) -> tuple[Iterator[NewText], UserFile]:
    """Return an iterator over the texts of a table or of a file of lines, and the file; no labels are looked for.

    A line of JSON may be an object or a text.  An empty plain line is an empty text, so that texts and lines have the
    same numbers; null in JSON and an empty cell are empty texts, too.  The parameters are those of `read_table` and
    `textmix.data.sniffing.open_table`; ``flag`` is the option that names the text, for messages.
    """
    lines = (form or format_of(without_packing(path), FORMATS)) == "text"
    labelled = lines and text == 2 and _holds_prefix(path, stream)
    file = open_table(
        path,
        "labelled" if labelled else form,
        stream=stream,
        wanted=_wanted(text, id, further),
        header=header,
        encoding=encoding,
        delimiter=delimiter,
        prefix=PREFIX if labelled else "",
        looked=NEW,
    )
    if not file.names and file.form != "jsonl":
        raise DataFormatError(file.name, None, "is empty")
    if file.form == "text":
        places = [0]
    elif text is None:
        columns = _columns(file)
        places = [_one(file, "text", columns, columns, flag).place]
    else:
        places = _places(file, text, flag)
    identifier = None if id is None else _place(file, id, "--id")
    beside = [_place(file, column, "the model") for column in further]
    return _texts(file, places, identifier, beside), file


def of_card(card: Mapping[str, Any], text: str | None) -> dict[str, Any]:
    """Return the text and the header that the card of a model (`Layout.card`) asks `read_table` and `read_texts` for.

    The text is found where the card has none, unless the user names a column.
    """
    if text is not None or "text column" not in card:
        return {"text": text}
    column, header = card["text column"], card.get("header", False)
    numbers = all(isinstance(each, int) for each in _listed(column))
    return {"text": column, "header": header if numbers else None}


def _texts(file: UserFile, places: Sequence[int], identifier: int | None, beside: Sequence[int]) -> Iterator[NewText]:
    for number, (line, cells) in enumerate(file.rows, start=1):
        name = str(number)
        if identifier is not None:
            name = cell_text(_present(file, line, cells, identifier))
            utf8(file.name, line, name, "the id")
        text = _joined(file, line, cells, places)
        found = b"" if text is None else utf8(file.name, line, text, "the text")
        yield NewText(name, line, found, tuple(cell_text(_present(file, line, cells, place)) for place in beside))


# --- which column is which -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Column:
    """A column as its first rows are: mean words and characters, share of distinct cells, lists, numbers alone."""

    place: int
    name: Reference
    words: float
    characters: float
    distinct: float
    several: bool
    numbers: bool = False

    @property
    def is_text(self) -> bool:
        long = self.words >= WORDS or self.characters >= CHARACTERS
        return not self.several and not self.numbers and self.distinct > 0.1 and long

    @property
    def is_label(self) -> bool:
        return self.several or (0 < self.characters <= LONGEST and self.distinct <= OFTEN)


class _Reader(NamedTuple):
    """Positions of the columns of a file: text, labels, marks and further ones by name, and the others.

    ``printed`` says whether texts in brackets are lists; ``zeros`` whether columns of 0 and 1 say 0, so that a row of
    empty cells says nothing.
    """

    text: Sequence[int]
    labels: Sequence[int]
    marks: Mapping[str, int]
    further: Mapping[str, int]
    others: Sequence[int]
    printed: bool
    zeros: bool


def _find(file: UserFile, asked: _Options) -> tuple[Layout, _Reader]:
    """Return how a file is read; the errors are those of `read_table`."""
    if file.form == "labelled":
        asked = asked._replace(text=2, labels=1)
    texts = None if asked.text is None else _places(file, asked.text, asked.flags[0])
    chosen = None if asked.labels is None else _places(file, asked.labels, asked.flags[1])
    marked = {key: _place(file, column, f"--{key}") for key, column in asked.marks.items()}
    beside = [] if asked.further is None else _places(file, asked.further, "--further")
    named = {asked.flags[0]: texts or [], asked.flags[1]: chosen or [], "--further": beside}
    given = _each_once(file, named | {f"--{key}": [place] for key, place in marked.items()})
    columns = _columns(file)
    free = [column for column in columns if column.place not in given]
    if texts is None:
        pool = free
        if chosen is None:
            pool = [each for each in free if not each.several or str(each.name).lower() in TEXT_NAMES]
        texts = [_one(file, "text", pool, free, asked.flags[0]).place]
        free = [column for column in free if column.place not in texts]
    if chosen is None:
        chosen = [_one(file, "labels", free, free, asked.flags[1]).place]
    cells = [row[chosen[0]] for row in file.first]
    printed = len(chosen) == 1 and are_printed(cells)
    lists = printed or any(isinstance(cell, (list, dict)) for cell in cells)
    if file.form == "labelled":
        lists = any(len(cell) > 1 for cell in cells if isinstance(cell, list))
    several = asked.several
    if several is None:
        several = asked.separator is not None or lists or len(chosen) > 1
    others = [place for place in range(len(columns)) if place not in (*texts, *chosen, *marked.values(), *beside)]
    further = dict(zip(map(str, _names(file, beside)), beside, strict=True))
    names = tuple(_names(file, texts)), tuple(_names(file, chosen))
    layout = Layout(file.form, *names, several, asked.separator, file.header)
    zeros = len(chosen) > 1 and any(_is_flag(file, place) for place in chosen)
    return layout, _Reader(texts, chosen, marked, further, others, printed, zeros)


def _each_once(file: UserFile, named: Mapping[str, Sequence[int]]) -> dict[int, str]:
    """Return column -> the option that names it; raises ConfigError if two options name one."""
    given: dict[int, str] = {}
    for option, places in named.items():
        for place in places:
            if given.setdefault(place, option) != option:
                what = f"{given[place]} and {option} name the column {file.names[place]!r} both"
                raise ConfigError(f"{Path(file.name).name}: {what}; name two")
    return given


def _wanted(*columns: Reference | Sequence[Reference] | None) -> list[Reference]:
    """Return the names and numbers of all columns that are asked for, of names joined by commas each."""
    listed = [one for each in columns for one in _listed(each)]
    parts = [part for one in listed for part in (one.split(",") if isinstance(one, str) else [one])]
    return [part for part in parts if isinstance(part, int) or not part.isdigit()]


def _listed(columns: Reference | Sequence[Reference] | None) -> list[Reference]:
    """Return one column or several as a list."""
    return [] if columns is None else [columns] if isinstance(columns, (str, int)) else [*columns]


def _names(file: UserFile, places: Sequence[int]) -> list[Reference]:
    """Return the names of columns, and the numbers from 1 of those whose name stands twice."""
    names = [*file.names]
    return [place + 1 if names.count(names[place]) > 1 else names[place] for place in places]


def _places(file: UserFile, columns: Reference | Sequence[Reference], option: str) -> list[int]:
    """Return the positions of columns that an option names; names that are joined by commas are cut."""
    named = _listed(columns)
    if len(named) == 1 and isinstance(named[0], str) and named[0] not in file.names:
        named = [each.strip() for each in named[0].split(",")]
    return [_place(file, column, option) for column in named]


def _place(file: UserFile, column: Reference, option: str) -> int:
    """Return the position of a column by its name, or by its number from 1 where no column has such a name."""
    names, text = [str(name) for name in file.names], str(column).strip()
    places = [place for place, name in enumerate(names) if name == text]
    if len(places) == 1:
        return places[0]
    if places:
        numbers = " or ".join(str(place + 1) for place in places)
        what = f"{option}: more than one column is called {text!r}; give its number, {numbers}"
        raise DataFormatError(file.name, None, what)
    if text.isascii() and text.isdigit() and 1 <= int(text) <= len(names):
        return int(text) - 1
    raise DataFormatError(file.name, None, f"{option}: there is no column {text!r}; {suggest(text, names)}")


def _columns(file: UserFile) -> list[_Column]:
    return [_column(place, name, [row[place] for row in file.first]) for place, name in enumerate(file.names)]


def _column(place: int, name: Reference, cells: Sequence[Any]) -> _Column:
    filled = [cell for cell in cells if cell is not None and str(cell).strip()]
    texts = [json.dumps(cell) if isinstance(cell, (list, dict)) else str(cell).strip() for cell in filled]
    if not texts:
        return _Column(place, name, 0.0, 0.0, 1.0, several=False)
    several = any(isinstance(cell, (list, dict)) for cell in filled) or (are_printed(filled) and not _is_prose(texts))
    words = float(np.mean([len(text.split()) for text in texts]))
    numbers = all(map(is_number, texts))
    characters, distinct = float(np.mean([*map(len, texts)])), len(set(texts)) / len(texts)
    return _Column(place, name, words, characters, distinct, several, numbers)


def _is_prose(texts: Sequence[str]) -> bool:
    """Return whether most cells are no lists: a text may begin and end with a bracket."""
    return sum(text[:1] in "[({" or text.endswith(")") for text in texts) < 0.5 * len(texts)


def _one(file: UserFile, kind: str, columns: Sequence[_Column], all_columns: Sequence[_Column], option: str) -> _Column:
    """Return the column of the text or of the labels among some columns; raise ConfigError with the candidates."""
    is_text, where = kind == "text", Path(file.name).name
    found = [column for column in columns if (column.is_text if is_text else column.is_label)]
    names = TEXT_NAMES if is_text else LABEL_NAMES
    named = sorted(
        (column for column in (found or columns) if str(column.name).lower() in names),
        key=lambda column: names.index(str(column.name).lower()),
    )
    if named:
        twice = [column for column in columns if column.name == named[0].name]
        if len(twice) > 1:
            _place(file, named[0].name, option)
        return named[0]
    if len(found) == 1:
        return found[0]
    alone = len(columns) == 1 and (not is_text or len(all_columns) == 1 or not columns[0].several)
    if alone and not (is_text and (columns[0].numbers or str(columns[0].name).lower() in LABEL_NAMES)):
        return columns[0]
    if not columns:
        what = f"no column is left for the {kind}: it has {', '.join(map(str, file.names))} alone"
        raise ConfigError(f"{where}: {what}; is the delimiter another one?")
    if is_text and found:
        order = sorted(found, key=lambda column: -column.characters)
        if order[0].characters >= LONGER * order[1].characters:
            return order[0]
    if is_text and columns and all(column.numbers for column in columns):
        raise ConfigError(f"{where}: all columns that could be the text hold numbers; a text is needed")
    what = f"more than one column could be the {kind}" if found else f"no column looks like {kind}"
    message = (
        f"{where}: {what}; name it by {option}: {', '.join(str(column.name) for column in (found or all_columns))}"
    )
    flags = [str(column.name) for column in found if _is_flag(file, column.place)]
    if not is_text and len(flags) > 1:
        message += f"; or name all columns of 0 and 1 that are labels: {option} {','.join(flags)}"
    raise ConfigError(message)


def _is_flag(file: UserFile, place: int) -> bool:
    """Return whether a column holds 0 and 1 alone, of which it has 0."""
    try:
        return False in {applies(row[place]) for row in file.first}
    except LabelError:
        return False


def _column_remarks(file: UserFile, layout: Layout, reader: _Reader) -> list[str]:
    """Return what is read of a table and what is not, in sentences."""
    if layout.form == "labelled":
        return []
    text = f"column{'s' * (len(layout.text) > 1)} {', '.join(map(str, layout.text))}"
    label = f"column {layout.labels[0]}"
    if len(layout.labels) > 1:
        label = f"columns {', '.join(map(str, layout.labels))}"
    remarks = [f"The text is the {text}, and the label the {label}."]
    if layout.text and any(PREFIX in str(row[place]) for row in file.first for place in reader.text):
        remarks.append(f"Texts hold words with {PREFIX}, which may tell the label.")
    if not layout.header:
        remarks.append(f"{Path(file.name).name} has no header; columns are counted from 1.")
    if reader.others:
        unread = [str(file.names[place]) for place in reader.others]
        more = f" and {len(unread) - NAMED} more" if len(unread) > NAMED else ""
        remarks.append(f"Not read: {', '.join(unread[:NAMED])}{more}.")
    return remarks


# --- rows ----------------------------------------------------------------------------------------------------------


def _form_of(path: Path, form: str | None, prefix: str | None) -> tuple[str | None, str]:
    """Return the form of a file with labels and the prefix of its labels."""
    lines = form is None and format_of(without_packing(path), FORMATS) == "text"
    if prefix is None and (lines or form == "labelled"):
        prefix = PREFIX if _holds_prefix(path) else ""
    if lines and not prefix:
        raise ConfigError(
            f"{path.name}: plain lines have no labels; name a table, or lines with {PREFIX} before labels"
        )
    return ("labelled" if lines else form), prefix or ""


def _holds_prefix(path: str | Path, stream: IO[bytes] | None = None) -> bool:
    """Return whether the first lines of a file of lines hold labels as fastText writes them."""
    if stream is not None and not stream.seekable():
        return False
    file = open_table(path, "text", stream=stream)
    found = any(
        re.search(rf"(?<!\S){PREFIX}\S", cells[0]) for (_, cells), _ in zip(file.rows, range(NEW), strict=False)
    )
    if stream is not None:
        stream.seek(0)
    return found


def _read(table: _Documents, file: UserFile, reader: _Reader, *, layout: Layout, drop: bool) -> None:
    for line, cells in file.rows:
        words = _labels(file, line, cells, reader, layout.separator)
        if words is None and not layout.several and not drop:
            what = "fill it in, or have rows without one left out: unlabelled: drop"
            raise DataFormatError(file.name, line, f"has no label; {what}")
        if words is None and drop:
            table.unlabelled += 1
            continue
        if words is not None and not layout.several and len(words) != 1:
            raise DataFormatError(file.name, line, f"has {len(words)} labels, where one is expected")
        text = _joined(file, line, cells, reader.text)
        if text is None and drop:
            table.textless += 1
            continue
        table.text += utf8(file.name, line, text, "the text")
        table.ends.append(len(table.text))
        for word in words or ():
            utf8(file.name, line, word, "the label")
            table.labels.append(table.numbers.setdefault(word, len(table.numbers)))
        table.label_ends.append(len(table.labels))
        table.lines.append(line)
        for key, place in reader.marks.items():
            _mark(table, file, line, key, cell_text(_present(file, line, cells, place)))
        for name, place in reader.further.items():
            cell = cell_text(_present(file, line, cells, place))
            utf8(file.name, line, cell, f"the column {name}")
            table.cells.setdefault(name, []).append(cell)


def _labels(
    file: UserFile, line: int, cells: Sequence[Any], reader: _Reader, separator: str | None
) -> list[str] | None:
    """Return the labels of a row; None where nothing is said of them."""
    try:
        if len(reader.labels) > 1:
            names = [str(file.names[place]) for place in reader.labels]
            flags = [applies(None if cells[place] is ABSENT else cells[place]) for place in reader.labels]
            blank = reader.zeros and set(flags) == {None}
            return None if blank else [label_name(name) for name, yes in zip(names, flags, strict=True) if yes]
        value = cells[reader.labels[0]]
        return labels_of(None if value is ABSENT else value, separator, reader.printed)
    except LabelError as error:
        raise DataFormatError(file.name, line, f"the label {error}") from error


def _present(file: UserFile, line: int, cells: Sequence[Any], place: int) -> Any:
    """Return a cell; raises DataFormatError if an object of JSON lacks it."""
    if cells[place] is ABSENT:
        has = [str(name) for name, cell in zip(file.names, cells, strict=True) if cell is not ABSENT]
        raise DataFormatError(file.name, line, f"has no {file.names[place]!r}; it has {', '.join(has[:20]) or 'none'}")
    return cells[place]


def _joined(file: UserFile, line: int, cells: Sequence[Any], places: Sequence[int]) -> Any:
    """Return the text of a row: of several columns those that are not empty, a line each; of one column its cell."""
    if len(places) == 1:
        return _present(file, line, cells, places[0])
    found = [_present(file, line, cells, place) for place in places]
    filled = [cell for cell in found if cell is not None and cell != ""]
    wrong = next((cell for cell in filled if not isinstance(cell, str)), None)
    return ("\n".join(filled) if filled else None) if wrong is None else wrong


def _mark(table: _Documents, file: UserFile, line: int, key: str, value: str) -> None:
    """Keep the mark of a row; raises DataFormatError if it is empty, or is no part."""
    if not value:
        what = (
            "id; fill it in, or leave the column out"
            if key == "id"
            else f"{key[:-1]}, so that its part is unknown; fill it in"
        )
        raise DataFormatError(file.name, line, f"has no {what}")
    if key == "parts" and value.lower() not in _PARTS:
        raise DataFormatError(file.name, line, f"the split {value.lower()!r} is neither train nor test")
    utf8(file.name, line, value, f"the {key}")
    (table.ids if key == "id" else table.marks).append(value)


def _check_end(table: _Documents, path: Path) -> None:
    """Refuse a file without a last line end whose last label is a prefix of another label and occurs there only."""
    names = list(table.numbers)
    for number in table.labels[table.label_ends[-2] :]:
        longer = [name for name in names if name != names[number] and name.startswith(names[number])]
        if longer and table.labels.count(number) == 1 and not ends_line(path):
            what = f"the last line has no line end, and its label {names[number][:60]!r} may be {longer[0][:60]!r} cut"
            raise DataFormatError(path, table.lines[-1], f"{what}; add a line end if it is whole")


# --- the corpus ----------------------------------------------------------------------------------------------------


def _split(
    table: _Documents, sizes: Mapping[str, int], path: Path, marks: Mapping[str, Reference], remarks: list[str]
) -> np.ndarray | None:
    """Return the part of each row, int8 (N,), by its mark or its file; None where nothing tells it."""
    if "groups" in marks:
        split, remark = by_groups(path, table.marks)
        remarks.append(remark)
        return split
    if "dates" in marks:
        split, remark = by_dates(path, times_of(path, table.lines, table.marks), table.marks)
        remarks.append(remark)
        return split
    if "parts" in marks:
        return np.array([_PARTS[value.lower()] for value in table.marks], dtype=np.int8)
    return split_array(sizes)


def _corpus(table: _Documents, layout: Layout, remarks: list[str], **more: Any) -> Corpus:
    """Return the corpus of all rows; ``more`` holds its name, ids and split."""
    names = sorted({*table.numbers, *(map(label_name, layout.labels) if len(layout.labels) > 1 else ())})
    number = {each: i for i, each in enumerate(names)}
    rank = np.array([number[each] for each in table.numbers], dtype=np.int32)
    met = np.frombuffer(table.labels, dtype=np.int32) if len(table.labels) else np.empty(0, np.int32)
    indptr = np.frombuffer(table.label_ends, dtype=np.int64)
    labels = sparse.csr_array((np.ones(len(met), np.int8), rank[met], indptr), shape=(len(indptr) - 1, len(names)))
    labels.sort_indices()
    left_out = {"label": table.unlabelled, "text": table.textless}
    remarks += [f"{number:,} rows without a {what} were left out." for what, number in left_out.items() if number]
    counts = np.asarray(labels.sum(axis=0)).ravel()
    if layout.separator is not None and len(met) and not (np.diff(indptr) > 1).any():
        remarks.append(f"No text has two labels; does {layout.separator!r} stand between the labels of a cell?")
    remarks += remarks_on({each: int(counts[i]) for i, each in enumerate(names)}, layout.several)
    text = Ragged(np.frombuffer(table.text, dtype=np.uint8), np.frombuffer(table.ends, dtype=np.int64))
    return Corpus(
        label_names=names,
        labels=labels,
        text=TableTexts.of(text, table.cells),
        info={"remarks": remarks} if remarks else {},
        **more,
    )


def _ids(table: _Documents, sizes: Mapping[str, int], files: Mapping[str, Path]) -> list[str]:
    """Return the ids, or numbers from 1 where no column gives them; refuse an id that stands twice."""
    if not table.ids:
        return [
            f"{role}/{row + 1}" if role in SPLITS else str(row + 1) for role, n in sizes.items() for row in range(n)
        ]
    first: dict[str, int] = {}
    for row, name in enumerate(table.ids):
        if first.setdefault(name, row) != row:
            path = list(files.values())[0 if row < next(iter(sizes.values())) else -1]
            before = table.lines[first[name]]
            raise DataFormatError(path, table.lines[row], f"the id {name[:60]!r} stands twice, before in line {before}")
    return table.ids
