"""Fit one method on every split of one data set, or join its single fits; or make one of these fits."""

from reproduction.flow.job import job
from reproduction.flow.parts import join_parts, save_part
from textmix.core.io import format_csv, write_result
from textmix.data.corpus import Corpus
from textmix.experiment.compared import run_compared
from textmix.experiment.methods import Method
from textmix.experiment.splits import Splits
from textmix.experiment.trials import TIMINGS, run_trials

with job(snakemake, threads=snakemake.threads) as running:
    asked, cell = running.settings, snakemake.wildcards.get("cell")
    if snakemake.input.get("parts"):
        predictions, timings = join_parts(snakemake.input.parts)
    else:
        views = [Corpus.load(folder) for folder in snakemake.input.features]
        given = Splits.load(snakemake.input.splits), Method(**asked.method), asked.spec, asked.seed
        started, budget, cheap = (snakemake.resources.get(name, 0) for name in ("started", "budget", "cheap"))
        only = None if cell is None else int(cell)
        # A method that does not apply leaves its reason in a comparison of methods; in a paper it is an error.
        if asked.spec.get("compared"):
            predictions, timings = run_compared(views, *given, cell=only, limit=(started, budget, bool(cheap)))
        else:
            predictions, timings = run_trials(views[0], *given, cell=only)
    if cell is None:
        predictions.save(snakemake.output.predictions, running.record)
        write_result(snakemake.output.timings, format_csv(timings, TIMINGS), running.record)
    else:
        save_part(snakemake.output[0], predictions, timings, running.record)
