"""Forget which data sets could not be had, so that the next run tries to fetch them again."""

from pathlib import Path

from reproduction.flow.job import job, logger
from textmix.core.io import read_json

with job(snakemake):
    for record in sorted(Path("resources").glob("*/fetch.json")):
        if read_json(record)["status"] != "had":
            logger.info("%s will be tried again", record.parent.name)
            record.unlink()
