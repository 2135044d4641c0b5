"""The sentences with which a run ends: verdicts in order of worth, and where they stand."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path

from reproduction.verdict.words import VERDICTS


def report_line(name: str, summary: Path, page: str) -> str:
    """Return the counts of a report's verdicts, but for zeros, and the path of its page; empty without ``summary``."""
    if not summary.is_file():
        return ""
    counts = json.loads(summary.read_text(encoding="utf-8"))["verdicts"]
    tally = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts.get(verdict))
    return f"{name}: {tally or 'no number and no claim'}; {page}"


def report_lines(
    pages: Iterable[tuple[str, str, str]], is_of_run: Callable[[str], bool], at_hand: Callable[[str], Path]
) -> str:
    """Return the verdicts of each report that a run asked for, a line each; the run may have had nothing to do.
    ``pages`` has the name of each report and the paths of its counts and page, that of the whole run last; ``at_hand``
    says where a result can be read.
    """
    lines = (report_line(name, at_hand(summary), page) for name, summary, page in pages if is_of_run(summary))
    return "\n".join(filter(None, lines))
