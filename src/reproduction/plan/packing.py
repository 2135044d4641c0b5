"""The jobs whose results a pack may hold: fits, measures and scores of the papers that the configuration asks for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import SimpleNamespace

from reproduction.job.pack import PackedJob
from reproduction.plan.jobs import Jobs
from reproduction.plan.recipes import Recipes
from reproduction.plan.stages import FIT, MEASURE, SCORE, Stage, benchmark_of


def packed_jobs(jobs: Jobs, recipes: Recipes) -> list[PackedJob]:
    """Return the jobs, each after those whose results it reads."""
    plan = jobs.plan
    runs = [run for paper in plan.chosen() for run in plan.runs(paper)]
    measures = [(paper, measure) for paper in plan.chosen() for measure in plan.measures(paper)]
    fits, scores = [], []
    for run in runs:
        names = {"paper": run.paper, "experiment": run.experiment, "dataset": run.dataset, "method": run.method}
        asked = SimpleNamespace(**names)
        read = dict.fromkeys([*jobs.run_views(asked), jobs.run_splits(asked)])
        fits.append(_packed(FIT, names, recipes, read))
        read = dict.fromkeys([FIT.path(**names), jobs.run_features(asked), jobs.run_splits(asked)])
        scores.append(_packed(SCORE, names, recipes, read))
    for paper, measure in measures:
        names = {"paper": paper, "measure": measure}
        fits.append(_packed(MEASURE, names, recipes, jobs.measure_inputs(SimpleNamespace(**names))))
    return [*fits, *scores]


def _packed(stage: Stage, names: Mapping[str, str], recipes: Recipes, read: Iterable[str]) -> PackedJob:
    """Return the job of a stage with the given names, which reads some results."""
    made = tuple(stage.path(output, **names) for output in stage.outputs)
    recipe = recipes.of_job(stage.name, **names)
    return PackedJob(made, benchmark_of(stage.node(**names)), recipe, tuple(dict.fromkeys(read)))
