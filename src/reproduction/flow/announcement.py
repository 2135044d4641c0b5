"""Announce a run: what it downloads and stores, how long it takes, and which reports come first.

``config/recorded/jobs.csv`` contains the measured seconds, memory and output of each job of the recorded run.
``snakemake record`` writes the file.  The duration of a run is estimated by list scheduling of its jobs; Snakemake
decides which jobs run, and in which order.
"""

from __future__ import annotations

import csv
import heapq
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from reproduction.flow.alternatives import base_of
from reproduction.flow.availability import Finding
from reproduction.flow.folders import RESOURCES, RESULTS
from snakemake_logger_plugin_textmix import format_duration
from textmix.core import io
from textmix.core.errors import ConfigError

#: Recorded measurements of jobs, relative to the folder of the workflow.
RECORDED_JOBS = "config/recorded/jobs.csv"
COLUMNS = ("rule", "wildcards", "seconds", "memory_mb", "output_mb")
#: Seconds of a job of a rule without any recorded job.
DEFAULT_SECONDS = 2.0
#: Limits of the announced range, as multiples of the estimate: machines differ in speed.
FASTEST = 0.7
SLOWEST = 1.5
#: Rule -> folder that contains its output under the same wildcards.
_OUTPUT_FOLDERS = {
    "fetch": RESOURCES,
    "parse": RESULTS / "datasets",
    "features": RESULTS / "features",
    "split": RESULTS / "splits",
    "fit": RESULTS / "predictions",
}
_MEGABYTE = 1e6


@dataclass(frozen=True)
class Measurement:
    """Recorded measurement of a job: wall-clock seconds, peak memory and size of its output in MB."""

    seconds: float
    memory_mb: float
    output_mb: float


@dataclass(frozen=True)
class PlannedJob:
    """A job of a run.

    Parameters
    ----------
    name : str
        Rule and wildcards, joined by slashes: the path of its benchmark file without the extension.
    threads : int, default=1
        Number of cores that it occupies.
    priority : float, default=0.0
        Priority for the scheduler; jobs with a higher one start first.
    needs : tuple of int, default=()
        Ids of the jobs that must end before it starts.
    """

    name: str
    threads: int = 1
    priority: float = 0.0
    needs: tuple[int, ...] = ()

    @property
    def rule(self) -> str:
        return self.name.partition("/")[0]


@dataclass(frozen=True)
class Downloads:
    """Files that a run downloads: their total size, and the numbers of data sets with known and unknown size."""

    megabytes: float = 0.0
    n_known: int = 0
    n_unknown: int = 0


@dataclass(frozen=True)
class Estimate:
    """Estimated course of a run.

    Parameters
    ----------
    seconds : mapping of int to float
        Job id -> duration.
    ends : mapping of int to float
        Job id -> end, in seconds from the start of the run.
    n_recorded : int
        Number of jobs with a measurement; the others have the median of their rule.
    output_mb, memory_mb : float
        Total size of the output, and peak memory of the largest job.
    """

    seconds: Mapping[int, float] = field(default_factory=dict)
    ends: Mapping[int, float] = field(default_factory=dict)
    n_recorded: int = 0
    output_mb: float = 0.0
    memory_mb: float = 0.0

    @property
    def total(self) -> float:
        return max(self.ends.values(), default=0.0)


# --- recorded measurements ---


def measure_jobs(run: Path) -> dict[str, Measurement]:
    """Return the measurement of each job of a run, by name, from its benchmark files."""
    folder = run / RESULTS / "benchmarks"
    measurements = {}
    for path in sorted(folder.rglob("*.tsv")):
        with path.open(encoding="utf-8", newline="") as handle:
            rows = list(csv.DictReader(handle, delimiter="\t"))
        if rows:
            name = path.relative_to(folder).with_suffix("").as_posix()
            memory = max((_number(row["max_rss"]) for row in rows), default=0.0)
            measurements[name] = Measurement(float(rows[-1]["s"]), memory, _output_megabytes(run, name))
    return measurements


