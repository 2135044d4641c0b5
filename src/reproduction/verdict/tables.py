"""Tables as in the papers: the comparison as rows and columns, with published and rebuilt value in one cell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from reproduction.verdict.compare import UNCONVERGED
from reproduction.verdict.wording import OPEN, VERDICTS, shown, text_of, typeset, with_deviation
from textmix.core import io
from textmix.core.errors import ConfigError

#: Verdict -> the sign of it, for places that are too narrow for the word.
SIGNS = dict(zip(VERDICTS, ("✓", "≠", "≈", "∅", "○", "?"), strict=True))
#: A table of rows and columns with a smaller share of filled cells is a list.
_SPARSE = 1 / 3
_TEX_SIGNS = dict(
    zip(VERDICTS, (r"$\checkmark$", r"$\neq$", r"$\approx$", r"$\emptyset$", r"$\circ$", "?"), strict=True)
)
_TEX_ESCAPES = {c: f"\\{c}" for c in "&%$#_{}"} | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_TEX_ESCAPES |= {"\\": r"\textbackslash{}", "±": r"$\pm$", "–": "--", "∅": r"$\emptyset$"}


@dataclass(frozen=True)
class TableCell:
    """One published value and the rebuilt one, as text: each value, or value ± standard deviation, empty where there is
    none.  ``recorded`` and ``recorded_verdict`` are those of the recorded run, where this run did not judge the row.
    """

    id: str
    published: str
    rebuilt: str
    unit: str
    verdict: str
    reason: str
    recorded: str = ""
    recorded_verdict: str = ""

    @property
    def sign(self) -> str:
        """Sign of the verdict; a dagger marks fits that did not converge."""
        return SIGNS[self.verdict] + ("†" if UNCONVERGED in self.reason else "")


@dataclass(frozen=True)
class PaperTable:
    """A table of cells; a cell is None where the paper prints nothing.  ``corner`` is the heading of the column of row
    labels; ``rows`` are label and cells, one for each column; a ``listing`` has one value in each row.
    """

    name: str
    caption: str
    corner: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[TableCell | None, ...]], ...]
    listing: bool = False

    @property
    def cells(self) -> list[TableCell]:
        return [cell for _, cells in self.rows for cell in cells if cell is not None]

    @property
    def filled(self) -> bool:
        """Whether a cell has a value of this run or of the recorded one."""
        return any(cell.rebuilt or cell.recorded for cell in self.cells)


def make_table(name: str, spec: Mapping[str, Any], comparison: Iterable[Mapping[str, Any]]) -> PaperTable:
    """Return one table of a paper, with rows and columns in the order of the comparison.

    ``spec`` is its entry in ``paper.yaml``: ``artefact`` (one or a list), ``caption``, and ``rows`` and ``columns``,
    which each name a column of the comparison whose values become labels; without ``columns``, or where most cells
    would be empty, the table is a list.  The pivot of pandas sorts the labels, and its error does not name the rows
    that share a cell.
    """
    artefacts = [spec["artefact"]] if isinstance(spec["artefact"], str) else list(spec["artefact"])
    row_key, column_key = spec["rows"], spec.get("columns")
    placed: dict[str, dict[str, TableCell]] = {}
    for row in comparison:
        empty = row["verdict"] == OPEN and not (row["published"] or row["rebuilt"])
        if row["artefact"] in artefacts and not empty:
            cells, cell = placed.setdefault(_label(row, row_key), {}), make_cell(row)
            column = _label(row, column_key) if column_key else "value"
            if column in cells:
                both = f"{cells[column].id} and {cell.id}"
                raise ConfigError(f"tables.{name}: {both} fall into one cell; use other rows or columns")
            cells[column] = cell
    if not placed:
        raise ConfigError(f"tables.{name}: no published value has the artefact {', '.join(artefacts)}; correct it")
    columns = tuple(dict.fromkeys(column for cells in placed.values() for column in cells))
    rows = tuple((label, tuple(cells.get(column) for column in columns)) for label, cells in placed.items())
    filled = sum(map(len, placed.values()))
    if filled < _SPARSE * len(rows) * len(columns):
        one = [(f"{column}: {label}", (cell,)) for label, cells in placed.items() for column, cell in cells.items()]
        return PaperTable(name, spec["caption"], row_key, ("value",), tuple(one), listing=True)
    return PaperTable(name, spec["caption"], row_key, columns, rows, listing=not column_key)


def _label(row: Mapping[str, Any], key: str) -> str:
    """Return a label: the value of a column; in the names of roles blanks replace underscores."""
    text = text_of(row[key]) or "–"
    return text.replace("_", " ") if key == "dataset" else text


def make_cell(row: Mapping[str, Any]) -> TableCell:
    """Return a row of the comparison, in memory or read from csv, as a cell."""
    printed = text_of(row["published"])
    published = with_deviation(shown(row["published"], printed), shown(row["spread"], text_of(row["spread"])))
    rebuilt = with_deviation(shown(row["rebuilt"], printed), shown(row["rebuilt_spread"], printed, significant=1))
    words = (row["unit"], row["verdict"], typeset(row["reason"]))
    then = (row.get("recorded", ""), row.get("recorded_verdict", ""))
    return TableCell(row["id"], published, rebuilt, *words, *then)


def table_csv(table: PaperTable) -> str:
    """Return a table as CSV; each column becomes three, with published value, rebuilt value and verdict."""
    parts = ("published", "rebuilt", "verdict")
    rows = []
    for label, cells in table.rows:
        row = {table.corner: label}
        for column, cell in zip(table.columns, cells, strict=True):
            row |= {f"{column} {part}": getattr(cell, part) if cell else "" for part in parts}
        rows.append(row)
    return io.format_csv(rows, [table.corner, *(f"{column} {part}" for column in table.columns for part in parts)])


def table_tex(table: PaperTable) -> str:
    """Return a table as LaTeX (booktabs); a cell holds ``published / rebuilt`` and the sign of the verdict."""
    rows = [[_tex(label), *map(_tex_cell, cells)] for label, cells in table.rows]
    frame = pd.DataFrame(rows, columns=[_tex(heading) for heading in (table.corner, *table.columns)])
    # The cells hold LaTeX signs already, so the text in them is escaped here and not by pandas.
    text: str = frame.to_latex(
        index=False,
        escape=False,
        column_format=f"l{'r' * len(table.columns)}",
        caption=f"{_tex(table.caption)} Each cell: published / rebuilt, verdict.",
    )
    return text


def _tex_cell(cell: TableCell | None) -> str:
    """Return one cell of a LaTeX table; empty where the paper prints nothing."""
    if cell is None:
        return ""
    return f"{_tex(cell.published or '–')} / {_tex(cell.rebuilt or '–')} {_TEX_SIGNS[cell.verdict]}"


def _tex(text: str) -> str:
    """Return a text with the characters escaped that LaTeX would read as commands."""
    return "".join(_TEX_ESCAPES.get(character, character) for character in text)
