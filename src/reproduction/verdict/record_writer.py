"""Write the recorded run from the results of a finished run, after checks of this run."""

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
from reproduction.verdict.compare import compare_paper, merge_comparisons
from reproduction.verdict.comparison_row import ComparisonRow, read_comparison
from reproduction.verdict.provenance import cpu_seconds, run_times
from reproduction.verdict.published import Record
from reproduction.verdict.recorded_run import RECORDED, RECORDED_COLUMNS, RUN, Facts, RecordedRow, RecordedRun
from reproduction.verdict.report_rows import shorten_reasons
from reproduction.verdict.wording import JUDGED, first_of
from textmix.core import io
from textmix.core.digests import sha256_file
from textmix.core.errors import IntegrityError, MissingResult

#: The results with which a run ends.
LAST_RESULTS = ("results/report/accepted.json", "results/report/comparison.csv")
#: Columns of the comparison that are recorded as they are.
RECORDED_CELLS = ("id", "reproduced", "reproduced_sd", "trials", "verdict", "corrected", "margin_share")
#: Maximum number of names in an error message.
MAX_NAMES_IN_MESSAGE = 5


@dataclass(frozen=True)
class PaperPlan:
    """The configuration of a paper.

    Parameters
    ----------
    spec : mapping
        Its ``paper.yaml`` with the cap on trials.
    record : Record
        Its published rows, checks and choices.
    roles : mapping of str to RoleEntry
        Role -> the data set that stands for it.
    tests : mapping of str to str
        The tests that it names -> their outcomes.
    """

    spec: Mapping[str, Any]
    record: Record
    roles: Mapping[str, RoleEntry]
    tests: Mapping[str, str] = field(default_factory=dict)


def read_run(
    run: Path, plans: Mapping[str, PaperPlan], commit: Mapping[str, str], chosen: Collection[str] | None = None
) -> tuple[RecordedRun, dict[str, str]]:
    """Read the results of a finished run; nothing is written.

    Every verdict is derived again from the results, so that the record cannot differ from them.

    Parameters
    ----------
    run : Path
        Folder of the run.
    plans : mapping of str to PaperPlan
        All papers that the record must have.
    commit : mapping of str to str
        The commit of the run's code, as `reproduction.flow.git.commit_of` returns it.
    chosen : collection of str or None, default=None
        The papers that the run was asked for; None means all.

    Returns
    -------
    recorded : RecordedRun
        The recorded run.
    texts : dict of str to str
        Text of the ``recorded/rows.csv`` of each paper that was run.

    Raises
    ------
    IntegrityError
        If the run is incomplete, stale, of two versions of the code, or differs from its results.
    """
    run_plans = {paper: plan for paper, plan in plans.items() if chosen is None or paper in chosen}
    for path in (*LAST_RESULTS, *(f"results/papers/{paper}/comparison.csv" for paper in run_plans)):
        _check_present(run, path)
    processors = check_fresh(run, LAST_RESULTS)
    written = {row.id: row for row in read_comparison(run / LAST_RESULTS[1])}
    _check_papers(written, plans)
    compared: dict[str, list[ComparisonRow]] = {}
    recorded: dict[str, list[RecordedRow]] = {}
    for paper, plan in run_plans.items():
        compared[paper], recorded[paper] = _compare(run, paper, plan)
    for row in merge_comparisons(compared.values()):
        if written[row.id].cells != row.cells:
            raise IntegrityError(
                f"{run / LAST_RESULTS[1]}: '{row.id}' differs from the results of the run with this configuration; "
                "name the configuration of the run with --configfile, or run it again"
            )
    facts = _read_facts(run, commit, processors)
    rows = {row.id: row for paper_rows in recorded.values() for row in paper_rows}
    texts = {paper: io.format_csv(map(asdict, paper_rows), RECORDED_COLUMNS) for paper, paper_rows in recorded.items()}
    return RecordedRun(rows, dict.fromkeys(run_plans, facts)), texts


