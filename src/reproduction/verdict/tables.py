"""Tables as in the papers: the comparison as rows and columns, with published and reproduced value in one cell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from reproduction.verdict.comparison_row import ComparisonRow
from reproduction.verdict.report_rows import Item
from reproduction.verdict.wording import LISTED, OPEN, TEX_SIGNS, tex_caption, text_of
from textmix.core import io
from textmix.core.errors import ConfigError

#: A table of rows and columns with a smaller proportion of filled cells becomes a list.
MIN_FILLED = 1 / 3
#: Each column of a table becomes three in its CSV file.
CSV_COLUMNS = ("published", "reproduced", "verdict")
TEX_ESCAPES = {character: f"\\{character}" for character in "&%$#_{}"} | {
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
    "±": r"$\pm$",
    "–": "--",
    "∅": r"$\emptyset$",
}


@dataclass(frozen=True)
class PaperTable:
    """A table of items.

    Parameters
    ----------
    name, caption : str
        As in ``paper.yaml``.
    corner : str
        Heading of the column of row labels.
    columns : tuple of str
        Column labels.
    rows : tuple
        Label and items of each row, one for each column; an item is None if the paper has no value there.
    is_list : bool, default=False
        Whether each row has one value.
    """

    name: str
    caption: str
    corner: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Item | None, ...]], ...]
    is_list: bool = False

    @property
    def items(self) -> list[Item]:
        return [item for _, items in self.rows for item in items if item is not None]

    @property
    def has_values(self) -> bool:
        """Whether an item has a value of this run or of the recorded one."""
        return any(item.row.reproduced_text or item.recorded_text for item in self.items)


def make_table(name: str, spec: Mapping[str, Any], items: Iterable[Item]) -> PaperTable:
    """Return one table of a paper, with rows and columns in the order of the comparison.

    The pivot of pandas would sort the labels, and its error does not name the rows that share a cell.

    Parameters
    ----------
    name : str
        Name of the table.
    spec : mapping
        Its entry in ``paper.yaml``: ``artefact`` (one or a list), ``caption``, and ``rows`` and ``columns``, which each
        name a column of the comparison whose values become labels.  Without ``columns``, or if most cells would be
        empty, the table is a list.
    items : iterable of Item
        The items of the paper.

    Returns
    -------
    table : PaperTable

    Raises
    ------
    ConfigError
        If two items fall into one cell, or no item belongs to the table.
    """
    artefacts = [spec["artefact"]] if isinstance(spec["artefact"], str) else list(spec["artefact"])
    row_key = spec["rows"]
    column_key = spec.get("columns")
    pivot: dict[str, dict[str, Item]] = {}
    for item in items:
        row = item.row
        is_empty = row.verdict == OPEN and not (row.published or row.reproduced)
        if row.artefact not in artefacts or is_empty:
            continue
        cells = pivot.setdefault(_label(row, row_key), {})
        column = _label(row, column_key) if column_key else LISTED
        if column in cells:
            pair = f"{cells[column].row.id} and {row.id}"
            raise ConfigError(f"tables.{name}: {pair} fall into one cell; use other rows or columns")
        cells[column] = item
    if not pivot:
        raise ConfigError(f"tables.{name}: no published value has the artefact {', '.join(artefacts)}; correct it")
    columns = tuple(dict.fromkeys(column for cells in pivot.values() for column in cells))
    n_filled = sum(map(len, pivot.values()))
    if n_filled < MIN_FILLED * len(pivot) * len(columns):
        lines = [(f"{column}: {label}", (item,)) for label, cells in pivot.items() for column, item in cells.items()]
        return PaperTable(name, spec["caption"], row_key, (LISTED,), tuple(lines), is_list=True)
    rows = tuple((label, tuple(cells.get(column) for column in columns)) for label, cells in pivot.items())
    return PaperTable(name, spec["caption"], row_key, columns, rows, is_list=not column_key)


def _label(row: ComparisonRow, key: str) -> str:
    """Return a label: the value of a column; in the names of roles spaces replace underscores."""
    text = text_of(getattr(row, key)) or "–"
    return text.replace("_", " ") if key == "dataset" else text


def table_csv(table: PaperTable) -> str:
    """Return a table as CSV; each column becomes three, with published value, reproduced value and verdict."""
    lines = []
    for label, items in table.rows:
        line = {table.corner: label}
        for column, item in zip(table.columns, items, strict=True):
            texts = (item.row.published_text, item.row.reproduced_text, item.verdict) if item else ("", "", "")
            for suffix, text in zip(CSV_COLUMNS, texts, strict=True):
                line[f"{column} {suffix}"] = text
        lines.append(line)
    return io.format_csv(
        lines, [table.corner, *(f"{column} {suffix}" for column in table.columns for suffix in CSV_COLUMNS)]
    )


def table_tex(table: PaperTable) -> str:
    """Return a table as LaTeX (booktabs); a cell has ``published / reproduced`` and the sign of the verdict."""
    rows = [[_escape_tex(label), *map(_tex_cell, items)] for label, items in table.rows]
    frame = pd.DataFrame(rows, columns=[_escape_tex(heading) for heading in (table.corner, *table.columns)])
    # The cells contain LaTeX signs already, so their text is escaped here and not by pandas.
    text: str = frame.to_latex(
        index=False,
        escape=False,
        column_format=f"l{'r' * len(table.columns)}",
        caption=tex_caption(_escape_tex(table.caption)),
    )
    return text


def _tex_cell(item: Item | None) -> str:
    """Return one cell of a LaTeX table; empty if the paper has no value there."""
    if item is None:
        return ""
    published = _escape_tex(item.row.published_text or "–")
    reproduced = _escape_tex(item.row.reproduced_text or "–")
    return f"{published} / {reproduced} {TEX_SIGNS[item.verdict]}"


def _escape_tex(text: str) -> str:
    """Escape the characters that LaTeX would read as commands."""
    return "".join(TEX_ESCAPES.get(character, character) for character in text)
