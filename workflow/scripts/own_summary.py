"""Describe the user's own data as they were read."""

from reproduction.flow.job import job, logger
from textmix.contest.description import describe
from textmix.core.io import canonical_json, write_result
from textmix.data.corpus import Corpus
from textmix.experiment.splits import Splits

with job(snakemake) as running:
    parsed, counted = (Corpus.load(snakemake.input[part]) for part in ("parsed", "counted"))
    summary = describe(parsed, counted, Splits.load(snakemake.input.splits))
    for remark in summary["remarks"]:
        logger.warning("%s: %s", parsed.name, remark)
    write_result(snakemake.output[0], canonical_json(summary), running.record)
