"""Split a data set into training and test documents."""

from reproduction.flow.job_context import job
from textmix.data.corpus import Corpus
from textmix.experiment.splits import make_splits

with job(snakemake) as running:
    splits = make_splits(
        Corpus.load(snakemake.input[0]),
        running.settings.spec,
        running.settings.seed,
        snakemake.wildcards.split,
        running.settings.max_trials,
    )
    splits.save(snakemake.output[0], running.record)
