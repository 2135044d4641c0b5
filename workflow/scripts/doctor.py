"""Say of each data set where it would come from now."""

import os
from pathlib import Path

from reproduction.job.runtime import job, logger
from textmix.data.doctor import survey
from textmix.data.registry import load_registry

with job(snakemake):
    mirror = os.environ.get("TEXTMIX_MIRROR")
    registry = load_registry(snakemake.input.registry, snakemake.input.schema)
    for finding in survey(registry.values(), Path("resources"), Path(mirror) if mirror else None):
        logger.info("%s", finding.line())
