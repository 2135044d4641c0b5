"""The target ``record`` writes a complete, current run to config/, and the next report shows it."""

from __future__ import annotations

import pytest

from reproduction.flow.announcement import RECORDED_JOBS, read_measurements
from reproduction.verdict.recorded_run import read_recorded, recorded_files
from tests.workflow.test_reruns import METRIC, METRIC_EDIT, planned
from tests.workflow.tiny import BUILT, Clone
from textmix.core import io

pytestmark = pytest.mark.workflow


def uncapped(clone: Clone) -> Clone:
    """Return a clone whose run with few trials counts as complete."""
    clone.edit("workflow/rules/commands.smk", 'capped=PLAN.settings["max_trials"] is not None', "capped=False")
    return clone


def test_recorded_run_is_shown_by_the_next_report(copy: Clone) -> None:
    capped = copy.run_warm("--cores", "1", "record")
    assert capped.returncode != 0 and "max_trials is set" in capped.stdout
    done = uncapped(copy).run_warm("--cores", "1", "record")
    assert done.returncode == 0, done.stdout
    run = read_recorded(recorded_files((copy.folder / "config/papers").iterdir()))
    assert run is not None and set(run.papers) == set(BUILT), "the run was asked for some papers"
    rows = [row for row in io.read_csv(copy.folder / "results/report/comparison.csv") if row["paper"] in BUILT]
    assert {row["id"]: row["verdict"] for row in rows} == {row.id: row.verdict for row in run.rows.values()}
    assert any(row.data and row.code and row.settings for row in run.rows.values())
    assert planned(copy).keys() <= {"all", "page", "page_of_paper", "crate", "accept", "accept_first", "provenance"}
    again = copy.run_warm("--cores", "1", "results/report/index.html")
    assert again.returncode == 0 and "Report:" in again.stdout, again.stdout
    front = (copy.folder / "results/report/index.html").read_text(encoding="utf-8")
    assert run.day in front
    paper = (copy.folder / f"results/report/{BUILT[0]}.html").read_text(encoding="utf-8")
    assert "Differs from the recorded run:" not in front + paper
    names = read_measurements(copy.folder / RECORDED_JOBS)
    assert {name.partition("/")[0] for name in names} >= {
        "fetch",
        "parse",
        "features",
        "split",
        "fit",
        "score",
        "measure",
    }


def test_incomplete_or_outdated_run_is_not_recorded(copy: Clone) -> None:
    uncapped(copy).edit(METRIC, *METRIC_EDIT)
    assert {"score", "record"} <= planned(copy, "record").keys(), "what is stale is made before it is recorded"
    (copy.folder / "results/report/accepted.json").unlink()
    elsewhere = copy.run_warm("--cores", "1", "record", "--config", "run=.")
    assert elsewhere.returncode != 0 and "the run is incomplete" in elsewhere.stdout
    assert read_recorded(recorded_files((copy.folder / "config/papers").iterdir())) is None
