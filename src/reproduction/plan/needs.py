"""Memory and time that a job asks of a cluster, by the table of costs; the more, the more attempts failed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from reproduction.plan.costs import COSTLY, Cost
from reproduction.plan.own import OWN
from reproduction.plan.plan import Plan, Run

#: Memory: so many times what was measured, since Snakemake looks now and then only; and a start without data.
ROOM, LEAST_MEGABYTES = 1.5, 500
#: Time: so many times what was measured, since machines differ; and, in minutes, the wait for files.
PATIENCE, LEAST_MINUTES = 4.0, 5
#: Of a job like none in the table.
UNKNOWN = Cost("", "", "", 0, 900.0, 2700)
#: Seconds in which the results of single fits are joined.
JOINING = 10.0
#: Stages whose jobs make data, and their priority: costly jobs wait for them.
MAKES_DATA, DATA = frozenset({"fetch", "parse", "split", "features"}), 1_000_000


def priority_of(stage: str, seconds: float) -> int:
    """Return the priority of a job of a stage: jobs that make data start first, then the longest one that is ready.

    A long job that starts last would run alone at the end.
    """
    return DATA if stage in MAKES_DATA else math.ceil(seconds)


@dataclass(frozen=True)
class Needs:
    """The resources of the jobs of a plan; functions that Snakemake asks with wildcards and the attempt, from 1 on.

    Parameters of all methods: ``stage`` is the rule, and ``job`` the pattern of the jobs' names, such as
    ``{dataset}/{features}``; empty where all cost alike.
    """

    plan: Plan

    def megabytes(self, stage: str, job: str = "") -> Callable[[Any, int], int]:
        """Return the function that gives ``mem_mb`` of the jobs of a stage, the more the more attempts failed."""

        def ask(wildcards: Any, attempt: int) -> int:
            """Return the memory of one job, megabytes."""
            known = self._cost(stage, job, dict(wildcards.items()))
            return attempt * max(LEAST_MEGABYTES, math.ceil(ROOM * known.megabytes))

        return ask

    def minutes(self, stage: str, job: str = "") -> Callable[[Any, int], int]:
        """Return the function that gives ``runtime`` of the jobs of a stage, the more the more attempts failed."""

        def ask(wildcards: Any, attempt: int) -> int:
            """Return the time of one job, minutes."""
            known = self._cost(stage, job, dict(wildcards.items()))
            return attempt * math.ceil(LEAST_MINUTES + PATIENCE * known.seconds / 60)

        return ask

    def priority(self, stage: str, job: str) -> Callable[[Any], int]:
        """Return the function that gives ``priority``, see `priority_of`; fits to own data have their own order."""

        def ask(wildcards: Any) -> int:
            """Return the priority of one job; 0 for own data."""
            given = dict(wildcards.items())
            return 0 if given.get("paper") == OWN else priority_of(stage, self._cost(stage, job, given).seconds)

        return ask

    def group(self, name: str, stage: str, job: str) -> Callable[[Any], str | None]:
        """Return the function that gives the group with which a cluster is asked for a job; None for a long job.

        Parameters
        ----------
        name : of the group; ``stage`` and ``job`` as of all methods.
        """

        def ask(wildcards: Any) -> str | None:
            """Return the group of one job."""
            return name if self._cost(stage, job, dict(wildcards.items())).seconds < COSTLY else None

        return ask

    def _cost(self, stage: str, job: str, given: Mapping[str, str]) -> Cost:
        """Return the cost of the job with the given wildcards; a single fit has its share of the time of all fits."""
        name, documents = job.format(**given), self.plan.documents(given.get("dataset", ""))
        if stage in {"fit", "part"}:
            run = Run(given["paper"], given["experiment"], given["dataset"], given["method"])
            known, cells = self.plan.cost(run) or UNKNOWN, self.plan.cells(run)
            # The job that joins single fits reads and writes.
            return replace(known, seconds=known.seconds / cells if stage == "part" else JOINING) if cells else known
        return self.plan.costs.estimate(stage, name, given.get("features", ""), documents) or UNKNOWN
