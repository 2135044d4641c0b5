"""The inputs and settings of the jobs that look at the fits of several methods: on the matrix, and on own data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from reproduction.plan.graph import Inputs
from reproduction.plan.matrix import MATRIX
from reproduction.plan.own import OWN, run_started
from reproduction.plan.plan import Plan, Run
from reproduction.plan.stages import FEATURES, FIT, OWN_PAGE, SCORE, SPLIT, Stage
from textmix.core.environment import versions
from textmix.experiment.methods import COMPARED, TABULATED

#: Folder of the page on the methods of low cost, below that of the page on all methods.
FIRST = "first/"


@dataclass(frozen=True)
class ContestJobs:
    """The jobs that compare methods on the matrix and its repetitions.

    Parameters
    ----------
    plan : the plan.
    """

    plan: Plan

    def tabulated(self) -> dict[str, dict[str, Any]]:
        """Return the part of every method's registry entry that a table of scores depends on."""
        return {name: method.part(*TABULATED) for name, method in self.plan.methods.items()}

    def matrix_files(self, stage: Stage, output: str = "") -> list[str]:
        """Return the path of an output for every fit job of which the table of the matrix has a score."""
        empty = self.plan.matrix.empty
        runs = [run for run in self.plan.runs(MATRIX) if (run.dataset, run.method) not in empty]
        return [stage.path(output, **vars(run)) for run in runs]

    def matrix_data(self, stage: Stage) -> list[str]:
        """Return the folder of a stage, `FEATURES` or `SPLIT`, of each data set of the matrix, in order."""
        inputs = {FEATURES.name: Inputs(self.plan).counts, SPLIT.name: Inputs(self.plan).split}[stage.name]
        return list({run.dataset: inputs(run).path for run in self.plan.runs(MATRIX)}.values())

    def study_files(self, stage: Stage, output: str = "") -> list[str]:
        """Return the path of an output for every fit job of the matrix and of its repetitions with other sizes."""
        studies = (MATRIX, *self.plan.matrix.sizes)
        return [stage.path(output, **vars(run)) for study in studies for run in self.plan.runs(study)]

    def study_places(self) -> list[list[str]]:
        """Return study, data set, and its folders of features and of splits, of the matrix and its repetitions."""
        inputs = Inputs(self.plan)
        runs = [run for study in (MATRIX, *self.plan.matrix.sizes) for run in self.plan.runs(study)]
        folders = {(run.paper, run.dataset): [inputs.counts(run).path, inputs.split(run).path] for run in runs}
        return [[study, dataset, *paths] for (study, dataset), paths in folders.items()]

    def study_folders(self) -> list[str]:
        """Return the folders of features and of splits that the study reads, each once."""
        return list(dict.fromkeys(folder for place in self.study_places() for folder in place[2:]))

    def study(self) -> dict[str, Any]:
        """Return the parts of the configuration that the study reads, but for the titles of its data sets."""
        return {
            "methods": self.tabulated(),
            "places": self.study_places(),
            "seed": self.plan.settings["seed"],
            "versions": versions(),
        }


@dataclass(frozen=True)
class OwnJobs:
    """The jobs of a plan that look at the fits of several methods on the user's own data.

    Such a job stands on one of two pages, as its wildcard ``part`` says: `FIRST`, on the methods of low cost as soon
    as they are scored, and the empty text, on all methods.

    Parameters
    ----------
    plan : the plan.
    """

    plan: Plan

    def runs(self, wildcards: Any) -> list[Run]:
        """Return the fit jobs of a page; of all methods for a job that stands on no page."""
        low = getattr(wildcards, "part", "") == FIRST
        return [run for run in self.plan.runs(OWN) if not low or self.plan.method_of(run).cost == "low"]

    def results(self, wildcards: Any) -> dict[str, list[str]]:
        """Return the scores, timings and predictions of the methods of a page."""
        outputs = [(SCORE, "scores"), (FIT, "timings"), (FIT, "predictions")]
        return {output: [stage.path(output, **vars(run)) for run in self.runs(wildcards)] for stage, output in outputs}

    def views(self, wildcards: Any) -> list[str]:
        """Return the features folders that the methods of a page read."""
        return sorted({job.path for run in self.runs(wildcards) for job in Inputs(self.plan).views(run)})

    def entries(self, wildcards: Any) -> dict[str, dict[str, Any]]:
        """Return method -> the experiment's entry of it."""
        return {run.method: self.plan.run_entry(run) for run in self.runs(wildcards)}

    def fitted(self, wildcards: Any) -> dict[str, dict[str, Any]]:
        """Return method -> the part of its registry entry that a fit depends on."""
        return {run.method: self.plan.method_of(run).part(*COMPARED) for run in self.runs(wildcards)}

    def methods(self, wildcards: Any) -> dict[str, dict[str, Any]]:
        """Return method -> the part of its registry entry that a table of scores depends on."""
        known = self.plan.methods
        return {name: known[entry["use"]].part(*TABULATED) for name, entry in self.entries(wildcards).items()}

    def modules(self, wildcards: Any) -> list[str]:
        """Return the modules of the estimators."""
        uses = {entry["use"] for entry in self.entries(wildcards).values()}
        return sorted({self.plan.methods[use].module for use in uses})

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
        own = self.plan.own
        return {own.task: self.plan.studies[OWN]["experiments"]["methods"]["metrics"][0]} if own else {}

    def pages(self) -> list[str]:
        """Return the pages: the first one only where it has some of the methods, and not all."""
        own, low = self.plan.own, self.runs(SimpleNamespace(part=FIRST))
        parts = [FIRST, ""] if low and len(low) < len(self.runs(None)) else [""]
        return [OWN_PAGE.path(dataset=own.name, part=part) for part in parts] if own else []