def _number(text: str) -> float:
    """Convert a cell of a benchmark file; Snakemake writes NA or - for a job that ended before it was polled."""
    try:
        return float(text)
    except ValueError:
        return 0.0


def _output_megabytes(run: Path, name: str) -> float:
    """Return the size of the output of a job."""
    rule, _, wildcards = name.partition("/")
    path = run / _OUTPUT_FOLDERS.get(rule, RESULTS / rule) / wildcards
    if rule == "measure":
        paper, _, measure = wildcards.partition("/")
        path = run / RESULTS / "papers" / paper / "measures" / measure
    files = [file for file in path.rglob("*") if file.is_file() and not file.is_symlink()]
    return sum(file.stat().st_size for file in files) / _MEGABYTE


def write_measurements(measurements: Mapping[str, Measurement], path: Path) -> None:
    """Write measurements to ``jobs.csv``; jobs that the run did not have keep their previous record."""
    merged = {**read_measurements(path), **measurements}
    rows = []
    for name, measurement in sorted(merged.items()):
        rule, _, wildcards = name.partition("/")
        rows.append(
            {
                "rule": rule,
                "wildcards": wildcards,
                "seconds": round(measurement.seconds, 1),
                "memory_mb": round(measurement.memory_mb),
                "output_mb": round(measurement.output_mb, 1),
            }
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    io.write_text(path, io.format_csv(rows, COLUMNS))


def read_measurements(path: Path) -> dict[str, Measurement]:
    """Read ``jobs.csv``; empty if the file does not exist."""
    if not path.is_file():
        return {}
    measurements = {}
    for row in io.read_csv(path):
        try:
            numbers = (float(row[column]) for column in COLUMNS[2:])
            measurements[f"{row['rule']}/{row['wildcards']}"] = Measurement(*numbers)
        except (KeyError, ValueError) as error:
            raise ConfigError(f"{path}: not a record of jobs; restore it, or run snakemake record") from error
    return measurements


# --- the estimate ---


def estimate_run(jobs: Mapping[int, PlannedJob], measurements: Mapping[str, Measurement], cores: int) -> Estimate:
    """Estimate the course of a run.

    Parameters
    ----------
    jobs : mapping of int to PlannedJob
        Job id -> job.
    measurements : mapping of str to Measurement
        Name of a job -> its recorded measurement.
    cores : int
        Number of cores.

    Returns
    -------
    Estimate
    """
    of_rule: dict[str, list[float]] = {}
    for name, measurement in measurements.items():
        of_rule.setdefault(name.partition("/")[0], []).append(measurement.seconds)
    medians = {rule: statistics.median(seconds) for rule, seconds in of_rule.items()}
    recorded = {number: found for number, job in jobs.items() if (found := _measurement_of(job.name, measurements))}
    seconds = {
        number: recorded[number].seconds if number in recorded else medians.get(job.rule, DEFAULT_SECONDS)
        for number, job in jobs.items()
    }
    output_mb = sum(measurement.output_mb for measurement in recorded.values())
    memory_mb = max((measurement.memory_mb for measurement in recorded.values()), default=0.0)
    return Estimate(
        seconds=seconds,
        ends=schedule(jobs, seconds, cores),
        n_recorded=len(recorded),
        output_mb=output_mb,
        memory_mb=memory_mb,
    )


def _measurement_of(name: str, measurements: Mapping[str, Measurement]) -> Measurement | None:
    """Return the measurement of a job, or, for a registered alternative, that of the job of the table."""
    base = "/".join(map(base_of, name.split("/")))
    return measurements.get(name) or measurements.get(base)


def schedule(jobs: Mapping[int, PlannedJob], seconds: Mapping[int, float], cores: int) -> dict[int, float]:
    """Return the end of each job under list scheduling: by priority, then the longest first."""
    waiting_for = {number: {need for need in job.needs if need in jobs} for number, job in jobs.items()}
    dependents: dict[int, list[int]] = {}
    for number, needs in waiting_for.items():
        for need in needs:
            dependents.setdefault(need, []).append(number)

    def rank(number: int) -> tuple[float, float, int]:
        return -jobs[number].priority, -seconds[number], number

    ready = [rank(number) for number, needs in waiting_for.items() if not needs]
    heapq.heapify(ready)
    running: list[tuple[float, int]] = []
    ends: dict[int, float] = {}
    free = cores
    now = 0.0
    while ready or running:
        while ready and free >= min(jobs[ready[0][-1]].threads, cores):
            number = heapq.heappop(ready)[-1]
            free -= min(jobs[number].threads, cores)
            heapq.heappush(running, (now + seconds[number], number))
        now, number = heapq.heappop(running)
        ends[number] = now
        free += min(jobs[number].threads, cores)
        for dependent in dependents.get(number, ()):
            waiting_for[dependent].discard(number)
            if not waiting_for[dependent]:
                heapq.heappush(ready, rank(dependent))
    return ends


# --- the announcement ---


def announce(
    estimate: Estimate | None,
    n_jobs: int,
    cores: int,
    downloads: Downloads,
    *,
    reports: Mapping[str, float],
    free_mb: float,
) -> list[str]:
    """Format the announcement of a run.

    Parameters
    ----------
    estimate : Estimate or None
        The estimated course; None if no run is recorded.
    n_jobs, cores : int
        Numbers of jobs and cores.
    downloads : Downloads
        What the run downloads.
    reports : mapping of str to float
        Paper -> end of its report, in seconds from the start.
    free_mb : float
        Free disk space.

    Returns
    -------
    list of str
        Lines.
    """
    lines = [f"Jobs:      {n_jobs} on {cores} core{'s' * (cores != 1)}", f"Download:  {_downloads_text(downloads)}"]
    if estimate is None:
        lines.append("Time:      unknown, because no run times are recorded; snakemake record writes them")
    else:
        size = format_size(estimate.output_mb)
        peak = f"; largest job: {format_size(estimate.memory_mb)} of memory" if estimate.memory_mb else ""
        lines.append(f"Storage:   about {size} of results, {format_size(free_mb)} are free{peak}")
        if estimate.output_mb + downloads.megabytes > free_mb:
            lines.append("           This does not fit on the disk; free some space, or run single papers.")
        low, high = (format_duration(estimate.total * factor) for factor in (FASTEST, SLOWEST))
        total = format_duration(estimate.total)
        lines.append(
            f"Time:      about {total} ({low} to {high}, depending on the machine), "
            f"from recorded times of {estimate.n_recorded} of the jobs"
        )
    if reports:
        order = sorted(reports, key=lambda paper: reports[paper])
        ends = {paper: "" if estimate is None else f" ({format_duration(reports[paper])})" for paper in order}
        papers_text = ", ".join(f"{paper}{end}" for paper, end in ends.items())
        lines.append(f"Reports:   {papers_text}; results/papers/<paper>/report/index.html")
        lines.append(f"One paper: snakemake --cores {cores} {order[0]}")
    return lines


def _downloads_text(downloads: Downloads) -> str:
    """Describe the downloads of a run."""
    amounts = []
    if downloads.n_known:
        amounts.append(f"{format_size(downloads.megabytes)} ({_count_datasets(downloads.n_known)})")
    if downloads.n_unknown:
        amounts.append(f"{_count_datasets(downloads.n_unknown)} of unknown size")
    return " and ".join(amounts) or "nothing"


def _count_datasets(count: int) -> str:
    return f"{count} data set{'s' * (count != 1)}"


def format_size(megabytes: float) -> str:
    """Format a size, such as 12 MB or 3.4 GB."""
    return f"{megabytes:.0f} MB" if megabytes < 1000 else f"{megabytes / 1000:.1f} GB"


def downloads_of(datasets: Iterable[str], findings: Iterable[Finding]) -> Downloads:
    """Return what fetching some data sets downloads; files in a mirror or in ``resources`` are not downloaded."""
    names = set(datasets)
    remote = [
        finding
        for finding in findings
        if finding.dataset in names and finding.origin.startswith(("https ", "package "))
    ]
    sizes = [finding.size for finding in remote if finding.size is not None]
    return Downloads(sum(sizes) / _MEGABYTE, len(sizes), len(remote) - len(sizes))
