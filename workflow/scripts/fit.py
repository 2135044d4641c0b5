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
        views = [Corpus.load(folder) for folder in snakemake.input.features]
        settings = Splits.load(snakemake.input.splits), Method(**running.settings.method), spec, running.settings.seed
        only = None if cell is None else int(cell)
        # A method that does not apply leaves its reason in a comparison of methods; in a paper it is an error.
        predictions, timings = (
            run_compared(views, *settings, cell=only)
            if spec.get("compared")
            else run_trials(views[0], *settings, cell=only)
        )
    predictions.save(snakemake.output.predictions, running.record)
    write_result(snakemake.output.timings, format_csv(timings, TIMINGS), running.record)
