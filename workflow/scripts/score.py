"""Score the stored predictions of a method."""

from reproduction.flow.job_context import job
from textmix.core.io import format_csv, write_result
from textmix.data.corpus import Corpus
from textmix.experiment.predictions import Predictions
from textmix.experiment.scoring import SCORE_COLUMNS, score
from textmix.experiment.splits import Splits

with job(snakemake) as running:
    rows = score(
        Predictions.load(snakemake.input.predictions),
        Corpus.load(snakemake.input.features[0]),
        Splits.load(snakemake.input.splits[0]),
        running.settings.metrics,
    )
    write_result(snakemake.output[0], format_csv(rows, SCORE_COLUMNS), running.record)
