"""Take from a pack the results that their jobs would make so today, and name the rest."""

from collections import Counter
from pathlib import Path

from reproduction.flow.job import job, logger
from reproduction.job.pack import take_pack
from textmix.core.errors import ConfigError

with job(snakemake):
    asked = snakemake.params
    if asked.sha256 is None:
        raise ConfigError("take: name the sha256 of the pack, as its maker tells it: --config pack=FILE sha256=DIGEST")
    taken, rest = take_pack(Path(asked.pack), asked.sha256, Path(), asked.jobs)
    for path, why in rest.items():
        logger.info("left %s: %s", path, why)
    logger.info("%d results taken, %d left: %s", len(taken), len(rest), dict(Counter(rest.values()).most_common(5)))
