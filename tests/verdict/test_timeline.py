"""The jobs in time: each starts when its last input ends, and the critical path is the longest chain."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from reproduction.verdict.timeline import Bar, drawn, read_seconds, run_times, seconds_by_stage, timeline
from textmix.core import io
from textmix.core.errors import MissingResult

WAITS = {"count": ["parse"], "fit/a": ["count"], "fit/b": ["count"], "measure": ["fit/a", "fit/b"]}


def test_a_job_starts_when_the_last_job_it_waits_for_ends() -> None:
    seconds = {"parse": 1.0, "count": 2.0, "fit/a": 5.0, "fit/b": 1.0, "measure": 1.0, "other": 4.0}
    bars = {bar.name: bar for bar in timeline(seconds, WAITS)}
    assert {name: bar.start for name, bar in bars.items()} == {
        **{"parse": 0.0, "other": 0.0, "count": 1.0, "fit/a": 3.0, "fit/b": 3.0, "measure": 8.0}
    }
    assert {name for name, bar in bars.items() if bar.critical} == {"parse", "count", "fit/a", "measure"}


def test_an_unmeasured_job_takes_no_time_and_has_no_bar() -> None:
    bars = timeline({"parse": 1.0, "measure": 1.0}, WAITS)
    assert [(bar.name, bar.start) for bar in bars] == [("parse", 0.0), ("measure", 1.0)]
    assert timeline({}, WAITS) == []


def test_times_of_a_run_are_those_of_its_first_and_last_job(tmp_path: Path) -> None:
    for name, end, seconds in (("a", 1000, "10.0"), ("b", 2000, "3.0")):
        (tmp_path / f"{name}.tsv").write_text(f"s\th:m:s\n{seconds}\t0:00:10\n")
        os.utime(tmp_path / f"{name}.tsv", (end, end))
    (tmp_path / "empty.tsv").write_text("")
    files = sorted(tmp_path.glob("*.tsv"))
    assert read_seconds(tmp_path, files) == {"a": 10.0, "b": 3.0}
    assert run_times(files) == ("1970-01-01T00:16:30+00:00", "1970-01-01T00:33:20+00:00")
    with pytest.raises(MissingResult, match="no job of this run was measured"):
        run_times([tmp_path / "empty.tsv"])


def by_stage(benchmarks: Path, *files: Path) -> dict[str, str]:
    return seconds_by_stage(read_seconds(benchmarks, files))


def test_seconds_of_all_jobs_are_summed_by_stage(tmp_path: Path) -> None:
    for name, seconds in {"fit/edcm/a.tsv": "1.25", "fit/edcm/b.tsv": "2.5\tx\n4.0", "parse/news.tsv": "0.5"}.items():
        io.write_text(tmp_path / name, f"s\tmax_rss\n{seconds}\t-\n")
    assert by_stage(tmp_path, *tmp_path.rglob("*.tsv")) == {"fit": "7.8 s", "parse": "0.5 s"}
    assert by_stage(tmp_path, tmp_path / "parse/news.tsv") == {"parse": "0.5 s"}
    assert by_stage(tmp_path) == {}


def test_jobs_that_ended_before_they_were_measured_are_left_out(tmp_path: Path) -> None:
    io.write_text(tmp_path / "fit/a.tsv", "")
    io.write_text(tmp_path / "fit/b.tsv", "s\tmax_rss\n")
    io.write_text(tmp_path / "parse/a.tsv", "")
    io.write_text(tmp_path / "parse/b.tsv", "s\tmax_rss\n2.0\t-\n")
    assert by_stage(tmp_path, *tmp_path.rglob("*.tsv")) == {"parse": "2.0 s"}


def test_the_picture_has_the_critical_path_and_the_longest_of_the_other_jobs() -> None:
    bars = [Bar(f"job{i}", 0.0, float(i), i == 0) for i in range(5)]
    assert [bar.name for bar in drawn(bars, most=2)] == ["job0", "job3", "job4"]
    assert drawn(bars) == bars
