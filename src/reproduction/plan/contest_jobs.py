"""The inputs and settings of the jobs that compare methods on the matrix of data sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from reproduction.plan.jobs import Jobs
from reproduction.plan.matrix import MATRIX
from reproduction.plan.plan import Plan
from textmix.core.environment import versions
from textmix.experiment.methods import TABULATED


@dataclass(frozen=True)
class ContestJobs:
    """The jobs that compare methods on the matrix and its repetitions.

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
