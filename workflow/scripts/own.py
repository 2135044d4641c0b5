"""Compare methods on a table of the user's own texts, as `textmix compare` does."""

from reproduction.flow.job_context import job
from textmix.__main__ import main
from textmix.core.errors import ConfigError

with job(snakemake, threads=snakemake.threads) as running:
    options = ["--keep", snakemake.output[0], "--workers", str(snakemake.threads), "--quiet", *running.settings.options]
    if main(["compare", snakemake.input[0], *options]):
        raise ConfigError("textmix compare ended with an error; the sentence above names it")
