"""The jobs whose results a pack may hold: fits, measures and scores of the papers that the configuration asks for."""

from __future__ import annotations

from types import SimpleNamespace

from reproduction.job.pack import PackedJob
from reproduction.plan.jobs import Jobs
from reproduction.plan.recipes import Recipes


def packed_jobs(jobs: Jobs, recipes: Recipes) -> list[PackedJob]:
    """Return the jobs, each after those whose results it reads."""
    plan = jobs.plan
    runs = [run for paper in plan.chosen() for run in plan.runs(paper)]
    measures = [(paper, measure) for paper in plan.chosen() for measure in plan.measures(paper)]
    fits, scores = [], []
    for run in runs:
        names = {"paper": run.paper, "experiment": run.experiment, "dataset": run.dataset, "method": run.method}
        asked = SimpleNamespace(**names)
        predictions, splits = f"results/predictions/{run.name}", jobs.run_splits(asked)
        made = (predictions, f"results/timings/{run.name}.csv")
        read = tuple(dict.fromkeys([*jobs.run_views(asked), splits]))
        recipe = recipes.of_job("fit", **names)
        fits.append(PackedJob(made, f"results/benchmarks/fit/{run.name}.tsv", recipe, read))
        scored = (f"results/scores/{run.name}.csv",)
        read = (predictions, jobs.run_features(asked), splits)
        recipe = recipes.of_job("score", **names)
        scores.append(PackedJob(scored, f"results/benchmarks/score/{run.name}.tsv", recipe, read))
    return [*fits, *(_measure(jobs, recipes, *names) for names in measures), *scores]


def _measure(jobs: Jobs, recipes: Recipes, paper: str, measure: str) -> PackedJob:
    """Return the job of a measure."""
    names = {"paper": paper, "measure": measure}
    read = dict.fromkeys(jobs.measure_inputs(SimpleNamespace(**names)))
    recipe = recipes.of_job("measure", **names)
    made = f"results/papers/{paper}/measures/{measure}"
    return PackedJob((made,), f"results/benchmarks/measure/{paper}/{measure}.tsv", recipe, tuple(read))
