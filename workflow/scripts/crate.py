"""Describe the folder of the report, with its workflow and configuration, as a Workflow Run RO-Crate."""

from importlib.metadata import version
from pathlib import Path

from reproduction.job.runtime import job
from reproduction.verdict.crate import RunFacts, run_crate
from reproduction.verdict.provenance import data_digests
from reproduction.verdict.timeline import run_times
from textmix.core.digests import sha256_file
from textmix.core.errors import MissingResult
from textmix.core.io import canonical_json, write_result

with job(snakemake) as running:
    read, write, asked = snakemake.input, snakemake.output, running.settings
    start, end = run_times(list(map(Path, read.benchmarks)))
    digests = {f"data {name}": digest for name, digest in data_digests(map(Path, read.data)).items()}
    settings = {"seed": str(asked.settings["seed"]), "requirements.lock": sha256_file(read.lock), **digests}
    facts = RunFacts("textmix: report", start, end, asked.commit["commit"], version("snakemake"), settings)
    write_result(write.workflow, Path(read.snakefile).read_text(encoding="utf-8"), running.record)
    write_result(write.configuration, canonical_json(asked.settings), running.record)
    try:
        metadata = run_crate(Path(write.workflow), Path(write.configuration), list(map(Path, read.pages)), facts)
    except ModuleNotFoundError as error:
        raise MissingResult(str(error)) from error
    write_result(write.metadata, canonical_json(metadata), running.record)
