"""The sentences with which a run ends."""

from __future__ import annotations

from pathlib import Path

from reproduction.verdict.closing_lines import report_line, report_lines


def test_a_run_ends_with_its_verdicts_in_order_of_worth_and_the_path_of_its_page(tmp_path: Path) -> None:
    path = tmp_path / "summary.json"
    assert report_line("Report", path, "index.html") == ""
    path.write_text('{"verdicts": {"data missing": 21, "differs": 9, "open": 0, "reproduced": 39}}', encoding="utf-8")
    assert report_line("edcm", path, "edcm.html") == "edcm: 39 reproduced, 9 differs, 21 data missing; edcm.html"
    path.write_text('{"verdicts": {"open": 0}}', encoding="utf-8")
    assert report_line("edcm", path, "edcm.html") == "edcm: no number and no claim; edcm.html"


def test_a_run_says_the_verdicts_of_the_reports_that_it_asked_for_and_of_no_other(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"verdicts": {"reproduced": 2}}', encoding="utf-8")
    pages = [("a", "a.json", "a.html"), ("b", "a.json", "b.html"), ("Report", "none.json", "index.html")]
    assert report_lines(pages[:1] + pages[2:], lambda path: True, tmp_path.joinpath) == "a: 2 reproduced; a.html"
    assert report_lines(pages, lambda path: path == "none.json", tmp_path.joinpath) == ""
