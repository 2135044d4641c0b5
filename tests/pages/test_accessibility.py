"""axe-core finds no violation on any kind of page of the report, in light and in dark, on a desk and on a phone."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.contest.example import both_pages
from tests.contest.studies import content
from tests.verdict.test_page import pages, part
from textmix.contest import study_page

AXE = Path(__file__).with_name("axe") / "node_modules/axe-core/axe.min.js"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
BROWSER = next((path for name in BROWSERS if (path := shutil.which(name))), None)
RUN = """
const page = document.documentElement;
const wider = page.scrollWidth - page.clientWidth;
axe.run(document, {resultTypes: ["violations"], rules: {"target-size": {enabled: true}}}).then((found) => {
  const said = document.createElement("pre");
  said.id = "axe";
  said.textContent = JSON.stringify({
    dark: matchMedia("(prefers-color-scheme: dark)").matches,
    violations: found.violations.map((one) => [one.id, one.nodes[0].html])
      .concat(wider > 0 ? [["wider than the window", `${wider} px`]] : []),
  });
  page.replaceChildren(said);
});
"""

pytestmark = [
    pytest.mark.skipif(BROWSER is None, reason=f"no browser is installed: {', '.join(BROWSERS)}"),
    pytest.mark.skipif(not AXE.is_file(), reason="axe-core is not installed: make axe"),
]


def violations(page: str, folder: Path, *, dark: bool, width: int) -> list[list[str]]:
    """Return the rule and the first element of each violation that axe-core finds, and whether the page is too wide."""
    scripts = f"<script>{AXE.read_text(encoding='utf-8')}</script><script>{RUN}</script>"
    (folder / "page.html").write_text(page.replace("</body>", f"{scripts}</body>"), encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=60000", "--dump-dom"]
    options += [f"--window-size={width},900", f"--user-data-dir={folder / 'profile'}"]
    options += ["--blink-settings=preferredColorScheme=0"] if dark else []
    done = subprocess.run(
        [str(BROWSER), *options, (folder / "page.html").as_uri()],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    output = re.search(r'<pre id="axe">(.*?)</pre>', done.stdout, flags=re.DOTALL)
    assert output is not None, done.stderr
    report = json.loads(html.unescape(output[1]))
    assert report["dark"] == dark
    return list(report["violations"])


def page_of(name: str, folder: Path) -> str:
    """Return a page of one kind: of the report, on own data, on the matrix, or on the study of sizes."""
    if name == "study":
        return study_page.render(content())
    if name in ("own", "matrix"):
        return dict(zip(("own", "matrix"), both_pages(folder), strict=True))[name]
    return pages(part())[name]


# A browser takes a second or two a page: it is started only where it and axe-core are installed.
@pytest.mark.parametrize(("dark", "width"), [(False, 1440), (True, 500)])
@pytest.mark.parametrize("name", ["index", "numbers", "edcm", "provenance", "own", "matrix", "study"])
def test_axe_finds_no_violation(name: str, dark: bool, width: int, tmp_path: Path) -> None:
    assert violations(page_of(name, tmp_path), tmp_path, dark=dark, width=width) == []


def test_axe_finds_a_violation_that_is_made(tmp_path: Path) -> None:
    page = pages(part())["index"].replace('<html lang="en">', "<html>")
    assert [rule for rule, _ in violations(page, tmp_path, dark=False, width=1440)] == ["html-has-lang"]


def test_hidden_words_in_a_wide_table_do_not_widen_the_page(tmp_path: Path) -> None:
    cells = "".join(f'<td>{number}<span class="hidden">no probability</span></td>' for number in range(80))
    table = f'<div class="scroll" role="region" aria-label="wide" tabindex="0"><table><tr>{cells}</tr></table></div>'
    page = pages(part())["index"]
    assert "</main>" in page
    rules = violations(page.replace("</main>", f"{table}</main>"), tmp_path, dark=False, width=1440)
    assert "wider than the window" not in [rule for rule, _ in rules]
