"""Fit a method on every split of a data set, or take its predictions from a method with the same fits."""

from pathlib import Path

from reproduction.flow.job_context import job
from textmix.core.io import format_csv, new_folder, read_csv, write_result, write_text
from textmix.data.corpus import Corpus
from textmix.experiment.methods import Method
from textmix.experiment.predictions import Predictions
from textmix.experiment.splits import Splits
from textmix.experiment.trials import TIMINGS, run_shared_trials

with job(snakemake, threads=snakemake.threads) as running:
    settings = running.settings
    method = snakemake.wildcards.method
    if settings.shared:
        folder = snakemake.input.shared[0]
        predictions = Predictions.load(folder, method)
        timings = read_csv(Path(folder) / method / "timings.csv")
        others = {}
    else:
        # collect() returns a list even for a single file.
        corpus = Corpus.load(snakemake.input.features[0])
        splits = Splits.load(snakemake.input.splits[0])
        others = run_shared_trials(corpus, splits, Method(**settings.method), settings.entries, settings.seed)
        predictions, timings = others.pop(method)
    with new_folder(snakemake.output.predictions, running.record) as target:
        predictions.write(target)
        # Each in a subfolder, for the job of that method.
        for name, (other_predictions, other_timings) in others.items():
            other_predictions.write(target / name)
            write_text(target / name / "timings.csv", format_csv(other_timings, TIMINGS))
    write_result(snakemake.output.timings, format_csv(timings, TIMINGS), running.record)
