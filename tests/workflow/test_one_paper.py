"""The target of a paper writes its report and prints its verdicts, or fails if its data are corrupt."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.workflow.tiny import Clone

pytestmark = pytest.mark.workflow

REPORT = "results/papers/naive_bayes/report"


def last_line(text: str) -> str:
    """Return the last line of a run before Snakemake's lines on its log and the time."""
    return [line for line in text.rstrip().splitlines() if not line.startswith(("Complete log", "Elapsed time"))][-1]


def dead_links(page: Path, clone: Path) -> list[str]:
    """Return the broken links of a page; clones of the tests contain no documentation."""
    links = {
        link.partition("#")[0].partition("?")[0] for link in re.findall(r'href="([^"]*)"', page.read_text("utf-8"))
    }
    files = [page.parent / link for link in links if link and not re.match("https?:|data:", link)]
    ours = [path for path in files if path.resolve().relative_to(clone.resolve()).parts[0] not in ("docs", "README.md")]
    return [str(path) for path in ours if not path.exists()]


def test_target_of_a_paper_writes_its_report_and_prints_its_verdicts(copy: Clone) -> None:
    whole = (copy.folder / "results/report/index.html").read_bytes()
    shutil.rmtree(copy.folder / REPORT)
    done = copy.run_warm("--cores", "2", "naive_bayes")
    assert done.returncode == 0, done.stdout
    pages = sorted((copy.folder / REPORT).glob("*.html"))
    assert [page.name for page in pages] == ["index.html", "naive_bayes.html", "numbers.html"]
    assert [link for page in pages for link in dead_links(page, copy.folder)] == []
    assert "edcm" not in pages[2].read_text(encoding="utf-8")
    counts = json.loads((copy.folder / REPORT / "summary.json").read_text(encoding="utf-8"))["verdicts"]
    message = ", ".join(f"{counts[verdict]} {verdict}" for verdict in counts if counts[verdict])
    assert last_line(done.stdout) == f"naive_bayes: {message}; {REPORT}/naive_bayes.html"
    assert "Report: " not in done.stdout
    assert (copy.folder / "results/report/index.html").read_bytes() == whole, "the report of the run is another one"
    assert copy.run_warm("--cores", "1", "verify").returncode == 0


def test_corrupt_data_are_an_error_and_no_previous_verdict_is_printed(copy: Clone) -> None:
    raw = copy.folder / "mirror/tiny_reuters-train.tab"
    data = bytearray(raw.read_bytes())
    data[500] ^= 1
    raw.write_bytes(bytes(data))
    for part in ("resources", "results/datasets"):
        shutil.rmtree(copy.folder / part / "tiny_reuters")
    ended = copy.run_warm("--cores", "2", "-R", "parse", "--", "naive_bayes")
    assert ended.returncode != 0 and "some data are missing or corrupt" in ended.stdout, ended.stdout
    assert not re.search(r"^(naive_bayes|Report): ", ended.stdout, re.MULTILINE), ended.stdout
    assert not (copy.folder / "results/papers/naive_bayes/accepted.json").exists()
    assert "expected" in (copy.folder / REPORT / "naive_bayes.html").read_text(encoding="utf-8")
