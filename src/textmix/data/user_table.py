"""Read a user's table: texts, labels and extra columns.

Columns that are not specified are inferred from their names and contents.  If the choice is ambiguous, an error lists
the candidates: a wrong guess is worse than a question.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, NamedTuple

import numpy as np
from scipy import sparse

from textmix.core.errors import ConfigError, DataFormatError
from textmix.data.answers import Answer, merge_answers
from textmix.data.archives import ends_line
from textmix.data.corpus import TEST, TRAIN, Corpus, Ragged, TableTexts
from textmix.data.delimited import utf8
from textmix.data.extra_columns import cell_text
from textmix.data.formats import FORMATS, format_of, name_of, without_packing
from textmix.data.labels import (
    LabelError,
    is_printed_list,
    label_name,
    label_notes,
    match_variants,
    parse_flag,
    parse_labels,
)
from textmix.data.reader_utils import SPLITS, split_array
from textmix.data.sniffing import ABSENT, PREFIX, SNIFF_LINES, TableFile, detect_format, open_table
from textmix.data.splits import parse_times, split_by_date, split_by_group
from textmix.data.table_schema import (
    ColumnOptions,
    ColumnRoles,
    Reference,
    TableSchema,
    as_list,
    find_position,
    infer_schema,
    infer_text_column,
    requested_columns,
    schema_notes,
)

__all__ = ["NewText", "Table", "TableSchema", "columns_from_card", "read_table", "read_texts"]

#: Escape sequences of label separators on the command line.
_SHELL_ESCAPES = {"\\t": "\t", "\\n": "\n"}
#: Values of a split column; validation documents are added to the training set.
_PARTS = {
    "train": TRAIN,
    "training": TRAIN,
    "val": TRAIN,
    "valid": TRAIN,
    "validation": TRAIN,
    "dev": TRAIN,
    "test": TEST,
    "testing": TEST,
}
_TRAINING_NAMES = ("train", "training")
#: Maximum length of a cell excerpt in a message.
_MAX_EXCERPT = 60
#: Maximum number of labels in a note.
_MAX_LISTED_LABELS = 5


class Table(NamedTuple):
    """Corpus and schema of a table; ``corpus.info["remarks"]`` contains notes on how the table was read."""

    corpus: Corpus
    schema: TableSchema


class NewText(NamedTuple):
    """Unlabelled text.

    Parameters
    ----------
    id : str
        Identifier; the row number from 1 if the table has no identifiers.
    line : int
        Number of its first line, from 1.
    text : bytes
        The text in UTF-8.
    cells : tuple of str, default=()
        Values of the extra columns.
    """

    id: str
    line: int
    text: bytes
    cells: tuple[str, ...] = ()


@dataclass
class _Documents:
    """Rows read so far: flat arrays of texts and labels with row offsets, and other cells."""

    text: bytearray = field(default_factory=bytearray)
    ends: array[int] = field(default_factory=lambda: array("q", [0]))
    labels: array[int] = field(default_factory=lambda: array("i"))
    label_ends: array[int] = field(default_factory=lambda: array("q", [0]))
    numbers: dict[str, int] = field(default_factory=dict)
    lines: array[int] = field(default_factory=lambda: array("q"))
    split_cells: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    cells: dict[str, list[str]] = field(default_factory=dict)
    answers: list[Answer] = field(default_factory=list)
    n_unlabelled: int = 0
    n_textless: int = 0
    n_ignored: int = 0

    def names_of(self, row: int) -> list[str]:
        """Return the labels of a row."""
        names = list(self.numbers)
        return [names[number] for number in self.labels[self.label_ends[row] : self.label_ends[row + 1]]]

    def text_of(self, row: int) -> bytes:
        """Return the text of a row."""
        return bytes(self.text[self.ends[row] : self.ends[row + 1]])

    def append(self, text: bytes, names: Sequence[str], line: int) -> None:
        """Append a row."""
        self.text += text
        self.ends.append(len(self.text))
        for name in names:
            self.labels.append(self.numbers.setdefault(name, len(self.numbers)))
        self.label_ends.append(len(self.labels))
        self.lines.append(line)

    def take(self, rows: Sequence[int], labels: Sequence[Sequence[str]]) -> _Documents:
        """Select rows and replace their labels."""
        selected = _Documents(n_unlabelled=self.n_unlabelled, n_textless=self.n_textless)
        for row, names in zip(rows, labels, strict=True):
            selected.append(self.text_of(row), names, self.lines[row])
        selected.split_cells = [self.split_cells[row] for row in rows] if self.split_cells else []
        selected.ids = [self.ids[row] for row in rows] if self.ids else []
        selected.cells = {name: [cells[row] for row in rows] for name, cells in self.cells.items()}
        return selected


class _UnexpectedList(Exception):  # noqa: N818 - a signal, not an error
    """Raised if a cell contains a printed list although no earlier cell does."""


def read_table(
    path: Path | Mapping[str, Path],
    *,
    text: Reference | Sequence[Reference] | None = None,
    labels: Reference | Sequence[Reference] | None = None,
    label_separator: str | None = None,
    multi_label: bool | None = None,
    roles: Mapping[str, Reference] = MappingProxyType({}),
    format: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    prefix: str | None = None,
    unlabelled: str = "drop",
    features: Reference | Sequence[Reference] | None = None,
    name: str | None = None,
    option_names: tuple[str, str] = ("--text", "--label"),
    may_lack_header: bool = False,
    is_numeric: bool = False,
) -> Table:
    """Read a table of texts and labels.

    Parameters
    ----------
    path : Path or mapping of str to Path
        The table; or ``train`` and ``test`` -> two tables of the same format.
    text, labels : str, int or sequence, default=None
        A column, its number from 1, or several columns (a list, or joined by commas).  Several text columns are
        joined; several label columns are indicators.  Inferred by default.
    label_separator : str, default=None
        Separator of the labels within a cell.
    multi_label : bool, default=None
        Whether a text may have several labels; inferred by default.
    roles : mapping of str to str or int, default={}
        ``parts``, ``groups``, ``dates`` or ``id`` -> column: the values train and test; groups for a group split;
        dates for a temporal split with the latest fifth as the test set; identifiers.
    format, header, encoding, delimiter, may_lack_header : default=None
        As in `textmix.data.sniffing.open_table`.
    prefix : str, default=None
        Prefix of the labels in labelled lines; fastText's is detected by default.
    unlabelled : {"drop", "refuse"}, default="drop"
        ``drop`` skips and counts rows without a label or a text; ``refuse`` rejects them, except that in multi-label
        data a row without a label has an empty label set.
    features : str, int or sequence, default=None
        Extra columns, stored with the texts (`textmix.data.corpus.TableTexts`).
    name : str, default=None
        Name of the corpus; by default the file name.
    option_names : tuple of str, default=("--text", "--label")
        Option names for text and labels, for messages.
    is_numeric : bool, default=False
        Whether the table has numeric features instead of a text; they are ``features``, or all other numeric columns.

    Returns
    -------
    Table
        The corpus and the schema of the table.

    Raises
    ------
    ConfigError
        If the format is unknown, or a column cannot be inferred.
    NumericTableError
        If the table has numeric columns instead of a text.
    DataFormatError
        If a column, cell, text, label or identifier is missing, or an identifier is not unique.
    """
    files = {"data": path} if isinstance(path, Path) else dict(path)
    separator = None if label_separator is None else _SHELL_ESCAPES.get(label_separator, label_separator)
    options = ColumnOptions(text, labels, separator, multi_label, dict(roles), features, option_names, is_numeric)
    reading = _Reading(
        options=options,
        format=format,
        header=header,
        encoding=encoding,
        delimiter=delimiter,
        prefix=prefix,
        drop=unlabelled == "drop",
        may_lack_header=may_lack_header,
    )
    try:
        reading.read(files)
    except _UnexpectedList:
        reading.restart()
        reading.read(files)
    return reading.table(files, name)


class _Reading:
    """Parser state while reading one or two files as a table."""

    def __init__(
        self,
        *,
        options: ColumnOptions,
        format: str | None,
        header: bool | None,
        encoding: str | None,
        delimiter: str | None,
        prefix: str | None,
        drop: bool,
        may_lack_header: bool,
    ) -> None:
        self._requested = options
        self.format = format
        self.header = header
        self.encoding = encoding
        self.delimiter = delimiter
        self.prefix = prefix
        self.drop = drop
        self.may_lack_header = may_lack_header
        self.printed = False
        self._clear()

    def _clear(self) -> None:
        self.options = self._requested
        self.documents = _Documents()
        self.sizes: dict[str, int] = {}
        self.notes: list[str] = []
        self.schema: TableSchema | None = None

    def restart(self) -> None:
        """Discard all rows and treat bracketed cells as lists from now on."""
        self._clear()
        self.printed = True

    def read(self, files: Mapping[str, Path]) -> None:
        """Read the files in order; the first one determines the schema."""
        for split, path in files.items():
            n_before = len(self.documents.lines)
            file = self._open(path)
            if not file.names:
                raise DataFormatError(path, None, "contains no documents: it is empty or has only a header")
            options = self.options
            lacked_header = self.may_lack_header if self.schema is None else not self.schema.header
            if lacked_header and file.header:
                options = options.without_positions()
            schema, columns = infer_schema(file, options, printed=self.printed)
            if self.schema is None:
                self.schema = schema
                self.notes += schema_notes(file, schema, columns)
                self.options = self.options._replace(text=schema.text, labels=schema.labels)
                if self.options.is_numeric:
                    self.options = self.options._replace(features=[*columns.features])
                if file.has_split and "parts" in columns.roles:
                    self.options = self.options._replace(roles={"parts": columns.roles["parts"] + 1})
            self._read_rows(file, columns)
            self._finish_file(file, path)
            self.sizes[split] = len(self.documents.lines) - n_before
            if not self.sizes[split]:
                raise DataFormatError(path, None, "contains no documents: it is empty or has only a header")
            if file.lines is not None:
                _check_end(self.documents, path)

    def _open(self, path: Path) -> TableFile:
        format, prefix = _format_and_prefix(path, self.format, self.prefix)
        options = self.options
        header = self.header
        # The second file may have a header although the first one has none; then its columns are inferred again.
        may_lack_header = self.may_lack_header or (self.schema is not None and not self.schema.header)
        if format == "labelled":
            may_lack_header = self.may_lack_header
        return open_table(
            path,
            format,
            required=requested_columns(options.text, options.labels, [*options.roles.values()], options.features),
            header=header,
            encoding=self.encoding,
            delimiter=self.delimiter,
            prefix=prefix,
            may_lack_header=may_lack_header,
        )

    def _finish_file(self, file: TableFile, path: Path) -> None:
        self.notes += file.notes
        if file.n_legacy_lines:
            problem = "lines are not UTF-8 and were read as Windows-1252"
            remedy = "if letters are wrong, give the encoding by --encoding"
            self.notes.append(f"{path.name}: {file.n_legacy_lines:,} {problem}; {remedy}.")
        if self.documents.answers:
            self.notes.append(self._merge_answers())

    def _merge_answers(self) -> str:
        """Convert accept and reject answers to labels; return a note."""
        documents = self.documents
        texts = [documents.text_of(row) for row in range(len(documents.lines))]
        labels = [documents.names_of(row) for row in range(len(documents.lines))]
        merged = merge_answers(texts, labels, documents.answers, documents.n_ignored)
        self.documents = documents.take(merged.rows, merged.labels)
        return merged.note

    def _read_rows(self, file: TableFile, columns: ColumnRoles) -> None:
        documents = self.documents
        for line, cells in file.rows:
            answer = _answer_of(cells, columns)
            if answer is Answer.IGNORE:
                documents.n_ignored += 1
                continue
            names = self._labels(file, line, cells, columns)
            if names is None and self.drop:
                documents.n_unlabelled += 1
                continue
            if names is None and self.options.multi_label is False:
                problem = "fill it in, or drop rows without a label by unlabelled: drop"
                raise DataFormatError(file.name, line, f"has no label; {problem}")
            if names is not None and self.options.multi_label is False and len(names) != 1:
                raise DataFormatError(file.name, line, f"has {len(names)} labels, where one is expected")
            text = _joined_text(file, line, cells, columns.text) if columns.text else ""
            if text is None and self.drop:
                documents.n_textless += 1
                continue
            encoded = utf8(file.name, line, text, "the text")
            for name in names or ():
                utf8(file.name, line, name, "the label")
            documents.append(encoded, names or (), line)
            if answer is not None:
                documents.answers.append(answer)
            self._read_other_cells(file, line, cells, columns)

    def _read_other_cells(self, file: TableFile, line: int, cells: Sequence[Any], columns: ColumnRoles) -> None:
        for role, position in columns.roles.items():
            value = cell_text(_require_cell(file, line, cells, position))
            _check_role(file, line, role, value)
            (self.documents.ids if role == "id" else self.documents.split_cells).append(value)
        for name, position in columns.features.items():
            cell = cell_text(_require_cell(file, line, cells, position))
            utf8(file.name, line, cell, f"the column {name}")
            self.documents.cells.setdefault(name, []).append(cell)

    def _labels(self, file: TableFile, line: int, cells: Sequence[Any], columns: ColumnRoles) -> list[str] | None:
        """Parse the labels of a row; None if it is unlabelled."""
        values = [None if cells[position] is ABSENT else cells[position] for position in columns.labels]
        try:
            if len(values) > 1:
                names = [str(file.names[position]) for position in columns.labels]
                flags = [parse_flag(value, name) for value, name in zip(values, names, strict=True)]
                if columns.flags_have_zeros and set(flags) == {None}:
                    return None
                return [label_name(name) for name, flag in zip(names, flags, strict=True) if flag]
            if not columns.printed and isinstance(values[0], str) and is_printed_list(values[0]):
                raise _UnexpectedList
            return parse_labels(values[0], self.options.label_separator, columns.printed)
        except LabelError as error:
            raise DataFormatError(file.name, line, f"the label {error}") from error

    def table(self, files: Mapping[str, Path], name: str | None) -> Table:
        """Return the corpus of all rows, and the schema."""
        assert self.schema is not None  # noqa: S101 - there is a file
        first = next(iter(files.values()))
        schema = self.schema
        if schema.multi_label is None:
            n_labels = np.diff(np.frombuffer(self.documents.label_ends, dtype=np.int64))
            schema = schema._replace(multi_label=bool(np.any(n_labels != 1)))
        split = _split(self.documents, self.sizes, first, self.options.roles, self.notes)
        ids = _ids(self.documents, self.sizes, files)
        corpus = _corpus(
            self.documents,
            schema,
            self.notes,
            sizes=self.sizes,
            ids=ids,
            split=split,
            name=name or name_of(first),
        )
        return Table(corpus, schema)


def read_texts(
    path: str | Path,
    *,
    stream: IO[bytes] | None = None,
    format: str | None = None,
    text: Reference | Sequence[Reference] | None = None,
    id: str | None = None,
    features: Sequence[Reference] = (),
    header: bool | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    option_name: str = "--text",
    may_lack_header: bool = False,
) -> tuple[Iterator[NewText], TableFile]:
    """Read the texts of a table, or of a file with one text per line.

    A JSON line may be an object or a string.  Empty lines, JSON nulls and empty cells are empty texts, so that the
    numbers of texts and lines agree.

    Parameters
    ----------
    path, stream, format, header, encoding, delimiter, may_lack_header
        As in `textmix.data.sniffing.open_table`.
    text : str, int or sequence, default=None
        The text column or columns; inferred by default.
    id : str, default=None
        The column of identifiers.
    features : sequence of str or int, default=()
        The extra columns of the model.
    option_name : str, default="--text"
        Name of the option for the text column, for messages.

    Returns
    -------
    texts : iterator of NewText
        The texts.
    file : TableFile
        The open table.

    Raises
    ------
    ConfigError
        If the format is unknown, or the text column cannot be inferred.
    DataFormatError
        If the table is not in its format, or a column is missing.
    """
    if (format or format_of(without_packing(path), FORMATS)) in ("text", None) and text is not None:
        format = _format_of_new_texts(path, stream, text) or format
    file = open_table(
        path,
        format,
        stream=stream,
        required=requested_columns(None if may_lack_header else text, id, features),
        header=header,
        encoding=encoding,
        delimiter=delimiter,
        prefix=PREFIX if format == "labelled" else "",
        n_rows=SNIFF_LINES,
        may_lack_header=may_lack_header,
    )
    if not file.names and file.format != "jsonl":
        raise DataFormatError(file.name, None, "is empty")
    if file.format == "text":
        positions = [0]
    else:
        positions = [] if text == [] else infer_text_column(file, text, option_name, may_lack_header)
    id_position = None if id is None else find_position(file, id, "--id")
    feature_positions = [find_position(file, column, "the model") for column in features]
    return _iter_texts(file, positions, id_position, feature_positions), file


def _format_of_new_texts(path: str | Path, stream: IO[bytes] | None, text: Any) -> str | None:
    """Detect whether a file of lines is labelled text or a table, like the training table of the model."""
    format = detect_format(path, stream)
    if format == "labelled":
        return "labelled" if text == 2 else None
    if format == "jsonl" and stream is not None:
        return None
    return format


def columns_from_card(card: Mapping[str, Any], text: str | None) -> dict[str, Any]:
    """Derive the arguments of `read_table` and `read_texts` from a model card.

    Parameters
    ----------
    card : mapping
        The card of the model, with the entries of `TableSchema.card`.
    text : str or None
        Text column specified by the user, which takes precedence.

    Returns
    -------
    dict
        ``text``, and ``header`` and ``may_lack_header`` if the card has a text column.  A column number is only used
        for tables without a header.
    """
    if text is not None or "text column" not in card:
        return {"text": text}
    column = card["text column"]
    if not as_list(column):
        return {"text": []}
    is_position = all(isinstance(reference, int) for reference in as_list(column))
    return {"text": column, "header": None, "may_lack_header": is_position and not card.get("header", False)}


def _iter_texts(
    file: TableFile, positions: Sequence[int], id_position: int | None, feature_positions: Sequence[int]
) -> Iterator[NewText]:
    for number, (line, cells) in enumerate(file.rows, start=1):
        name = str(number)
        if id_position is not None:
            name = cell_text(_require_cell(file, line, cells, id_position))
            utf8(file.name, line, name, "the id")
        text = _joined_text(file, line, cells, positions)
        encoded = b"" if text is None else utf8(file.name, line, text, "the text")
        extra = tuple(cell_text(_require_cell(file, line, cells, position)) for position in feature_positions)
        yield NewText(name, line, encoded, extra)


# --- rows ----------------------------------------------------------------------------------------------------------


def _format_and_prefix(path: Path, format: str | None, prefix: str | None) -> tuple[str | None, str]:
    """Determine the format of a labelled file, and the label prefix in labelled lines."""
    if format is None and format_of(without_packing(path), FORMATS) in ("text", None):
        format = detect_format(path, prefix=prefix)
        if format is None and format_of(without_packing(path), FORMATS) == "text" and prefix is None:
            problem = "plain lines have no labels; use a table, or lines with"
            raise ConfigError(f"{path.name}: {problem} {PREFIX} before each label")
        if format is None and prefix is not None:
            format = "labelled"
    if prefix is None and format == "labelled":
        prefix = PREFIX if detect_format(path) == "labelled" else ""
    return format, prefix or ""


def _answer_of(cells: Sequence[Any], columns: ColumnRoles) -> Answer | None:
    if columns.answer is None:
        return None
    value = cells[columns.answer]
    return Answer.parse(None if value is ABSENT else value)


def _require_cell(file: TableFile, line: int, cells: Sequence[Any], position: int) -> Any:
    """Return a cell; raise DataFormatError if it is missing from a JSON object."""
    if cells[position] is ABSENT:
        keys = [str(name) for name, cell in zip(file.names, cells, strict=True) if cell is not ABSENT]
        problem = f"has no {file.names[position]!r}; it has {', '.join(keys[:20]) or 'no keys'}"
        raise DataFormatError(file.name, line, problem)
    return cells[position]


def _joined_text(file: TableFile, line: int, cells: Sequence[Any], positions: Sequence[int]) -> Any:
    """Return the text of a row; join the nonempty cells of several columns with line feeds."""
    if len(positions) == 1:
        return _require_cell(file, line, cells, positions[0])
    texts = [_require_cell(file, line, cells, position) for position in positions]
    filled = [cell for cell in texts if cell is not None and cell != ""]
    wrong = next((cell for cell in filled if not isinstance(cell, str)), None)
    if wrong is not None:
        return wrong
    return "\n".join(filled) if filled else None


def _check_role(file: TableFile, line: int, role: str, value: str) -> None:
    """Reject an empty identifier, group or date, and an invalid part of the split."""
    if not value:
        problem = "has no id; fill it in, or leave the column out"
        if role != "id":
            problem = f"has no {role[:-1]}, so that it cannot be assigned to a part; fill it in"
        raise DataFormatError(file.name, line, problem)
    if role == "parts" and value.lower() not in _PARTS:
        raise DataFormatError(file.name, line, f"the split {value.lower()!r} is neither train nor test")
    utf8(file.name, line, value, f"the {role}")


def _check_end(documents: _Documents, path: Path) -> None:
    """Reject a file without a final newline if its last label is unique and a prefix of another one."""
    names = list(documents.numbers)
    for number in documents.labels[documents.label_ends[-2] :]:
        longer = [name for name in names if name != names[number] and name.startswith(names[number])]
        if longer and documents.labels.count(number) == 1 and not ends_line(path):
            label = names[number][:_MAX_EXCERPT]
            problem = f"the last line has no line end, and its label {label!r} may be {longer[0][:_MAX_EXCERPT]!r} cut"
            raise DataFormatError(path, documents.lines[-1], f"{problem}; add a line end if it is complete")


# --- the corpus ----------------------------------------------------------------------------------------------------


def _split(
    documents: _Documents, sizes: Mapping[str, int], path: Path, roles: Mapping[str, Reference], notes: list[str]
) -> np.ndarray | None:
    """Determine the split, int8 (N,), from a column or from the files; None if neither defines a split."""
    cells = documents.split_cells
    if "groups" in roles:
        split, note = split_by_group(path, cells)
    elif "dates" in roles:
        split, note = split_by_date(path, parse_times(path, documents.lines, cells), cells)
    elif "parts" in roles:
        n_validation = sum(_PARTS[cell.lower()] == TRAIN and cell.lower() not in _TRAINING_NAMES for cell in cells)
        if n_validation:
            notes.append(f"{n_validation:,} validation documents are used for training.")
        return np.array([_PARTS[cell.lower()] for cell in cells], dtype=np.int8)
    else:
        return split_array(sizes)
    notes.append(note)
    return split


def _merge_spellings(documents: _Documents, sizes: Mapping[str, int], notes: list[str]) -> dict[str, str]:
    """Match spelling variants of labels in the training and test tables; return variant -> label."""
    if set(sizes) != set(SPLITS):
        return {}
    names = list(documents.numbers)
    row = sizes[next(iter(sizes))]
    end = documents.label_ends[row]
    labels_by_split = dict(zip(sizes, ({*documents.labels[:end]}, {*documents.labels[end:]}), strict=True))
    training = [names[number] for number in labels_by_split["train"]]
    matches = match_variants([names[number] for number in sorted(labels_by_split["test"])], training)
    for name, match in matches.items():
        notes.append(f"The label {name!r} of the test table is read as {match!r}, as the training table spells it.")
    unseen = [
        names[number]
        for number in sorted(labels_by_split["test"] - labels_by_split["train"])
        if names[number] not in matches
    ]
    if unseen and len(unseen) == len(labels_by_split["test"]):
        example = unseen[0][:_MAX_EXCERPT]
        problem = f"no label of the test table occurs in the training table, for example {example!r}"
        raise DataFormatError("the test table", None, f"{problem}; check the label column of both")
    if unseen:
        listed = ", ".join(repr(name[:_MAX_EXCERPT]) for name in unseen[:_MAX_LISTED_LABELS])
        notes.append(f"{len(unseen):,} labels of the test table do not occur in the training table: {listed}.")
    return matches


def _corpus(
    documents: _Documents,
    schema: TableSchema,
    notes: list[str],
    *,
    sizes: Mapping[str, int],
    ids: list[str],
    split: np.ndarray | None,
    name: str,
) -> Corpus:
    """Return the corpus of all rows."""
    matches = _merge_spellings(documents, sizes, notes)
    indicator_names = map(label_name, schema.labels) if len(schema.labels) > 1 else ()
    names = sorted({*(matches.get(label, label) for label in documents.numbers), *indicator_names})
    number_of = {label: number for number, label in enumerate(names)}
    ranks = np.array([number_of[matches.get(label, label)] for label in documents.numbers], dtype=np.int32)
    occurrences = np.empty(0, np.int32)
    if len(documents.labels):
        occurrences = np.frombuffer(documents.labels, dtype=np.int32)
    indptr = np.frombuffer(documents.label_ends, dtype=np.int64)
    ones = np.ones(len(occurrences), np.int8)
    labels = sparse.csr_array((ones, ranks[occurrences], indptr), shape=(len(indptr) - 1, len(names)))
    labels.sort_indices()
    for number, problem in ((documents.n_unlabelled, "label"), (documents.n_textless, "text")):
        if number:
            notes.append(f"{number:,} rows without a {problem} were dropped.")
    counts = np.asarray(labels.sum(axis=0)).ravel()
    if schema.label_separator is not None and len(occurrences) and not (np.diff(indptr) > 1).any():
        notes.append(f"No text has two labels; is {schema.label_separator!r} the label separator?")
    notes += label_notes({label: int(counts[number]) for label, number in number_of.items()}, bool(schema.multi_label))
    text = Ragged(np.frombuffer(documents.text, dtype=np.uint8), np.frombuffer(documents.ends, dtype=np.int64))
    return Corpus(
        name=name,
        ids=ids,
        label_names=names,
        labels=labels,
        split=split,
        text=TableTexts.of(text, documents.cells),
        info={"remarks": notes} if notes else {},
    )


def _ids(documents: _Documents, sizes: Mapping[str, int], files: Mapping[str, Path]) -> list[str]:
    """Return unique identifiers; row numbers from 1 if the table has no identifier column."""
    if not documents.ids:
        return [
            f"{split}/{row + 1}" if split in SPLITS else str(row + 1) for split, n in sizes.items() for row in range(n)
        ]
    first_rows: dict[str, int] = {}
    for row, name in enumerate(documents.ids):
        first = first_rows.setdefault(name, row)
        if first != row:
            path = list(files.values())[0 if row < next(iter(sizes.values())) else -1]
            problem = f"duplicate id {name[:_MAX_EXCERPT]!r}, which is also in line {documents.lines[first]}"
            raise DataFormatError(path, documents.lines[row], problem)
    return documents.ids
