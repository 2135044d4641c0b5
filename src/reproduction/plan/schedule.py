"""The schedule of a run by simulation: how long it takes on a number of cores, from measured times of its jobs."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from reproduction.plan.costs import Costs, read_benchmark
from reproduction.plan.graph import LONG, Node, without_data
from reproduction.plan.needs import priority_of
from reproduction.plan.status import duration


@dataclass(frozen=True)
class Engine:
    """Where jobs run.

    Parameters
    ----------
    name : for the table.
    slots : jobs that run at once.
    turn : seconds between the end of a job and the start of the next one in its place.
    wait : seconds from the submission of a job to its start, and from its end to the time when it is seen.
    grouped : most short jobs that are submitted as one; 1 where each is submitted alone.
    """

    name: str
    slots: int
    turn: float = 0.0
    wait: float = 0.0
    grouped: int = 1


#: Seconds between two local jobs in one place.  With them, two runs of the tests' tiny data, on one core (135.7 s) and
#: on two (44.7 s), are met within 2 %.
TURN = 0.1
#: The engines of the table.  A cluster starts Snakemake anew for each submission, and looks for ends now and then.
ENGINES = (
    *(Engine(f"{cores} core{'s' if cores > 1 else ''}", cores, TURN) for cores in (1, 2, 16, 64)),
    Engine("profiles/slurm", 50, wait=20.0, grouped=20),
)


@dataclass(frozen=True)
class Known:
    """The seconds of the jobs of a run.

    Parameters
    ----------
    seconds : name of a job -> its seconds.
    measured : names of the jobs that were measured in this folder; the seconds of all further ones are estimates.
    unlike : names of the jobs like which no job was measured, here or in the table; they count as nothing.
    """

    seconds: Mapping[str, float]
    measured: frozenset[str]
    unlike: frozenset[str] = frozenset()


def known_seconds(nodes: Mapping[str, Node], results: Path, costs: Costs) -> Known:
    """Return the seconds of all jobs: by the benchmark files, else by the table of costs.

    A job whose data could not be had takes what a score takes.

    Parameters
    ----------
    nodes : the jobs of the plan.
    results : the folder of results; Snakemake's benchmark files and the parsed data sets lie below it.
    costs : estimates the jobs that were not measured; one like no row counts as nothing.
    """
    benchmarks, lost = results / "benchmarks", without_data(nodes, results)
    files = {name: benchmarks / f"{name}.tsv" for name in nodes}
    found = {name: read_benchmark(path) for name, path in files.items() if path.is_file()}
    # A job that joins single fits may have made them all itself when it was measured.
    whole = {name for name, node in nodes.items() if any(b.startswith("part/") and b not in found for b in node.waits)}
    seconds = {name: row.seconds for name, row in found.items() if row is not None and name not in whole}
    guessed = {name: _guess(nodes, name, costs, lost) for name in nodes if name not in seconds}
    known = {name: guess for name, guess in guessed.items() if guess is not None}
    unlike = frozenset(guessed) - frozenset(known)
    return Known({**seconds, **known, **dict.fromkeys(unlike, 0.0)}, frozenset(seconds), unlike)


def _guess(nodes: Mapping[str, Node], name: str, costs: Costs, lost: frozenset[str]) -> float | None:
    """Return the seconds of a job by the table; None where it has no row like it.

    A single fit takes its share of its row.  A job that joins fits, and one without its data, takes what a score takes.
    """
    node = nodes[name]
    parts = [before for before in node.waits if nodes[before].stage == "part"]
    if name in lost or (node.stage == "fit" and parts):
        score = costs.estimate("score")
        return score.seconds if score else None
    job = node.job.rpartition("/")[0] if node.stage == "part" else node.job
    cost = costs.estimate("fit" if node.stage == "part" else node.stage, job, node.method, node.documents)
    cells = sum(other.startswith(f"part/{job}/") for other in nodes) if node.stage == "part" else 1
    return cost.seconds / cells if cost else None


def simulate(nodes: Mapping[str, Node], seconds: Mapping[str, float], engine: Engine) -> float:
    """Return the seconds from the start of the first job to the end of the last one.

    A free place takes the ready job of the highest priority, see `reproduction.plan.needs.priority_of`; of equal ones,
    the one that has been ready for longest.

    Parameters
    ----------
    nodes : name -> job, each behind the jobs that it waits for.
    seconds : name -> seconds of the job.
    engine : where they run.
    """
    behind: dict[str, list[str]] = {name: [] for name in nodes}
    open_ = {name: len(node.waits) for name, node in nodes.items()}
    for name, node in nodes.items():
        for before in node.waits:
            behind[before].append(name)
    first = {name: -priority_of(node.stage, seconds[name]) for name, node in nodes.items()}
    ready = [(first[name], 0.0, name) for name, left in open_.items() if not left]
    heapq.heapify(ready)
    running: list[tuple[float, str]] = []
    now = end = 0.0
    while ready or running:
        while ready and len(running) < engine.slots:
            _, _, name = heapq.heappop(ready)
            heapq.heappush(running, (now + engine.turn + _wait(nodes[name], engine) + seconds[name], name))
        now, done = heapq.heappop(running)
        end = max(end, now)
        for after in behind[done]:
            open_[after] -= 1
            if not open_[after]:
                heapq.heappush(ready, (first[after], now, after))
    return end


def _wait(node: Node, engine: Engine) -> float:
    """Return the seconds that a job waits besides its own; a short one shares them with its group."""
    return engine.wait if node.stage in LONG else engine.wait / engine.grouped


def in_words(nodes: Mapping[str, Node], known: Known, engines: Iterable[Engine]) -> str:
    """Return the schedule as a table in plain text.

    Parameters
    ----------
    nodes, known : the jobs and their seconds.
    engines : the first one is that with which all are compared.
    """
    whole, measured = sum(known.seconds.values()), sum(known.seconds[name] for name in known.measured)
    lines = [
        f"{len(nodes)} jobs, {duration(whole)} of work; {len(known.measured)} of them, {duration(measured)}, were "
        "measured in this folder, and config/costs.csv estimates the rest.",
        *([f"{len(known.unlike)} of them are like no row of the table and count as nothing."] if known.unlike else []),
        f"{'where':<28}{'time':>12}{'times as fast':>15}",
    ]
    first = None
    for engine in engines:
        time = simulate(nodes, known.seconds, engine)
        first = first or time
        lines.append(f"{engine.name:<28}{duration(time):>12}{first / max(time, 1e-9):>15.1f}")
    name = max(known.seconds, key=lambda one: known.seconds[one])
    return "\n".join([*lines, f"Longest job: {name}, {duration(known.seconds[name])}."])
