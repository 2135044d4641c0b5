"""Infer the schema of a user's table: which columns are the text, the labels, the identifiers and extra features."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from textmix.core.errors import ConfigError, DataFormatError, suggest
from textmix.data.answers import Answer
from textmix.data.extra_columns import MAX_CATEGORIES_PER_ROW
from textmix.data.json_tables import SPLIT_COLUMN
from textmix.data.labels import LabelError, are_printed, parse_flag
from textmix.data.sniffing import LABEL_NAMES, MAX_CELL_CHARACTERS, PREFIX, TEXT_NAMES, TableFile, is_number

#: A column must reach one of these means to be considered text ...
MIN_MEAN_WORDS = 3.0
MIN_MEAN_CHARACTERS = 15.0
#: ... and more than this proportion of its cells must be distinct.
MIN_DISTINCT_TEXTS = 0.1
#: A column this many times longer than the next one is considered the text column.
DOMINANT_TEXT_RATIO = 3.0
#: Minimum number of numeric columns of a table without a text.
MIN_NUMERIC_COLUMNS = 2
#: Role of a column -> option that specifies it.
ROLE_OPTIONS = {"parts": "--split", "groups": "--group", "dates": "--date", "id": "--id"}
#: A column is prose if the proportion of bracketed cells is below this value.
_MAX_BRACKETED = 0.5
#: Maximum number of columns in a message.
MAX_COLUMNS_IN_MESSAGE = 10
#: Columns added by annotation tools, and the columns that identify their exports.
_TOOL_COLUMNS = {
    frozenset({"annotation_id", "lead_time"}): frozenset(
        "annotation_id annotator created_at updated_at lead_time id agreement comments".split()
    ),
    frozenset({"answer"}): frozenset("answer options config meta tokens spans priority score accept".split()),
}
#: Prodigy's answer column, and its column of accepted options in multiple-choice questions.
_ANSWER_COLUMN = "answer"
_ACCEPTED_COLUMN = "accept"

Reference = str | int
References = Reference | Sequence[Reference] | None


class NumericTableError(ConfigError):
    """Raised if a table has numeric columns instead of a text column."""


class ColumnOptions(NamedTuple):
    """Column options of `textmix.data.user_table.read_table`."""

    text: References
    labels: References
    label_separator: str | None
    multi_label: bool | None
    roles: Mapping[str, Reference]
    features: References
    names: tuple[str, str]
    is_numeric: bool = False

    def without_positions(self) -> ColumnOptions:
        """Return the options without column numbers for text and labels, which do not apply to tables with a header."""
        text = None if any(isinstance(column, int) for column in as_list(self.text)) else self.text
        labels = None if any(isinstance(column, int) for column in as_list(self.labels)) else self.labels
        return self._replace(text=text, labels=labels)


class TableSchema(NamedTuple):
    """Schema of a table.

    Parameters
    ----------
    format : str
        A key of `textmix.data.formats.FORMATS`.
    text, labels : tuple of str or int
        Text and label columns: names, or numbers from 1.
    multi_label : bool or None
        Whether a text may have several labels; None until it has been inferred from the rows.
    label_separator : str or None
        Label separator within a cell.
    header : bool
        Whether the first row is a header.
    """

    format: str
    text: tuple[Reference, ...]
    labels: tuple[Reference, ...]
    multi_label: bool | None
    label_separator: str | None
    header: bool

    def card(self) -> dict[str, Any]:
        """Return the model-card entries required to read other tables with the same schema."""
        columns = {"text column": self.text, "label column": self.labels}
        card: dict[str, Any] = {key: value[0] if len(value) == 1 else [*value] for key, value in columns.items()}
        card["header"] = self.header
        if self.label_separator is not None:
            card["separator"] = self.label_separator
        return card


class ColumnRoles(NamedTuple):
    """Positions of the columns of a file by role.

    Parameters
    ----------
    text, labels : sequence of int
        Text and label columns.
    roles, features : mapping of str to int
        Columns for the split and the identifiers, and extra columns, by name.
    unused : sequence of int
        All other columns.
    printed : bool
        Whether bracketed strings are printed lists of labels.
    flags_have_zeros : bool
        Whether the indicator columns contain zeros, so that a row of empty cells is unlabelled.
    answer : int, default=None
        Column with the answers accept, reject and ignore.
    """

    text: Sequence[int]
    labels: Sequence[int]
    roles: Mapping[str, int]
    features: Mapping[str, int]
    unused: Sequence[int]
    printed: bool
    flags_have_zeros: bool
    answer: int | None = None


@dataclass(frozen=True)
class _Column:
    """Statistics of the sampled cells of a column."""

    position: int
    name: Reference
    mean_words: float
    mean_characters: float
    distinct: float
    has_lists: bool
    is_numeric: bool = False

    @property
    def key(self) -> str:
        """Lower-case column name without the path of enclosing JSON objects."""
        return str(self.name).lower().rsplit(".", 1)[-1]

    @property
    def is_text(self) -> bool:
        is_long = self.mean_words >= MIN_MEAN_WORDS or self.mean_characters >= MIN_MEAN_CHARACTERS
        return not self.has_lists and not self.is_numeric and self.distinct > MIN_DISTINCT_TEXTS and is_long

    @property
    def is_label(self) -> bool:
        is_short = 0 < self.mean_characters <= MAX_CELL_CHARACTERS
        return self.has_lists or (is_short and self.distinct <= MAX_CATEGORIES_PER_ROW)


def infer_schema(file: TableFile, options: ColumnOptions, printed: bool = False) -> tuple[TableSchema, ColumnRoles]:
    """Infer the schema of a table.

    Parameters
    ----------
    file : TableFile
        The open table.
    options : ColumnOptions
        The specified columns.
    printed : bool, default=False
        Whether to treat all bracketed strings as printed lists.

    Returns
    -------
    schema : TableSchema
        The schema.
    columns : ColumnRoles
        Positions of the columns.

    Raises
    ------
    ConfigError
        If a column cannot be inferred, or two options refer to the same column.
    DataFormatError
        If a specified column is missing.
    """
    text_option, label_option = options.names
    if file.format == "labelled":
        options = options._replace(text=2, labels=1)
    text = None if options.text is None else find_positions(file, options.text, text_option)
    labels = None if options.labels is None else find_positions(file, options.labels, label_option)
    roles = {role: find_position(file, column, ROLE_OPTIONS[role]) for role, column in options.roles.items()}
    if file.has_split and not roles:
        roles["parts"] = list(file.names).index(SPLIT_COLUMN)
    features = [] if options.features is None else find_positions(file, options.features, "--features")
    by_option = {text_option: text or [], label_option: labels or [], "--features": features}
    specified = _check_disjoint(file, by_option | {ROLE_OPTIONS[role]: [position] for role, position in roles.items()})
    columns = _describe_columns(file)
    answer = _answer_position(file, specified)
    ignored = {*specified, *_tool_columns(file, answer is not None)}
    free = [column for column in columns if column.position not in ignored]
    if labels is None:
        labels = _declared_labels(file, answer, label_option)
        free = [column for column in free if column.position not in (labels or ())]
    if options.is_numeric:
        text = []
        labels, features = _numeric_columns(file, labels, features, free, label_option)
    if text is None:
        candidates = free
        if labels is None:
            candidates = [column for column in free if not column.has_lists or column.key in TEXT_NAMES]
        try:
            text = [_infer_column(file, "text", candidates, free, text_option).position]
        except ConfigError as error:
            if _may_be_numeric(free, columns, features):
                raise NumericTableError(str(error)) from error
            raise
        free = [column for column in free if column.position not in text]
    if labels is None:
        labels = [_infer_column(file, "labels", free, free, label_option).position]
    cells = [row[labels[0]] for row in file.head]
    printed = len(labels) == 1 and (printed or are_printed(cells))
    multi_label = options.multi_label
    if multi_label is None and (options.label_separator is not None or len(labels) > 1):
        multi_label = True
    used = {*text, *labels, *roles.values(), *features}
    feature_names = map(str, _names(file, features))
    schema = TableSchema(
        format=file.format,
        text=tuple(_names(file, text)),
        labels=tuple(_names(file, labels)),
        multi_label=multi_label,
        label_separator=options.label_separator,
        header=file.header,
    )
    unused = [position for position in range(len(columns)) if position not in used]
    flags_have_zeros = len(labels) > 1 and any(_has_zeros(file, position) for position in labels)
    column_roles = ColumnRoles(
        text=text,
        labels=labels,
        roles=roles,
        features=dict(zip(feature_names, features, strict=True)),
        unused=unused,
        printed=printed,
        flags_have_zeros=flags_have_zeros,
        answer=answer,
    )
    return schema, column_roles


def _may_be_numeric(free: Sequence[_Column], columns: Sequence[_Column], features: Sequence[int]) -> bool:
    """Check whether a table without a text has numeric columns that can be the features."""
    if features:
        return all(columns[position].is_numeric for position in features)
    n_numeric = sum(column.is_numeric for column in free)
    return n_numeric >= MIN_NUMERIC_COLUMNS and n_numeric >= len(free) - 1


def _numeric_columns(
    file: TableFile,
    labels: list[int] | None,
    features: list[int],
    free: Sequence[_Column],
    option: str,
) -> tuple[list[int], list[int]]:
    """Return the positions of label columns and of features in a table of numbers.

    Raises
    ------
    ConfigError
        If the label column cannot be inferred, or a feature is not numeric.
    """
    file_name = Path(file.name).name
    if labels is None:
        words_columns = [column for column in free if not column.is_numeric]
        labelled = [column for column in free if column.key in LABEL_NAMES]
        candidates = words_columns or labelled
        if len(candidates) != 1:
            names = ", ".join(str(column.name) for column in free[:MAX_COLUMNS_IN_MESSAGE])
            raise ConfigError(f"{file_name}: cannot infer the label column; name it by {option}: {names}")
        labels = [candidates[0].position]
    remaining = [column for column in free if column.position not in labels]
    if features:
        return labels, features
    words = next((column for column in remaining if not column.is_numeric and column.mean_characters > 0), None)
    if words is not None:
        raise ConfigError(
            f"{file_name}: the column {words.name!r} is not numeric; name the numeric columns by --features"
        )
    numbers = [
        column.position for column in remaining if column.is_numeric and not _is_row_number(file, column.position)
    ]
    if not numbers:
        raise ConfigError(f"{file_name}: no numeric column is left for the features; add one")
    return labels, numbers


def _is_row_number(file: TableFile, position: int) -> bool:
    """Check whether a column counts the rows from 0 or 1."""
    cells = [str(row[position]) for row in file.head]
    return len(cells) > 1 and any(cells == [str(start + row) for row in range(len(cells))] for start in (0, 1))


def infer_text_column(file: TableFile, text: References, option: str, may_lack_header: bool) -> list[int]:
    """Infer the text columns of a table without labels.

    Parameters
    ----------
    file : TableFile
        The open table.
    text : str, int, sequence or None
        The specified columns.
    option : str
        Name of the option, for messages.
    may_lack_header : bool
        Whether ``text`` is a position in a table without a header, and is ignored if the table has a header.

    Returns
    -------
    list of int
        Positions of the text columns.

    Raises
    ------
    ConfigError
        If the column cannot be inferred.
    DataFormatError
        If a specified column is missing.
    """
    columns = _describe_columns(file)
    if text is None or (may_lack_header and file.header):
        return [_infer_column(file, "text", columns, columns, option).position]
    if may_lack_header and len(as_list(text)) == 1:
        position = int(as_list(text)[0]) - 1
        candidates = [column.position for column in columns if column.is_text]
        if len(columns) == 1:
            return [0]
        if len(candidates) == 1 and position not in candidates and _is_short(columns, position):
            return candidates
    return find_positions(file, text, option)


def _is_short(columns: Sequence[_Column], position: int) -> bool:
    return position >= len(columns) or columns[position].mean_words < MIN_MEAN_WORDS


# --- specified columns ---------------------------------------------------------------------------------------------


def _check_disjoint(file: TableFile, by_option: Mapping[str, Sequence[int]]) -> dict[int, str]:
    """Map positions to options; raise ConfigError if two options refer to the same column."""
    options: dict[int, str] = {}
    for option, positions in by_option.items():
        for position in positions:
            earlier = options.setdefault(position, option)
            if earlier != option:
                problem = f"{earlier} and {option} name the same column {file.names[position]!r}"
                raise ConfigError(f"{Path(file.name).name}: {problem}; name two columns")
    return options


def requested_columns(*columns: References) -> list[Reference]:
    """List all specified names and numbers; split comma-separated names."""
    references = [reference for column in columns for reference in as_list(column)]
    separated: list[Reference] = []
    for reference in references:
        separated += reference.split(",") if isinstance(reference, str) else [reference]
    return [column for column in separated if isinstance(column, int) or not column.isdigit()]


def as_list(columns: References) -> list[Reference]:
    """Convert a column specification to a list.

    Parameters
    ----------
    columns : str, int, sequence or None
        One column, several columns, or None.

    Returns
    -------
    list of str or int
        The columns; empty for None.
    """
    if columns is None:
        return []
    return [columns] if isinstance(columns, (str, int)) else [*columns]


def _names(file: TableFile, positions: Sequence[int]) -> list[Reference]:
    """Return column names, or numbers from 1 for ambiguous names."""
    names = [*file.names]
    return [position + 1 if names.count(names[position]) > 1 else names[position] for position in positions]


def find_positions(file: TableFile, columns: References, option: str) -> list[int]:
    """Find the positions of columns; comma-separated names are split.

    Parameters
    ----------
    file : TableFile
        The open table.
    columns : str, int, sequence or None
        The columns.
    option : str
        Option that specifies the columns, for messages.

    Returns
    -------
    list of int
        The positions.

    Raises
    ------
    DataFormatError
        If a column is missing or ambiguous.
    """
    references = as_list(columns)
    if len(references) == 1 and isinstance(references[0], str) and references[0] not in file.names:
        references = [name.strip() for name in references[0].split(",")]
    return [find_position(file, column, option) for column in references]


def find_position(file: TableFile, column: Reference, option: str) -> int:
    """Return the position of a column.

    Parameters
    ----------
    file : TableFile
        The open table.
    column : str or int
        Name of the column, or its number from 1 if no column has such a name.
    option : str
        Option that specifies the column, for messages.

    Returns
    -------
    int
        The position, from 0.

    Raises
    ------
    DataFormatError
        If the column is missing or ambiguous.
    """
    names = [str(name) for name in file.names]
    text = str(column).strip()
    positions = [position for position, name in enumerate(names) if name == text]
    if not positions:  # a second file may spell the column differently
        positions = [position for position, name in enumerate(names) if name.strip().casefold() == text.casefold()]
    if len(positions) == 1:
        return positions[0]
    if positions:
        numbers = " or ".join(str(position + 1) for position in positions)
        problem = f"{option}: several columns are called {text!r}; give the number, {numbers}"
        raise DataFormatError(file.name, None, problem)
    if text.isascii() and text.isdigit() and 1 <= int(text) <= len(names):
        return int(text) - 1
    raise DataFormatError(file.name, None, f"{option}: unknown column {text!r}; {suggest(text, names)}")


# --- columns of annotation tools -----------------------------------------------------------------------------------


def _answer_position(file: TableFile, specified: Mapping[int, str]) -> int | None:
    """Return the answer column of a Prodigy export, or None."""
    names = [str(name).lower() for name in file.names]
    if names.count(_ANSWER_COLUMN) != 1:
        return None
    position = names.index(_ANSWER_COLUMN)
    cells = [row[position] for row in file.head if row[position] not in (None, "")]
    is_answers = bool(cells) and all(map(Answer.is_answer, cells))
    return position if is_answers and position not in specified else None


def _tool_columns(file: TableFile, has_answers: bool) -> set[int]:
    """Return the positions of columns added by annotation tools, which are neither texts nor labels."""
    names = {str(name).lower() for name in file.names}
    added = set[str]()
    for signature, columns in _TOOL_COLUMNS.items():
        if signature <= names and (has_answers or _ANSWER_COLUMN not in signature):
            added |= columns
    return {
        position
        for position, name in enumerate(map(str, file.names))
        if name.lower() in added or (has_answers and name.startswith("_"))
    }


def _declared_labels(file: TableFile, answer: int | None, option: str) -> list[int] | None:
    """Return the label column declared by the format, or None."""
    names = [str(name) for name in file.names]
    if len(file.label_columns) > 1:
        columns = ", ".join(file.label_columns)
        raise ConfigError(
            f"{Path(file.name).name}: more than one column could be the labels; name one by {option}: {columns}"
        )
    if file.label_columns:
        return [names.index(file.label_columns[0])]
    if answer is not None and _ACCEPTED_COLUMN in names:
        return [names.index(_ACCEPTED_COLUMN)]
    return None


# --- inferred columns ----------------------------------------------------------------------------------------------


def _describe_columns(file: TableFile) -> list[_Column]:
    return [
        _describe_column(position, name, [row[position] for row in file.head])
        for position, name in enumerate(file.names)
    ]


def _describe_column(position: int, name: Reference, cells: Sequence[Any]) -> _Column:
    filled = [cell for cell in cells if cell is not None and str(cell).strip()]
    texts = [json.dumps(cell) if isinstance(cell, (list, dict)) else str(cell).strip() for cell in filled]
    if not texts:
        return _Column(position, name, 0.0, 0.0, 1.0, has_lists=False)
    has_lists = any(isinstance(cell, (list, dict)) for cell in filled)
    n_words = [len(text.split()) for text in texts]
    n_characters = [len(text) for text in texts]
    has_lists = has_lists or (are_printed(filled) and not _is_prose(texts))
    distinct = len(set(texts)) / len(texts)
    is_numeric = all(map(is_number, texts))
    return _Column(
        position=position,
        name=name,
        mean_words=float(np.mean(n_words)),
        mean_characters=float(np.mean(n_characters)),
        distinct=distinct,
        has_lists=has_lists,
        is_numeric=is_numeric,
    )


def _is_prose(texts: Sequence[str]) -> bool:
    """Check whether most cells are not lists, even if some start and end with a bracket."""
    n_bracketed = sum(text[:1] in "[({" or text.endswith(")") for text in texts)
    return n_bracketed < _MAX_BRACKETED * len(texts)


def _infer_column(
    file: TableFile, role: str, columns: Sequence[_Column], all_columns: Sequence[_Column], option: str
) -> _Column:
    """Infer the text or label column; raise ConfigError with the candidates if it is ambiguous."""
    is_text = role == "text"
    candidates = [column for column in columns if (column.is_text if is_text else column.is_label)]
    names = TEXT_NAMES if is_text else LABEL_NAMES
    telling = [column for column in (candidates or columns) if column.key in names]
    if telling:
        best = min(telling, key=lambda column: names.index(column.key))
        if sum(column.name == best.name for column in columns) > 1:
            find_position(file, best.name, option)
        return best
    if len(candidates) == 1:
        return candidates[0]
    is_only = len(columns) == 1 and (not is_text or len(all_columns) == 1 or not columns[0].has_lists)
    if is_only and not (is_text and (columns[0].is_numeric or columns[0].key in LABEL_NAMES)):
        return columns[0]
    if is_text and candidates:
        by_length = sorted(candidates, key=lambda column: -column.mean_characters)
        if by_length[0].mean_characters >= DOMINANT_TEXT_RATIO * by_length[1].mean_characters:
            return by_length[0]
    raise ConfigError(f"{Path(file.name).name}: {_inference_error(file, role, columns, all_columns, option)}")


def _inference_error(
    file: TableFile, role: str, columns: Sequence[_Column], all_columns: Sequence[_Column], option: str
) -> str:
    """Explain why a column cannot be inferred and how to resolve it."""
    is_text = role == "text"
    if not columns:
        only = ", ".join(map(str, file.names[:MAX_COLUMNS_IN_MESSAGE]))
        return f"no column is left for the {role}: it has only {only}; {_format_advice(file)}"
    if is_text and all(column.is_numeric for column in columns):
        return "all candidate text columns are numeric; add a text column"
    candidates = [column for column in columns if (column.is_text if is_text else column.is_label)]
    problem = f"more than one column could be the {role}" if candidates else f"no column looks like {role}"
    listed = ", ".join(str(column.name) for column in (candidates or all_columns))
    message = f"{problem}; name it by {option}: {listed}"
    flags = [str(column.name) for column in candidates if _are_flags(file, column.position)]
    if not is_text and len(flags) > 1:
        message += f"; or name all indicator columns (0 and 1, yes and no) of labels: {option} {','.join(flags)}"
    return message


def _format_advice(file: TableFile) -> str:
    if file.format == "jsonl":
        return "write one object per text, with keys for text and label"
    if file.format in ("csv", "tab"):
        return "is the delimiter another one?"
    return "add a column"


def _flags(file: TableFile, position: int) -> set[bool | None]:
    """Return the distinct flags of an indicator column; empty if it is not an indicator column."""
    name = str(file.names[position])
    try:
        return {parse_flag(row[position], name) for row in file.head}
    except LabelError:
        return set()


def _has_zeros(file: TableFile, position: int) -> bool:
    return False in _flags(file, position)


def _are_flags(file: TableFile, position: int) -> bool:
    """Check whether a column contains yes and no, or yes and empty cells."""
    flags = _flags(file, position)
    return False in flags or flags == {True, None}


def schema_notes(file: TableFile, schema: TableSchema, columns: ColumnRoles) -> list[str]:
    """Describe which columns are used and which are ignored.

    Parameters
    ----------
    file : TableFile
        The open table.
    schema : TableSchema
        Its schema.
    columns : ColumnRoles
        Positions of the columns.

    Returns
    -------
    list of str
        One sentence per note.
    """
    if schema.format == "labelled":
        return []
    text = f"column{'s' * (len(schema.text) > 1)} {', '.join(map(str, schema.text))}"
    if not schema.text:
        text = f"{len(columns.features):,} numeric columns"
    label = f"column {schema.labels[0]}"
    if len(schema.labels) > 1:
        label = f"columns {', '.join(map(str, schema.labels))}"
    notes = [f"The text is the {text}, and the label the {label}."]
    if not schema.text:
        notes = [f"There is no text column; the features are {text}, and the label is the {label}."]
    if schema.text and any(PREFIX in str(row[position]) for row in file.head for position in columns.text):
        notes.append(f"Texts contain words with {PREFIX}, which may give the label away.")
    if not schema.header:
        notes.append(f"{Path(file.name).name} has no header; columns are counted from 1.")
    unused = [str(file.names[position]) for position in columns.unused if position != columns.answer]
    if unused:
        n_more = len(unused) - MAX_COLUMNS_IN_MESSAGE
        suffix = f" and {n_more} more" if n_more > 0 else ""
        notes.append(f"Not read: {', '.join(unused[:MAX_COLUMNS_IN_MESSAGE])}{suffix}.")
    return notes
