"""Writing the recorded run from the results of a finished run, and the reasons to refuse one."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from reproduction.flow.fingerprint import input_digest
from reproduction.flow.folders import RESULTS
from reproduction.flow.lineage import Ancestors
from reproduction.flow.results import Results, RoleEntry, as_read
from reproduction.verdict.compare import COMPARISON_COLUMNS, compare_paper, merge_comparisons
from reproduction.verdict.provenance import processor_seconds, run_times
from reproduction.verdict.published import Record
from reproduction.verdict.recorded_run import RECORDED, RECORDED_COLUMNS, RUN, Facts, RecordedRow, RecordedRun
from reproduction.verdict.report_rows import without_notes
from reproduction.verdict.wording import JUDGED, first_of, text_of
from textmix.core import io
from textmix.core.digests import sha256_file
from textmix.core.errors import IntegrityError, MissingResult

#: The results with which a run ends.
ENDS = ("results/report/accepted.json", "results/report/comparison.csv")
#: Columns of the comparison that are recorded as they are.
_OF_COMPARISON = ("id", "rebuilt", "rebuilt_spread", "trials", "verdict", "corrected", "margin_share")
#: Most names in one sentence.
_NAMED = 5


@dataclass(frozen=True)
class PaperPlan:
    """The configuration of a paper; ``spec`` is its ``paper.yaml`` with the cap on trials, ``tests`` maps the tests
    that it names to their outcomes.
    """

    spec: Mapping[str, Any]
    record: Record
    roles: Mapping[str, RoleEntry]
    tests: Mapping[str, str] = field(default_factory=dict)


def read_run(
    run: Path, plans: Mapping[str, PaperPlan], commit: Mapping[str, str], chosen: Collection[str] | None = None
) -> tuple[RecordedRun, dict[str, str]]:
    """Return what a finished run gave, and the text of the ``recorded/rows.csv`` of each paper that it ran.

    Nothing is written.  Every verdict is judged again from the results, so that the record cannot say what they do not;
    IntegrityError if the run is not finished, stale, of two versions of the code, or says something else.  ``plans``
    has all papers that the record must have, ``chosen`` are those that the run was asked for, by default all.
    """
    ran = {paper: plan for paper, plan in plans.items() if chosen is None or paper in chosen}
    for path in (*ENDS, *(f"results/papers/{paper}/comparison.csv" for paper in ran)):
        _check_present(run, path)
    kinds = check_fresh(run, ENDS)
    whole = io.read_csv(run / ENDS[1])
    _check_papers(whole, plans)
    rows = {paper: _rows(run, paper, plan) for paper, plan in ran.items()}
    written = {row["id"]: row for row in whole}
    for found in merge_comparisons(compared for compared, _ in rows.values()):
        if written[found["id"]] != found:
            raise IntegrityError(
                f"{run / ENDS[1]}: '{found['id']}' is not what the results of the run give with this configuration; "
                "name the configuration of the run with --configfile, or run it again"
            )
    measured = sorted((run / RESULTS / "benchmarks").rglob("*.tsv"))
    start, end = run_times(measured)
    minutes = round((datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds() / 60)
    spent = round(processor_seconds(measured) / 60)
    made = {row.id: row for _, recorded in rows.values() for row in recorded}
    facts = Facts(end, commit_text(commit), sha256_file(run / "requirements.lock"), minutes, spent, ", ".join(kinds))
    texts = {paper: io.format_csv(map(asdict, recorded), RECORDED_COLUMNS) for paper, (_, recorded) in rows.items()}
    return RecordedRun(made, dict.fromkeys(ran, facts)), texts


def commit_text(commit: Mapping[str, str]) -> str:
    """Return a commit, as `reproduction.flow.git.commit_of` gives it, with what git knows of changes since."""
    changes = commit.get("changes", "none since")
    return commit["commit"] if changes == "none since" else f"{commit['commit']} ({changes})"


def write_record(run: RecordedRun, folders: Mapping[str, Path], texts: Mapping[str, str]) -> None:
    """Write the recorded run, as `read_run` returns it, into the papers' folders."""
    for paper, text in texts.items():
        io.write_text(folders[paper] / RECORDED, text)
        io.write_json(folders[paper] / RUN, asdict(run.papers[paper]))


