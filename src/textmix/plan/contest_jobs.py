"""The inputs and settings of the jobs that compare methods: on the matrix of data sets, and on the user's data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from textmix.core.environment import versions
from textmix.plan.jobs import Jobs
from textmix.plan.matrix import MATRIX
from textmix.plan.methods import TABULATED
from textmix.plan.own import OWN
from textmix.plan.plan import Plan


@dataclass(frozen=True)
class ContestJobs:
    """The jobs that compare methods.

    Parameters
    ----------
    jobs : all other jobs of the same plan.
    """

    jobs: Jobs

    @property
    def plan(self) -> Plan:
        """The plan."""
        return self.jobs.plan

    def tabulated(self) -> dict[str, dict[str, Any]]:
        """Return the part of every method's registry entry that a table of scores depends on."""
        return {name: method.part(*TABULATED) for name, method in self.plan.methods.items()}

    # --- the matrix and its repetitions ---

    def matrix_files(self, pattern: str) -> list[str]:
        """Return a path for every fit job of which the table of the matrix has a score."""
        empty = self.plan.matrix.empty
        runs = [run for run in self.plan.runs(MATRIX) if (run.dataset, run.method) not in empty]
        return [pattern.format(run=run) for run in runs]

    def study_files(self, pattern: str) -> list[str]:
        """Return a path for every fit job of the matrix and of its repetitions with other numbers of documents."""
        return [path for study in (MATRIX, *self.plan.matrix.sizes) for path in self.jobs.run_files(study, pattern)]

    def study_places(self) -> list[list[str]]:
        """Return study, data set, and its folders of features and of splits, of the matrix and its repetitions."""
        runs = [run for study in (MATRIX, *self.plan.matrix.sizes) for run in self.plan.runs(study)]
        found = {(run.paper, run.dataset): self.plan.run_inputs(run) for run in runs}
        return [
            [study, dataset, f"results/features/{dataset}/{features}", f"results/splits/{dataset}/{split}"]
            for (study, dataset), (features, split) in found.items()
        ]

    def study_folders(self) -> list[str]:
        """Return the folders of features and of splits that the study reads, each once."""
        return list(dict.fromkeys(folder for place in self.study_places() for folder in place[2:]))

    def study(self) -> dict[str, Any]:
        """Return the parts of the configuration that the study reads."""
        return {
            "methods": self.tabulated(),
            "places": self.study_places(),
            "titles": self.jobs.titles(self.plan.matrix.spec["roles"]),
            "seed": self.plan.settings["seed"],
            "versions": versions(),
        }

    # --- own data ---

    def own_methods(self) -> dict[str, dict[str, Any]]:
        """Return the part of the registry entry of each method of the user's data that its table depends on."""
        parts = self.tabulated()
        return {run.method: parts[self.plan.run_entry(run)["use"]] for run in self.plan.runs(OWN)}

    def own_of_cost(self, cost: str) -> str:
        """Return the methods of the user's data that are of a class of cost, as a pattern; one that nothing matches."""
        names = [run.method for run in self.plan.runs(OWN) if self.jobs.cost_of(run) == cost]
        return "|".join(names) or "(?!)"

    def own_views(self) -> list[str]:
        """Return the features folders of the user's data that some method reads."""
        found = {folder for run in self.plan.runs(OWN) for folder in self.jobs.run_views(run)}
        return sorted(found)

    def own_entries(self) -> dict[str, dict[str, Any]]:
        """Return method -> the experiment's entry of it on the user's data."""
        return {run.method: self.plan.run_entry(run) for run in self.plan.runs(OWN)}

    def own_fitted(self) -> dict[str, dict[str, Any]]:
        """Return method -> the part of its registry entry that a fit on the user's data depends on."""
        return {run.method: self.jobs.run_method(run) for run in self.plan.runs(OWN)}

    def own_modules(self) -> list[str]:
        """Return the modules of the estimators of the user's data."""
        return sorted({self.plan.methods[self.plan.run_entry(run)["use"]].module for run in self.plan.runs(OWN)})

    def own_metric(self) -> dict[str, str]:
        """Return the task of the user's data -> the metric by which methods are compared on them."""
        own = self.plan.own
        return {own.task: self.plan.studies[OWN]["experiments"]["methods"]["metrics"][0]} if own else {}

    def own_grids(self) -> dict[str, dict[str, Any]]:
        """Return method -> the grid over which it is tuned on the user's data; an empty grid where it is not tuned."""
        return {run.method: self.plan.run_entry(run).get("tune", {}).get("grid", {}) for run in self.plan.runs(OWN)}
