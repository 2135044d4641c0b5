"""The sentences with which a run ends: verdicts in order of worth, and where they stand."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path

from reproduction.verdict.words import VERDICTS


def report_line(name: str, summary: Path, page: str) -> str:
    """Return the counts of a report's verdicts in words and the path of its page; nothing where it was not made.

    Verdicts of which there are none are left out.

    Parameters
    ----------
    name : of the paper, or ``Report`` for that of the run.
    summary : where the counts are.
    page : path of the page.
    """
    if not summary.is_file():
        return ""
    counts = json.loads(summary.read_text(encoding="utf-8"))["verdicts"]
    tally = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts.get(verdict))
    return f"{name}: {tally or 'no number and no claim'}; {page}"


def report_lines(
    pages: Iterable[tuple[str, str, str]], is_of_run: Callable[[str], bool], at_hand: Callable[[str], Path]
) -> str:
    """Return the verdicts of each report that a run asked for, a line each; the run may have had nothing to do.

    Parameters
    ----------
    pages : name of each report, path of its counts, and path of its page; that of the whole run last.
    is_of_run : whether a path is one that the run asked for.
    at_hand : path of a result -> where it can be read.
    """
    lines = (report_line(name, at_hand(summary), page) for name, summary, page in pages if is_of_run(summary))
    return "\n".join(filter(None, lines))
