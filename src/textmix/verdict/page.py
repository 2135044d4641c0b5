"""The report: one HTML page that needs no network, no script and nothing beside it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

import defusedxml.ElementTree as SafeTree
from markupsafe import Markup

from textmix.core import io
from textmix.core.errors import ConfigError, DataFormatError, MissingResult
from textmix.pages.rendering import environment, style
from textmix.verdict.compare import MISSING, NOT_RUN, VERDICTS, count_verdicts, not_chosen
from textmix.verdict.published import Deviation, Record, read_record
from textmix.verdict.tables import SIGNS, Cell, Table, make_cell, make_table, table_csv, table_tex

_STATEMENTS = ("claim", "equation")
_SVG_REFERENCE = re.compile(r"url\(#([^)]+)\)")


@dataclass(frozen=True)
class Drawing:
    """A figure of the page: inline SVG, or the reason why there is none."""

    name: str
    title: str
    caption: str
    svg: Markup | None
    reason: str = ""


@dataclass(frozen=True)
class DataUsed:
    """A data set as a paper names it (role), what stands for it, its terms, and what is missing."""

    role: str
    dataset: str
    title: str
    terms: str
    comparable: str
    note: str
    size: str
    missing: str = ""


@dataclass(frozen=True)
class Line:
    """One row of the comparison as the page lists it."""

    cell: Cell
    anchor: str
    kind: str
    what: str
    difference: str
    tolerance: str
    where: str


@dataclass(frozen=True)
class Part:
    """Everything the page says of one paper."""

    name: str
    title: str
    citation: str
    status: str
    counts: Mapping[str, int]
    lines: Sequence[Line]
    tables: Sequence[Table]
    figures: Sequence[Drawing]
    deviations: Sequence[Deviation]
    data: Sequence[DataUsed]

    @property
    def total(self) -> int:
        """Number of published rows."""
        return sum(self.counts.values())

    @property
    def claims(self) -> list[Line]:
        """Claims in words."""
        return [line for line in self.lines if line.kind == "claim"]

    @property
    def equations(self) -> list[Line]:
        """Equations."""
        return [line for line in self.lines if line.kind == "equation"]

    @property
    def further(self) -> list[Line]:
        """Numbers that stand in none of the tables."""
        shown = {cell.id for table in self.tables for cell in table.cells}
        return [line for line in self.lines if line.kind not in _STATEMENTS and line.cell.id not in shown]


class Known(Protocol):
    """What the page needs of a registry entry."""

    @property
    def title(self) -> str:
        """Title of the data set."""

    @property
    def terms(self) -> str:
        """Terms of use."""


@dataclass(frozen=True)
class Sources:
    """Where the report finds its parts.

    Parameters
    ----------
    config, schemas, results : the folders ``config``, ``workflow/schemas`` and ``results``.
    papers : paper -> its ``paper.yaml``, in the order of the page.
    data : role -> entry of the configuration (dataset, comparable, note).
    chosen : the papers that this run was asked for.
    registry : data set -> its entry of the registry.
    """

    config: Path
    schemas: Path
    results: Path
    papers: Mapping[str, Mapping[str, Any]]
    data: Mapping[str, Mapping[str, Any]]
    chosen: Sequence[str]
    registry: Mapping[str, Known]


def read_parts(sources: Sources) -> tuple[list[Part], list[list[dict[str, Any]]]]:
    """Read what the page says of every paper.

    Returns
    -------
    parts : one a paper.
    comparisons : the rows of the comparison of every paper; papers not chosen have only ``not run``.

    Raises
    ------
    ConfigError : a configuration file is at fault.
    IntegrityError : a result was changed by hand.
    """
    parts, comparisons = [], []
    for name, spec in sources.papers.items():
        record = read_record(sources.config / "papers" / name, sources.schemas)
        rows = _comparison(sources, name, record)
        data = [_data_used(sources, role) for role in spec["roles"]]
        figures = [_drawing(sources, name, figure, entry) for figure, entry in spec["figures"].items()]
        parts.append(make_part(name, spec, record, rows, figures=figures, data=data))
        comparisons.append(rows)
    return parts, comparisons


def make_part(
    name: str,
    spec: Mapping[str, Any],
    record: Record,
    rows: Sequence[Mapping[str, Any]],
    *,
    figures: Sequence[Drawing] = (),
    data: Sequence[DataUsed] = (),
) -> Part:
    """Return the part of a paper from its specification, what is published of it and its comparison."""
    by_id = {row.id: row for row in record.rows}
    lines: list[Line] = []
    for row in rows:
        published = by_id[row["id"]]
        what = " · ".join(part for part in (row["dataset"], row["method"], row["metric"]) if part)
        cell = make_cell(row)
        difference = make_cell({**row, "rebuilt": row["difference"], "rebuilt_spread": ""}).rebuilt
        places = (published.kind, what, difference, row["tolerance"], published.where)
        lines.append(Line(cell, f"n-{name}-{len(lines) + 1}", *places))
    tables = [make_table(key, entry, rows) for key, entry in spec["tables"].items()]
    head = (name, spec["title"], spec["citation"], spec["status"])
    return Part(*head, count_verdicts(rows), lines, tables, figures, record.deviations, data)


def render_page(parts: Sequence[Part], provenance: Mapping[str, Any]) -> str:
    """Return the page.

    Parameters
    ----------
    parts : one a paper, in order.
    provenance : heading -> value, or heading -> mapping of names to values (versions, seeds, seconds, machine).
    """
    pages = environment()
    pages.globals |= {"verdicts": VERDICTS, "signs": SIGNS, "slug": slug, "notes": notes, "download": download}
    pages.globals |= {"table_csv": table_csv, "table_tex": table_tex}
    pages.tests["plain"] = lambda value: not isinstance(value, Mapping)
    total = {verdict: sum(part.counts[verdict] for part in parts) for verdict in VERDICTS}
    content = {"parts": parts, "total": total, "provenance": provenance, "style": style("page.css")}
    return pages.get_template("page.html").render(content)


def slug(text: str) -> str:
    """Return text as a class name or part of an id."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def notes(table: Table) -> list[tuple[str, str, str]]:
    """Return verdict, cells and reason of every different reason in a table, so that no reason hides in a tooltip."""
    groups: dict[tuple[str, str], list[str]] = {}
    for label, cells in table.rows:
        for column, cell in zip(table.columns, cells, strict=True):
            if cell is not None and cell.reason:
                place = label if len(table.columns) == 1 else f"{label}, {column}"
                groups.setdefault((cell.verdict, cell.reason), []).append(place)
    everywhere = len(table.cells)
    return [
        (verdict, "all cells" if len(places) == everywhere else _places(places), reason)
        for (verdict, reason), places in groups.items()
    ]


