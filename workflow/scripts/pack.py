"""Pack the costly results of a run with their records."""

from pathlib import Path

from reproduction.flow.job import job, logger
from reproduction.job.pack import write_pack

with job(snakemake):
    target, jobs = Path(snakemake.params.pack), snakemake.params.jobs
    count, sha256 = write_pack(target, Path(), jobs)
    logger.info("%s: results of %d of %d jobs, %.1f MB", target, count, len(jobs), target.stat().st_size / 1e6)
    logger.info("snakemake --cores 1 take --config pack=%s sha256=%s", target.name, sha256)