def check_no_loss(old: RecordedRun | None, new: RecordedRun) -> None:
    """Refuse with IntegrityError, which names rows, a run that judged fewer of the rows than the recorded one."""
    judged = {name for name, row in old.rows.items() if row.verdict in JUDGED} if old else set()
    lost = [name for name, row in new.rows.items() if name in judged and row.verdict not in JUDGED]
    if lost:
        raise IntegrityError(
            f"this run did not judge {len(lost)} rows that the recorded run of {old.day if old else ''} judged: "
            f"{first_of(lost, _NAMED)}; record a run that has their data, or remove the paper's {RECORDED} to begin a "
            "record anew"
        )


def _check_present(run: Path, path: str) -> None:
    """Refuse a run without a whole result at a path."""
    if not (run / path).is_file():
        raise IntegrityError(f"{run / path}: is not there, so that the run is not finished; run all papers to the end")
    try:
        io.check_result(run / path)
    except MissingResult as missing:
        raise IntegrityError(f"{run / path}: {missing.reason}") from missing


def _check_papers(whole: Iterable[Mapping[str, str]], plans: Mapping[str, PaperPlan]) -> None:
    """Refuse a comparison that has other rows than the published files of all papers."""
    there = {row["id"] for row in whole}
    published = {row.id for plan in plans.values() for row in plan.record.rows}
    for names, what in ((published - there, "lacks"), (there - published, "has the unknown rows")):
        if names:
            raise IntegrityError(
                f"{ENDS[1]}: {what} {first_of(sorted(names), _NAMED)}; run all papers with this version, then record"
            )


def check_fresh(run: Path, ends: Iterable[str]) -> list[str]:
    """Return the kinds of processor that made the results of a run, after a check that inputs are what results read.
    It follows the records back from the last results, and no code, so that a run of another version can be checked.
    IntegrityError if an input changed or is gone, or two results were made by different versions of a module.
    """
    digest = functools.cache(lambda name: input_digest(run / name))
    code: dict[str, tuple[str, str]] = {}
    waiting, seen, kinds = list(ends), set[str](), set[str]()
    while waiting:
        path = waiting.pop()
        if path in seen or not path.startswith(f"{RESULTS}/"):
            continue
        seen.add(path)
        record = io.read_meta(run / path)
        kinds |= {record["processor"]["processor"]} if "processor" in record else set()
        for module, version in record.get("code", {}).items():
            other, first = code.setdefault(module, (version, path))
            if other != version:
                raise IntegrityError(f"{path} and {first} were made by different versions of {module}; run again")
        for name, was in record.get("inputs", {}).items():
            if digest(name) != was:
                raise IntegrityError(f"{path}: is stale, for {name} changed since it was made; run the workflow again")
        waiting += record.get("inputs", {})
    return sorted(kinds)


def _rows(run: Path, paper: str, plan: PaperPlan) -> tuple[list[dict[str, str]], list[RecordedRow]]:
    """Return the comparison of a paper, judged again and as its file would hold it, and its recorded rows."""
    record = io.read_meta(run / f"results/papers/{paper}/comparison.csv")
    roles = as_read(plan.roles, run / "results/datasets")
    results = Results(run / "results", paper, roles, plan.spec, tests=plan.tests)
    compared = compare_paper(plan.record.rows, plan.record.checks, results)
    ancestors = Ancestors(run, record["inputs"])
    recorded = []
    for row in without_notes(compared, roles):
        origin = ancestors.origin(row["id"], results.read[row["id"]])
        cells = {key: text_of(row[key]) for key in _OF_COMPARISON}
        digests = {"data": origin.data, "settings": origin.settings, "code": origin.code}
        recorded.append(RecordedRow(**cells, reason=row["reason"].split("; ")[0], **digests))
    return [{key: text_of(row[key]) for key in COMPARISON_COLUMNS} for row in compared], recorded
