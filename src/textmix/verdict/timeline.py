"""The jobs of a run in time: which job waits for which, how long each took, and the chain that no core can shorten."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path


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
    spent = {}
    for path in files:
        head, *rows = path.read_text(encoding="utf-8").splitlines() or [""]
        if rows:
            name = path.relative_to(benchmarks).with_suffix("").as_posix()
            spent[name] = float(rows[0].split("\t")[head.split("\t").index("s")])
    return spent


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
