"""The counts of a report reconcile, and its links stay inside its folder."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from reproduction.verdict.missing_data import DataUsed, is_unnamed
from reproduction.verdict.page import Report, render_front, render_numbers, render_paper
from reproduction.verdict.paper_section import ItemGroup, PaperSection
from reproduction.verdict.provenance import copy_linked_files
from reproduction.verdict.recorded_run import OUT_OF_DATE, Facts, RecordedRun
from reproduction.verdict.wording import JUDGED, MISSING, VERDICTS
from tests.verdict.test_page import comparison, made_of

KINDS = ("number", "claim", "phrase", "fact", "setting")
RUN = RecordedRun({}, {"p": Facts("2026-11-23T00:00:00Z", "c" * 40, "", 74, 90, "one kind", 0)})


def section(is_named: bool = True) -> PaperSection:
    """Return a paper with rows of all verdicts, kinds and recorded verdicts, and a weak number."""
    rows = [
        comparison(verdict, id=f"p.{kind}.{verdict}".replace(" ", "_"), kind=kind, dataset="gone")
        for verdict in VERDICTS
        for kind in KINDS
    ]
    rows.append(replace(comparison("differs", id="p.weak"), weak="its margin accepts too much"))
    made = made_of(rows)
    verdicts = (*VERDICTS, OUT_OF_DATE)
    items = [
        replace(item, recorded=replace(item.row, verdict=verdicts[place % len(verdicts)]))
        for place, item in enumerate(made.items)
    ]
    gone = DataUsed("gone", "", "", "", "fully" if is_named else "not", "", "", "is in no package", is_named)
    return replace(made, items=items, data=[gone])


def n_evaluated(counts: dict[str, int]) -> int:
    return sum(counts[verdict] for verdict in JUDGED)


@pytest.mark.parametrize("is_named", [True, False])
def test_counts_of_a_paper_and_of_the_report_reconcile(is_named: bool) -> None:
    paper = section(is_named)
    groups: list[ItemGroup] = [paper, Report([paper], {}, RUN)]
    for group in groups:
        assert len(group.evaluated) == n_evaluated(group.counts) == 6
        assert len(group.recorded_evaluated) == n_evaluated(group.recorded_counts)
        assert sum(group.counts.values()) == len(group.results) == 2 * len(VERDICTS)
        assert sum(group.recorded_counts.values()) + group.n_out_of_date == len(group.results)
        assert len(group.results) + sum(group.not_counted.values()) == len(group.items)
        assert group.n_waiting + len(group.unnamed) == group.counts[MISSING] == 2
        assert bool(group.unnamed) == (not is_named)
        assert len(group.differing) == group.counts["differs"]


def test_data_that_a_report_does_not_describe_are_named_by_the_paper() -> None:
    paper = section(is_named=False)
    (gone,) = paper.data
    assert paper.unnamed
    assert all(is_unnamed(item, {gone.role: gone}) for item in paper.unnamed)
    assert not any(is_unnamed(item, {}) for item in paper.unnamed)


def test_front_page_and_page_of_a_paper_show_the_same_counts() -> None:
    report = Report([section()], {}, RUN)
    front = render_front(report)
    tallies = [
        re.findall(r'<p class="tally">(.*?)</p>', page, re.DOTALL) for page in (front, render_paper(report, "p"))
    ]
    assert len(tallies[0]) == 2 and tallies[0] == tallies[1]
    rows = re.findall(r"<tr><th scope=\"row\">.*?</tr>", front, re.DOTALL)
    labels = ("Results", "Evaluated", *JUDGED)
    for line in (row for row in rows if 'data-label="Evaluated"' in row):
        values = [
            int(re.sub(r"<[^>]+>", "", cell))
            for label in labels
            for cell in re.findall(rf'data-label="{label}">(.*?)</td>', line, re.DOTALL)
        ]
        assert len(values) == len(labels) and values[1] == sum(values[2:]) <= values[0]


def test_every_link_of_a_report_stays_inside_its_folder(tmp_path: Path) -> None:
    report = Report([section()], {}, RUN)
    pages = {"index.html": render_front(report), "numbers.html": render_numbers(report)}
    pages["p.html"] = render_paper(report, "p")
    root = Path(__file__).parents[2]
    for name, text in pages.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    copy_linked_files(pages.values(), tmp_path / "files", [root])
    results = {"comparison.csv", "placebo.csv", "provenance.html"}
    for text in pages.values():
        for link in re.findall(r'href="([^"]*)"', text):
            path = re.split(r"[?#]", link)[0]
            if path and not link.startswith(("data:", "https:")) and path not in results:
                assert (tmp_path / path).resolve().is_relative_to(tmp_path) and (tmp_path / path).is_file(), link


def test_a_linked_file_that_does_not_exist_is_replaced_by_a_sentence(tmp_path: Path) -> None:
    copy_linked_files(['<a href="files/logs/a.log.txt">'], tmp_path, [tmp_path / "nowhere"])
    assert "logs/a.log does not exist" in (tmp_path / "logs/a.log.txt").read_text(encoding="utf-8")
