"""Write the recorded run from the results of a finished run after validating it."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
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
from textmix.core.config import load_yaml_strict
from textmix.core.digests import sha256_file
from textmix.core.errors import IntegrityError, MissingResult

#: Final results of a run.
LAST_RESULTS = ("results/report/accepted.json", "results/report/comparison.csv")
#: Columns of the comparison that are recorded unchanged.
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
        Role -> its data set.
    tests : mapping of str to str
        Test that its files refer to -> outcome.
    skipped_results : mapping of str to str
        Result that the run leaves out -> reason, such as an expensive one.
    n_history_entries : int, default=0
        Number of entries in its history at the time of the run.
    """

    spec: Mapping[str, Any]
    record: Record
    roles: Mapping[str, RoleEntry]
    tests: Mapping[str, str] = field(default_factory=dict)
    skipped_results: Mapping[str, str] = field(default_factory=dict)
    n_history_entries: int = 0


def read_run(
    run: Path, plans: Mapping[str, PaperPlan], commit: Mapping[str, str], chosen: Collection[str] | None = None
) -> tuple[RecordedRun, dict[str, str]]:
    """Read the results of a finished run without writing anything.

    Every verdict is recomputed from the results, so that the record is consistent with them.

    Parameters
    ----------
    run : Path
        Folder of the run.
    plans : mapping of str to PaperPlan
        All papers that the record must contain.
    commit : mapping of str to str
        Commit of the run's code, as returned by `reproduction.flow.git.commit_of`.
    chosen : collection of str or None, default=None
        Papers selected for the run; None means all.

    Returns
    -------
    recorded : RecordedRun
        The recorded run.
    texts : dict of str to str
        Text of the ``recorded/rows.csv`` of each paper that was run.

    Raises
    ------
    IntegrityError
        If the run is incomplete, stale, mixes two versions of the code, or is inconsistent with its results.
    """
    run_plans = {paper: plan for paper, plan in plans.items() if chosen is None or paper in chosen}
    for path in LAST_RESULTS:
        _check_present(run, path)
    for paper in run_plans:
        _check_present(run, f"results/papers/{paper}/comparison.csv")
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
    papers = {paper: replace(facts, history_entries=plan.n_history_entries) for paper, plan in run_plans.items()}
    return RecordedRun(rows, papers), texts


def _read_facts(run: Path, commit: Mapping[str, str], processors: Iterable[str]) -> Facts:
    """Return the facts about a run: its times, commit and processors."""
    benchmarks = sorted((run / RESULTS / "benchmarks").rglob("*.tsv"))
    start, end = run_times(benchmarks)
    duration = datetime.fromisoformat(end) - datetime.fromisoformat(start)
    wall_clock_seconds = duration.total_seconds()
    return Facts(
        date=end,
        commit=commit_text(commit),
        lock=sha256_file(run / "requirements.lock"),
        minutes=round(wall_clock_seconds / 60),
        processor_minutes=round(cpu_seconds(benchmarks) / 60),
        processor=", ".join(processors),
        history_entries=0,
    )


def commit_text(commit: Mapping[str, str]) -> str:
    """Format a commit returned by `reproduction.flow.git.commit_of`, with git's description of later changes."""
    changes = commit.get("changes", "none since")
    if changes == "none since":
        return commit["commit"]
    return f"{commit['commit']} ({changes})"


def write_record(run: RecordedRun, folders: Mapping[str, Path], texts: Mapping[str, str]) -> None:
    """Write the recorded run returned by `read_run` into the papers' folders."""
    for paper, text in texts.items():
        io.write_text(folders[paper] / RECORDED, text)
        io.write_json(folders[paper] / RUN, asdict(run.papers[paper]))


def check_no_rehearsal(is_rehearsal: bool, run: Path) -> None:
    """Raise IntegrityError if the data of this run or of the run in another clone are synthetic."""
    config = run / "config/config.yaml"
    if is_rehearsal or (config.is_file() and load_yaml_strict(config).get("rehearsal", False)):
        raise IntegrityError(f"{run}: a rehearsal with synthetic data is not recorded; record a run with the real data")


def check_no_loss(old: RecordedRun | None, new: RecordedRun) -> None:
    """Raise IntegrityError that lists the rows if a run judged fewer of the recorded rows."""
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
    """Raise IntegrityError if the result at a path of a run is missing or incomplete."""
    if not (run / path).is_file():
        raise IntegrityError(f"{run / path} not found: the run is incomplete; run all papers to the end")
    try:
        io.check_result(run / path)
    except MissingResult as missing:
        raise IntegrityError(f"{run / path}: {missing.reason}") from missing


def _check_papers(written: Collection[str], plans: Mapping[str, PaperPlan]) -> None:
    """Raise IntegrityError if the rows of a comparison differ from the published files of all papers."""
    published = {row.id for plan in plans.values() for row in plan.record.rows}
    missing = published - set(written)
    unknown = set(written) - published
    for names, problem in ((missing, "missing rows"), (unknown, "unknown rows")):
        if names:
            ids = first_of(sorted(names), MAX_NAMES_IN_MESSAGE)
            raise IntegrityError(f"{LAST_RESULTS[1]}: {problem} {ids}; run all papers with this version, then record")


def check_fresh(run: Path, results: Iterable[str]) -> list[str]:
    """Check that the inputs of a run have not changed since its results were computed.

    The records are followed from the final results back to the inputs.  Code is not compared, so that a run of another
    version can be checked.

    Parameters
    ----------
    run : Path
        Folder of the run.
    results : iterable of str
        Final results.

    Returns
    -------
    processors : list of str
        Sorted models of the processors that computed the results.

    Raises
    ------
    IntegrityError
        If an input was changed or removed, or two results were computed by different versions of a module.
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
            first_version, first = versions.setdefault(module, (version, path))
            if first_version != version:
                raise IntegrityError(f"{path} and {first} were made by different versions of {module}; run again")
        for name, recorded_digest in record.get("inputs", {}).items():
            if digest(name) != recorded_digest:
                raise IntegrityError(f"{path}: stale, {name} changed since it was made; run the workflow again")
        waiting += record.get("inputs", {})
    return sorted(processors)


def _compare(run: Path, paper: str, plan: PaperPlan) -> tuple[list[ComparisonRow], list[RecordedRow]]:
    """Recompute the comparison of a paper from its results; return it with the recorded rows."""
    record = io.read_meta(run / f"results/papers/{paper}/comparison.csv")
    roles = as_read(plan.roles, run / "results/datasets")
    results = Results(run / "results", paper, roles, plan.spec, tests=plan.tests, skipped_results=plan.skipped_results)
    rows = compare_paper(plan.record.rows, plan.record.checks, results)
    ancestors = Ancestors(run, record["inputs"])
    recorded = []
    for row in shorten_reasons(rows, roles):
        origin = ancestors.origin(row.id, results.read[row.id])
        cells = {column: row.cells[column] for column in RECORDED_CELLS}
        reason, _, _ = row.reason.partition("; ")
        recorded_row = RecordedRow(**cells, reason=reason, data=origin.data, settings=origin.settings, code=origin.code)
        recorded.append(recorded_row)
    return rows, recorded
