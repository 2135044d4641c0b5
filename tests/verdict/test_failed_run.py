"""The notice on a report whose run did not complete."""

from __future__ import annotations

from pathlib import Path

import pytest

from reproduction.verdict.failed_run import MAX_JOBS, MAX_LOG_LINES, FailedJob, FailedRun, mark_report, read_failed_job
from textmix.core.io import changed_files, write_result

OLD = '<body>\n<header class="mast">\n<h1>Old</h1>\n</header>\n</body>\n'


def run_with(n_jobs: int) -> FailedRun:
    jobs = [FailedJob(f"Fitting <m{number}>", f"logs/fit/m{number}.log", ["a < b"]) for number in range(n_jobs)]
    return FailedRun("2026-11-28 20:33", 40, 3, jobs)


@pytest.fixture
def report(tmp_path: Path) -> Path:
    for name in ("index.html", "paper.html"):
        write_result(tmp_path / name, OLD, {"script": "page"})
    write_result(tmp_path / "summary.json", "{}", {})
    return tmp_path


def pages_of(report: Path) -> list[Path]:
    return [report / "index.html", report / "paper.html"]


def test_pages_start_with_the_notice_and_keep_their_records(report: Path) -> None:
    mark_report(run_with(1), report / "index.html", pages_of(report), is_present=False)
    for page in pages_of(report):
        text = page.read_text("utf-8")
        assert text.index("did not complete") < text.index("logs/fit/m0.log") < text.index("<h1>Old</h1>")
        assert "Fitting &lt;m0&gt;" in text and "a &lt; b" in text
        assert "earlier run" in text
        assert not changed_files(page)


def test_a_missing_summary_makes_the_next_run_write_the_report(report: Path) -> None:
    mark_report(run_with(1), report / "index.html", pages_of(report), is_present=False)
    assert not list(report.glob("summary.json*"))


def test_a_second_failure_replaces_the_notice(report: Path) -> None:
    for n_jobs in (2, 1):
        mark_report(run_with(n_jobs), report / "index.html", pages_of(report), is_present=False)
    text = (report / "index.html").read_text("utf-8")
    assert text.count("did not complete") == 1 and "m1.log" not in text


def test_first_run_writes_a_page_of_its_own(tmp_path: Path) -> None:
    front = tmp_path / "report/index.html"
    mark_report(run_with(1), front, [front], is_present=False)
    text = front.read_text("utf-8")
    assert "<h1>The run did not complete</h1>" in text and "logs/fit/m0.log" in text


def test_interrupted_run_lists_no_jobs(tmp_path: Path) -> None:
    front = tmp_path / "index.html"
    mark_report(run_with(0), front, [front], is_present=False)
    text = front.read_text("utf-8")
    assert "interrupted" in text and "failed;" not in text


def test_empty_log_suggests_that_the_process_was_killed(tmp_path: Path) -> None:
    front = tmp_path / "index.html"
    run = FailedRun("2026-11-28 20:33", n_jobs=1, n_open=0, jobs=[FailedJob("Fitting m0", "logs/fit/m0.log")])
    mark_report(run, front, [], is_present=False)
    assert "memory" in front.read_text(encoding="utf-8")


def test_numbers_of_jobs_and_log_lines_are_limited(tmp_path: Path) -> None:
    front = tmp_path / "index.html"
    mark_report(run_with(MAX_JOBS + 2), front, [front], is_present=False)
    assert "2 more" in front.read_text("utf-8")
    log = tmp_path / "job.log"
    log.write_text("\n".join(map(str, range(100))), encoding="utf-8")
    assert len(read_failed_job("", str(log)).lines) == MAX_LOG_LINES
    assert read_failed_job("", str(tmp_path / "none.log")).lines == []
