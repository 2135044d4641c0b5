"""When a job starts and what it asks for, and by simulation how long a run takes, from measured times of its jobs."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reproduction.plan.costs import COSTLY, Cost, Costs, read_measured
from reproduction.plan.graph import LONG, Node, without_data
from reproduction.plan.own import OWN
from reproduction.plan.plan import Plan, Run
from reproduction.plan.stages import FIT, PART, SCORE, STAGES, Stage
from reproduction.plan.status import duration

#: Memory: so many times what was measured, since Snakemake looks now and then only; and a start without data.
ROOM, LEAST_MEGABYTES = 1.5, 500
#: Time: so many times what was measured, since machines differ; and, in minutes, the wait for files.
PATIENCE, LEAST_MINUTES = 4.0, 5
#: Of a job like none in the table.
UNKNOWN = Cost("", "", "", 0, 900.0, 2700)
#: Seconds in which the results of single fits are joined.
JOINING = 10.0
#: Priority of the jobs that make data: costly jobs wait for them.
DATA = 1_000_000
#: Priority of the jobs that make a page of own data: what ends a comparison goes before what begins another one.
SOON = 5


def priority_of(stage: str, seconds: float) -> int:
    """Return the priority of a job of a stage: jobs that make data start first, then the longest one that is ready.

    A long job that starts last would run alone at the end.
    """
    return DATA if STAGES[stage].makes_data else math.ceil(seconds)


def priority_of_own(cost: str, kinds: int) -> int:
    """Return the priority of a fit to own data: methods of low cost, and the page on them, come before costlier ones.

    Among methods of one cost those come first that try several kinds of features, for they take the largest share of
    the time: of low cost the machines, which try three kinds or more.

    Parameters
    ----------
    cost : class of the method's cost (`textmix.experiment.methods.COSTS`).
    kinds : how many kinds of features the method tries.
    """
    if cost == "low":
        return SOON - 1 if kinds >= 3 else SOON - 2
    if cost == "middle":
        return SOON - 3 if kinds >= 2 else SOON - 4
    return 0


@dataclass(frozen=True)
class Needs:
    """The resources of the jobs of a plan; functions that Snakemake asks with wildcards and the attempt, from 1 on.

    Parameters
    ----------
    plan : the plan.
    """

    plan: Plan

    def resources(self, stage: Stage) -> dict[str, Callable[[Any, int], int]]:
        """Return ``mem_mb`` and ``runtime`` (minutes) of the jobs of a stage, the more the more attempts failed."""

        def megabytes(wildcards: Any, attempt: int) -> int:
            """Return the memory of one job, megabytes."""
            known = self._cost(stage, dict(wildcards.items()))
            return attempt * max(LEAST_MEGABYTES, math.ceil(ROOM * known.megabytes))

        def minutes(wildcards: Any, attempt: int) -> int:
            """Return the time of one job, minutes."""
            known = self._cost(stage, dict(wildcards.items()))
            return attempt * math.ceil(LEAST_MINUTES + PATIENCE * known.seconds / 60)

        return {"mem_mb": megabytes, "runtime": minutes}

    def priority(self, stage: Stage) -> Callable[[Any], int]:
        """Return the function that gives ``priority``, see `priority_of`; jobs of own data have their own order."""

        def ask(wildcards: Any) -> int:
            """Return the priority of one job."""
            names = dict(wildcards.items())
            if names.get("paper") != OWN:
                return priority_of(stage.name, self._cost(stage, names).seconds)
            if stage not in (FIT, PART):
                return SOON
            entry = self.plan.run_entry(_run(names))
            return priority_of_own(self.plan.methods[entry["use"]].cost, len(entry["views"]))

        return ask

    def expected(self, jobs: Mapping[int, tuple[str, Mapping[str, str]]]) -> dict[int, float | None]:
        """Return number of a job -> its expected seconds, None where unknown.

        Parameters
        ----------
        jobs : number of a job -> its rule and its wildcards.
        """
        return {
            number: self._cost(STAGES[rule], names).seconds if rule in STAGES else None
            for number, (rule, names) in jobs.items()
        }

    def group(self, stage: Stage) -> Callable[[Any], str | None]:
        """Return the function that gives the group with which a cluster is asked for a job; None for a long job."""

        def ask(wildcards: Any) -> str | None:
            """Return the group of one job."""
            alone = stage.long and self._cost(stage, dict(wildcards.items())).seconds >= COSTLY
            return stage.group if stage.group and not alone else None

        return ask

    def _cost(self, stage: Stage, names: Mapping[str, str]) -> Cost:
        """Return the cost of the job with the given names; a single fit has its share of the time of all fits."""
        if stage in (FIT, PART):
            run = _run(names)
            known, cells = self.plan.cost(run) or UNKNOWN, self.plan.cells(run)
            # The job that joins single fits reads and writes.
            return replace(known, seconds=known.seconds / cells if stage == PART else JOINING) if cells else known
        job = stage.job.format_map(names) if stage.long else ""
        documents = self.plan.documents(names.get("dataset", ""))
        return self.plan.costs.estimate(stage.name, job, names.get("features", ""), documents) or UNKNOWN


def _run(names: Mapping[str, str]) -> Run:
    """Return the fit job with the given names."""
    return Run(names["paper"], names["experiment"], names["dataset"], names["method"])


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


def known_seconds(nodes: Mapping[str, Node], folder: Path, costs: Costs) -> Known:
    """Return the seconds of the processor of all jobs: as they told them, else by the table of costs.

    A job whose data could not be had takes what a score takes.

    Parameters
    ----------
    nodes : the jobs of the plan.
    folder : in which the workflow runs.
    costs : estimates the jobs that were not measured; one like no row counts as nothing.
    """
    lost = without_data(nodes, folder)
    found = {name: row for name in nodes if (row := read_measured(name, folder)) is not None}
    # A job that joins single fits may have made them all itself when it was measured.
    parts = {name for name, node in nodes.items() if node.stage == PART.name}
    whole = {name for name, node in nodes.items() if any(b in parts and b not in found for b in node.waits)}
    seconds = {name: row.seconds for name, row in found.items() if name not in whole}
    guessed = {name: _guess(nodes, name, costs, lost) for name in nodes if name not in seconds}
    known = {name: guess for name, guess in guessed.items() if guess is not None}
    unlike = frozenset(guessed) - frozenset(known)
    return Known({**seconds, **known, **dict.fromkeys(unlike, 0.0)}, frozenset(seconds), unlike)


def _guess(nodes: Mapping[str, Node], name: str, costs: Costs, lost: frozenset[str]) -> float | None:
    """Return the seconds of a job by the table; None where it has no row like it.

    A single fit takes its share of its row.  A job that joins fits, and one without its data, takes what a score takes.
    """
    node = nodes[name]
    parts = [before for before in node.waits if nodes[before].stage == PART.name]
    if name in lost or (node.stage == FIT.name and parts):
        score = costs.estimate(SCORE.name)
        return score.seconds if score else None
    job = node.job.rpartition("/")[0] if node.stage == PART.name else node.job
    cost = costs.estimate(FIT.name if node.stage == PART.name else node.stage, job, node.method, node.documents)
    cells = sum(other.startswith(f"{PART.name}/{job}/") for other in nodes) if node.stage == PART.name else 1
    return cost.seconds / cells if cost else None


def expected(nodes: Mapping[str, Node], known: Known) -> dict[str, float]:
    """Return path of the first result of a job -> its seconds; a job that joins single fits has theirs, too.

    Jobs like which none was measured are left out.

    Parameters
    ----------
    nodes, known : the jobs and their seconds.
    """
    seconds = {}
    for name, node in nodes.items():
        if name not in known.unlike:
            parts = [before for before in node.waits if nodes[before].stage == PART.name]
            seconds[node.path] = known.seconds[name] + sum(known.seconds[before] for before in parts)
    return seconds


def simulate(nodes: Mapping[str, Node], seconds: Mapping[str, float], engine: Engine) -> float:
    """Return the seconds from the start of the first job to the end of the last one.

    A free place takes the ready job of the highest priority, see `priority_of`; of equal ones,
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
