"""Mark a report whose run did not complete: which jobs failed, with the ends of their logs, and what to do next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reproduction.verdict.page import TEMPLATES
from textmix.core import io
from textmix.core.errors import IntegrityError
from textmix.pages.rendering import environment, style

#: Maximum number of failed jobs that a notice describes.
MAX_JOBS = 20
#: Maximum number of lines at the end of a log that a notice quotes, and of characters per line.
MAX_LOG_LINES = 15
MAX_LINE_CHARACTERS = 500
#: The notice is inserted before this element of an existing page.
_MAST = '<header class="mast">'
_START = "<!-- notice of an incomplete run -->"


@dataclass(frozen=True)
class FailedJob:
    """A job that failed.

    Parameters
    ----------
    title : str
        Message of its rule.
    log : str
        Path of its log; "" if it has none.
    lines : sequence of str, default=()
        Last lines of the log.
    """

    title: str
    log: str
    lines: Sequence[str] = ()


@dataclass(frozen=True)
class FailedRun:
    """A run that did not complete.

    Parameters
    ----------
    start : str
        Date and time of its start.
    n_jobs, n_open : int
        Numbers of planned jobs, and of those that neither ended nor failed.
    jobs : sequence of FailedJob
        The failed jobs; empty if the run was interrupted.
    """

    start: str
    n_jobs: int
    n_open: int
    jobs: Sequence[FailedJob]


def read_failed_job(title: str, log: str) -> FailedJob:
    """Return a failed job with the last lines of its log, if the log can be read."""
    try:
        lines = Path(log).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    return FailedJob(title, log, [line[:MAX_LINE_CHARACTERS] for line in lines[-MAX_LOG_LINES:]])


def mark_report(run: FailedRun, front: Path, pages: Sequence[Path], *, is_present: bool) -> None:
    """Insert a notice at the top of the pages of a report, and make the next run write the report again.

    Parameters
    ----------
    run : FailedRun
        The run that did not complete.
    front : Path
        Front page; it is created if it does not exist.
    pages : sequence of Path
        All pages of the report.
    is_present : bool
        Whether this run wrote the pages before another job of the report failed.
    """
    templates = environment(TEMPLATES)
    templates.globals.update(run=run, MAX_JOBS=MAX_JOBS)
    notice = templates.get_template("failed_notice.html").render(report="present" if is_present else "earlier")
    for path in pages:
        if path.exists():
            page = path.read_text(encoding="utf-8")
            io.write_result(path, _insert_notice(page, notice), _record_of(path))
    if not front.exists():
        page = templates.get_template("failed.html").render(report="", style=style("page.css"))
        io.write_result(front, page, {})
    # Snakemake repeats a job if one of its outputs is missing.
    io.remove_result(front.with_name("summary.json"))


def _insert_notice(page: str, notice: str) -> str:
    """Insert a notice before the heading of a page, in place of the notice of an earlier run."""
    before, heading, after = page.partition(_MAST)
    before = before.partition(_START)[0]
    return f"{before}{_START}\n{notice}\n{heading}{after}"


def _record_of(path: Path) -> Mapping[str, Any]:
    """Return the record of a page; empty if it cannot be read."""
    try:
        return io.read_meta(path)
    except IntegrityError:
        return {}
