"""Fit a method on every split of a data set."""

from reproduction.flow.job_context import job
from textmix.core.io import format_csv, write_result
from textmix.data.corpus import Corpus
from textmix.experiment.methods import Method
from textmix.experiment.splits import Splits
from textmix.experiment.trials import TIMINGS, run_trials

with job(snakemake, threads=snakemake.threads) as running:
    settings = running.settings
    # collect() returns a list even for a single file.
    corpus = Corpus.load(snakemake.input.features[0])
    splits = Splits.load(snakemake.input.splits[0])
    predictions, timings = run_trials(corpus, splits, Method(**settings.method), settings.spec, settings.seed)
    predictions.save(snakemake.output.predictions, running.record)
    write_result(snakemake.output.timings, format_csv(timings, TIMINGS), running.record)
