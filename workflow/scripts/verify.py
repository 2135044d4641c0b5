"""Check every result and every raw file against its record."""

from pathlib import Path

from reproduction.flow.job_context import job, logger
from reproduction.flow.verify import made_elsewhere, verify
from textmix.core.errors import IntegrityError

with job(snakemake):
    faults, checked = verify(Path("results"), Path("resources"))
    for fault in faults:
        logger.error("%s", fault)
    if faults:
        raise IntegrityError(f"{len(faults)} faults in {checked} results; each sentence above names one and its remedy")
    elsewhere = made_elsewhere(Path("results"))
    if elsewhere:
        logger.info("%d results were made on another processor; their last digits can differ", elsewhere)
    logger.info("%d results are as they were made", checked)
