"""The inputs and settings of the jobs on the user's own data that look at the fits of several methods.

Such a job stands on one of two pages, as its wildcard ``part`` says: `FIRST`, on the methods of low cost as soon as
they are scored, and the empty text, on all methods.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from reproduction.plan.jobs import Jobs
from reproduction.plan.own import OWN, run_started
from reproduction.plan.plan import Run
from textmix.experiment.methods import TABULATED

#: Folder of the page on the methods of low cost, below that of the page on all methods.
FIRST = "first/"


@dataclass(frozen=True)
class OwnJobs:
    """The jobs of a plan that look at the fits of several methods on the user's own data.

    Parameters
    ----------
    jobs : all jobs of the plan.
    """

    jobs: Jobs

    def runs(self, wildcards: Any) -> list[Run]:
        """Return the fit jobs of a page; of all methods for a job that stands on no page."""
        low = getattr(wildcards, "part", "") == FIRST
        return [run for run in self.jobs.plan.runs(OWN) if not low or self.jobs.cost_of(run) == "low"]

    def of_cost(self, cost: str, kinds: int = 1) -> str:
        """Return the methods of a class of cost that try so many kinds of features or more, as a pattern.

        Without such a method it is a pattern that nothing matches.
        """
        plan, runs = self.jobs.plan, (run for run in self.runs(None) if self.jobs.cost_of(run) == cost)
        return "|".join(run.method for run in runs if len(plan.run_entry(run)["views"]) >= kinds) or "(?!)"

    def results(self, wildcards: Any) -> dict[str, list[str]]:
        """Return the scores, timings and predictions of the methods of a page."""
        names = [run.name for run in self.runs(wildcards)]
        patterns = {"scores": "results/scores/{}.csv", "timings": "results/timings/{}.csv"}
        patterns["predictions"] = "results/predictions/{}"
        return {key: [pattern.format(name) for name in names] for key, pattern in patterns.items()}

    def views(self, wildcards: Any) -> list[str]:
        """Return the features folders that the methods of a page read."""
        return sorted({folder for run in self.runs(wildcards) for folder in self.jobs.run_views(run)})

    def entries(self, wildcards: Any) -> dict[str, dict[str, Any]]:
        """Return method -> the experiment's entry of it."""
        return {run.method: self.jobs.plan.run_entry(run) for run in self.runs(wildcards)}

    def fitted(self, wildcards: Any) -> dict[str, dict[str, Any]]:
        """Return method -> the part of its registry entry that a fit depends on."""
        return {run.method: self.jobs.run_method(run) for run in self.runs(wildcards)}

    def methods(self, wildcards: Any) -> dict[str, dict[str, Any]]:
        """Return method -> the part of its registry entry that a table of scores depends on."""
        known = self.jobs.plan.methods
        return {name: known[entry["use"]].part(*TABULATED) for name, entry in self.entries(wildcards).items()}

    def modules(self, wildcards: Any) -> list[str]:
        """Return the modules of the estimators."""
        uses = {entry["use"] for entry in self.entries(wildcards).values()}
        return sorted({self.jobs.plan.methods[use].module for use in uses})

    def grids(self, wildcards: Any) -> dict[str, Mapping[str, Any]]:
        """Return method -> the grid over which it is tuned; an empty grid where it is not tuned."""
        return {name: entry.get("tune", {}).get("grid", {}) for name, entry in self.entries(wildcards).items()}

    def further(self, wildcards: Any) -> int:
        """Return the number of methods that are not on a page."""
        return len(self.runs(None)) - len(self.runs(wildcards))

    def started(self, wildcards: Any) -> int:
        """Return when this run began, seconds since the epoch."""
        return run_started()

    def metric(self) -> dict[str, str]:
        """Return the task of the user's data -> the metric by which methods are compared on them."""
        own = self.jobs.plan.own
        return {own.task: self.jobs.plan.studies[OWN]["experiments"]["methods"]["metrics"][0]} if own else {}

    def pages(self) -> list[str]:
        """Return the pages: the first one only where it has some of the methods, and not all."""
        own, low = self.jobs.plan.own, self.runs(SimpleNamespace(part=FIRST))
        parts = [FIRST, ""] if low and len(low) < len(self.runs(None)) else [""]
        return [f"results/own/{own.name}/{part}index.html" for part in parts] if own else []
