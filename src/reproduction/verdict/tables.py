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

#: Tables with a smaller fraction of nonempty cells are converted to lists.
MIN_FILLED = 1 / 3
#: Each column of a table is written as three columns in its CSV file.
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
        Label and items of each row, one item per column, None for an empty cell of the paper.
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
        """Whether any item has a value of this run or of the recorded one."""
        return any(item.row.reproduced_text or item.recorded_text for item in self.items)


def make_table(name: str, spec: Mapping[str, Any], items: Iterable[Item]) -> PaperTable:
    """Build a table of a paper, with rows and columns in the order of the comparison.

    `pandas.pivot` would sort the labels, and its error does not list the rows with the same cell.

    Parameters
    ----------
    name : str
        Name of the table.
    spec : mapping
        Its entry in ``paper.yaml``: ``artefact`` (one or a list), ``caption``, and ``rows`` and ``columns``, which are
        columns of the comparison that provide the labels.  Without ``columns``, or if most cells would be empty, the
        table is a list.
    items : iterable of Item
        The items of the paper.

    Returns
    -------
    table : PaperTable

    Raises
    ------
    ConfigError
        If two items have the same cell, or no item belongs to the table.
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
    """Return the label of a row: the value of a column, with spaces instead of underscores for roles."""
    text = text_of(getattr(row, key)) or "–"
    return text.replace("_", " ") if key == "dataset" else text


def table_csv(table: PaperTable) -> str:
    """Format a table as CSV; each column becomes three, with published value, reproduced value and verdict."""
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
    """Format a table as LaTeX (booktabs); cells contain ``published / reproduced`` and the sign of the verdict."""
    rows = [[_escape_tex(label), *map(_tex_cell, items)] for label, items in table.rows]
    frame = pd.DataFrame(rows, columns=[_escape_tex(heading) for heading in (table.corner, *table.columns)])
    # The cells already contain LaTeX markup, so their text is escaped here and not by pandas.
    text: str = frame.to_latex(
        index=False,
        escape=False,
        column_format=f"l{'r' * len(table.columns)}",
        caption=tex_caption(_escape_tex(table.caption)),
    )
    return text


def _tex_cell(item: Item | None) -> str:
    """Format one cell of a LaTeX table; "" for an empty cell of the paper."""
    if item is None:
        return ""
    published = _escape_tex(item.row.published_text or "–")
    reproduced = _escape_tex(item.row.reproduced_text or "–")
    return f"{published} / {reproduced} {TEX_SIGNS[item.verdict]}"


def _escape_tex(text: str) -> str:
    """Escape LaTeX special characters."""
    return "".join(TEX_ESCAPES.get(character, character) for character in text)
