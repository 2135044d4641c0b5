"""The files that the targets of the workflow ask for, and the sentences with which they end."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from reproduction.plan.graph import graph, long_waits
from reproduction.plan.matrix import MATRIX
from reproduction.plan.plan import Plan
from reproduction.plan.request import USAGE
from textmix.core.errors import ConfigError


@dataclass(frozen=True)
class Targets:
    """The targets of a plan; every path is relative to the folder in which the workflow runs."""

    plan: Plan

    def paper(self, paper: str) -> list[str]:
        """Return the files of a paper's target."""
        return [f"results/papers/{paper}/comparison.csv", *self._tables(paper), *self._figures(paper)]

    def _tables(self, paper: str) -> list[str]:
        """Return the tables of a paper, which one job writes."""
        return [f"results/papers/{paper}/tables/{name}.csv" for name in self.plan.papers[paper]["tables"]]

    def _figures(self, paper: str) -> list[str]:
        """Return the figures of a paper, which one job draws."""
        return [f"results/papers/{paper}/figures/{name}.svg" for name in self.plan.drawable(paper)]

    def tables(self) -> list[str]:
        """Return the tables of all papers that the configuration asks for."""
        return [path for paper in self.plan.chosen() for path in self._tables(paper)]

    def figures(self) -> list[str]:
        """Return the figures of all papers that the configuration asks for."""
        return [path for paper in self.plan.chosen() for path in self._figures(paper)]

    def datasets(self) -> list[str]:
        """Return the parsed data sets of all papers that the configuration asks for."""
        names = {name for paper in self.plan.chosen() for name in self.plan.datasets(paper)}
        return [f"results/datasets/{name}" for name in sorted(names)]

    def benchmarks(self) -> list[str]:
        """Return the files to which Snakemake writes the seconds of the long jobs of all papers that are asked for."""
        return [f"results/benchmarks/{name}.tsv" for name in long_waits(graph(self.plan))]

    def results(self) -> dict[str, list[str]]:
        """Return rule -> a path for each of its jobs, of all papers that are asked for, in order of work."""
        plan, chosen = self.plan, self.plan.chosen()
        datasets = [Path(path).name for path in self.datasets()]
        runs = [run for paper in chosen for run in plan.runs(paper)]
        features = sorted({pair for paper in chosen for pair in plan.feature_sets(paper)})
        splits = sorted({pair for paper in chosen for pair in plan.split_sets(paper)})
        return {
            "fetch": [f"resources/{one}/fetch.json" for name in datasets for one in (name, *plan.stand_ins(name))],
            "parse": self.datasets(),
            "features": [f"results/features/{dataset}/{name}" for dataset, name in features],
            "split": [f"results/splits/{dataset}/{name}" for dataset, name in splits],
            "fit": [f"results/predictions/{run.name}" for run in runs],
            "score": [f"results/scores/{run.name}.csv" for run in runs],
            "measure": [f"results/papers/{paper}/measures/{key}" for paper in chosen for key in plan.measures(paper)],
            "compare": [f"results/papers/{paper}/comparison.csv" for paper in chosen],
            "table": [path for paper in chosen for path in self._tables(paper)[:1]],
            "figure": [path for paper in chosen for path in self._figures(paper)[:1]],
            "page": ["results/report/index.html"],
        }

    def matrix_folders(self, kind: str) -> list[str]:
        """Return the folder of kind ``features`` or ``splits`` of each data set of the matrix, in order."""
        found = {run.dataset: self.plan.run_inputs(run) for run in self.plan.runs(MATRIX)}
        place = ("features", "splits").index(kind)
        return [f"results/{kind}/{dataset}/{inputs[place]}" for dataset, inputs in found.items()]

    def peers(self) -> str:
        """Return the file of the target ``peers``; raise ConfigError where the run names no data of the user's own."""
        self.own()
        assert self.plan.own is not None  # noqa: S101 - else own() ended
        return f"results/own/{self.plan.own.name}/peers.csv"

    def own(self) -> list[str]:
        """Return the files of the target ``own``, but for its pages.

        Raises
        ------
        ConfigError : the run names no data, or a file that is not there; the message says how to name them.
        """
        if self.plan.own is None:
            raise ConfigError(
                "own: name the description of your data: snakemake --cores 2 own --config data=my.yaml; "
                "an example is config/own.example.yaml"
            )
        self.plan.own.check_files()
        parts = ("scores.csv", "costs.csv", "summary.json")
        kept = [f"results/models/{self.plan.own.name}/best"] if "keep" in self.plan.own.raw else []
        return [*(f"results/own/{self.plan.own.name}/{part}" for part in parts), *kept]

    def model(self) -> str:
        """Return the folder of the target ``model``.

        Raises
        ------
        ConfigError : the run names no model; the message says how to name one.
        """
        if self.plan.model is None:
            raise ConfigError(f"model: name a data set and a method: {USAGE}")
        return f"results/models/{self.plan.model.dataset}/{self.plan.model.method}"

    def said(self, paper: str) -> str:
        """Return the sentence with which a paper's target ends."""
        page = f"results/papers/{paper}/comparison.csv"
        if self.plan.papers[paper]["status"] == "built":
            return f"{paper}: rebuilt; published beside rebuilt in {page}"
        return f"{paper}: NOT BUILT YET; only the statistics of its data stand in {page}"


#: The counts of verdicts of the report.
SUMMARY = "results/report/summary.json"


def verdicts_said() -> str:
    """Return the path of the report and the counts of its verdicts in words; nothing where no report was made."""
    summary = Path(SUMMARY)
    if not summary.is_file():
        return ""
    counts = json.loads(summary.read_text(encoding="utf-8"))["verdicts"]
    words = ", ".join(f"{number} {verdict}" for verdict, number in counts.items())
    return f"Report: results/report/index.html ({words})"
