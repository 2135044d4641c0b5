"""The announcement of a run estimates its duration from recorded jobs by list scheduling."""

from __future__ import annotations

from pathlib import Path

import pytest

from reproduction.flow.announcement import (
    DEFAULT_SECONDS,
    Downloads,
    Measurement,
    PlannedJob,
    announce,
    downloads_of,
    estimate_run,
    measure_jobs,
    read_measurements,
    schedule,
    write_measurements,
)
from reproduction.flow.availability import Finding
from textmix.core.errors import ConfigError

MEASUREMENTS = {
    "parse/news": Measurement(10.0, 200.0, 5.0),
    "fit/edcm/table1/news/dcm": Measurement(30.0, 400.0, 1.0),
    "fit/edcm/table1/news/edcm": Measurement(50.0, 900.0, 2.0),
}
JOBS = {
    1: PlannedJob("parse/news"),
    2: PlannedJob("fit/edcm/table1/news/dcm", needs=(1,)),
    3: PlannedJob("fit/edcm/table1/news/new", needs=(1,)),
    4: PlannedJob("all", needs=(2, 3)),
}


def test_job_without_a_measurement_uses_the_median_of_its_rule() -> None:
    estimate = estimate_run(JOBS, MEASUREMENTS, 2)
    assert estimate.seconds == {1: 10.0, 2: 30.0, 3: 40.0, 4: DEFAULT_SECONDS}
    assert (estimate.n_recorded, estimate.output_mb, estimate.memory_mb) == (2, 6.0, 400.0)
    assert estimate.total == 10.0 + 40.0 + DEFAULT_SECONDS


def test_job_of_an_alternative_uses_the_measurement_of_the_table() -> None:
    measurements = {"fit/edcm/table1/news/dcm": Measurement(30.0, 400.0, 1.0)}
    estimate = estimate_run({0: PlannedJob("fit/edcm/table1_r0a1b2c3d/news/dcm")}, measurements, 1)
    assert estimate.total == 30.0 and estimate.n_recorded == 1


def test_schedule_starts_jobs_by_priority_then_by_duration() -> None:
    jobs = {number: PlannedJob(f"fit/{number}") for number in range(1, 5)}
    seconds = {1: 1.0, 2: 2.0, 3: 3.0, 4: 4.0}
    assert schedule(jobs, seconds, 2) == {4: 4.0, 3: 3.0, 2: 5.0, 1: 5.0}
    jobs[1] = PlannedJob("fit/1", priority=1.0)
    assert schedule(jobs, seconds, 1) == {1: 1.0, 4: 5.0, 3: 8.0, 2: 10.0}
    jobs[2] = PlannedJob("fit/2", threads=8)
    assert schedule(jobs, seconds, 2)[2] == 6.0, "a job with more threads than cores takes all cores"


def test_measurements_survive_a_round_trip(tmp_path: Path) -> None:
    benchmark = tmp_path / "results/benchmarks/fit/edcm/table1/news/dcm.tsv"
    benchmark.parent.mkdir(parents=True)
    benchmark.write_text("s\tmax_rss\n30.04\t400.4\n", encoding="utf-8")
    output = tmp_path / "results/predictions/edcm/table1/news/dcm"
    output.mkdir(parents=True)
    (output / "classes.npy").write_bytes(bytes(1_000_000))
    path = tmp_path / "recorded/jobs.csv"
    write_measurements({"parse/news": MEASUREMENTS["parse/news"]}, path)
    write_measurements(measure_jobs(tmp_path), path)
    assert read_measurements(path) == {
        "parse/news": MEASUREMENTS["parse/news"],
        "fit/edcm/table1/news/dcm": Measurement(30.0, 400.0, 1.0),
    }
    path.write_text("rule,seconds\nfit,1\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="not a record of jobs"):
        read_measurements(path)


def test_announcement_gives_the_estimate_its_range_and_the_first_papers() -> None:
    estimate = estimate_run(JOBS, MEASUREMENTS, 2)
    downloads = Downloads(45.2, 3, 1)
    lines = announce(estimate, 4, 2, downloads, reports={"pmm": 3600.0, "edcm": 52.0}, free_mb=100.0)
    text = "\n".join(lines)
    assert "45 MB (3 data sets) and 1 data set of unknown size" in text
    assert "about 52 s (36 s to 1 min" in text and "recorded times of 2 of the jobs" in text
    assert "edcm (52 s), pmm (1 h 00)" in text and "snakemake --cores 2 edcm" in text
    assert "does not fit" not in text
    assert any("does not fit" in line for line in announce(estimate, 4, 2, downloads, reports={}, free_mb=10.0))


def test_duration_is_unknown_without_measurements() -> None:
    text = "\n".join(announce(None, 4, 1, Downloads(), reports={"edcm": 0.0}, free_mb=100.0))
    assert "4 on 1 core\n" in text and "Download:  nothing" in text
    assert "unknown, because no run times are recorded" in text


def test_only_remote_files_are_downloaded() -> None:
    findings = [
        Finding("a", "https example.org", "sha256", 2_000_000, "none", "yes", ""),
        Finding("b", "package river", "sha256", None, "none", "yes", ""),
        Finding("c", "mirror", "sha256", 5_000_000, "none", "yes", ""),
        Finding("d", "https example.org", "sha256", 7_000_000, "none", "yes", ""),
    ]
    assert downloads_of(["a", "b", "c"], findings) == Downloads(2.0, 1, 1)
