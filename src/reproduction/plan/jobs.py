"""The inputs and settings of every job, by its wildcards: the functions that the rules name.

Jobs that compare methods have more of them: `reproduction.plan.contest_jobs`.

A setting holds exactly the part of the configuration that the job depends on, so that an edit runs again the jobs
that read the edited part, and no other.
"""

from __future__ import annotations

import functools
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from snakemake.io import local

from reproduction.flow.commit import commit_of
from reproduction.flow.folders import RESOURCES, package_of
from reproduction.flow.papers import given_by_causes
from reproduction.flow.places import outside, registries
from reproduction.plan.evidence import Evidence
from reproduction.plan.graph import Inputs, graph, long_waits
from reproduction.plan.matrix import MATRIX
from reproduction.plan.own import OWN, run_started
from reproduction.plan.plan import Plan, Run
from reproduction.plan.stages import FIT, SCORE, Stage
from reproduction.plan.storage import Here
from textmix.core import io
from textmix.data.fetch import source_state
from textmix.data.registry import content_of
from textmix.experiment.methods import COMPARED, FITTED, SEARCH, TUNING


@dataclass(frozen=True)
class Jobs:
    """The jobs of a plan.

    ``wildcards`` is Snakemake's object of the names in a job's output path, for example ``wildcards.dataset``.  Each
    method that takes it reads the names that the outputs of its rules have.  Paths are relative to the folder in which
    the workflow runs.

    Parameters
    ----------
    plan : the plan.
    mirror : folder of the mirror of raw data, or None.
    store : where the results lie.
    """

    plan: Plan
    mirror: Path | None = None
    store: Here = field(default_factory=Here)

    @functools.cached_property
    def inputs(self) -> Inputs:
        """The jobs whose results each job reads."""
        return Inputs(self.plan)

    # --- code and configuration files ---

    def source(self, name: str) -> str:
        """Return the path, from the folder in which the workflow runs, of a file named relative to the Snakefile.

        Snakemake looks for it on the machine, also where results lie in a bucket.
        """
        path: str = local(os.path.relpath(self.plan.root / name))
        return path

    def sources(self, *names: str) -> list[str]:
        """Return files beside the Snakefile, as `source` does."""
        return [self.source(name) for name in names]

    def parts(self, *patterns: str) -> tuple[Path, ...]:
        """Return files of both packages that are not Python (templates, styles), by patterns of their paths there."""
        return tuple(sorted(path for pattern in patterns for path in (self.plan.root / "src").glob(f"*/{pattern}")))

    # --- data sets ---

    def registries(self) -> list[str]:
        """Return the files with data sets."""
        return [os.path.relpath(path) for path in registries(self.plan.root, outside(self.plan.settings))]

    def fetch_state(self, wildcards: Any) -> str:
        """Return a text that changes when a missing data set may be within reach; constant once it is fetched."""
        name = wildcards.dataset
        return source_state(self.plan.registry[name], self.store.place(RESOURCES / name), self.mirror)

    def dataset_entry(self, wildcards: Any) -> dict[str, Any]:
        """Return the part of a registry entry that fetching and parsing depend on: its prose is left out."""
        return content_of(self.plan.registry[wildcards.dataset].raw)

    def stand_in_entries(self, wildcards: Any) -> dict[str, dict[str, Any]]:
        """Return name -> such a part of each entry that is read where the data set cannot be had, in order."""
        return {name: content_of(self.plan.registry[name].raw) for name in self.plan.stand_ins(wildcards.dataset)}

    def fetched(self, wildcards: Any) -> list[str]:
        """Return the records of the fetch of a data set and of its stand-ins."""
        return [job.path for job in self.inputs.raw(wildcards.dataset)]

    def readers(self, wildcards: Any) -> list[str]:
        """Return the modules of the readers of the forms of a data set and of its stand-ins."""
        names = [wildcards.dataset, *self.plan.stand_ins(wildcards.dataset)]
        entries = [self.plan.registry[name] for name in names]
        return sorted({source.reader.module for entry in entries for source in entry.sources})

    def features_spec(self, wildcards: Any) -> Mapping[str, Any]:
        """Return the specification by which words are counted (features.schema.yaml)."""
        spec: Mapping[str, Any] = self.plan.features[wildcards.features]
        return spec

    def split_spec(self, wildcards: Any) -> Mapping[str, Any]:
        """Return the specification by which documents are split (split.schema.yaml)."""
        spec: Mapping[str, Any] = self.plan.splits[wildcards.split]
        return spec

    # --- fits and scores ---

    def run_of(self, wildcards: Any) -> Run:
        """Return the fit job that wildcards name."""
        return Run(wildcards.paper, wildcards.experiment, wildcards.dataset, wildcards.method)

    def run_features(self, wildcards: Any) -> str:
        """Return the features folder that the score of a fit job reads."""
        return self.inputs.counts(self.run_of(wildcards)).path

    def run_views(self, wildcards: Any) -> list[str]:
        """Return the features folders of a fit job, one a view."""
        return [job.path for job in self.inputs.views(self.run_of(wildcards))]

    def run_splits(self, wildcards: Any) -> str:
        """Return the splits folder of a fit job."""
        return self.inputs.split(self.run_of(wildcards)).path

    def run_spec(self, wildcards: Any) -> dict[str, Any]:
        """Return the experiment's entry of the method of a fit job: ``use``, ``params``, ``grid``, ``tune``."""
        return self.plan.run_entry(self.run_of(wildcards))

    def run_method(self, wildcards: Any) -> dict[str, Any]:
        """Return the part of a method's registry entry that a fit depends on."""
        spec = self.run_spec(wildcards)
        return self.plan.method_of(self.run_of(wildcards)).part(*(COMPARED if spec.get("compared") else FITTED))

    def run_modules(self, wildcards: Any) -> list[str]:
        """Return the modules of a fit: the estimator's, and tuning where the method is tuned."""
        spec = self.run_spec(wildcards)
        tuning = [SEARCH if spec.get("compared") else TUNING] if "tune" in spec else []
        return [self.plan.methods[spec["use"]].module, *tuning]

    def run_parts(self, wildcards: Any) -> list[str]:
        """Return the folders of the single fits of a fit job, in order; none where one job makes all its fits."""
        return [job.path for job in self.inputs.parts(self.run_of(wildcards))]

    def metrics(self, wildcards: Any) -> list[str]:
        """Return the metrics of an experiment."""
        found: list[str] = self.plan.studies[wildcards.paper]["experiments"][wildcards.experiment]["metrics"]
        return found

    def run_files(self, study: str, stage: Stage, output: str = "") -> list[str]:
        """Return the path of an output for every fit job of a study."""
        return [stage.path(output, **vars(run)) for run in self.plan.runs(study)]

    # --- measures ---

    def measure_entry(self, wildcards: Any) -> Mapping[str, Any]:
        """Return a measure's entry in paper.yaml, or that of a reading."""
        entry: Mapping[str, Any] = self.plan.studies[wildcards.paper]["measures"][wildcards.measure]
        return entry

    def measure_sources(self, wildcards: Any) -> dict[str, list[str]]:
        """Return role -> [features folder, splits folder, folders of further features] of a measure."""
        sources = self.inputs.sources(wildcards.paper, wildcards.measure)
        return {role: [job.path for job in jobs] for role, jobs in sources.items()}

    def measure_predictions(self, wildcards: Any) -> list[tuple[str, str, str]]:
        """Return (role, method, predictions folder) of the fits that a measure reads."""
        fits = self.inputs.fits(wildcards.paper, wildcards.measure)
        return [(role, job.names["method"], job.path) for role, job in fits]

    def measure_inputs(self, wildcards: Any) -> list[str]:
        """Return the folders that a measure reads."""
        folders = [path for paths in self.measure_sources(wildcards).values() for path in paths]
        return folders + [path for _, _, path in self.measure_predictions(wildcards)]

    def measure_modules(self, wildcards: Any) -> list[str]:
        """Return the modules of a measure: its function's, and those of the estimators that it names."""
        function = self.measure_entry(wildcards)["function"]
        estimators = {self.plan.methods[name].module for name in self.measure_entry(wildcards).get("methods", ())}
        return [f"{package_of(wildcards.paper)}.{function.partition('.')[0]}", *sorted(estimators)]

    def measure_methods(self, wildcards: Any) -> dict[str, dict[str, Any]]:
        """Return name -> the part of the registry entry of each method of a measure, with the measure's parameters."""
        chosen = self.measure_entry(wildcards).get("methods", {})
        return {name: {**self.plan.methods[name].part(*COMPARED), "params": params} for name, params in chosen.items()}

    # --- papers ---

    def scores(self, wildcards: Any) -> list[str]:
        """Return the score files of a paper."""
        return self.run_files(wildcards.paper, SCORE)

    def timings(self, wildcards: Any) -> list[str]:
        """Return the timing files of a paper."""
        return self.run_files(wildcards.paper, FIT, "timings")

    def predictions(self, wildcards: Any) -> list[str]:
        """Return the prediction folders of a paper."""
        return self.run_files(wildcards.paper, FIT)

    def measures(self, wildcards: Any) -> list[str]:
        """Return the measure folders of a paper."""
        return [job.path for job in self.inputs.measures(wildcards.paper)]

    def data(self, wildcards: Any) -> list[str]:
        """Return the parsed data sets and the feature sets of a paper, for their statistics."""
        return [job.path for job in self.inputs.data(wildcards.paper)]

    def roles(self, wildcards: Any) -> dict[str, dict[str, Any]]:
        """Return the roles of a paper with the data sets that stand for them."""
        return self.plan.roles(wildcards.paper)

    def left_out(self, wildcards: Any) -> dict[str, str]:
        """Return why results of a paper are left out, by their names."""
        return self.plan.scope.left_out(wildcards.paper)

    def paper_spec(self, wildcards: Any) -> Mapping[str, Any]:
        """Return the whole paper.yaml of a paper."""
        return self.plan.papers[wildcards.paper]

    def paper_file(self, wildcards: Any, name: str) -> str:
        """Return the path of a file of a paper's folder of configuration."""
        return os.path.relpath(self.plan.folders[wildcards.paper] / name)

    def published(self, wildcards: Any) -> str:
        """Return the published.csv of a paper."""
        return self.paper_file(wildcards, "published.csv")

    def checks(self, wildcards: Any) -> list[str]:
        """Return the checks.yaml of a paper, if it has one."""
        path = self.paper_file(wildcards, "checks.yaml")
        return [path] if os.path.isfile(path) else []

    def given(self, wildcards: Any) -> list[str]:
        """Return the locators of the results that the causes of a paper name."""
        return given_by_causes(self.plan.folders[wildcards.paper])

    def evidence(self, wildcards: Any) -> dict[str, dict[str, Any]]:
        """Return the known outcomes of tests and ratios of times that a paper's rows and checks name."""
        return self._evidence.of_paper(wildcards.paper)

    @functools.cached_property
    def _evidence(self) -> Evidence:
        """The evidence that no job makes, read once for all papers."""
        return Evidence(self.plan.root, self.plan.folders)

    def judging(self) -> dict[str, dict[str, Any]]:
        """Return paper -> its ``paper.yaml``, roles and evidence, of all papers: what its verdicts rest on."""
        asked = {paper: SimpleNamespace(paper=paper) for paper in self.plan.papers}
        return {
            paper: {"spec": self.paper_spec(one), "roles": self.roles(one), "evidence": self.evidence(one)}
            for paper, one in asked.items()
        }

    def role_lists(self, wildcards: Any) -> str:
        """Return the paper.yaml of a paper, which names the lists of roles that its checks expand."""
        return self.paper_file(wildcards, "paper.yaml")

    def commit(self, wildcards: Any) -> dict[str, str]:
        """Return the commit of the folder with the workflow; read for the job that prints it, and for no other."""
        return commit_of(self.plan.root)

    def waits(self) -> dict[str, list[str]]:
        """Return for each long job of the chosen papers the long jobs whose results it reads, by their names."""
        return long_waits(graph(self.plan))

    def waiting_rows(self) -> dict[str, str]:
        """Return data set -> how many published rows name a role for which it stands."""
        roles = self.plan.wanted
        counts: Counter[str] = Counter()
        for paper in self.plan.papers:
            rows = io.read_csv(self.plan.folders[paper] / "published.csv")
            counts.update(entry["dataset"] for row in rows if (entry := roles.get(row["dataset"])))
        return {name: str(count) for name, count in counts.items()}

    def table_entries(self, wildcards: Any) -> Mapping[str, Any]:
        """Return the entries of a paper's tables in paper.yaml, by name."""
        entries: Mapping[str, Any] = self.plan.papers[wildcards.paper]["tables"]
        return entries

    def figure_modules(self, wildcards: Any) -> list[str]:
        """Return the modules of a paper's figures: its own, and that of the stock ones."""
        stock = {"stock" in entry for entry in self.plan.papers[wildcards.paper]["figures"].values()}
        modules = {False: f"{package_of(wildcards.paper)}.figures", True: "reproduction.pages.stock"}
        return [modules[each] for each in sorted(stock)]

    # --- the time that a fit may take ---

    def started(self, wildcards: Any) -> int:
        """Return when this run began, seconds since the epoch; 0 for a fit job that does not share the time of the run.

        The methods of low cost that take one kind of features share none, so that there is always a result.
        """
        run = self.run_of(wildcards)
        if run.paper != OWN or (self.plan.method_of(run).cost == "low" and len(self.plan.run_entry(run)["views"]) == 1):
            return 0
        return run_started()

    def cheap(self, wildcards: Any) -> int:
        """Return 1 for a method of low cost on the user's own data, which is promised a part of the time; else 0."""
        run = self.run_of(wildcards)
        return int(run.paper == OWN and self.plan.method_of(run).cost == "low")

    def budget(self, wildcards: Any) -> int:
        """Return the seconds that the comparison on own data, or a method of the matrix, may take; 0 where not said."""
        run, own = self.run_of(wildcards), self.plan.own
        if run.paper in (MATRIX, *self.plan.matrix.sizes):
            return int(self.plan.settings.get("matrix_seconds") or 0)
        return own.seconds if own and self.started(wildcards) else 0

    def out_of_reach(self, wildcards: Any) -> dict[str, str]:
        """Return role -> why no data set of it is within reach, of one paper or of all that are asked for."""
        paper = dict(wildcards.items()).get("paper")
        return self.plan.out_of_reach([paper] if paper else self.plan.chosen())
