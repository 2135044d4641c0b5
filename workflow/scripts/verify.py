"""Verify every result and every raw file against its recorded digest."""

from pathlib import Path

from reproduction.flow.job_context import job, logger
from reproduction.flow.verify import made_elsewhere, verify
from textmix.core.errors import IntegrityError

with job(snakemake):
    errors, n_checked = verify(Path("results"), Path("resources"))
    for error in errors:
        logger.error("%s", error)
    if errors:
        errors_text = "1 error" if len(errors) == 1 else f"{len(errors)} errors"
        raise IntegrityError(
            f"{errors_text} in {n_checked} results and raw files, listed above; "
            "to recompute a changed result, delete it and run snakemake again"
        )
    n_elsewhere = made_elsewhere(Path("results"))
    if n_elsewhere:
        logger.info("%d results were computed on another processor; their last digits may differ", n_elsewhere)
    logger.info("%d results and raw files match their recorded digests", n_checked)
