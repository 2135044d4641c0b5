"""Read JSON as a table: one value per line, an array, or a document with nested rows.

Nested objects are flattened to columns such as ``data.text``; exports of annotation tools become one row per text.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

from textmix.core.errors import DataFormatError
from textmix.core.io import unique_keys
from textmix.data.labels import is_choices, is_label_mapping

#: Common names of text columns, the most specific ones first.
TEXT_NAMES = tuple(
    "text texts review reviews reviewtext review_text body content document message comment tweet sentence description "
    "abstract title question utterance".split()
)
#: Key of a document -> part of the split; validation documents are used for training.
SPLIT_KEYS = {
    "train": "train",
    "training": "train",
    "val": "train",
    "valid": "train",
    "validation": "train",
    "dev": "train",
    "test": "test",
    "testing": "test",
}
#: Name of the column created from the parts of a document.
SPLIT_COLUMN = "split"
#: Maximum nesting depth when searching for rows and flattening to columns.
MAX_NESTING = 4
_MAX_ERROR_CHARACTERS = 80


class JsonTable(NamedTuple):
    """A table read from JSON.

    Parameters
    ----------
    names : list of str or int
        Column names; numbers from 1 if the rows are arrays.
    rows : iterator of (int, list)
        Line number and cells of each row.
    head : list of list
        The cells of the first rows, which ``rows`` yields too.
    label_columns : tuple of str
        Label columns declared by the format.
    has_split : bool
        Whether the column `SPLIT_COLUMN` was created from the parts of the document.
    """

    names: list[str | int]
    rows: Iterator[tuple[int, list[Any]]]
    head: list[list[Any]]
    label_columns: tuple[str, ...] = ()
    has_split: bool = False


#: Value of a missing key.
ABSENT: Any = type("Absent", (), {"__str__": lambda self: "", "__repr__": lambda self: "ABSENT"})()


def open_json(
    name: str, lines: Iterable[str], columns: Sequence[str | int], n_rows: int, notes: list[str]
) -> JsonTable:
    """Open JSON as a table.

    Parameters
    ----------
    name : str
        Name of the file, for messages.
    lines : iterable of str
        The lines of the file.
    columns : sequence of str or int
        Required columns.
    n_rows : int
        Number of rows in ``head``.
    notes : list of str
        Modified in place: notes on the format are appended, the last ones after all rows have been read.

    Returns
    -------
    JsonTable
        The table.

    Raises
    ------
    DataFormatError
        If the file is not JSON, or does not contain rows.
    """
    values = _iter_values(name, lines)
    head = list(islice(values, max(n_rows, 2)))
    has_split = False
    if len(head) == 1:
        head, has_split = _find_rows(name, *head[0], notes)
    text_key = next((str(column) for column in columns), "text")
    records: Iterator[tuple[int, dict[Any, Any]]]
    records = ((line, _as_record(name, line, value, text_key)) for line, value in chain(head, values))
    label_columns: tuple[str, ...] = ()
    if head and _is_task(head[0][1]):
        tasks = _Tasks(name, notes)
        records = tasks.iter_rows(records)
        head_rows = list(islice(records, len(head)))
        label_columns = tasks.label_columns()
    else:
        head_rows = list(islice(records, len(head)))
    head_rows = [(line, _flatten(record)) for line, record in head_rows]
    names = [*dict.fromkeys(key for _, record in head_rows for key in record)]
    later = ((line, _flatten(record)) for line, record in records)
    rows = ((line, [_cell(record.get(key, ABSENT)) for key in names]) for line, record in chain(head_rows, later))
    cells = [[_cell(record.get(key)) for key in names] for _, record in head_rows]
    return JsonTable(names, rows, cells, label_columns, has_split)


def _cell(value: Any) -> Any:
    """Return a JSON value; None for NaN."""
    return None if isinstance(value, float) and math.isnan(value) else value


def _as_record(name: str, line: int, value: Any, text_key: str) -> dict[Any, Any]:
    """Convert a value to an object; a string is a text, an array has numbered columns."""
    if isinstance(value, dict):
        return value
    if isinstance(value, str):
        return {text_key: value}
    if isinstance(value, list) and len(value) > 1 and any(isinstance(cell, str) for cell in value):
        return dict(enumerate(value, start=1))
    raise DataFormatError(name, line, "is not a JSON object ({...}) with keys for text and label")


def _flatten(record: Mapping[Any, Any]) -> dict[Any, Any]:
    """Flatten nested objects to keys such as ``data.text``, except label mappings."""
    flat: dict[Any, Any] = {}
    pending: list[tuple[tuple[Any, ...], Any]] = [((key,), value) for key, value in record.items()]
    while pending:
        path, value = pending.pop(0)
        if isinstance(value, dict) and len(path) < MAX_NESTING and not is_label_mapping(value):
            pending = [((*path, key), nested) for key, nested in value.items()] + pending
        else:
            flat[path[0] if len(path) == 1 else ".".join(map(str, path))] = value
    return flat


# --- rows within a document ----------------------------------------------------------------------------------------


def _find_rows(name: str, line: int, value: Any, notes: list[str]) -> tuple[list[tuple[int, Any]], bool]:
    """Find the rows in a single JSON value; also return whether they have the column `SPLIT_COLUMN`."""
    if not isinstance(value, dict) or _is_record(value):
        return [(line, value)], False
    if {"columns", "data"} <= value.keys():  # pandas with orient="split"
        return [(line, dict(zip(value["columns"], row, strict=False))) for row in value["data"]], False
    splits = _find_parts(value)
    if splits:
        rows = [_with_part(name, line, row, split) for split, part_rows in splits for row in part_rows]
        if any(key.lower() not in ("train", "training", "test", "testing") for key, _ in splits):
            notes.append(f"{Path(name).name} has validation documents, which are used for training.")
        return [(line, row) for row in rows], True
    columns = _by_columns(value)
    if columns:
        return [(line, row) for row in columns], False
    lists = list(_object_lists(value))
    if len(lists) > 1:
        lists = [(path, rows) for path, rows in lists if set(TEXT_NAMES) & {str(key).lower() for key in rows[0]}]
    if len(lists) == 1:
        path, rows = lists[0]
        if "." in path:
            notes.append(f"{Path(name).name}: the rows are read from {path}.")
        return [(line, row) for row in rows], False
    return [(line, value)], False


def _is_record(value: Mapping[str, Any]) -> bool:
    """Check whether an object is a row: it has a text, or is a task of Label Studio."""
    has_text = any(isinstance(cell, str) for key, cell in value.items() if str(key).lower() in TEXT_NAMES)
    return has_text or _is_task(value)


def _find_parts(value: Mapping[str, Any]) -> list[tuple[str, list[Any]]]:
    """Return the training, validation and test rows of a document; empty if it has no such parts."""
    for _ in range(MAX_NESTING):
        if len(value) > 1 and all(str(key).lower() in SPLIT_KEYS for key in value):
            has_rows = all(isinstance(rows, list) and rows for rows in value.values())
            return [(key, rows) for key, rows in value.items()] if has_rows else []
        nested = [inner for inner in value.values() if isinstance(inner, dict)]
        if len(nested) != 1:
            return []
        value = nested[0]
    return []


def _with_part(name: str, line: int, row: Any, split: str) -> dict[Any, Any]:
    record = _as_record(name, line, row, "text")
    return {**record, SPLIT_COLUMN: SPLIT_KEYS[split.lower()]}


def _by_columns(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of a column-oriented document: an array, or an object with equal keys, per column; else empty."""
    columns = list(value.values())
    if columns and all(isinstance(column, dict) and column.keys() == columns[0].keys() for column in columns):
        columns = [list(column.values()) for column in columns]
    if len(columns) < 2 or not all(isinstance(column, list) for column in columns):
        return []
    n_rows = len(columns[0])
    if n_rows < 2 or any(len(column) != n_rows for column in columns):
        return []
    return [dict(zip(value, row, strict=True)) for row in zip(*columns, strict=True)]


