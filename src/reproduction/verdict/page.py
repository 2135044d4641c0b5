"""The pages of the report: findings first, one page a paper, and one table of all numbers; they load nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jinja2
from markupsafe import Markup

from reproduction.figures.svg_postprocess import dark_rules
from reproduction.flow.results import LEFT_OUT, is_left_out
from reproduction.verdict.evidence_levels import points, summary
from reproduction.verdict.missing_data import Lacking, Remedy, fetched, lacking
from reproduction.verdict.paper_section import ItemGroup, PaperSection
from reproduction.verdict.provenance import HOME, where_in_words
from reproduction.verdict.recorded_run import ABSENT, EQUAL, UNEQUAL, RecordedRun
from reproduction.verdict.report_rows import Item
from reproduction.verdict.tables import SIGNS, PaperTable, table_csv, table_tex
from reproduction.verdict.wording import DIFFERS, MISSING, REPRODUCED, UNDECIDED, VERDICTS
from textmix.metrics.significance import LEVEL
from textmix.pages.rendering import environment, source, style

#: Templates and scripts of this report alone; those that all pages share are in `textmix.pages`.
TEMPLATES = Path(__file__).with_name("templates")

#: Number of cells that a note under a table names.
_NAMED_CELLS = 3


@dataclass(frozen=True)
class Report(ItemGroup):
    """The content of all pages; its items are those of all papers.

    Parameters
    ----------
    sections : one for each paper, in the order of the pages.
    remedies : role -> how to get its data.
    recorded : the recorded run, or None where none is recorded.
    alone : whether it is the report of one paper, which has no page on a run.
    drawing, narrow_drawing : the picture of all judged numbers as an element of the page, wide and for a phone, if any.
    """

    sections: Sequence[PaperSection]
    remedies: Mapping[str, Remedy]
    recorded: RecordedRun | None = None
    alone: bool = False
    drawing: str = ""
    narrow_drawing: str = ""
    items: Sequence[Item] = field(init=False)

    def __post_init__(self) -> None:
        """Collect the items of all papers."""
        object.__setattr__(self, "items", [item for section in self.sections for item in section.items])

    @property
    def home(self) -> str:
        """The folder of the workflow as seen from the pages."""
        return self.sections[0].home

    @property
    def papers(self) -> list[str]:
        return [section.name for section in self.sections]

    @property
    def summary(self) -> dict[str, Any]:
        """The ladder and the counts of each paper, as `summary.json` has them."""
        return summary({one.name: (one.known, one.spec.get("own_methods", ())) for one in self.sections})

    @property
    def points(self) -> list[tuple[str, float, float, str, str]]:
        """The judged printed numbers of methods, for the picture."""
        return points(self.known)

    @property
    def unexplained(self) -> int:
        """Number of the numbers and claims of all papers that differ and are not explained."""
        return sum(len(section.unexplained) for section in self.sections)

    @property
    def lacking(self) -> list[Lacking]:
        return lacking(self.items, [used for section in self.sections for used in section.data], self.remedies)

    def section(self, paper: str) -> PaperSection:
        return next(section for section in self.sections if section.name == paper)

    def lacking_of(self, paper: str) -> list[Lacking]:
        """Return the data for which items of a paper wait."""
        return [one for one in self.lacking if paper in one.waiting]


def render_front(report: Report) -> str:
    """Return the front page as HTML: the ladder and the picture, each document, what differs and why."""
    return _render(report, "front.html", page="index")


def render_numbers(report: Report) -> str:
    """Return the page with the table of all items as HTML; its script filters and sorts the rows."""
    return _render(report, "numbers.html", page="numbers", script=source(TEMPLATES / "numbers.js"))


def render_paper(report: Report, paper: str) -> str:
    return _render(report, "paper.html", page=paper, section=report.section(paper))


def render_provenance(papers: Sequence[str], facts: Mapping[str, Any], configuration: str) -> str:
    """Return the page on the run as HTML; ``facts`` maps heading -> value, or heading -> name -> value."""
    content = {"facts": facts, "configuration": configuration}
    return _pages(papers).get_template("provenance.html").render(page="provenance", **content)


def _render(report: Report, template: str, **shown: Any) -> str:
    """Return a page of a report as HTML, made from a template and what else it shows."""
    pages, links = _pages(report.papers), _links(report.papers)
    pages.globals |= {"home": report.home, "pages": links[:-1] if report.alone else links}
    return pages.get_template(template).render(report=report, **shown)


def _pages(papers: Sequence[str]) -> jinja2.Environment:
    """Return the environment of the templates with what they share."""
    pages = environment(TEMPLATES)
    pages.globals |= {"verdicts": VERDICTS, "signs": SIGNS, "slug": slug, "notes": notes, "download": download}
    pages.globals |= {"table_csv": table_csv, "table_tex": table_tex}
    pages.globals |= {
        "LEVEL": LEVEL,
        "REPRODUCED": REPRODUCED,
        "DIFFERS": DIFFERS,
        "MISSING": MISSING,
        "UNDECIDED": UNDECIDED,
    }
    pages.globals |= {"EQUAL": EQUAL, "UNEQUAL": UNEQUAL, "ABSENT": ABSENT}
    pages.globals |= {"home": HOME, "fetched": fetched, "place": where_in_words}
    styles = style("page.css") + Markup("\n" + dark_rules())  # noqa: S704 - both are our own
    pages.globals |= {"style": styles, "papers": papers, "pages": _links(papers)}
    return pages


def _links(papers: Sequence[str]) -> list[tuple[str, str]]:
    named = [(name, name.replace("_", " ")) for name in papers]
    return [("index", "Findings"), *named, ("numbers", "All numbers"), ("provenance", "Provenance")]


def slug(text: str) -> str:
    """Return a text as a class name or part of an id: lower-case letters and digits, joined by hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def notes(table: PaperTable) -> list[tuple[str, str, str]]:
    """Return (verdict, cells, reason) for each pair of a verdict and a reason in a table, so that each is printed.

    Jobs that a run leaves out have one reason.  ``cells`` names the first cells by row and column, or is ``all cells``.
    Cells whose data are missing have no note: the list of data sets says once what is missing.
    """
    groups: dict[tuple[str, str], list[str]] = {}
    for label, cells in table.rows:
        for column, cell in zip(table.columns, cells, strict=True):
            if cell is not None and cell.reason and cell.verdict != MISSING:
                place = label if len(table.columns) == 1 else f"{label}, {column}"
                reason = f"{LEFT_OUT}, make full" if is_left_out(cell.reason) else cell.reason
                groups.setdefault((cell.verdict, reason), []).append(place)
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
