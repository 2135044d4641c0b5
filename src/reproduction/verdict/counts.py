"""How many rows count in the headline, before and after a change of the published files, and why the number moved.

``python -m reproduction.verdict.counts REVISION`` prints it for all papers beside a revision of this folder, over all
rows and over those whose data come in packages, which any machine can judge; ``--comparisons OLD NEW`` also counts the
rows whose verdict flipped between two runs.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from reproduction.flow.commit import text_at
from reproduction.flow.papers import expand_paper
from reproduction.flow.results import Results, RoleEntry, role_entries
from reproduction.verdict.items import roles_of
from reproduction.verdict.placebo import placebos
from reproduction.verdict.published import COUNTED, IDENTITY, Published, read_claims
from reproduction.verdict.words import JUDGED
from textmix.core import io
from textmix.core.config import load_yaml_strict

#: Kind of source of data that come with a package.
PACKAGE = "package"
#: Columns of the counts: rows that counted before, those that do not now by reason, new ones, and rows that count now.
REASONS = ("identity", "weak", "range", "other", "new")
COLUMNS = ("before", *REASONS, "after")


def reason(old: Mapping[str, str] | None, row: Published | None, *, weak: bool) -> str:
    """Return the column of a row whose count moved; empty where it did not.

    Parameters
    ----------
    old, row : the row of ``published.csv`` before and now; None where there is none.
    weak : whether its margin tells too little now.
    """
    counted = old is not None and old["kind"] in COUNTED
    counts = row is not None and row.kind in COUNTED and not weak
    if counted == counts:
        return ""
    if counts:
        return "new"
    if row is not None and row.kind == IDENTITY:
        return "identity"
    if weak:
        return "weak"
    return "range" if old is not None and old["tolerance"] == "range" else "other"


def counts_of(before: Mapping[str, Mapping[str, str]], rows: Sequence[Published], weak: set[str]) -> Counter[str]:
    """Return column of `COLUMNS` -> number of rows.

    Parameters
    ----------
    before : id -> row of ``published.csv`` before.
    rows : the rows now.
    weak : ids of the rows whose margins tell too little.
    """
    now = {row.id: row for row in rows}
    moved = [reason(before.get(name), now.get(name), weak=name in weak) for name in sorted(before.keys() | now.keys())]
    found = Counter(said for said in moved if said)
    found["before"] = sum(row["kind"] in COUNTED for row in before.values())
    found["after"] = sum(row.kind in COUNTED and row.id not in weak for row in rows)
    return found


def flipped(old: Path, new: Path) -> list[str]:
    """Return a line for each number or claim that both comparisons judged, and not alike."""
    first = {row["id"]: row["verdict"] for row in io.read_csv(old)}
    pairs = [
        (row["id"], first.get(row["id"], ""), row["verdict"]) for row in io.read_csv(new) if row["kind"] in COUNTED
    ]
    return [f"{name}: {was}, now {is_}" for name, was, is_ in pairs if was in JUDGED and is_ in JUDGED and was != is_]


def _read_as(entry: RoleEntry) -> list[tuple[str | None, str]]:
    """Return data set and comparability of all that may stand for a role."""
    return [(entry.dataset, entry.comparable), *((one["dataset"], one["comparable"]) for one in entry.stand_ins)]


def _in_package(registry: Mapping[str, Any], dataset: str | None, comparable: str) -> bool:
    """Return whether a data set comes in a package, and can be judged."""
    sources = registry[dataset]["sources"] if dataset else ()
    return comparable != "not" and any(PACKAGE in source for source in sources)


def _papers(revision: str) -> Iterator[tuple[str, Counter[str], Counter[str]]]:
    """Yield each paper with its counts over all rows, and over the rows whose data come in packages."""
    config = Path("config")
    roles = role_entries(load_yaml_strict(config / "config.yaml")["roles"])
    registry = load_yaml_strict(config / "datasets.yaml")
    packaged = {role for role, entry in roles.items() if any(_in_package(registry, *one) for one in _read_as(entry))}
    for folder in sorted(path for path in (config / "papers").iterdir() if path.is_dir()):
        rows, checks = read_claims(folder, Path("workflow/schemas"))
        spec: dict[str, Any] = dict(expand_paper(load_yaml_strict(folder / "paper.yaml"), folder.name))
        results = Results(Path("results"), folder.name, roles, spec)
        text = text_at(Path(), revision, folder / "published.csv")
        before = {row["id"]: row for row in csv.DictReader(text.splitlines())}
        weak = {name for name, placebo in placebos(rows, checks).items() if placebo.weak}
        there = {row.id for row in rows if row.source and packaged.issuperset(roles_of(row, checks, results))}
        at_hand = {name: row for name, row in before.items() if name in there}
        whole = counts_of(before, rows, weak)
        yield folder.name, whole, counts_of(at_hand, [row for row in rows if row.id in there], weak)


def _write(title: str, papers: Mapping[str, Counter[str]]) -> None:
    """Print the counts of all papers, and their sum, under a title."""
    lines: list[tuple[str, Sequence[str]]] = [("", COLUMNS)]
    total: Counter[str] = sum(papers.values(), Counter())
    for name, counts in (*papers.items(), ("sum", total)):
        lines.append((name, tuple(str(counts[column]) for column in COLUMNS)))
    rows = (f"{name:12}" + "".join(f"{cell:>10}" for cell in cells) for name, cells in lines)
    sys.stdout.write(f"{title}\n" + "\n".join(rows) + "\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the counts and, where two comparisons are given, the rows that flipped; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m reproduction.verdict.counts", description=__doc__)
    parser.add_argument("revision", help="of this folder, as git names it")
    parser.add_argument("--comparisons", nargs=2, type=Path, metavar=("OLD", "NEW"), help="two comparison.csv")
    options = parser.parse_args(arguments)
    papers = list(_papers(options.revision))
    _write("all rows", {name: whole for name, whole, _ in papers})
    _write("rows whose data come in packages", {name: at_hand for name, _, at_hand in papers})
    if options.comparisons:
        lines = flipped(*options.comparisons)
        sys.stdout.write(f"flipped: {len(lines)}\n" + "".join(f"  {line}\n" for line in lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
