"""The sentences with which a run ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from reproduction.verdict.said import paper_said, verdicts_said

COMPARISON = """id,kind,verdict
p.a,number,reproduced
p.b,number,differs
p.c,claim,reproduced
p.d,setting,open
"""


def test_a_run_of_one_paper_says_its_verdicts_and_how_its_page_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path("results/papers/edcm/comparison.csv")
    path.parent.mkdir(parents=True)
    path.write_text(COMPARISON, encoding="utf-8")
    said = paper_said("edcm", path)
    assert said.startswith("edcm: 2 reproduced, 1 differs, each beside its published value in ")
    assert said.endswith("; its page: snakemake --config 'papers=[edcm]' -- report")


def test_a_run_ends_with_its_verdicts_in_order_of_worth_and_the_path_of_its_page(tmp_path: Path) -> None:
    path = tmp_path / "summary.json"
    assert verdicts_said(path) == ""
    path.write_text('{"verdicts": {"data missing": 21, "differs": 9, "open": 0, "reproduced": 39}}', encoding="utf-8")
    assert verdicts_said(path) == "Report: 39 reproduced, 9 differs, 21 data missing; results/report/index.html"
