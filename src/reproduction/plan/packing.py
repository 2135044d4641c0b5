"""The jobs whose results a pack may hold: fits, measures and scores of the papers that the configuration asks for."""

from __future__ import annotations

from collections.abc import Iterable

from reproduction.job.pack import PackedJob
from reproduction.plan.graph import Inputs
from reproduction.plan.plan import Plan
from reproduction.plan.recipes import Recipes
from reproduction.plan.stages import FIT, MEASURE, SCORE, Job, benchmark_of


def packed_jobs(plan: Plan, recipes: Recipes) -> list[PackedJob]:
    """Return the jobs, each after those whose results it reads."""
    inputs, fits, scores = Inputs(plan), [], []
    for run in (run for paper in plan.chosen() for run in plan.runs(paper)):
        fit = FIT.of(**vars(run))
        fits.append(_packed(fit, recipes, [*inputs.views(run), inputs.split(run)]))
        scores.append(_packed(SCORE.of(**vars(run)), recipes, [fit, inputs.counts(run), inputs.split(run)]))
    for paper in plan.chosen():
        for measure in plan.measures(paper):
            read = [job for jobs in inputs.sources(paper, measure).values() for job in jobs]
            read += [job for _, job in inputs.fits(paper, measure)]
            fits.append(_packed(MEASURE.of(paper=paper, measure=measure), recipes, read))
    return [*fits, *scores]


def _packed(job: Job, recipes: Recipes, reads: Iterable[Job]) -> PackedJob:
    """Return a job of a pack, which reads the results of others."""
    made = tuple(job.stage.path(output, **job.names) for output in job.stage.outputs)
    recipe = recipes.of_job(job.stage.name, **job.names)
    return PackedJob(made, benchmark_of(job.name), recipe, tuple(dict.fromkeys(each.path for each in reads)))
