"""The inputs and settings of the jobs that make a declared reading of a paper, and of those that gather them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from reproduction.flow.locators import DataLocator, FeaturesLocator, Locator, MeasureLocator, ScoreLocator
from reproduction.flow.readings import SEED, Readings
from reproduction.plan.plan import Plan, Run
from reproduction.plan.stages import FEATURES, MEASURE, PARSE, READINGS, SCORE, Job


@dataclass(frozen=True)
class ReadingJobs:
    """The jobs of the readings of a plan.

    Parameters
    ----------
    plan : the plan.
    """

    plan: Plan

    def papers(self) -> list[str]:
        """Return the papers that declare readings, of those that the configuration asks for."""
        return [paper for paper in self.plan.chosen() if self.plan.readings[paper].specifications]

    def folders(self) -> list[str]:
        """Return the folder of curves of each such paper."""
        return [READINGS.path(paper=paper) for paper in self.papers()]

    def readings(self, wildcards: Any) -> Readings:
        """Return the readings of a paper."""
        return self.plan.readings[wildcards.paper]

    def declared(self, wildcards: Any) -> dict[str, Any]:
        """Return the paper.yaml of a paper with the entries of all readings, and its specifications."""
        found = self.readings(wildcards)
        return {"spec": found.spec, "specifications": [asdict(one) for one in found.specifications]}

    def values(self, wildcards: Any) -> list[str]:
        """Return the results in which the values of all readings of a paper stand."""
        found = (self._job(wildcards.paper, locator) for locator in self.readings(wildcards).locators())
        left_out = self.left_out(wildcards)
        return sorted({job.path for job, name in found if job is not None and name not in left_out})

    def left_out(self, wildcards: Any) -> dict[str, str]:
        """Return why results of readings of a paper are left out, by their names (`Scope.left_out`)."""
        found: dict[str, str] = {}
        for locator in self.readings(wildcards).locators():
            job, name = self._job(wildcards.paper, locator)
            if job is not None:
                found[name] = self._why(job)
        return {name: why for name, why in found.items() if why}

    def seed_of_run(self, wildcards: Any) -> int:
        """Return the seed of a fit job: that of config.yaml, and what a reading adds to it."""
        return self._seed(self.plan.studies[wildcards.paper]["experiments"][wildcards.experiment])

    def seed_of_measure(self, wildcards: Any) -> int:
        """Return the seed of a measure: that of config.yaml, and what a reading adds to it."""
        return self._seed(self.plan.studies[wildcards.paper]["measures"][wildcards.measure])

    def _seed(self, entry: Mapping[str, Any]) -> int:
        """Return the seed of an entry."""
        seed: int = self.plan.settings["seed"] + entry.get(SEED, 0)
        return seed

    def _job(self, paper: str, locator: Locator) -> tuple[Job | None, str]:
        """Return the job that makes a value, and its name in `Scope.left_out`; no job where its data are lost."""
        match locator:
            case ScoreLocator(experiment=experiment, role=role, method=method):
                dataset = self.plan.dataset(role)
                job = SCORE.of(paper=paper, experiment=experiment, dataset=str(dataset), method=method)
                return (job if dataset else None), f"fit/{experiment}/{dataset}/{method}"
            case MeasureLocator(measure=measure):
                at_hand = self.plan.measure_sources(paper, measure)
                needs = self.plan.studies[paper]["measures"][measure]["roles"]
                job = MEASURE.of(paper=paper, measure=measure)
                return (job if at_hand or not needs else None), f"measure/{measure}"
            case FeaturesLocator(role=role, features=features):
                dataset = self.plan.dataset(role)
                job = FEATURES.of(dataset=str(dataset), features=features)
                return (job if dataset else None), f"features/{dataset}/{features}"
            case DataLocator(role=role):
                dataset = self.plan.dataset(role)
                return (PARSE.of(dataset=str(dataset)) if dataset else None), ""
        return None, ""

    def _why(self, job: Job) -> str:
        """Return why a job is left out; empty where it is not."""
        match job.stage.name:
            case SCORE.name:
                return self.plan.scope.dear_run(Run(**job.names))
            case MEASURE.name:
                return self.plan.scope.dear_measure(**job.names)
            case FEATURES.name:
                return self.plan.scope.dear_features(**job.names)
        return ""
