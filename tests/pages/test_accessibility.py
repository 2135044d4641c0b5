"""axe-core finds no violation on any kind of page of the report, in light and in dark, on a desk and on a phone."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.compare.texts import drawn
from tests.pages.browser import BROWSER, NAMES, Browser, browser
from tests.verdict.test_page import pages, part
from textmix.compare import compare

AXE = Path(__file__).with_name("axe") / "node_modules/axe-core/axe.min.js"
RUN = """
axe.run(document, {resultTypes: ["violations"], rules: {"target-size": {enabled: true}}})
  .then((found) => found.violations.map((one) => [one.id, one.nodes[0].html]))
"""
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"

pytestmark = [
    pytest.mark.skipif(BROWSER is None, reason=f"no browser is installed: {', '.join(NAMES)}"),
    pytest.mark.skipif(not AXE.is_file(), reason="axe-core is not installed: make axe"),
]


@pytest.fixture(scope="module")
def opened() -> Iterator[Browser]:
    with tempfile.TemporaryDirectory() as profile, browser(str(BROWSER), Path(profile)) as started:
        yield started


def violations(opened: Browser, page: str, folder: Path, *, dark: bool, width: int) -> list[list[str]]:
    """Return the rule and the first element of each violation that axe-core finds, and whether the page is too wide."""
    (folder / "page.html").write_text(page, encoding="utf-8")
    opened.window(width, dark=dark)
    opened.open((folder / "page.html").as_uri())
    assert opened.run("matchMedia('(prefers-color-scheme: dark)').matches") == dark
    wider = opened.run(WIDER)
    opened.run(f"{AXE.read_text(encoding='utf-8')};0")
    return [*opened.run(RUN), *([["wider than the window", f"{wider} px"]] if wider > 0 else [])]


def page_of(name: str, folder: Path) -> str:
    """Return a page of one kind: of the report, or of a comparison."""
    if name == "compare":
        return compare(*drawn(80), 2, output_dir=folder / "kept").report()
    return pages(part())[name]


# A page takes a second or two: the browser is started only where it and axe-core are installed.
@pytest.mark.parametrize(("dark", "width"), [(False, 1440), (True, 390)])
@pytest.mark.parametrize("name", ["index", "numbers", "edcm", "provenance", "compare"])
def test_axe_finds_no_violation(opened: Browser, name: str, dark: bool, width: int, tmp_path: Path) -> None:
    assert violations(opened, page_of(name, tmp_path), tmp_path, dark=dark, width=width) == []


def test_axe_finds_a_violation_that_is_made(opened: Browser, tmp_path: Path) -> None:
    page = pages(part())["index"].replace('<html lang="en">', "<html>")
    assert [rule for rule, _ in violations(opened, page, tmp_path, dark=False, width=1440)] == ["html-has-lang"]


def test_hidden_words_in_a_wide_table_do_not_widen_the_page(opened: Browser, tmp_path: Path) -> None:
    cells = "".join(f'<td>{number}<span class="hidden">no probability</span></td>' for number in range(80))
    table = f'<div class="scroll" role="region" aria-label="wide" tabindex="0"><table><tr>{cells}</tr></table></div>'
    page = pages(part())["index"]
    assert "</main>" in page
    rules = violations(opened, page.replace("</main>", f"{table}</main>"), tmp_path, dark=False, width=1440)
    assert "wider than the window" not in [rule for rule, _ in rules]
