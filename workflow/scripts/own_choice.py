"""Choose a method on the user's data, refit it, and look into its predictions."""

from pathlib import Path

from reproduction.flow.job import job
from textmix.contest.choice import choose
from textmix.contest.inspection import PREDICTIONS, prediction_rows
from textmix.core.io import canonical_json, format_csv, write_result
from textmix.data.corpus import Corpus
from textmix.experiment.splits import Splits

with job(snakemake) as running:
    corpus, splits = Corpus.load(snakemake.input.parsed), Splits.load(snakemake.input.splits)
    views = {Path(folder).name: Corpus.load(folder) for folder in snakemake.input.views}
    files = list(zip(snakemake.input.scores, snakemake.input.timings, snakemake.input.predictions, strict=True))
    choice, predictions = choose(files, (corpus, views, splits), running.settings)
    rows = list(prediction_rows(predictions, corpus, splits))
    write_result(snakemake.output.predictions, format_csv(rows, PREDICTIONS), running.record)
    write_result(snakemake.output.choice, canonical_json(choice), running.record)
