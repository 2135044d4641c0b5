"""The jobs of a run in time: which job waits for which, how long each took, and the chain that no core can shorten."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from graphlib import TopologicalSorter
from pathlib import Path

from textmix.core.errors import MissingResult


@dataclass(frozen=True)
class Bar:
    """One job of the timeline.

    Parameters
    ----------
    name : name of its benchmark file, such as ``fit/edcm/table1/newsgroups/dcm``.
    start, seconds : seconds from the start of the run to its own, if nothing waits for a core, and its duration.
    critical : whether it lies on the critical path.
    """

    name: str
    start: float
    seconds: float
    critical: bool


def read_seconds(benchmarks: Path, files: Sequence[Path]) -> dict[str, float]:
    """Return name -> wall-clock seconds of each job that Snakemake measured.

    Parameters
    ----------
    benchmarks : the folder of Snakemake's benchmark files.
    files : benchmark files below it.  A job that ended before Snakemake measured it has an empty file and is left out.
    """
    found = {path.relative_to(benchmarks).with_suffix("").as_posix(): _seconds(path) for path in files}
    return {name: seconds for name, seconds in found.items() if seconds is not None}


def seconds_by_stage(seconds: Mapping[str, float]) -> dict[str, str]:
    """Return the wall-clock time of the jobs of each stage, such as ``{"fit": "12.3 s"}``.

    Parameters
    ----------
    seconds : name of a job, whose first folder is its stage -> its seconds, as `read_seconds` gives them.
    """
    spent: dict[str, float] = {}
    for name, one in sorted(seconds.items()):
        stage = name.partition("/")[0]
        spent[stage] = spent.get(stage, 0.0) + one
    return {stage: f"{whole:.1f} s" for stage, whole in spent.items()}


def _seconds(path: Path) -> float | None:
    """Return the wall-clock seconds in a benchmark file; None where it is empty."""
    head, *rows = path.read_text(encoding="utf-8").splitlines() or [""]
    return sum(float(row.split("\t")[head.split("\t").index("s")]) for row in rows) if rows else None


def run_times(files: Sequence[Path]) -> tuple[str, str]:
    """Return the start of the first and the end of the last measured job, ISO 8601 in UTC, by the times of their files.

    Raises
    ------
    MissingResult : no job was measured.
    """
    spent = [(path.stat().st_mtime, seconds) for path in files if (seconds := _seconds(path)) is not None]
    if not spent:
        raise MissingResult("no job of this run was measured")
    return _iso(min(end - seconds for end, seconds in spent)), _iso(max(end for end, _ in spent))


def timeline(seconds: Mapping[str, float], waits: Mapping[str, Sequence[str]]) -> list[Bar]:
    """Return the jobs by start, each as early as the jobs that it waits for allow.

    Parameters
    ----------
    seconds : name of a job -> its seconds; a job that is not among them took none.
    waits : name of a job -> names of the jobs whose results it reads.
    """
    order = list(TopologicalSorter({name: () for name in seconds} | dict(waits)).static_order())
    end: dict[str, float] = {}
    for name in order:
        end[name] = _start(end, waits.get(name, ())) + seconds.get(name, 0.0)
    critical = _critical(end, waits)
    bars = [Bar(name, end[name] - seconds[name], seconds[name], name in critical) for name in order if name in seconds]
    return sorted(bars, key=lambda bar: (bar.start, bar.name))


def drawn(bars: Sequence[Bar], most: int = 40) -> list[Bar]:
    """Return the jobs of the critical path and the ``most`` longest of the other jobs, in the order of ``bars``."""
    others = sorted((bar for bar in bars if not bar.critical), key=lambda bar: (-bar.seconds, bar.name))
    shown = {bar.name for bar in others[:most]}
    return [bar for bar in bars if bar.critical or bar.name in shown]


def _iso(time: float) -> str:
    """Return a time in seconds since 1970 as text."""
    return datetime.fromtimestamp(time, UTC).isoformat(timespec="seconds")


def _start(end: Mapping[str, float], before: Sequence[str]) -> float:
    """Return the time at which the last of some jobs ends; 0 where there are none."""
    return max((end[name] for name in before), default=0.0)


def _critical(end: Mapping[str, float], waits: Mapping[str, Sequence[str]]) -> set[str]:
    """Return the jobs on the longest chain, from the job that ends last back to one that waits for none."""
    found: set[str] = set()
    last = max(end, key=lambda name: end[name], default=None)
    while last is not None:
        found.add(last)
        last = max(waits.get(last, ()), key=lambda name: end[name], default=None)
    return found
