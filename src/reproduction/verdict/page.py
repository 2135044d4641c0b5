"""HTML pages of the report: overview, one page per paper, and a table of all results; they are self-contained."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jinja2
from markupsafe import Markup

from reproduction.figures.svg_postprocess import dark_rules
from reproduction.flow.results import is_skipped_result
from reproduction.verdict.evidence_levels import Point, points, summary
from reproduction.verdict.missing_data import RESULT_KINDS, DatasetNeed, DataUsed, Remedy, dataset_needs
from reproduction.verdict.paper_section import ItemGroup, PaperSection
from reproduction.verdict.published import CLAIM
from reproduction.verdict.recorded_run import RecordedRun
from reproduction.verdict.replication import scorecard
from reproduction.verdict.report_rows import Item
from reproduction.verdict.tables import PaperTable, table_csv, table_tex
from reproduction.verdict.wording import (
    ABSENT,
    DIFFERS,
    EQUAL,
    JUDGED,
    LEFT_OUT_OF_RUN,
    MISSING,
    NO,
    NOT_TESTABLE,
    REPRODUCED,
    SIGNS,
    UNDECIDED,
    UNEQUAL,
    VERDICTS,
    YES,
    cells_text,
    undecidable_row_text,
    where_in_words,
)
from reproduction.verdict.yardstick import Yardstick
from textmix.metrics.significance import LEVEL
from textmix.pages.rendering import environment, source, style

#: Templates and scripts specific to this report; common ones are in `textmix.pages`.
TEMPLATES = Path(__file__).with_name("templates")


@dataclass(frozen=True)
class Report(ItemGroup):
    """Content of all pages; its items are the items of all papers.

    Parameters
    ----------
    sections : sequence of PaperSection
        One section per paper, in the order of the pages.
    remedies : mapping of str to Remedy
        Role -> how to obtain its data.
    recorded : RecordedRun or None, default=None
        The recorded run, if available.
    is_alone : bool, default=False
        Whether this is the report of a single paper, which has no page on the run.
    is_rehearsal : bool, default=False
        Whether the data of the run are synthetic.
    drawing, narrow_drawing : str, default=""
        Summary figure as an HTML element, for wide and narrow screens.
    """

    sections: Sequence[PaperSection]
    remedies: Mapping[str, Remedy]
    recorded: RecordedRun | None = None
    is_alone: bool = False
    is_rehearsal: bool = False
    drawing: str = ""
    narrow_drawing: str = ""
    items: Sequence[Item] = field(init=False)
    data: Sequence[DataUsed] = field(init=False)

    def __post_init__(self) -> None:
        """Collect the items and data sets of all papers."""
        items = [item for section in self.sections for item in section.items]
        object.__setattr__(self, "items", items)
        by_role = {used.role: used for section in self.sections for used in section.data}
        object.__setattr__(self, "data", list(by_role.values()))

    @property
    def papers(self) -> list[str]:
        return [section.name for section in self.sections]

    @property
    def summary(self) -> dict[str, Any]:
        """The evidence levels, the counts and the scorecards, as in ``summary.json``."""
        content = summary({section.name: (section.known, section.own_patterns) for section in self.sections})
        for name, entry in self.yardstick["papers"].items():
            content["papers"][name] |= entry
        content["overall"] = self.yardstick["overall"]
        return content

    @cached_property
    def replications(self) -> Yardstick:
        """Simulated perfect replications of all papers."""
        return Yardstick.merge(section.yardstick for section in self.sections)

    @cached_property
    def undecidable(self) -> dict[str, str]:
        """Row id -> label, for the results that are not decidable from the published data."""
        rows = self.yardstick["overall"]["undecidable_rows"]
        return {row: undecidable_row_text(self.replications.probability(row)) for row in rows}

    @cached_property
    def yardstick(self) -> dict[str, Any]:
        """What this reproduction and a perfect replication score, in total (``overall``) and by paper (``papers``)."""
        own_patterns = [pattern for section in self.sections for pattern in section.own_patterns]
        curves = [curve for section in self.sections for curve in section.specification.curves]
        overall = scorecard(self.known, own_patterns, curves, self.replications)
        papers = {}
        answers: Counter[str] = Counter()
        for section in self.sections:
            claims = [asdict(claim) for claim in section.main_claims]
            papers[section.name] = {
                **section.scorecard.as_json(),
                "main_claims": claims,
                "registered_alternatives": {
                    "rows": len(section.specification.registered_rows),
                    "rows_with_values": len(section.specification.evaluated_rows),
                    "not_run": sorted(section.specification.not_run),
                },
            }
            answers.update(claim["answer"] for claim in claims)
        counts = {answer: answers[answer] for answer in (YES, NO, NOT_TESTABLE)}
        return {"overall": {**overall.as_json(), "main_claims": counts}, "papers": papers}

    @property
    def points(self) -> list[Point]:
        """The judged published values of methods, for the summary figure."""
        return points(self.known)

    @property
    def claims(self) -> dict[str, dict[str, int]]:
        """Paper -> verdict -> number of judged claims, for the summary figure."""
        counts = {paper: dict.fromkeys(JUDGED, 0) for paper in self.papers}
        for item in self.known:
            if item.known and item.row.kind == CLAIM:
                counts[item.row.paper][item.known.verdict] += 1
        return counts

    @property
    def n_unexplained(self) -> int:
        """Number of unexplained differing numbers and claims, over all papers."""
        return sum(len(section.unexplained) for section in self.sections)

    @property
    def n_recorded_unexplained(self) -> int:
        """Number of unexplained differing results that only the recorded run judged, over all papers."""
        return sum(len(section.recorded_unexplained) for section in self.sections)

    @property
    def dataset_needs(self) -> list[DatasetNeed]:
        """The data sets of all papers, those first that most results wait for."""
        return dataset_needs(self.items, self.data, self.remedies)

    @property
    def missing_data(self) -> list[DatasetNeed]:
        """The data sets that results of this run wait for."""
        return [need for need in self.dataset_needs if need.n_waiting]

    @property
    def ordered_items(self) -> list[Item]:
        """All items: evaluated results first, then other results, then rows that are not results."""
        return sorted(self.items, key=lambda item: (item.counts_as not in RESULT_KINDS, not item.row.is_judged))

    def section(self, paper: str) -> PaperSection:
        return next(section for section in self.sections if section.name == paper)

    def missing_data_of(self, paper: str) -> list[DatasetNeed]:
        """Return the missing data that results of a paper need."""
        return [need for need in self.missing_data if paper in need.waiting]


def render_front(report: Report) -> str:
    """Render the front page: evidence levels and figure, papers, and differences with their causes."""
    return _render(report, "front.html", page="index")


def render_numbers(report: Report) -> str:
    """Render the page with the table of all items, which a script filters and sorts."""
    return _render(report, "numbers.html", page="numbers", script=source(TEMPLATES / "numbers.js"))


def render_paper(report: Report, paper: str) -> str:
    """Render the page of one paper."""
    return _render(report, "paper.html", page=paper, section=report.section(paper))


def render_provenance(
    papers: Sequence[str], facts: Mapping[str, Any], configuration: str, *, is_rehearsal: bool = False
) -> str:
    """Render the page on the run.

    Parameters
    ----------
    papers : sequence of str
        Papers of the report, for the navigation links.
    facts : mapping
        Heading -> value, or heading -> name -> value.
    configuration : str
        Configuration of the run as text.
    is_rehearsal : bool, default=False
        Whether the data of the run are synthetic.
    """
    template = _environment(papers, is_rehearsal).get_template("provenance.html")
    return template.render(page="provenance", facts=facts, configuration=configuration)


def _render(report: Report, template: str, **content: Any) -> str:
    """Render a template with a report and additional content."""
    pages = _environment(report.papers, report.is_rehearsal)
    if report.is_alone:
        pages.globals["pages"] = _links(report.papers)[:-1]
    return pages.get_template(template).render(report=report, **content)


def _environment(papers: Sequence[str], is_rehearsal: bool) -> jinja2.Environment:
    """Create the Jinja environment with the common functions and constants of the templates."""
    pages = environment(TEMPLATES)
    pages.globals.update(
        verdicts=VERDICTS,
        signs=SIGNS,
        LEVEL=LEVEL,
        JUDGED=JUDGED,
        REPRODUCED=REPRODUCED,
        DIFFERS=DIFFERS,
        MISSING=MISSING,
        UNDECIDED=UNDECIDED,
        EQUAL=EQUAL,
        UNEQUAL=UNEQUAL,
        ABSENT=ABSENT,
    )
    pages.globals.update(
        slug=slug,
        notes=notes,
        download_link=download_link,
        table_csv=table_csv,
        table_tex=table_tex,
        place=where_in_words,
    )
    dark_style = Markup("\n" + dark_rules())  # noqa: S704 - our own
    pages.globals.update(
        papers=papers,
        pages=_links(papers),
        is_rehearsal=is_rehearsal,
        style=style("page.css") + dark_style,
    )
    return pages


def _links(papers: Sequence[str]) -> list[tuple[str, str]]:
    """Return (name, title) of all pages; the page on the run is last."""
    titles = [(name, name.replace("_", " ")) for name in papers]
    return [("index", "Overview"), *titles, ("numbers", "All rows"), ("provenance", "Provenance")]


def slug(text: str) -> str:
    """Convert a text to a class name or part of an id: lower-case letters and digits, joined by hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def notes(table: PaperTable) -> list[tuple[str, str, str]]:
    """Return the notes under a table, one per pair of verdict and reason.

    All skipped jobs have the same reason.  Cells with missing data have no note, because the list of data sets explains
    what is missing.

    Parameters
    ----------
    table : PaperTable
        A table of the report.

    Returns
    -------
    notes : list of tuple
        Verdict, the first cells by row and column (or ``all cells``), and reason.
    """
    groups: dict[tuple[str, str], list[str]] = {}
    for label, items in table.rows:
        for column, item in zip(table.columns, items, strict=True):
            if item is None or not item.reason or item.verdict == MISSING:
                continue
            cell = label if len(table.columns) == 1 else f"{label}, {column}"
            reason = LEFT_OUT_OF_RUN if is_skipped_result(item.reason) else item.reason
            groups.setdefault((item.verdict, reason), []).append(cell)
    n_cells = len(table.items)
    return [(verdict, cells_text(cells, n_cells), reason) for (verdict, reason), cells in groups.items()]


def download_link(text: str) -> str:
    """Return a data link that lets the browser save a text."""
    return f"data:text/plain;charset=utf-8,{quote(text)}"
