"""A stranger's three questions are answered by two clicks from the first page, on a desk and on a phone.

On a phone nothing has to be scrolled sideways.

The pages are those of a run that has no data: only the recorded run knows an answer.
"""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from reproduction.figures.svg_sanitize import inline_svg
from reproduction.flow.plan import make_plan
from reproduction.flow.results import Results, RoleEntry
from reproduction.verdict.compare import not_chosen
from reproduction.verdict.missing_data import DataUsed
from reproduction.verdict.page import Report, render_front, render_numbers, render_paper
from reproduction.verdict.paper_section import PaperSection
from reproduction.verdict.published import read_record
from reproduction.verdict.read_sections import make_section
from reproduction.verdict.recorded_run import RecordedRun, read_recorded, recorded_files
from reproduction.verdict.report_rows import Context
from reproduction.verdict.summary_figure import draw_summary
from tests.pages.browser import BROWSER, NAMES, Browser, browser
from tests.verdict.test_page import remedy

ROOT = Path(__file__).parents[2]
WINDOWS = pytest.mark.parametrize(("width", "dark"), [(1440, False), (390, True)])
pytestmark = pytest.mark.skipif(BROWSER is None, reason=f"no browser is installed: {', '.join(NAMES)}")


def section(name: str, spec: Mapping[str, Any], run: RecordedRun, roles: list[str]) -> PaperSection:
    """Return the section of a paper of which every row waits for data."""
    record = read_record(ROOT / f"config/papers/{name}", ROOT / "workflow/schemas")
    rows = [
        replace(row, verdict="data missing" if row.verdict == "not run" else row.verdict, reason="out of reach")
        for row in not_chosen(record.rows, record.checks, name)
    ]
    results = Results(Path("results"), name, {role: RoleEntry(None, "fully", "out of reach") for role in roles}, spec)
    data = [DataUsed(role, "", "", "", "fully", "", "", "out of reach") for role in roles]
    return make_section(name, spec, record, rows, results, data=data, context=Context(run.rows))


@functools.cache
def report() -> Report:
    """Return the report of two papers without data, beside the recorded run."""
    run = read_recorded(recorded_files((ROOT / "config/papers").iterdir()))
    assert run is not None
    settings = yaml.load((ROOT / "config/config.yaml").read_bytes(), yaml.CSafeLoader)
    plan = make_plan(settings, ROOT)
    roles = sorted({role for name in ("pmm", "cbm") for role in plan.papers[name]["roles"]})
    remedies = {role: remedy(role) for role in roles}
    made = Report([section(name, plan.papers[name], run, roles) for name in ("pmm", "cbm")], remedies, run)
    wide, narrow = (draw_summary(made.points, made.papers, made.claims, narrow=narrow) for narrow in (False, True))
    drawings = inline_svg(wide, "wide", "wide.svg"), inline_svg(narrow, "narrow", "narrow.svg")
    return replace(made, drawing=drawings[0], narrow_drawing=drawings[1])


@pytest.fixture(scope="module")
def opened() -> Iterator[tuple[Browser, Path]]:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        texts = {"index": render_front(report()), "numbers": render_numbers(report())}
        texts |= {paper: render_paper(report(), paper) for paper in ("pmm", "cbm")}
        for name, text in texts.items():
            (place / f"{name}.html").write_text(text, encoding="utf-8")
        with browser(str(BROWSER), place / "profile") as started:
            yield started, place


def begin(opened: tuple[Browser, Path], width: int, dark: bool) -> Browser:
    """Return the browser with the first page open in a window of this width."""
    started, folder = opened
    started.window(width, dark=dark)
    started.open((folder / "index.html").as_uri())
    assert started.run("document.documentElement.scrollWidth <= innerWidth"), "the page scrolls sideways"
    return started


@WINDOWS
def test_is_table_1_of_pmm_right(opened: tuple[Browser, Path], width: int, dark: bool) -> None:
    page = begin(opened, width, dark)
    page.click('.counts a[href="pmm.html"]')
    page.click('.contents a[href="#tables"]')
    assert page.in_sight("#table-table1-title")
    counts = {verdict: 0 for verdict in ("reproduced", "differs", "undecided")}
    for cell in next(table for table in report().section("pmm").tables if table.name == "table1").items:
        if cell.recorded_text and cell.recorded:
            counts[cell.recorded.verdict] += 1
    message = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    assert sum(counts.values()) > 30 and message in page.text("#table-table1")


@WINDOWS
def test_why_does_pmm_differ(opened: tuple[Browser, Path], width: int, dark: bool) -> None:
    page = begin(opened, width, dark)
    page.click('.counts a[href="pmm.html"]')
    assert page.in_sight("#this-run")
    found = report().section("pmm")
    assert found.recorded_differing
    page.run("document.querySelectorAll('.causes details').forEach(one => one.open = true)")
    message = page.text("#differs .causes")
    for cause, items in found.by_cause(found.recorded_differing):
        assert cause is None or " ".join(cause.reason.split()) in message
        assert all(item.row.title in message for item in items[:3])


@WINDOWS
def test_how_do_i_get_the_rest(opened: tuple[Browser, Path], width: int, dark: bool) -> None:
    page = begin(opened, width, dark)
    page.click('.run a[href="index.html#data"]')
    assert page.in_sight("#data-title")
    page.run("document.querySelectorAll('#data details').forEach(one => one.open = true)")
    message = page.text("#data")
    for need in report().missing_data:
        assert need.remedy and all(address in message for file in need.remedy.files for address in file.addresses)


@WINDOWS
def test_a_row_leads_to_its_settings_its_place_and_the_how_to(
    opened: tuple[Browser, Path], width: int, dark: bool
) -> None:
    page = begin(opened, width, dark)
    page.open(
        (opened[1] / "numbers.html?paper=pmm&q=yahoo_arts#pmm.t1.p01.NB")
        .as_uri()
        .replace("%3F", "?")
        .replace("%23", "#")
    )
    assert page.in_sight("[id='pmm.t1.p01.NB']")
    page.click("[id='pmm.t1.p01.NB'] summary")
    links = page.run(
        "[...document.querySelectorAll(\"[id='pmm.t1.p01.NB'] .trail a\")].map(a => a.getAttribute('href'))"
    )
    assert {"pmm.html#table-table1", "files/config/papers/pmm/paper.yaml.txt", "index.html#doubt"} < set(links)
    assert "Table 1, line 407" in page.text("[id='pmm.t1.p01.NB'] .trail")


@pytest.mark.parametrize("name", ["index", "pmm", "cbm"])
def test_nothing_on_a_phone_is_wider_than_the_window(opened: tuple[Browser, Path], name: str) -> None:
    page = begin(opened, 390, dark=False)
    page.open((opened[1] / f"{name}.html").as_uri())
    scrolls = "one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX === 'auto'"
    found = page.run(f"[...document.querySelectorAll('body *')].filter(one => {scrolls}).map(one => one.className)")
    assert found == []
    assert page.run("document.querySelector('.summary .narrow svg')?.getBoundingClientRect().right ?? 0") <= 390
