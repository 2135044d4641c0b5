"""The terminal tells a person which job ended, how far the run is by measured costs, and how long the rest takes."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from snakemake.logging import DefaultFormatter
from snakemake_interface_logger_plugins.common import LogEvent

import snakemake_logger_plugin_textmix as terminal
from snakemake_logger_plugin_textmix import LogHandler, Progress, expect, nothing_to_do, time_in_words


class Clock:
    """A clock that a test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(autouse=True)
def _no_run() -> Iterator[None]:
    yield
    expect({}, 1)
    nothing_to_do(str)


def handler(dryrun: bool = False, verbose: bool = False) -> LogHandler:
    made = LogHandler(SimpleNamespace(stdout=dryrun, dryrun=dryrun, verbose=verbose), None)
    made.setFormatter(DefaultFormatter(set(), False))
    return made


def record(message: str = "", level: int = logging.INFO, **facts: Any) -> logging.LogRecord:
    made = logging.LogRecord("snakemake", level, "", 0, message, None, None)
    made.__dict__.update(facts)
    return made


def begins(job: int, message: str | None, rule: str = "fit", reason: str = "") -> logging.LogRecord:
    return record(event=LogEvent.JOB_INFO, jobid=job, rule_msg=message, rule_name=rule, reason=reason)


def ends(job: int) -> logging.LogRecord:
    return record(event=LogEvent.JOB_FINISHED, job_id=job)


def test_the_share_done_and_the_time_left_follow_expected_seconds_at_the_speed_of_this_machine(clock: Clock) -> None:
    run = Progress({1: 10.0, 2: 20.0, 3: 70.0}, cores=2, clock=clock)
    run.begin(1)
    assert run.left() is None
    clock.now = 20.0  # twice as long as expected
    assert run.end(1) == 20.0
    assert run.share == pytest.approx(0.1)
    # 40 s and 140 s are left on two cores: the longest one decides.
    assert run.left() == pytest.approx(140.0)
    run.begin(3)
    clock.now = 120.0
    assert run.left() == pytest.approx(40.0)
    run.end(3)
    run.begin(2)
    run.end(2)
    assert (run.share, run.left()) == (1.0, 0.0)


def test_a_job_that_nothing_was_known_of_counts_once_it_begins(clock: Clock) -> None:
    run = Progress({1: 8.0}, cores=1, clock=clock)
    run.begin(7)
    clock.now = 2.0
    run.end(7)
    assert run.number == 2 and run.share == pytest.approx(0.2)


def test_a_job_has_one_line_when_it_ends_and_none_before(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(terminal.Progress.__init__, "__defaults__", (clock,))
    expect({4: 30.0, 5: None}, 2)
    shown = handler()
    assert shown.line_of(begins(4, "Fitting dcm")) is None
    assert shown.line_of(record(event=LogEvent.JOB_STARTED, jobs=[4])) is None
    assert shown.line_of(record("Select jobs to execute...")) is None
    clock.now = 90.0
    assert shown.line_of(ends(4)) == "1/2  94 %      6 s left  Fitting dcm (2 min)"
    assert shown.line_of(record(event=LogEvent.PROGRESS, done=1, total=2)) is None
    assert shown.line_of(begins(9, None, rule="all")) is None and shown.line_of(ends(9)) is None


def test_errors_and_messages_of_the_workflow_are_shown_whole() -> None:
    shown = handler()
    assert shown.line_of(record("table: made again, for a file changed")) == "table: made again, for a file changed"
    assert shown.line_of(record("Exiting because a job execution failed.", logging.ERROR)) is not None
    assert shown.line_of(record("Nothing to be done.")) == "Nothing to be done."
    assert handler(verbose=True).line_of(record("Select jobs to execute...")) == "Select jobs to execute..."


def test_an_interrupt_is_no_error_of_the_jobs_that_it_ends() -> None:
    shown = handler()
    ended = record("Error in rule fit", logging.ERROR, event=LogEvent.JOB_ERROR)
    whole = record("WorkflowError:\nAt least one job did not complete successfully.", logging.ERROR)
    assert shown.line_of(whole) is not None
    assert shown.line_of(record("Terminating processes on user request, this might take some time."))
    assert shown.line_of(ended) is None and shown.line_of(whole) is None
    assert shown.line_of(record("Interrupted: the same command continues", logging.ERROR)) is not None


def test_a_run_with_nothing_to_do_says_what_the_workflow_states() -> None:
    nothing_to_do(lambda: "naive_bayes: 2 reproduced; page.html")
    said = handler().line_of(record("Nothing to be done (all requested files are present and up to date)."))
    assert str(said).splitlines()[1:] == ["naive_bayes: 2 reproduced; page.html"]


def test_a_dry_run_has_a_line_for_each_stage_with_the_reasons() -> None:
    shown = handler(dryrun=True)
    for job, reason in ((1, "Missing output files: a, b; Code has changed"), (2, "Missing output files: c")):
        assert shown.line_of(begins(job, "Fitting", reason=reason)) is None
    assert shown.line_of(begins(3, "Scoring", rule="score", reason="Forced execution")) is None
    said = shown.line_of(record("Job stats: 3", event=LogEvent.RUN_INFO))
    assert said == "fit: 2 jobs (2 missing output files)\nscore: 1 job (1 forced execution)\nJob stats: 3"


def test_a_record_that_cannot_be_shown_does_not_end_the_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(logging, "raiseExceptions", True)
    handler().emit(record(event=LogEvent.JOB_INFO))
    assert "AttributeError" in capsys.readouterr().err


@pytest.mark.parametrize(("seconds", "words"), [(8.2, "8 s"), (59.6, "60 s"), (840, "14 min"), (7500, "2 h 05")])
def test_times_are_read_at_a_glance(seconds: float, words: str) -> None:
    assert time_in_words(seconds) == words
