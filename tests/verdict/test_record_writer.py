"""A record is written from a finished, fresh and whole run alone."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from reproduction.verdict.compare import compare_paper
from reproduction.verdict.comparison_row import ComparisonRow, comparison_csv
from reproduction.verdict.published import Record
from reproduction.verdict.record_writer import PaperPlan, read_run, write_record
from reproduction.verdict.recorded_run import RECORDED_COLUMNS, RecordedRun, read_recorded, recorded_files
from tests.verdict.reporting import ROLES, SETTINGS, Made, comparison_row, row
from textmix.core import io
from textmix.core.errors import IntegrityError

COMMIT = {"commit": "0123abcd", "changes": "none since"}
SCORES = "results/scores/paper/table1/news_set/dcm.csv"


class FinishedRun:
    """A run of one paper with one number, in the form in which the workflow leaves it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.made = Made(root / "results")
        self.rows = (row(id="p.x"),)
        self.made.scores("dcm", {"": [0.8, 0.8001, 0.7999]})
        self.end()
        io.write_text(root / "requirements.lock", "numpy==2\n")
        io.write_text(root / "results/benchmarks/fit/a.tsv", "s\tcpu_time\n110\t90\n")

    def end(self, *not_run: ComparisonRow, **code: str) -> None:
        """Write the comparison of the paper, that of the report with rows that were not run, and the end of the run."""
        compared = compare_paper(self.rows, {}, self.made.results)
        text = comparison_csv(compared)
        paper = "results/papers/paper/comparison.csv"
        self.write(paper, text, [SCORES], code)
        text = comparison_csv([*compared, *not_run])
        self.write("results/report/comparison.csv", text, [paper], code)
        self.write("results/report/accepted.json", "{}\n", ["results/report/comparison.csv"], code)

    def write(self, path: str, text: str, inputs: list[str], code: dict[str, str]) -> None:
        digests = {name: io.result_digest(self.root / name) for name in inputs}
        record = {"inputs": digests, "code": code, "settings": {}, "processor": {"processor": "A kind"}}
        io.write_result(self.root / path, text, record)

    def read(self, settings: dict[str, Any] = SETTINGS) -> Any:
        skipped = self.made.results.skipped_results
        plan = PaperPlan(settings, Record(self.rows, {}, ()), ROLES, skipped_results=skipped, n_history_entries=7)
        return read_run(self.root, {"paper": plan}, COMMIT)


@pytest.fixture
def finished(tmp_path: Path) -> FinishedRun:
    return FinishedRun(tmp_path)


def test_a_finished_run_is_recorded(finished: FinishedRun) -> None:
    run, texts = finished.read()
    (found,) = run.rows.values()
    assert (found.id, found.reproduced, found.verdict) == ("p.x", "0.8", "reproduced")
    assert found.settings and found.data == ""
    facts = run.papers["paper"]
    assert (facts.commit, facts.minutes, facts.processor_minutes, facts.processor) == ("0123abcd", 2, 2, "A kind")
    assert facts.history_entries == 7
    assert texts["paper"].startswith(f"{','.join(RECORDED_COLUMNS)}\np.x,0.8,")


def test_a_run_that_leaves_out_expensive_results_is_recorded(finished: FinishedRun) -> None:
    finished.made.results.skipped_results = {"experiments/table1": "expensive"}
    finished.end()
    run, _ = finished.read()
    (recorded,) = run.rows.values()
    assert (recorded.verdict, recorded.reason) == ("not run", "expensive")


@pytest.mark.parametrize("path", ["results/report/accepted.json", "results/report/comparison.csv"])
def test_an_unfinished_run_is_refused(finished: FinishedRun, path: str) -> None:
    (finished.root / path).unlink()
    with pytest.raises(IntegrityError, match="the run is incomplete"):
        finished.read()


def test_a_run_with_a_stale_result_is_refused(finished: FinishedRun) -> None:
    finished.made.scores("dcm", {"": [0.9, 0.91, 0.89]})
    with pytest.raises(IntegrityError, match=rf"stale, {SCORES} changed"):
        finished.read()


def test_a_result_that_was_changed_by_hand_is_refused(finished: FinishedRun) -> None:
    path = finished.root / SCORES
    path.write_text(path.read_text(encoding="utf-8").replace("0.7999", "0.8999"), encoding="utf-8")
    with pytest.raises(IntegrityError, match=r"changed since it was made"):
        finished.read()


def test_a_comparison_that_says_something_else_than_the_results_is_refused(finished: FinishedRun) -> None:
    paper, whole = "results/papers/paper/comparison.csv", "results/report/comparison.csv"
    text = (finished.root / whole).read_text(encoding="utf-8").replace(",reproduced,reproduced,", ",differs,differs,")
    finished.write(paper, text, [SCORES], {})
    finished.write(whole, text, [paper], {})
    finished.write("results/report/accepted.json", "{}\n", [whole], {})
    with pytest.raises(IntegrityError, match=r"'p\.x' differs from the results of the run"):
        finished.read()


def test_a_comparison_that_misses_a_row_is_refused(finished: FinishedRun) -> None:
    finished.rows = (row(id="p.x"), row(id="p.y"))
    with pytest.raises(IntegrityError, match=r"missing rows p\.y"):
        finished.read()


def test_results_of_two_versions_of_the_code_are_refused(finished: FinishedRun) -> None:
    finished.end(model="1")
    finished.write("results/report/accepted.json", "{}\n", ["results/report/comparison.csv"], {"model": "2"})
    with pytest.raises(IntegrityError, match="different versions of model"):
        finished.read()


def test_a_run_of_one_paper_alone_is_recorded_beside_a_whole_one_with_a_date_of_its_own(finished: FinishedRun) -> None:
    plan = PaperPlan(SETTINGS, Record(finished.rows, {}, ()), ROLES)
    other = PaperPlan(SETTINGS, Record((row(id="q.x"),), {}, ()), ROLES)
    finished.end(comparison_row(id="q.x", verdict="not run"))
    plans = {"paper": plan, "other": other}
    with pytest.raises(IntegrityError, match=r"results/papers/other/comparison\.csv not found"):
        read_run(finished.root, plans, COMMIT)
    made, texts = read_run(finished.root, plans, COMMIT, ["paper"])
    assert list(texts) == ["paper"] and list(made.rows) == ["p.x"]
    before = replace(made.rows["p.x"], verdict="undecided")
    facts = replace(made.papers["paper"], date="2026-01-01T00:00:00+00:00")
    rows, papers = {"p.x": before, "q.x": replace(before, id="q.x")}, dict.fromkeys(plans, facts)
    folders = {name: finished.root / "config/papers" / name for name in plans}
    first = zip(plans, rows.values(), strict=True)
    whole = {name: io.format_csv([asdict(one)], RECORDED_COLUMNS) for name, one in first}
    write_record(RecordedRun(rows, papers), folders, whole)
    write_record(made, folders, texts)
    found = read_recorded(recorded_files(folders.values()))
    assert found is not None
    assert {name: one.verdict for name, one in found.rows.items()} == {"p.x": "reproduced", "q.x": "undecided"}
    assert found.papers["other"].day == "2026-01-01"
    assert found.day == f"2026-01-01 to {made.day}"
    assert found.papers["paper"] == made.papers["paper"]
    assert found.runs == {facts: ["other"], made.papers["paper"]: ["paper"]}
    assert found.minutes == facts.minutes + made.papers["paper"].minutes
