"""The report: one HTML page that runs no script and loads nothing from elsewhere."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from textmix.pages.rendering import environment, style
from textmix.verdict.compare import VERDICTS
from textmix.verdict.sections import PaperSection
from textmix.verdict.tables import SIGNS, PaperTable, table_csv, table_tex

#: Number of cells that a note under a table names.
_NAMED_CELLS = 3


def render_page(sections: Sequence[PaperSection], provenance: Mapping[str, Any]) -> str:
    """Return the page as HTML.

    Parameters
    ----------
    sections : one for each paper, in the order of the page.
    provenance : heading -> value, or heading -> name -> value (versions, seeds, seconds, machine).
    """
    pages = environment()
    pages.globals |= {"verdicts": VERDICTS, "signs": SIGNS, "slug": slug, "notes": notes, "download": download}
    pages.globals |= {"table_csv": table_csv, "table_tex": table_tex}
    pages.tests["plain"] = lambda value: not isinstance(value, Mapping)
    total = {verdict: sum(section.counts[verdict] for section in sections) for verdict in VERDICTS}
    content = {"sections": sections, "total": total, "provenance": provenance, "style": style("page.css")}
    return pages.get_template("page.html").render(content)


def slug(text: str) -> str:
    """Return a text as a class name or part of an id: lower-case letters and digits, joined by hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def notes(table: PaperTable) -> list[tuple[str, str, str]]:
    """Return (verdict, cells, reason) for each pair of a verdict and a reason in a table, so that each is printed.

    ``cells`` names the first cells with this verdict and reason by row and column, or is ``all cells``.
    """
    groups: dict[tuple[str, str], list[str]] = {}
    for label, cells in table.rows:
        for column, cell in zip(table.columns, cells, strict=True):
            if cell is not None and cell.reason:
                place = label if len(table.columns) == 1 else f"{label}, {column}"
                groups.setdefault((cell.verdict, cell.reason), []).append(place)
    number = len(table.cells)
    return [
        (verdict, "all cells" if len(places) == number else _places(places), reason)
        for (verdict, reason), places in groups.items()
    ]


def download(text: str) -> str:
    """Return a link from which a browser saves a text; the text lies inside the link."""
    return f"data:text/plain;charset=utf-8,{quote(text)}"


def _places(places: Sequence[str]) -> str:
    """Return the first places by name and the number of the rest."""
    more = len(places) - _NAMED_CELLS
    return "; ".join(places[:_NAMED_CELLS]) + (f"; {more} more" if more > 0 else "")
