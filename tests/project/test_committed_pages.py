"""Committed generated pages follow the configuration and the recorded run, and README reconciles with them."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[2] / "docs/_ext"))

from committed_pages import DRAWING, README, ROOT, drawing, pages, report

from reproduction.verdict.wording import JUDGED

#: Maximum length of README.md in characters.
MAX_README_CHARACTERS = 6000
REMEDY = "run: PYTHONPATH=src python docs/_ext/committed_pages.py"


@pytest.mark.parametrize("path", sorted(pages()), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_committed_page_is_up_to_date(path: Path) -> None:
    assert path.is_file() and path.read_text(encoding="utf-8") == pages()[path], REMEDY


def test_the_committed_figure_has_a_description_and_fixed_colours() -> None:
    svg = DRAWING.read_bytes()
    assert svg == drawing(), REMEDY
    assert b"prefers-color-scheme" not in svg and re.search(rb"<desc>[^<]+</desc>", svg)


def test_the_counts_of_readme_are_those_of_the_recorded_run() -> None:
    lines = [line for line in README.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines]
    head = cells[0]
    for row in cells[2:]:
        counts = {name: int(value) for name, value in zip(head, row, strict=True) if value.isdigit()}
        assert sum(counts[verdict] for verdict in JUDGED) == counts["evaluated"]
    assert cells[-1][head.index("evaluated")] == str(len(report().recorded_evaluated))
    n_claims = sum(item.row.kind == "claim" for item in report().recorded_evaluated)
    assert sum(sum(counts.values()) for counts in report().claims.values()) == n_claims


def test_readme_is_short_and_its_links_exist_in_the_tree() -> None:
    text = README.read_text(encoding="utf-8")
    assert len(text) <= MAX_README_CHARACTERS
    links = re.findall(r"\]\(([^)#:]+)\)", text) + re.findall(r'src="([^"]+)"', text)
    assert links
    assert all((ROOT / link).exists() for link in links)
    included = [link for link in links if link.endswith(".md") and "{include}" in (ROOT / link).read_text("utf-8")]
    assert included == [], "a hosting site does not show included files"
