"""Tables of texts with one or several labels a text: csv, cells between tabs, JSON lines, or a label and a text a line.

The file is read once, one row at a time; memory holds text, label numbers and id of all rows, never the file itself.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from textmix.core.errors import DataFormatError
from textmix.data.archives import MAX_LINE, MAX_RATIO, ends_line, iter_lines
from textmix.data.corpus import TEST, TRAIN, Corpus, Ragged
from textmix.data.formats import FORMATS
from textmix.data.frames import frame_rows
from textmix.data.marks import by_dates, by_groups, date_of, number_of
from textmix.data.reading import SPLITS, data_files, require_documents
from textmix.data.sniffing import delimiter_of, is_utf16, utf16_lines
from textmix.data.tables import Column, Lines, joined, read_rows, utf8

#: Options, and which of them are required.
OPTIONS: dict[str, bool] = {
    **{"format": True, "text": True, "label": True, "id": False, "split": False},
    **{"separator": False, "several": False, "encoding": False, "longest": False, "ratio": False},
    **{"delimiter": False, "detect": False, "unlabelled": False, "groups": False, "dates": False},
    "prefix": False,
}
#: Words of a split column.
_PARTS = {"train": TRAIN, "training": TRAIN, "test": TEST, "testing": TEST}


@dataclass
class _Documents:
    """The rows read so far.

    Parameters
    ----------
    text : all texts in UTF-8, one after the other.
    ends : int64, 0 and the end of each text in ``text``.
    labels : int32, the labels of all texts, numbered in the order in which they were met.
    label_ends : int64, 0 and the end of each text's labels in ``labels``.
    numbers : label -> its number.
    ids : identifiers, if a column gives them.
    lines : int64, first line of each row.
    parts : int8, `TRAIN` or `TEST` of each text, if a column gives it.
    marks : group or date of each text, if a column gives it.
    dropped, textless : numbers of rows without a label, and without a text (null in JSON), that were left out.
    remarks : how the files are written, where it was found by reading them.
    """

    text: bytearray = field(default_factory=bytearray)
    ends: array = field(default_factory=lambda: array("q", [0]))
    labels: array = field(default_factory=lambda: array("i"))
    label_ends: array = field(default_factory=lambda: array("q", [0]))
    numbers: dict[str, int] = field(default_factory=dict)
    ids: list[str] = field(default_factory=list)
    lines: array = field(default_factory=lambda: array("q"))
    parts: array = field(default_factory=lambda: array("b"))
    marks: list[str] = field(default_factory=list)
    dropped: int = 0
    textless: int = 0
    remarks: list[str] = field(default_factory=list)


def read(files: Mapping[str, Path], options: Mapping[str, Any]) -> Corpus:
    """Read tables of texts.

    Parameters
    ----------
    files : ``train`` and ``test``, or ``data``; UTF-8 with or without a byte order mark, or another ``encoding``.
    options : ``name``; ``format`` (csv, tab, jsonl, parquet, excel or labelled); ``text`` (one column, or a list of
        columns to be joined) and ``label``, and if the table has them ``id``, ``split`` (``train`` or ``test`` a row),
        ``groups`` (a fifth of the rows in whole groups is the test) or ``dates`` (the latest fifth is the test):
        columns by name, or by number from 1 for files without a header;
        ``several``, whether a text may have several labels or none (default: exactly one);
        ``separator`` between the labels of one cell (in JSON they may also be a list); ``encoding`` (default utf-8);
        ``longest`` line in bytes and ``ratio`` of the unpacked to the packed size (defaults of
        `textmix.data.archives`); ``delimiter`` of csv (default a comma); ``detect``, whether an encoding and a
        delimiter that are not given are found by reading the file; ``unlabelled``, ``drop`` to leave out rows without a
        label, or with null as text (default ``refuse``); ``prefix`` of the labels of format labelled, whose columns are
        1, the label, and 2, the text.

    Returns
    -------
    a `Corpus` with the labels in alphabetical order.  Without a column of ids the ids are ``role/row``, or ``row`` for
    the role ``data``; rows are counted from 1.  A split column takes precedence over the split by files.

    Raises
    ------
    DataFormatError : with the line: a file is empty; a column is missing or stands twice; a row has more or fewer cells
        than the first; a quote is stray or not closed; a line is no JSON object or not in the encoding; a NUL stands in
        it; a text has no label, or several, where exactly one is allowed; an id is empty or stands twice; the split is
        neither train nor test; or a date is none, or is a number where others are none.
    """
    table, sizes = _Documents(), dict[str, int]()
    texts = options["text"] if isinstance(options["text"], list) else [options["text"]]
    wanted = [*texts, *(options.get(key) for key in ("label", "id", "split"))]
    wanted.append(options.get("groups", options.get("dates")))
    for role, path in data_files(files).items():
        before = len(table.ends)
        if FORMATS[options["format"]].kind == "frame":
            for line, cells in frame_rows(path, options["format"], wanted):
                _add(table, path, line, cells, options)
        else:
            _add_lines(table, path, options, wanted)
        sizes[role] = len(table.ends) - before
        if not sizes[role]:
            raise DataFormatError(path, None, "holds no documents: it is empty, or has a header only")
    require_documents(options, sum(sizes.values()))
    return _corpus(table, sizes, options, {path.name: path for path in files.values()})


def _add_lines(table: _Documents, path: Path, options: Mapping[str, Any], wanted: Sequence[Column]) -> None:
    """Add the rows of a file of lines to the table, and remark how it is written."""
    before = len(table.ends)
    lines, delimiter = _opened(path, options, wanted, table.remarks)
    for line, cells in read_rows(options["format"], lines, wanted, delimiter, prefix=options.get("prefix", "")):
        _add(table, path, line, cells, options)
    if lines.foreign:
        what = "lines are no UTF-8 and were read as Windows-1252 (Latin-1 with quotes and dashes)"
        table.remarks.append(f"{path.name}: {lines.foreign:,} {what}; if letters are wrong, name its encoding.")
    if len(table.ends) > before:
        _check_end(table, path)


def _opened(path: Path, options: Mapping[str, Any], wanted: Sequence[Column], remarks: list[str]) -> tuple[Lines, str]:
    """Return the lines and the delimiter of a file; detected properties are added to the remarks."""
    longest, ratio = options.get("longest", MAX_LINE), options.get("ratio", MAX_RATIO)
    encoding, delimiter = options.get("encoding", "utf-8"), options.get("delimiter", ",")
    detect = options.get("detect", False)
    wide = list(utf16_lines(path)) if detect and "encoding" not in options and is_utf16(path, longest, ratio) else None
    if wide is not None:
        remarks.append(f"{path.name} is UTF-16.")

    def lines() -> Lines:
        """Return the lines from the first on."""
        if wide is not None:
            return Lines(path, wide, longest=longest)
        raw = iter_lines(path, longest=longest, ratio=ratio)
        return Lines(path, raw, encoding, mixed=detect and "encoding" not in options, longest=longest)

    if detect and "delimiter" not in options and options["format"] == "csv":
        delimiter = delimiter_of(lines(), wanted)
        if delimiter != ",":
            remarks.append(f"{path.name} has {delimiter!r} between its cells.")
    return lines(), delimiter


def _check_end(table: _Documents, path: Path) -> None:
    """Refuse a file without a last line end whose last label is a prefix of another label and occurs there only.

    A file that was cut within a label has such a row, and the rest of the label would become a class of its own.
    """
    names = list(table.numbers)
    for number in table.labels[table.label_ends[-2] :]:
        longer = [name for name in names if name != names[number] and name.startswith(names[number])]
        if longer and table.labels.count(number) == 1 and not ends_line(path):
            what = f"the last line has no line end, and its label {names[number][:60]!r} may be {longer[0][:60]!r} cut"
            raise DataFormatError(path, table.lines[-1], f"{what}; add a line end if it is whole")


def _add(table: _Documents, path: Path, line: int, cells: Sequence[Any], options: Mapping[str, Any]) -> None:
    """Add one row to the table."""
    *texts, label, name, part, mark = cells
    text = joined(texts)
    words = _labels(path, line, label, options)
    if not words and options.get("unlabelled") == "drop":
        table.dropped += 1
        return
    if text is None and options.get("unlabelled") == "drop":
        table.textless += 1
        return
    table.text += utf8(path, line, text, "the text")
    table.ends.append(len(table.text))
    for word in words:
        table.labels.append(table.numbers.setdefault(word, len(table.numbers)))
    table.label_ends.append(len(table.labels))
    table.lines.append(line)
    if "id" in options:
        value = _word(name)
        if not value:
            raise DataFormatError(path, line, "has no id; fill it in, or leave the column out of columns")
        utf8(path, line, value, "the id")
        table.ids.append(value)
    if "split" in options:
        value = _word(part).lower()
        if value not in _PARTS:
            raise DataFormatError(path, line, f"the split {value!r} is neither train nor test")
        table.parts.append(_PARTS[value])
    if "groups" in options or "dates" in options:
        value = _word(mark)
        if not value:
            raise DataFormatError(path, line, "has no group or date, so that its part is unknown; fill it in")
        if "dates" in options:
            _check_date(table, path, line, value)
        table.marks.append(value)


def _check_date(table: _Documents, path: Path, line: int, value: str) -> None:
    """Refuse a cell that is no date, and a number in a column of dates or a date in one of numbers."""
    if date_of(value) is None:
        raise DataFormatError(path, line, f"{value[:40]!r} is no date; write 2024-05-31, or a number")
    first = table.marks[0] if table.marks else value
    if (number_of(value) is None) != (number_of(first) is None):
        kinds = ("a number", "a date") if number_of(value) is not None else ("a date", "a number")
        what = f"{value[:40]!r} is {kinds[0]} and {first[:40]!r}, in line {table.lines[0]}, {kinds[1]}"
        raise DataFormatError(path, line, f"{what}; write all as dates, such as 2024-05-31, or all as numbers")


def _labels(path: Path, line: int, value: Any, options: Mapping[str, Any]) -> list[str]:
    """Return the labels of a row, each once, in the order in which they stand."""
    if isinstance(value, list):
        words = [_word(item) for item in value]
    elif "separator" in options:
        words = _word(value).split(options["separator"])
    else:
        words = [_word(value)]
    labels = list(dict.fromkeys(word.strip() for word in words if word.strip()))
    dropped = not labels and options.get("unlabelled") == "drop"
    if not options.get("several", False) and len(labels) != 1 and not dropped:
        what = (
            "no label; fill it in, or write unlabelled: drop"
            if not labels
            else f"{len(labels)} labels; say labels: several"
        )
        raise DataFormatError(path, line, f"has {what}")
    for word in labels:
        utf8(path, line, word, "the label")
    return labels


def _word(value: Any) -> str:
    """Return a cell as text, stripped; JSON null becomes the empty text, any other JSON value its JSON text."""
    if value is None:
        return ""
    return value.strip() if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _corpus(
    table: _Documents, sizes: Mapping[str, int], options: Mapping[str, Any], paths: Mapping[str, Path]
) -> Corpus:
    """Return the corpus of all rows.

    Parameters
    ----------
    table : the rows of all files.
    sizes : role -> number of rows of its file.
    options : as in `read`.
    paths : name of a file -> its path, for messages.
    """
    names = sorted(table.numbers)
    rank = np.empty(len(names), dtype=np.int32)
    rank[[table.numbers[name] for name in names]] = np.arange(len(names), dtype=np.int32)
    indices = rank[np.frombuffer(table.labels, dtype=np.int32)] if len(table.labels) else np.empty(0, np.int32)
    indptr = np.frombuffer(table.label_ends, dtype=np.int64)
    n_documents = len(indptr) - 1
    labels = sparse.csr_array((np.ones(len(indices), np.int8), indices, indptr), shape=(n_documents, len(names)))
    labels.sort_indices()
    split: np.ndarray | None
    if "groups" in options or "dates" in options:
        split, said = (by_groups if "groups" in options else by_dates)(next(iter(paths.values())), table.marks)
        table.remarks.append(said)
    elif "split" in options:
        split = np.frombuffer(table.parts, dtype=np.int8)
    else:
        of_files = np.repeat([SPLITS.get(role, 0) for role in sizes], list(sizes.values())).astype(np.int8)
        split = of_files if "train" in sizes else None
    counts = {"label": table.dropped, "text": table.textless}
    dropped = [f"{number:,} rows without a {what} were left out." for what, number in counts.items() if number]
    return Corpus(
        name=options["name"],
        ids=_ids(table, sizes, paths),
        label_names=names,
        labels=labels,
        split=split,
        text=Ragged(np.frombuffer(table.text, dtype=np.uint8), np.frombuffer(table.ends, dtype=np.int64)),
        info={"remarks": [*table.remarks, *dropped]} if table.remarks or dropped else {},
    )


def _ids(table: _Documents, sizes: Mapping[str, int], paths: Mapping[str, Path]) -> list[str]:
    """Return the ids, or numbers from 1 where no column gives them; refuse an id that stands twice."""
    if not table.ids:
        return [
            f"{role}/{row + 1}" if role in SPLITS else str(row + 1) for role, n in sizes.items() for row in range(n)
        ]
    if len(set(table.ids)) < len(table.ids):
        first: dict[str, int] = {}
        for row, name in enumerate(table.ids):
            if first.setdefault(name, row) != row:
                before, here = table.lines[first[name]], table.lines[row]
                path = list(paths)[0 if row < next(iter(sizes.values())) else -1]
                raise DataFormatError(path, here, f"the id {name[:60]!r} stands twice, before in line {before}")
    return table.ids
