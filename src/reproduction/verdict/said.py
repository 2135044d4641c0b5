"""The sentences with which a run ends: verdicts in order of worth, and where they stand."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from reproduction.plan.stages import COMPARE, PAGE
from reproduction.verdict.words import VERDICTS


def verdicts_said(summary: Path) -> str:
    """Return the path of the report and the counts of its verdicts in words; nothing where no report was made.

    Parameters
    ----------
    summary : where the counts are.
    """
    if not summary.is_file():
        return ""
    counts = json.loads(summary.read_text(encoding="utf-8"))["verdicts"]
    return f"Report: {in_order(counts)}; {PAGE.path()}"


def in_order(counts: Mapping[str, int]) -> str:
    """Return numbers of verdicts in words, in order of worth; without those of which there are none."""
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts.get(verdict))


def paper_said(paper: str, comparison: Path) -> str:
    """Return the verdicts on the numbers and claims of one paper in words, and how its page is made.

    Parameters
    ----------
    paper : its name.
    comparison : where its comparison is, which `Targets.paper` asks for; a missing result says so.
    """
    with open(comparison, encoding="utf-8", newline="") as handle:
        rows = [row for row in csv.DictReader(handle) if row.get("kind") in ("number", "claim")]
    words = in_order(Counter(row["verdict"] for row in rows))
    path, page = COMPARE.path(paper=paper), f"snakemake --config 'papers=[{paper}]' -- report"
    return f"{paper}: {words or 'no number and no claim'}, each beside its published value in {path}; its page: {page}"
