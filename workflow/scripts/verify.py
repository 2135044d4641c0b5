"""Check every result and every raw file against its record."""

from pathlib import Path

from textmix.core.errors import IntegrityError
from textmix.core.runtime import job, logger
from textmix.experiment.verify import verify

with job(snakemake):
    faults, checked = verify(Path("results"), Path("resources"))
    for fault in faults:
        logger.error("%s", fault)
    if faults:
        raise IntegrityError(f"{len(faults)} of {checked} results differ from their records; delete them and run again")
    logger.info("%d results are as they were made", checked)
