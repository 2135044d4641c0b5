"""Read the user's own data into a corpus (textmix.data.corpus) and check it."""

from reproduction.flow.job import job
from textmix.data.own import read_own

with job(snakemake) as running:
    read_own(running.settings.reading).save(snakemake.output[0], running.record)