def _read_facts(run: Path, commit: Mapping[str, str], processors: Iterable[str]) -> Facts:
    """Return the facts about a run: its times, commit and processors."""
    benchmarks = sorted((run / RESULTS / "benchmarks").rglob("*.tsv"))
    start, end = run_times(benchmarks)
    wall_clock_seconds = (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()
    return Facts(
        date=end,
        commit=commit_text(commit),
        lock=sha256_file(run / "requirements.lock"),
        minutes=round(wall_clock_seconds / 60),
        processor_minutes=round(cpu_seconds(benchmarks) / 60),
        processor=", ".join(processors),
    )


def commit_text(commit: Mapping[str, str]) -> str:
    """Return a commit, as `reproduction.flow.git.commit_of` returns it, with git's description of changes since."""
    changes = commit.get("changes", "none since")
    return commit["commit"] if changes == "none since" else f"{commit['commit']} ({changes})"


def write_record(run: RecordedRun, folders: Mapping[str, Path], texts: Mapping[str, str]) -> None:
    """Write the recorded run, as `read_run` returns it, into the papers' folders."""
    for paper, text in texts.items():
        io.write_text(folders[paper] / RECORDED, text)
        io.write_json(folders[paper] / RUN, asdict(run.papers[paper]))


def check_no_loss(old: RecordedRun | None, new: RecordedRun) -> None:
    """Raise IntegrityError if a run judged fewer of the rows than the recorded one; the message names them."""
    if old is None:
        return
    judged = {name for name, row in old.rows.items() if row.verdict in JUDGED}
    lost = [name for name, row in new.rows.items() if name in judged and row.verdict not in JUDGED]
    if lost:
        raise IntegrityError(
            f"this run did not judge {len(lost)} rows that the recorded run of {old.day} judged: "
            f"{first_of(lost, MAX_NAMES_IN_MESSAGE)}; record a run that has their data, or remove "
            f"the paper's {RECORDED} to start a new record"
        )


def _check_present(run: Path, path: str) -> None:
    """Raise IntegrityError if a run lacks a complete result at a path."""
    if not (run / path).is_file():
        raise IntegrityError(f"{run / path} not found: the run is incomplete; run all papers to the end")
    try:
        io.check_result(run / path)
    except MissingResult as missing:
        raise IntegrityError(f"{run / path}: {missing.reason}") from missing


def _check_papers(written: Collection[str], plans: Mapping[str, PaperPlan]) -> None:
    """Raise IntegrityError if a comparison has other rows than the published files of all papers."""
    published = {row.id for plan in plans.values() for row in plan.record.rows}
    missing = published - set(written)
    unknown = set(written) - published
    for names, problem in ((missing, "missing rows"), (unknown, "unknown rows")):
        if names:
            ids = first_of(sorted(names), MAX_NAMES_IN_MESSAGE)
            raise IntegrityError(f"{LAST_RESULTS[1]}: {problem} {ids}; run all papers with this version, then record")


def check_fresh(run: Path, results: Iterable[str]) -> list[str]:
    """Check that the inputs of a run are unchanged since its results were made from them.

    The records are followed from the last results back to the inputs.  Code is not compared, so that a run of another
    version can be checked.

    Parameters
    ----------
    run : Path
        Folder of the run.
    results : iterable of str
        Its last results.

    Returns
    -------
    processors : list of str
        Models of the processors that made the results, sorted.

    Raises
    ------
    IntegrityError
        If an input was changed or removed, or two results were made by different versions of a module.
    """
    digest = functools.cache(lambda name: input_digest(run / name))
    versions: dict[str, tuple[str, str]] = {}
    processors: set[str] = set()
    checked: set[str] = set()
    waiting = list(results)
    while waiting:
        path = waiting.pop()
        if path in checked or not path.startswith(f"{RESULTS}/"):
            continue
        checked.add(path)
        record = io.read_meta(run / path)
        if "processor" in record:
            processors.add(record["processor"]["processor"])
        for module, version in record.get("code", {}).items():
            other, first = versions.setdefault(module, (version, path))
            if other != version:
                raise IntegrityError(f"{path} and {first} were made by different versions of {module}; run again")
        for name, recorded_digest in record.get("inputs", {}).items():
            if digest(name) != recorded_digest:
                raise IntegrityError(f"{path}: stale, {name} changed since it was made; run the workflow again")
        waiting += record.get("inputs", {})
    return sorted(processors)


def _compare(run: Path, paper: str, plan: PaperPlan) -> tuple[list[ComparisonRow], list[RecordedRow]]:
    """Return the comparison of a paper, derived again from its results, and its recorded rows."""
    record = io.read_meta(run / f"results/papers/{paper}/comparison.csv")
    roles = as_read(plan.roles, run / "results/datasets")
    results = Results(run / "results", paper, roles, plan.spec, tests=plan.tests)
    rows = compare_paper(plan.record.rows, plan.record.checks, results)
    ancestors = Ancestors(run, record["inputs"])
    recorded = []
    for row in shorten_reasons(rows, roles):
        origin = ancestors.origin(row.id, results.read[row.id])
        recorded.append(
            RecordedRow(
                **{column: row.cells[column] for column in RECORDED_CELLS},
                reason=row.reason.split("; ")[0],
                data=origin.data,
                settings=origin.settings,
                code=origin.code,
            )
        )
    return rows, recorded
