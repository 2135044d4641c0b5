"""The sentences with which a run ends: verdicts in order of worth, and where they stand."""

from __future__ import annotations

import json
from pathlib import Path

from reproduction.verdict.words import VERDICTS


def verdicts_said(name: str, summary: Path, page: str) -> str:
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
    said = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts.get(verdict))
    return f"{name}: {said or 'no number and no claim'}; {page}"
