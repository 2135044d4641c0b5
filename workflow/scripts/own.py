"""Compare methods on a table or folder of your own texts by ``textmix compare``."""

from reproduction.flow.job_context import job
from textmix.__main__ import main
from textmix.core.errors import ConfigError

with job(snakemake, threads=snakemake.threads) as running:
    arguments = [
        "compare",
        running.settings.file,
        *running.settings.options,
        "--output-dir",
        snakemake.output[0],
        "--workers",
        str(snakemake.threads),
        "--quiet",
    ]
    if main(arguments):
        raise ConfigError("textmix compare failed; the message above gives the reason")
