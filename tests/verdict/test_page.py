"""The pages: everything on them, nothing loaded from elsewhere, and verdicts never by colour alone."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from reproduction.figures.svg_sanitize import Drawing, inline_svg
from reproduction.flow.results import LEFT_OUT, Results, RoleEntry
from reproduction.verdict.compare import compare_paper
from reproduction.verdict.comparison_row import ComparisonRow, comparison_csv
from reproduction.verdict.missing_data import DataUsed, Remedy
from reproduction.verdict.page import Report, notes, render_front, render_numbers, render_paper, render_provenance, slug
from reproduction.verdict.paper_section import PaperSection
from reproduction.verdict.published import Choice, Record
from reproduction.verdict.read_sections import ReportInputs, make_section, read_sections
from reproduction.verdict.recorded_run import Facts, RecordedRow, RecordedRun
from reproduction.verdict.report_rows import Item
from reproduction.verdict.tables import PaperTable
from reproduction.verdict.wording import UNEQUAL, VERDICTS
from tests.verdict.reporting import META, Made, comparison_row, row
from textmix.core import io
from textmix.core.errors import DataFormatError, MissingResult
from textmix.data.catalogue import CatalogueRow

HOSTILE = "<script>alert(1)</script>\"'&"
SPEC: dict[str, Any] = {
    **{"title": "A paper", "citation": "A. Author, A paper, 2002.", "status": "built", "roles": ["news"]},
    "tables": {"table1": {"artefact": "p.t1", "rows": "dataset", "columns": "method", "caption": "Accuracy."}},
    "figures": {"curve": {"title": "Curve", "caption": "Accuracy against mu."}},
}
SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9pt" viewBox="0 0 9 9">'
    '<defs><style type="text/css">*{stroke-linejoin: round}</style><clipPath id="c1"><path id="m" d="M 0 0"/>'
    '</clipPath></defs><g id="figure_1" clip-path="url(#c1)"><use xlink:href="#m" style="fill: url(#c1)"/></g></svg>'
)


class Reader(HTMLParser):
    """Collects ids, addresses, tags and text of a page, and checks that tags are closed in order."""

    VOID = frozenset({"meta", "br", "link", "img", "hr", "input"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.tags: list[str] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, key, value or "") for key, value in attrs]
        self.ids += [value for key, value in attrs if key == "id" and value]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data if self.open[-1:] not in (["style"], ["script"]) else ""


def comparison(verdict: str, **cells: Any) -> ComparisonRow:
    """Return a reproduced row with this verdict and its reason."""
    compared = comparison_row(verdict=verdict, reason=f"because of {verdict}", reproduced=0.81)
    compared = replace(compared, **cells, paper=cells.get("id", "p.x").partition(".")[0])
    if not compared.published:
        return compared
    return replace(compared, difference=cells.get("difference", 0.01), ci_low=-0.02, ci_high=0.04)


def part(name: str = "edcm", spec: dict[str, Any] = SPEC, text: str = "plain", figure: bool = True) -> PaperSection:
    """Return a part with one row of every verdict and kind, in which ``text`` stands in every place that takes text."""
    cells = [{"id": f"{name}.{i}", "dataset": f"{text} {i}", "method": text} for i in range(len(VERDICTS))]
    cells += [
        {"id": f"{name}.claim", "artefact": "c", "kind": "claim", "metric": text, "published": ""},
        {"id": f"{name}.eq", "artefact": "e", "kind": "equation", "metric": text, "published": ""},
        {"id": f"{name}.stat", "artefact": "s", "kind": "context", "metric": text},
    ]
    rows = [comparison(verdict, **c) for verdict, c in zip(itertools.cycle(VERDICTS), cells, strict=False)]
    rows = [replace(found, reason=f"{found.reason} {text}") for found in rows]
    choices = (Choice("d", text, text, text, text, text), Choice("e", "x", "y", "z", "w"))
    data = [
        DataUsed("news", text, text, text, "nearly", text, text),
        DataUsed("gone", "", "", "", "fully", "", "", text),
    ]
    svg = inline_svg(SVG.encode(), f"f-{name}-curve", "curve.svg") if figure else None
    published = [{key: value for key, value in c.items() if key != "published"} for c in cells]
    record = Record(tuple(row(**c) for c in published), {}, choices)
    spec = {**spec, "title": f"{spec['title']} {text}", "citation": text}
    results = Results(Path("results"), name, {"news": RoleEntry("news_set"), "gone": RoleEntry(None)}, spec)
    return make_section(name, spec, record, rows, results, figures=[Drawing("curve", text, text, svg, text)], data=data)


def remedy(text: str) -> Remedy:
    """Return how to obtain a data set of one file."""
    file = CatalogueRow(
        text, text, f"{text}.tar", (f"https://example.org/{text}.tar",), "", 1_500_000, "", "c" * 64, text
    )
    return Remedy(text, text, [file], text)


def pages(*sections: PaperSection, text: str = "plain", is_rehearsal: bool = False) -> dict[str, str]:
    report = Report(sections, {"gone": remedy(text)}, is_rehearsal=is_rehearsal)
    return {
        "index": render_front(report),
        "numbers": render_numbers(report),
        **{section.name: render_paper(report, section.name) for section in sections},
        "provenance": render_provenance(
            report.papers, {"Run": {text: text}, "Code": text}, text, is_rehearsal=is_rehearsal
        ),
    }


def test_every_page_of_a_rehearsal_says_so_in_text_and_title() -> None:
    for name, page in pages(part(text="plain"), is_rehearsal=True).items():
        assert "<title>REHEARSAL: " in page, name
        assert "Rehearsal with synthetic data." in Reader(page).text, name
    assert not any("rehearsal" in Reader(page).text.lower() for page in pages(part(text="plain")).values())


def test_pages_show_everything_they_were_given() -> None:
    made = {name: Reader(page).text for name, page in pages(part(text="MARK"), text="MARK").items()}
    reasons = (f"because of {verdict} MARK" for verdict in VERDICTS)
    for words in (*reasons, "edcm.claim", "edcm.eq", "edcm.stat", "0.81"):
        assert words in made["numbers"], words
    for words in ("Claims", "Equations", "Context", "Choices", "Data sets", "Figure 1.", "0.81"):
        assert words in made["edcm"], words
    assert "MARK 1 · MARK" in made["index"], "the number that differs"
    assert made["provenance"].count("MARK") >= 4


def test_what_a_run_leaves_out_has_one_note_whatever_each_job_would_take() -> None:
    cells = [Item(comparison("not run", id=f"p.{n}", reason=f"{LEFT_OUT}: it takes {n} s")) for n in (1, 2)]
    table = PaperTable("t", "", "", ("A", "B"), (("x", tuple(cells)),))
    assert notes(table) == [("not run", "all cells", f"{LEFT_OUT}, make full")]


def test_a_weak_number_counts_apart() -> None:
    rows = [comparison(verdict, id=f"p.{i}") for i, verdict in enumerate(("reproduced", "reproduced", "differs"))]
    weak = "its margin accepts 4 of 5 other printed values"
    rows[1:] = [replace(found, weak=weak) for found in rows[1:]]
    section = made_of(rows)
    assert (section.counts["reproduced"], section.counts["differs"], section.not_counted["weak"]) == (1, 0, 2)
    assert not section.differing and [item.row.id for item in section.other_differing] == ["p.2"]
    made = {name: Reader(page) for name, page in pages(section).items()}
    assert "1 is reproduced, 1 differs." in " ".join(made["index"].text.split())
    assert "Weak: its margin accepts 4 of 5 other printed values." in made["numbers"].text
    assert [value for _, key, value in made["numbers"].attributes if key == "data-kind"].count("weak") == 2


def test_pages_are_well_formed_and_every_id_stands_once() -> None:
    made = {name: Reader(page) for name, page in pages(part("edcm"), part("cbm", figure=False)).items()}
    for name, page in made.items():
        assert not page.open, name
        assert len(page.ids) == len(set(page.ids)), name
        targets = {value[1:] for _, key, value in page.attributes if key == "href" and value.startswith("#")}
        targets |= {value for _, key, value in page.attributes if key in ("aria-labelledby", "for")}
        assert targets <= set(page.ids), name
        assert targets
    links = {value for page in made.values() for _, key, value in page.attributes if key == "href"}
    for link in links:
        file, _, anchor = link.partition("#")
        name = file.partition("?")[0].removesuffix(".html")
        if file and not link.startswith(("data:", "files/", "https:")) and not file.endswith(".csv"):
            assert name in made, link
            assert not anchor or anchor in made[name].ids, link


def test_pages_load_nothing_and_only_the_table_runs_a_script() -> None:
    for name, html in pages(part()).items():
        page = Reader(html)
        assert not {"link", "iframe", "object", "embed", "img", "base"} & set(page.tags)
        assert page.tags.count("script") == (name == "numbers")
        for tag, key, value in page.attributes:
            assert not key.startswith("on"), (tag, key)
            if key in ("href", "src", "xlink:href", "action", "poster", "data"):
                # Addresses of data sets are for readers to click; nothing is loaded from them.
                inside = r"#|data:text/plain|[a-z]+\.(html|csv)|files/(config|results|logs|src)/"
                assert re.match(inside if key != "href" else rf"{inside}|https://", value), (tag, value)
        assert not re.search(r"@import|url\((?!#)|src=\"https?:", html)


def test_hostile_text_stays_text_wherever_it_stands() -> None:
    for name, html in pages(part(text=HOSTILE), text=HOSTILE).items():
        page = Reader(html)
        assert page.tags.count("script") == html.count("<script") == (name == "numbers")
        assert page.text.count("<script>alert(1)</script>") >= 4, name
        assert not any(key.startswith("on") or key == "alert(1)" for _, key, _ in page.attributes)


def test_verdict_is_never_shown_by_colour_alone() -> None:
    html = pages(part())["edcm"]
    marked = re.findall(r'<(td|span) class="[^"]*\bv-([a-z-]+)[^>]*>(.*?)</\1>(?=\s|<)', html, flags=re.DOTALL)
    assert {slug_ for _, slug_, _ in marked} == {slug(verdict) for verdict in VERDICTS}
    for tag, found, content in marked:
        if tag == "td":
            assert found.replace("-", " ") in re.sub(r"<[^>]+>", "", content), content
    for verdict in VERDICTS:
        assert f"</span> {verdict}</span>" in html


def made_of(rows: list[ComparisonRow], choices: Sequence[Choice] = ()) -> PaperSection:
    """Return a section with the given rows of a comparison and no table."""
    published = tuple(
        row(**{key: getattr(found, key) for key in ("id", "kind", "dataset", "metric")}, source="") for found in rows
    )
    record = Record(published, {}, tuple(choices))
    results = Results(Path("results"), "p", {"gone": RoleEntry(None, "fully", "is in no package")}, SPEC)
    spec = {**SPEC, "tables": {}, "figures": {}}
    gone = DataUsed("gone", "", "", "", "fully", "", "", "is in no package")
    return make_section("p", spec, record, rows, results, data=[gone])


def test_only_numbers_and_claims_are_counted() -> None:
    kinds = ("number", "claim", "setting", "derived", "equation", "context", "beyond")
    section = made_of([comparison("reproduced", id=f"p.{kind}", kind=kind) for kind in kinds])
    assert section.counts["reproduced"] == 2
    assert section.not_counted == dict.fromkeys(kinds[2:], 1)


def test_reproduced_means_are_counted_before_and_after_the_correction_over_tables() -> None:
    cells = [comparison("reproduced", id=f"p.{p}", margin_p=p) for p in (0.01, 0.2, 0.3, None)]
    section = made_of([*cells, comparison("differs", id="p.off", margin_p=0.01)])
    message = " ".join(render_front(Report([section], {})).split())
    assert "3 of the reproduced numbers are means over trials." in message
    assert "After Holm’s correction over their table 1 still pass" in message


def test_the_page_says_how_many_numbers_would_stay_reproduced_with_narrower_margins() -> None:
    shares = (0.1, 0.6, 0.9, None)
    section = made_of([comparison("reproduced", id=f"p.{each}", margin_share=each) for each in shares])
    message = " ".join(render_front(Report([section], {})).split())
    assert "Of the 4 reproduced numbers and claims, 3 are judged by a margin." in message
    assert "2 of them would be reproduced, with margins half as wide 1." in message


def test_each_missing_data_set_stands_once_with_its_address_and_checksum() -> None:
    reason = "no data set for 'gone': is in no package"
    cells = [comparison("data missing", id=f"p.{place}", dataset="gone") for place in range(9)]
    section = made_of([replace(found, reason=reason, reproduced=None) for found in cells])
    report = Report([section], {"gone": remedy("gone_full")})
    (lacking,) = report.missing_data
    assert (lacking.n_waiting, lacking.name) == (9, "gone_full")
    html = render_front(report)
    assert html.count("is in no package") == 1
    assert "make retry" in html and "resources/gone_full/" in html
    assert 'href="https://example.org/gone_full.tar"' in html and "c" * 64 in html
    assert "is in no package" not in render_numbers(report)


def test_pages_work_with_the_keyboard() -> None:
    for html in pages(part()).values():
        page = Reader(html)
        assert page.tags.index("a") < page.tags.index("nav")
        assert 'class="skip" href="#main"' in html
        assert ":focus-visible" in html
        scrolling = re.findall(r'<div class="scroll"[^>]*>', html)
        assert all('tabindex="0"' in box and "aria-label" in box for box in scrolling)
        assert page.tags.count("caption") == page.tags.count("table")
        scopes = sum(key == "scope" for tag, key, _ in page.attributes if tag == "th")
        assert scopes == page.tags.count("th")


def test_missing_figure_says_why() -> None:
    page = Reader(pages(part(text="no source answered", figure=False))["edcm"])
    assert "Not drawn: no source answered (no source answered)." in page.text


def test_a_figure_that_cannot_be_drawn_is_one_line_and_no_empty_box() -> None:
    html = pages(part(figure=False))["edcm"]
    (line,) = re.findall(r"<li id=\"f-edcm-curve\">.*?</li>", html, re.DOTALL)
    assert "Not drawn" in line
    assert "<figure" not in html and 'class="plate"' not in html


def test_inline_drawing_gets_its_own_ids_and_loses_the_global_style() -> None:
    svg = str(inline_svg(SVG.encode(), "f-a", "a.svg"))
    assert set(re.findall(r'id="([^"]+)"', svg)) == {"f-a-c1", "f-a-m", "f-a-figure_1"}
    assert 'href="#f-a-m"' in svg
    assert svg.count("url(#f-a-c1)") == 2
    assert "<style" not in svg
    assert "width=" not in svg
    assert svg.startswith("<svg ")


@pytest.mark.parametrize(
    "inside",
    [
        "<script>1</script>",
        '<g onload="x()"/>',
        '<image href="#a"/>',
        '<use href="https://example.org/x.svg#a"/>',
        "<foreignObject/>",
    ],
)
def test_drawing_that_loads_or_runs_is_refused(inside: str) -> None:
    with pytest.raises(DataFormatError, match=r"a\.svg"):
        inline_svg(f'<svg xmlns="http://www.w3.org/2000/svg">{inside}</svg>'.encode(), "p", "a.svg")


@pytest.mark.parametrize(
    "text", ["", "no svg", "<svg", '<!DOCTYPE s [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><svg>&b;</svg>']
)
def test_broken_drawing_is_refused(text: str) -> None:
    with pytest.raises(DataFormatError, match="not a valid SVG"):
        inline_svg(text.encode(), "p", "a.svg")


class Project:
    """A configuration with the papers p (chosen) and q (not chosen), and the results of p."""

    def __init__(self, root: Path) -> None:
        self.made = Made(root / "results")
        self.made.scores("dcm", {"": [0.8]})
        header = "id,artefact,kind,dataset,method,metric,unit,value,spread,trials,where,tolerance,margin,source,note\n"
        cells = "p.t1,number,news,DCM,accuracy,fraction,0.8,,,001:L1,near,0.01,score:table1/news/dcm/accuracy,\n"
        for name in ("paper", "q"):
            io.write_text(root / f"config/papers/{name}/published.csv", f"{header}{name}.x,{cells}")
            io.write_text(root / f"config/papers/{name}/checks.yaml", "{}\n")
            io.write_text(root / f"config/papers/{name}/paper.yaml", "{}\n")
            io.write_text(root / f"config/papers/{name}/choices.yaml", "[]\n")
        rows = compare_paper([row(id="paper.x")], {}, self.made.results)
        io.write_result(root / "results/papers/paper/comparison.csv", comparison_csv(rows), META)
        roles = {**SPEC, "roles": ["news", "gone", "held"]}
        data = {
            "news": RoleEntry("news_set", "nearly", "seven fewer"),
            "gone": RoleEntry(None, "fully", "was never public"),
            "held": RoleEntry("held_set", "fully", ""),
        }
        known = {"title": "News", "terms": "free"}
        schemas = Path(__file__).parents[2] / "workflow/schemas"
        folders = {name: root / f"config/papers/{name}" for name in ("paper", "q")}
        self.places: dict[str, Any] = {
            "folders": folders,
            "schemas": schemas,
            "results": root / "results",
            "papers": {"paper": roles, "q": roles},
            "roles": data,
            "chosen": ["paper"],
            "titles": {"news_set": known, "held_set": known},
        }

    def inputs(self) -> ReportInputs:
        """Return the inputs of the page, with the results that exist by now as those that the run declares."""
        names = ("datasets/news_set", "datasets/held_set", "papers/paper/figures/curve.svg")
        made = (self.made.results.root / name for name in names)
        return ReportInputs(**self.places, made=frozenset(path for path in made if path.exists()))


def test_report_is_read_from_the_folders(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.made.data("news_set", {"documents": 18821, "labels": 20})
    project.made.missing("datasets/held_set", "no source answered")
    io.write_result(tmp_path / "results/papers/paper/figures/curve.svg", SVG, META)
    (chosen, other), comparisons = read_sections(project.inputs())
    assert [[found.verdict for found in rows] for rows in comparisons] == [["reproduced"], ["not run"]]
    assert chosen.counts["reproduced"] == other.counts["not run"] == 1
    assert "f-paper-curve-figure_1" in str(chosen.figures[0].svg)
    assert "did not draw it" in other.figures[0].reason
    news, gone, held = chosen.data
    assert (news.size, news.missing, news.terms) == ("18,821 documents, 20 labels", "", "free")
    assert gone.missing == "was never public"
    assert held.missing == "no source answered"


def test_missing_result_of_a_figure_gives_its_reason(tmp_path: Path) -> None:
    project = Project(tmp_path)
    io.write_missing(
        tmp_path / "results/papers/paper/figures/curve.svg", MissingResult("the data set is missing"), META
    )
    (chosen, _), _ = read_sections(project.inputs())
    assert (chosen.figures[0].svg, chosen.figures[0].reason) == (None, "data missing: the data set is missing")
    assert chosen.data[0].missing == "not read in this run"


def test_an_effect_has_the_recorded_values_or_is_left_out(tmp_path: Path) -> None:
    project = Project(tmp_path)
    choice = {"where": "unsaid", "source_says": "Nothing.", "we_do": "One.", "why": "It is usual."}
    effects = {"known": "It gives {paper.x}.", "curve": "It gives {paper.x at seed=1}.", "plain": "It is small."}
    entries = [{"id": name, **choice, "effect": effect} for name, effect in effects.items()]
    io.write_text(tmp_path / "config/papers/paper/choices.yaml", json.dumps(entries))
    value = RecordedRow("paper.x", "0.8123", "", "", "differs", *[""] * 6)
    (chosen, _), _ = read_sections(replace(project.inputs(), recorded=RecordedRun({"paper.x": value}, {})))
    assert [choice.effect for choice in chosen.choices] == ["It gives 0.812.", "", "It is small."]


def test_a_stacked_cell_with_several_parts_is_one_element() -> None:
    # On a phone such a cell is a grid of label and content, in which each bare text would be a cell of its own.
    html = pages(part())["index"]
    cells = re.findall(r'<td class="words" data-label="(?:Files|In this run)">(.*?)</td>', html, re.DOTALL)
    assert cells
    assert all(cell.startswith("<div>") and cell.endswith("</div>") for cell in cells)


def test_a_paper_that_was_recorded_alone_has_its_own_day() -> None:
    section = made_of([comparison("reproduced")])
    first, later = (
        Facts(f"2026-11-{day}T00:00:00Z", name * 40, "", 74, 90, "one kind", 0) for day, name in ((23, "c"), (26, "d"))
    )
    report = Report([section], {}, RecordedRun({}, {section.name: first, "other": first}))
    for page in (render_front(report), render_paper(report, section.name)):
        assert "2026-11-23</span>" in page and f"commit {'c' * 10}, 74 minutes" in page
    report = Report([section], {}, RecordedRun({}, {section.name: later, "other": first, "third_one": first}))
    page = render_paper(report, section.name)
    assert "2026-11-26</span>" in page and f"commit {'d' * 10}, 74 minutes" in page
    took = "74 minutes (90 CPU minutes, one kind)"
    message = f"other, third one: commit {'c' * 10}, {took}; {section.name}: commit {'d' * 10}, {took}"
    page = render_front(report)
    assert "2026-11-23 to 2026-11-26</span>" in page and message in page


def test_values_that_do_not_equal_the_record_are_named_up_to_ten() -> None:
    rows = [comparison("reproduced", id=f"p.{n}", reproduced=0.7) for n in range(14)]
    section = made_of(rows)
    items = [replace(item, recorded=replace(item.row, reproduced=0.8), standing=UNEQUAL) for item in section.items]
    run = RecordedRun({}, {section.name: Facts("2026-11-23T00:00:00Z", "c" * 40, "", 74, 90, "one kind", 0)})
    html = render_front(Report([replace(section, items=items)], {}, run))
    assert 'numbers.html?q=not+equal&amp;kind=number,claim">4 more</a>' in html
    assert len(re.findall(r'<a href="numbers\.html#p\.\d+">p\.\d+</a>', html)) == 10
