"""Join the suites of the bench in one table and log which targets are met."""

from reproduction.bench.running import join
from reproduction.bench.timing import COLUMNS
from reproduction.flow.job import job, logger
from textmix.core.io import format_csv, write_result

with job(snakemake, tolerate_missing=True) as running:
    rows, sentences = join(dict(zip(running.settings.suites, snakemake.input, strict=True)))
    write_result(snakemake.output[0], format_csv(rows, ("suite", *COLUMNS)), running.record)
    for sentence in sentences:
        logger.info("%s", sentence)