def download(text: str) -> str:
    """Return a text as the address of a download that lies inside the page."""
    return f"data:text/plain;charset=utf-8,{quote(text)}"


def _places(places: Sequence[str]) -> str:
    """Return the first places by name and the number of the others."""
    more = len(places) - 3
    return "; ".join(places[:3]) + (f"; {more} more" if more > 0 else "")


def inline_svg(svg: bytes, prefix: str, name: str) -> Markup:
    """Return a drawing to stand inside the page: ids made unique, nothing that loads or runs.

    Parameters
    ----------
    svg : the file's bytes.
    prefix : put before every id and every reference to one.
    name : name of the file, for messages.

    Raises
    ------
    DataFormatError : it is no SVG, or holds a script, a handler or an outside reference.
    """
    try:
        root = SafeTree.fromstring(svg)
    except Exception as error:
        raise DataFormatError(name, None, f"is no SVG ({error}); delete it and run again") from error
    for parent in list(root.iter()):
        for child in list(parent):
            # Its one rule would apply to every drawing on the page; the root takes it over below.
            if _local(child.tag) == "style":
                parent.remove(child)
    for element in root.iter():
        element.tag = _local(element.tag)
        attributes = {_local(key): value for key, value in element.attrib.items()}
        if element.tag in ("script", "foreignObject", "image") or any(key.startswith("on") for key in attributes):
            raise DataFormatError(name, None, f"holds <{element.tag}> or a handler; delete it and run again")
        element.attrib.clear()
        element.attrib.update({key: _own(key, value, prefix, name) for key, value in attributes.items()})
    for key in ("width", "height", "version"):
        root.attrib.pop(key, None)
    root.attrib |= {"role": "img", "aria-labelledby": f"{prefix}-caption", "class": "drawing"}
    # Parsed, checked and written anew above: no text of it is raw.
    return Markup(SafeTree.tostring(root, encoding="unicode"))  # noqa: S704


def _local(tag: str) -> str:
    """Return a tag or attribute without its XML namespace (HTML knows SVG without)."""
    return str(tag).rpartition("}")[2]


def _own(key: str, value: str, prefix: str, name: str) -> str:
    """Return an attribute of a drawing with its id or references made unique."""
    if key == "id":
        return f"{prefix}-{value}"
    if key == "href":
        if not value.startswith("#"):
            raise DataFormatError(name, None, f"refers to {value}; a drawing must not load anything")
        return f"#{prefix}-{value[1:]}"
    return _SVG_REFERENCE.sub(rf"url(#{prefix}-\1)", value)


def _comparison(sources: Sources, paper: str, record: Record) -> list[dict[str, Any]]:
    """Return the rows of a paper's comparison; all not run where the run was not asked for it."""
    if paper not in sources.chosen:
        return not_chosen(record.rows, paper)
    path = sources.results / "papers" / paper / "comparison.csv"
    io.check_result(path)
    return list(io.read_csv(path))


def _drawing(sources: Sources, paper: str, figure: str, entry: Mapping[str, Any]) -> Drawing:
    """Return a figure of a paper, or why there is none."""
    path = sources.results / "papers" / paper / "figures" / f"{figure}.svg"
    head = (figure, entry["title"], entry["caption"])
    if not path.is_file():
        return Drawing(*head, None, f"{NOT_RUN}: this run did not draw it")
    try:
        io.check_result(path)
    except MissingResult as missing:
        return Drawing(*head, None, f"{MISSING}: {missing.reason}")
    return Drawing(*head, inline_svg(path.read_bytes(), f"f-{paper}-{figure}", path.name))


def _data_used(sources: Sources, role: str) -> DataUsed:
    """Return a role's data set with its terms, its size where it was read, and what is missing."""
    entry = sources.data[role]
    dataset, note = entry["dataset"], entry.get("note", "")
    if dataset is None:
        return DataUsed(role, "", "", "", entry["comparable"], note, "", note or "the configuration names none")
    if dataset not in sources.registry:
        raise ConfigError(f"config/datasets.yaml: there is no '{dataset}', which data.{role} names; add it")
    known = sources.registry[dataset]
    folder, size, missing = sources.results / "datasets" / dataset, "", "not read in this run"
    if folder.is_dir():
        try:
            io.check_result(folder)
            found = io.read_json(folder / "corpus.json")["statistics"]
            size, missing = f"{found['documents']:,} documents, {found['labels']:,} labels", ""
        except MissingResult as error:
            missing = error.reason
    return DataUsed(role, dataset, known.title, known.terms, entry["comparable"], note, size, missing)
