"""Input functions: inputs of rules that depend on the configuration or on the files of a paper.

An input function receives the wildcards of a job's output path.  Most functions here return rows or strings that a
rule inserts into a path with ``collect``; functions that return paths refer to files selected by the configuration.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from reproduction.flow.locators import DataLocator, FeaturesLocator, Locator, MeasureLocator, ScoreLocator
from reproduction.flow.own_texts import input_files
from reproduction.flow.papers import outside, registries
from reproduction.flow.plan import Fit, Plan

#: Files of a paper's folder that its report reads; some of them are optional.
RECORDS = ("published.csv", "checks.yaml", "choices.yaml", "paper.yaml", "history.md")
#: Files and folders that make up the workflow.
_WORKFLOW_FILES = (
    "workflow",
    "config",
    "profiles",
    "src",
    "Makefile",
    "pyproject.toml",
    "setup.py",
    "requirements.lock",
    "requirements-bench.lock",
    "README.md",
    "LICENSE",
    "CITATION.cff",
)
#: Generated files of Python or an editor in these folders.
_GENERATED = re.compile(r"(^|/)(\.|__pycache__/|[^/]*\.egg-info/)")


class FitRow(NamedTuple):
    """One fit job, and the features and splits that it reads."""

    paper: str
    experiment: str
    dataset: str
    method: str
    features: str
    split: str


class FeatureSet(NamedTuple):
    """A feature set of a data set, defined in ``paper.yaml``."""

    dataset: str
    features: str


class SplitSet(NamedTuple):
    """A set of splits of a data set, defined in ``paper.yaml``."""

    dataset: str
    split: str


class PaperEntry(NamedTuple):
    """A table or a figure of a paper."""

    paper: str
    name: str


class MeasureRow(NamedTuple):
    """One measure of a paper."""

    paper: str
    measure: str


class FeatureRow(NamedTuple):
    """A feature set of a data set that a paper uses."""

    paper: str
    dataset: str
    features: str


def fit_rows(plan: Plan) -> list[FitRow]:
    """Return the fits of this run, of all papers."""
    return [_fit_row(plan, fit) for paper in plan.papers for fit in plan.fits(paper)]


def measure_rows(plan: Plan) -> list[MeasureRow]:
    """Return the measures of this run, of all papers."""
    return [MeasureRow(paper, measure) for paper in plan.papers for measure in plan.measures(paper)]


def feature_rows(plan: Plan) -> list[FeatureRow]:
    """Return the features that the fits and measures of this run read, of all papers."""
    return [FeatureRow(paper, *names) for paper in plan.papers for names in plan.feature_sets(paper)]


def fit_of(wildcards: Any) -> Fit:
    """Return the fit job with some wildcards."""
    return Fit(wildcards.paper, wildcards.experiment, wildcards.dataset, wildcards.method)


def _fit_row(plan: Plan, fit: Fit) -> FitRow:
    features, split = plan.fit_inputs(fit)
    return FitRow(fit.paper, fit.experiment, fit.dataset, fit.method, features, split)


@dataclass(frozen=True, eq=False)
class RuleInputs:
    """The input functions of a plan.

    Parameters
    ----------
    plan : Plan
        The jobs of the run.
    """

    plan: Plan

    # --- data sets, fits and measures ---

    def dataset_and_substitutes(self, wildcards: Any) -> list[str]:
        """Return a data set and its substitutes, in order of preference."""
        return [wildcards.dataset, *self.plan.substitutes(wildcards.dataset)]

    def fit(self, wildcards: Any) -> FitRow:
        """Return the row of a fit job, including fits that only a specification curve needs."""
        return _fit_row(self.plan, fit_of(wildcards))

    def shared_fits(self, wildcards: Any) -> list[Fit]:
        """Return the fit job that also predicts for a method, if any."""
        shared = self.plan.shared_fit(fit_of(wildcards))
        return [] if shared is None else [shared]

    def measure_features(self, wildcards: Any) -> list[FeatureSet]:
        """Return the features that a measure reads, including its extra features."""
        data = self.plan.measure_data(wildcards.paper, wildcards.measure).values()
        features = [FeatureSet(dataset, name) for dataset, name, _, _ in data]
        extra_features = [FeatureSet(dataset, name) for dataset, _, _, name in data if name]
        return features + extra_features

    def measure_splits(self, wildcards: Any) -> list[SplitSet]:
        """Return the splits that a measure reads."""
        data = self.plan.measure_data(wildcards.paper, wildcards.measure).values()
        return [SplitSet(dataset, split) for dataset, _, split, _ in data]

    def measure_fits(self, wildcards: Any) -> list[Fit]:
        """Return the fits that provide the predictions for a measure."""
        return [fit for _, fit in self.plan.measure_fits(wildcards.paper, wildcards.measure)]

    def alternative_results(self, wildcards: Any) -> list[str]:
        """Return the results that contain the values of the selected alternatives of a paper, by default all."""
        locators = self.plan.alternatives[wildcards.paper].locators(self.plan.settings.get("specifications"))
        paths = {self._result_path(wildcards.paper, locator) for locator in locators}
        return sorted(paths - {""})

    def _result_path(self, paper: str, locator: Locator) -> str:
        """Return the result that contains a value; "" if its data are missing or no job computes it."""
        match locator:
            case ScoreLocator(experiment=experiment, role=role, method=method):
                dataset = self.plan.dataset(role)
                return f"results/scores/{paper}/{experiment}/{dataset}/{method}.csv" if dataset else ""
            case MeasureLocator(measure=measure):
                roles = self.plan.entry(paper, "measures", measure)["roles"]
                has_data = self.plan.measure_data(paper, measure) or not roles
                return f"results/papers/{paper}/measures/{measure}" if has_data else ""
            case FeaturesLocator(role=role, features=features):
                dataset = self.plan.dataset(role)
                return f"results/features/{dataset}/{features}" if dataset else ""
            case DataLocator(role=role):
                dataset = self.plan.dataset(role)
                return f"results/datasets/{dataset}" if dataset else ""
        return ""

    # --- reports: without the wildcard ``paper``, the report of the run ---

    def papers(self, wildcards: Any) -> list[str]:
        """Return the papers with results in a report."""
        paper = dict(wildcards.items()).get("paper")
        return [paper] if paper else self.plan.chosen()

    def datasets(self, wildcards: Any) -> list[str]:
        """Return the data sets of the papers of a report, sorted."""
        return sorted({name for paper in self.papers(wildcards) for name in self.plan.datasets(paper)})

    def tables(self, wildcards: Any) -> list[PaperEntry]:
        """Return the tables of the papers of a report."""
        return [
            PaperEntry(paper, name) for paper in self.papers(wildcards) for name in self.plan.papers[paper]["tables"]
        ]

    def figures(self, wildcards: Any) -> list[PaperEntry]:
        """Return the figures of the papers of a report."""
        return [PaperEntry(paper, name) for paper in self.papers(wildcards) for name in self.plan.drawable(paper)]

    def papers_with_alternatives(self) -> list[str]:
        """Return the papers of this run that register alternatives."""
        return [paper for paper in self.plan.chosen() if self.plan.alternatives[paper].grids]

    # --- files of the configuration ---

    def paper_file(self, name: str) -> Callable[[Any], str | list[str]]:
        """Return an input function for an optional file of a paper's folder."""

        def path_of(wildcards: Any) -> str | list[str]:
            path = self.plan.folders[wildcards.paper] / name
            return os.path.relpath(path) if path.is_file() else []

        return path_of

    def paper_files(self, *names: str) -> Callable[[Any], list[str]]:
        """Return an input function for the existing files with these names in the folders of a report's papers."""

        def paths_of(wildcards: Any) -> list[str]:
            papers = described_papers(self.plan, wildcards)
            paths = [self.plan.folders[paper] / name for paper in papers for name in names]
            return [os.path.relpath(path) for path in paths if path.is_file()]

        return paths_of

    def registries(self) -> list[str]:
        """Return the files that describe data sets."""
        return [os.path.relpath(path) for path in registries(self.plan.root, outside(self.plan.settings))]

    def workflow_files(self) -> list[str]:
        """Return the files that make up the workflow, without generated ones."""
        root = self.plan.root
        names = (path.relative_to(root).as_posix() for path in _files_below(root, _WORKFLOW_FILES))
        return [os.path.relpath(root / name) for name in sorted(names) if not _GENERATED.search(name)]

    def own_files(self, wildcards: Any) -> list[str]:
        """Return the files of an entry of the configuration key ``own``."""
        return input_files(self.plan.settings["own"][wildcards.own])


def described_papers(plan: Plan, wildcards: Any) -> list[str]:
    """Return the papers that a report describes, including papers without results, to show their published values."""
    paper = dict(wildcards.items()).get("paper")
    return [paper] if paper else list(plan.papers)


def _files_below(root: Path, names: Iterable[str]) -> list[Path]:
    """Return the files with these names, and all files in the folders with these names."""
    paths = [path for name in names for path in (root / name, *(root / name).rglob("*"))]
    return [path for path in paths if path.is_file()]
