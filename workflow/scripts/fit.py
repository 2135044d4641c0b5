"""Fit one method on every split of one data set, or join its single fits, and store its predictions and times."""

from textmix.core.io import format_csv, write_result
from textmix.core.runtime import job
from textmix.data.corpus import Corpus
from textmix.experiment.compared import run_compared
from textmix.experiment.parts import join_parts
from textmix.experiment.splits import Splits
from textmix.experiment.trials import TIMINGS, run_trials
from textmix.plan.methods import Method

with job(snakemake) as running:
    spec = running.settings.spec
    cell = snakemake.wildcards.get("cell")
    if snakemake.input.get("parts"):
        predictions, timings = join_parts(snakemake.input.parts, snakemake.input.part_timings)
    else:
        # A method that does not apply leaves its reason in a comparison of methods; in a paper it is an error.
        run = run_compared if spec.get("compared") else run_trials
        predictions, timings = run(
            Corpus.load(snakemake.input.features),
            Splits.load(snakemake.input.splits),
            Method(**running.settings.method),
            spec,
            running.settings.seed,
            cell=None if cell is None else int(cell),
        )
    predictions.save(snakemake.output.predictions, running.record)
    write_result(snakemake.output.timings, format_csv(timings, TIMINGS), running.record)