def _object_lists(value: Mapping[str, Any], path: str = "", depth: int = 1) -> Iterator[tuple[str, list[Any]]]:
    """Yield (path, list) of the arrays of objects in a document."""
    for key, inner in value.items():
        here = f"{path}.{key}" if path else str(key)
        if isinstance(inner, list) and inner and all(isinstance(row, dict) for row in inner):
            yield here, inner
        elif isinstance(inner, dict) and depth < MAX_NESTING:
            yield from _object_lists(inner, here, depth + 1)


# --- tasks of Label Studio -----------------------------------------------------------------------------------------

#: Annotation keys of a task; the second one was used before version 1.0.
_ANNOTATION_KEYS = ("annotations", "completions")


def _is_task(value: Any) -> bool:
    """Check whether an object is a task of Label Studio's JSON export."""
    if not isinstance(value, dict) or not isinstance(value.get("data"), dict):
        return False
    return any(isinstance(value.get(key), list) for key in _ANNOTATION_KEYS)


class _Tasks:
    """Convert tasks of Label Studio to rows with the data of the task and a column per group of choices."""

    def __init__(self, name: str, notes: list[str]) -> None:
        self.name = name
        self.notes = notes
        self._controls: dict[str, None] = {}
        self._n_contradictory = 0
        self._other_types = Counter[str]()

    def label_columns(self) -> tuple[str, ...]:
        """Groups of choices seen so far."""
        if not self._controls and self._other_types:
            annotation_type = self._other_types.most_common(1)[0][0]
            problem = (
                f"has annotations of type {annotation_type!r}, but no choices; only labels of whole texts are read"
            )
            raise DataFormatError(self.name, None, problem)
        return tuple(self._controls)

    def iter_rows(self, records: Iterator[tuple[int, dict[Any, Any]]]) -> Iterator[tuple[int, dict[Any, Any]]]:
        """Yield (line, row) for each task."""
        for line, task in records:
            if not _is_task(task):
                raise DataFormatError(self.name, line, "is not a Label Studio task, unlike the rows before it")
            identifier = {"id": task["id"]} if "id" in task else {}
            yield line, {**identifier, **task["data"], **self._choices(task)}
        if self._n_contradictory:
            problem = f"{self._n_contradictory:,} texts with contradictory annotations were dropped"
            self.notes.append(f"{Path(self.name).name}: {problem}.")

    def _choices(self, task: Mapping[str, Any]) -> dict[str, Any]:
        """Return the choices of a task by group; None where annotators disagree."""
        by_group: dict[str, list[list[str]]] = {}
        for annotation in chain.from_iterable(task.get(key) or [] for key in _ANNOTATION_KEYS):
            if not isinstance(annotation, dict) or annotation.get("was_cancelled"):
                continue
            for group, names in self._groups(annotation).items():
                by_group.setdefault(group, []).append(names)
        choices: dict[str, Any] = {}
        for group, answers in by_group.items():
            self._controls[group] = None
            agree = all(set(answer) == set(answers[0]) for answer in answers)
            self._n_contradictory += not agree
            choices[group] = answers[0] if agree else None
        return choices

    def _groups(self, annotation: Mapping[str, Any]) -> dict[str, list[str]]:
        groups: dict[str, list[str]] = {}
        for result in annotation.get("result") or []:
            value = result.get("value", {})
            annotation_type = str(result.get("type", "")).lower()
            group = str(result.get("from_name", "label"))
            if annotation_type == "taxonomy":
                groups.setdefault(group, []).extend(
                    " / ".join(map(str, path)) for path in value.get(annotation_type, [])
                )
            elif is_choices(value):
                groups.setdefault(group, []).extend(value["choices"])
            else:
                self._other_types[annotation_type] += 1
        return groups


