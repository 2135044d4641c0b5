"""The sentences with which a run ends."""

from __future__ import annotations

from pathlib import Path

from reproduction.verdict.closing_lines import report_line


def test_a_run_ends_with_its_verdicts_in_order_of_worth_and_the_path_of_its_page(tmp_path: Path) -> None:
    path = tmp_path / "summary.json"
    assert report_line("Report", path, "index.html") == ""
    path.write_text('{"verdicts": {"data missing": 21, "differs": 9, "open": 0, "reproduced": 39}}', encoding="utf-8")
    assert report_line("edcm", path, "edcm.html") == "edcm: 39 reproduced, 9 differs, 21 data missing; edcm.html"
    path.write_text('{"verdicts": {"open": 0}}', encoding="utf-8")
    assert report_line("edcm", path, "edcm.html") == "edcm: no number and no claim; edcm.html"
