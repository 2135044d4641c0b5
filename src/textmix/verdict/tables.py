"""Tables as in the papers: a pivot of the comparison with the published and the rebuilt value in one cell."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from textmix.core import io
from textmix.core.errors import ConfigError
from textmix.verdict.compare import COMPARISON_COLUMNS, UNCONVERGED, VERDICTS, decimals, number

#: Verdict -> the sign that stands for it wherever there is no room for the word.
SIGNS = dict(zip(VERDICTS, ("✓", "≠", "∅", "○", "?"), strict=True))
_TEX_SIGNS = dict(zip(VERDICTS, (r"$\checkmark$", r"$\neq$", r"$\emptyset$", r"$\circ$", "?"), strict=True))
_TEX_ESCAPES = {c: f"\\{c}" for c in "&%$#_{}"} | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_TEX_ESCAPES |= {"\\": r"\textbackslash{}", "±": r"$\pm$", "–": "--", "∅": r"$\emptyset$"}


@dataclass(frozen=True)
class TableCell:
    """One published value with the rebuilt one, as text ready to be shown.

    Parameters
    ----------
    id : identifier of the published row.
    published, rebuilt : value and spread; empty where there is none.
    unit : their unit.
    verdict, reason : as in the comparison.
    """

    id: str
    published: str
    rebuilt: str
    unit: str
    verdict: str
    reason: str

    @property
    def sign(self) -> str:
        """Sign of the verdict; a dagger marks fits that did not converge."""
        return SIGNS[self.verdict] + ("†" if UNCONVERGED in self.reason else "")


@dataclass(frozen=True)
class PaperTable:
    """A table of cells; a cell is None where the paper has none.

    Parameters
    ----------
    name, caption : as in ``paper.yaml``.
    corner : heading of the row labels.
    columns : headings.
    rows : label and cells of each row.
    listing : True for a list with one value a row.
    """

    name: str
    caption: str
    corner: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[TableCell | None, ...]], ...]
    listing: bool = False

    @property
    def cells(self) -> list[TableCell]:
        """All cells that there are."""
        return [cell for _, cells in self.rows for cell in cells if cell is not None]


def make_table(name: str, spec: Mapping[str, Any], comparison: Iterable[Mapping[str, Any]]) -> PaperTable:
    """Return one table of a paper.

    Parameters
    ----------
    name : its name.
    spec : its entry in ``paper.yaml``: ``artefact`` (one or a list), ``rows`` and ``columns`` (columns of the
        comparison whose values become labels; without ``columns`` a list with one value a row), ``caption``.
    comparison : rows of the paper's comparison, in memory or read from csv.

    Raises
    ------
    ConfigError : the specification names no column, no row has the artefact, or two fall into one cell.
    """
    artefacts = [spec["artefact"]] if isinstance(spec["artefact"], str) else list(spec["artefact"])
    row_key, column_key = spec["rows"], spec.get("columns")
    for key in (row_key, column_key):
        if key and key not in COMPARISON_COLUMNS:
            raise ConfigError(f"tables.{name}: there is no column '{key}'; allowed: {', '.join(COMPARISON_COLUMNS)}")
    placed: dict[str, dict[str, TableCell]] = {}
    for row in comparison:
        if row["artefact"] not in artefacts or (row["verdict"] == "open" and not (row["published"] or row["rebuilt"])):
            continue
        cells = placed.setdefault(_label(row, row_key), {})
        column = _label(row, column_key) if column_key else "value"
        if column in cells:
            raise ConfigError(
                f"tables.{name}: {cells[column].id} and {row['id']} fall into one cell; use other rows or columns"
            )
        cells[column] = make_cell(row)
    if not placed:
        raise ConfigError(f"tables.{name}: no published value has the artefact {', '.join(artefacts)}; correct it")
    columns = tuple(dict.fromkeys(column for cells in placed.values() for column in cells))
    rows = tuple((label, tuple(cells.get(column) for column in columns)) for label, cells in placed.items())
    return PaperTable(name, spec["caption"], row_key, columns, rows, listing=not column_key)


def _label(row: Mapping[str, Any], key: str) -> str:
    """Return a heading; roles are names with underscores, all else stands as in the paper."""
    text = _text(row[key]) or "–"
    return text.replace("_", " ") if key == "dataset" else text


def make_cell(row: Mapping[str, Any]) -> TableCell:
    """Return a row of the comparison as a cell."""
    printed = _text(row["published"])
    published = with_spread(shown(row["published"], printed), shown(row["spread"], _text(row["spread"])))
    rebuilt = with_spread(shown(row["rebuilt"], printed), shown(row["rebuilt_spread"], printed, significant=1))
    return TableCell(row["id"], published, rebuilt, row["unit"], row["verdict"], row["reason"])


def with_spread(value: str, spread: str) -> str:
    """Return value and spread as ``value ± spread``."""
    return f"{value} ± {spread}" if value and spread else value


def shown(value: Any, printed: str, significant: int = 3) -> str:
    """Return a value with as many decimals as another is printed with, but some significant digits at least.

    Parameters
    ----------
    value : number, or text (words stay as they are).
    printed : the published number as printed.
    significant : least number of significant digits of a value that is not whole.
    """
    amount = number(value)
    if amount is None or not math.isfinite(amount):
        return _text(value)
    places = decimals(printed)
    if _text(value) != printed and not amount.is_integer():
        places = max(places, significant - 1 - math.floor(math.log10(abs(amount))))
    return f"{amount:,.{places}f}"


def _text(value: Any) -> str:
    """Return a value of a comparison row as text."""
    return "" if value is None else str(value)


def table_csv(table: PaperTable) -> str:
    """Return a table as CSV: for each column the published value, the rebuilt value and the verdict."""
    parts = ("published", "rebuilt", "verdict")
    rows = []
    for label, cells in table.rows:
        row = {table.corner: label}
        for column, cell in zip(table.columns, cells, strict=True):
            row |= {f"{column} {part}": getattr(cell, part) if cell else "" for part in parts}
        rows.append(row)
    return io.format_csv(rows, [table.corner, *(f"{column} {part}" for column in table.columns for part in parts)])


def table_tex(table: PaperTable) -> str:
    """Return a table as LaTeX (booktabs): ``published / rebuilt`` and the sign of the verdict in a cell."""
    lines = [
        r"\begin{table}",
        rf"\caption{{{_tex(table.caption)} Each cell: published / rebuilt, verdict.}}",
        rf"\begin{{tabular}}{{l{'r' * len(table.columns)}}}",
        r"\toprule",
        _tex_row([table.corner, *table.columns]),
        r"\midrule",
        *(_tex_row([label, *cells]) for label, cells in table.rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _tex_row(cells: Sequence[str | TableCell | None]) -> str:
    """Return one line of a LaTeX table."""
    return " & ".join(map(_tex_cell, cells)) + r" \\"


def _tex_cell(cell: str | TableCell | None) -> str:
    """Return one cell of a LaTeX table."""
    if cell is None or isinstance(cell, str):
        return _tex(cell or "")
    return f"{_tex(cell.published or '–')} / {_tex(cell.rebuilt or '–')} {_TEX_SIGNS[cell.verdict]}"


def _tex(text: str) -> str:
    """Escape text for LaTeX."""
    return "".join(_TEX_ESCAPES.get(character, character) for character in text)