# --- values --------------------------------------------------------------------------------------------------------


def _parse_constant(name: str) -> float:
    """Return NaN, which Python writes for a missing value; reject other constants outside the JSON standard."""
    if name != "NaN":
        raise ValueError(f"{name} is not JSON")
    return math.nan


_DECODER = json.JSONDecoder(object_pairs_hook=unique_keys, parse_constant=_parse_constant)


def _iter_values(name: str, lines: Iterable[str]) -> Iterator[tuple[int, Any]]:
    """Yield (line, value) of a file with one value per line, one array, or values over several lines."""
    numbered = ((number, line) for number, line in enumerate(lines, start=1) if line.strip())
    first = next(numbered, None)
    if first is None:
        return
    second = next(numbered, None)
    number, line = first
    following = numbered if second is None else chain([second], numbered)
    is_array = line.lstrip().startswith("[")
    if is_array and (second is None or not _is_complete(line)):
        yield from _iter_array(name, number, line + _join_lines(number, line, following))
    elif second is not None and not _is_complete(line):
        yield from _iter_documents(name, number, line + _join_lines(number, line, following))
    else:
        for position, text in chain([first], following):
            yield position, _decode(name, position, _DECODER.decode, text.strip())


def _join_lines(number: int, line: str, following: Iterable[tuple[int, str]]) -> str:
    """Join a line with the following lines, adding line feeds for the blank lines between them."""
    joined = list[str]()
    end = number + line.count("\n")
    for position, text in following:
        joined.append("\n" * (position - end) + text)
        end = position + text.count("\n")
    return "".join(joined)


def _is_complete(text: str) -> bool:
    """Check whether a line is a complete JSON value."""
    text = text.strip()
    if text[-1:] not in ("}", "]", '"'):
        return False
    try:
        _DECODER.decode(text)
    except (ValueError, RecursionError):
        return False
    return True


def _decode(name: str, line: int, decode: Callable[..., Any], *arguments: Any) -> Any:
    """Parse JSON; errors include the line number."""
    try:
        return decode(*arguments)
    except (ValueError, RecursionError) as error:
        problem = (
            f"is not JSON ({str(error)[:_MAX_ERROR_CHARACTERS]}); write one object per line, or an array of objects"
        )
        raise DataFormatError(name, line, problem) from error


_BLANK = re.compile(r"[\s,]*")


def _iter_documents(name: str, line: int, text: str) -> Iterator[tuple[int, Any]]:
    """Yield (line, value) of JSON values that span several lines."""
    position = 0
    counted = 0
    while True:
        position = _BLANK.match(text, position).end()  # type: ignore[union-attr]
        if position == len(text):
            return
        line += text.count("\n", counted, position)
        counted = position
        value, position = _decode(name, line, _DECODER.raw_decode, text, position)
        yield line, value


def _iter_array(name: str, line: int, text: str) -> Iterator[tuple[int, Any]]:
    """Yield (line, value) of the items of a JSON array."""
    position = text.index("[") + 1
    counted = 0
    is_closed = False
    while position < len(text):
        position = _BLANK.match(text, position).end()  # type: ignore[union-attr]
        if text[position : position + 1] in ("]", ""):
            is_closed = text[position:].strip() == "]"
            break
        line += text.count("\n", counted, position)
        counted = position
        value, position = _decode(name, line, _DECODER.raw_decode, text, position)
        yield line, value
    if not is_closed:
        last = line + text.count("\n", counted)
        problem = "is not JSON: the array does not end with its bracket; the file may be truncated"
        raise DataFormatError(name, last, problem)
