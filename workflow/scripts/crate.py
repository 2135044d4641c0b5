"""Describe the folder of the report, with its workflow and configuration, as a Workflow Run RO-Crate."""

import shutil
from importlib.metadata import version
from pathlib import Path

from reproduction.flow.job_context import job
from reproduction.verdict.provenance import data_digests, run_times
from reproduction.verdict.ro_crate import RunFacts, run_crate
from textmix.core.digests import sha256_file
from textmix.core.errors import MissingResult
from textmix.core.io import canonical_json, new_folder, write_result

with job(snakemake) as running:
    read, write, asked = snakemake.input, snakemake.output, running.settings
    start, end = run_times(list(map(Path, read.benchmarks)))
    digests = {f"data {name}": digest for name, digest in data_digests(map(Path, read.data)).items()}
    settings = {"seed": str(asked.settings["seed"]), "requirements.lock": sha256_file(read.lock), **digests}
    commit, agent = asked.commit["commit"], asked.agent
    facts = RunFacts("textmix: report", start, end, commit, version("snakemake"), agent, settings)
    with new_folder(write.source, running.record) as folder:
        for path in map(Path, read.source):
            copy = folder / path.resolve().relative_to(Path(read.lock).resolve().parent)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
    write_result(write.configuration, canonical_json(asked.settings), running.record)
    write_result(write.readme, Path(read.readme).read_text(encoding="utf-8"), running.record)
    try:
        metadata = run_crate(Path(write.readme).parent, filter(Path.is_file, map(Path, read.pages)), facts)
    except ModuleNotFoundError as error:
        raise MissingResult(str(error)) from error
    write_result(write.metadata, canonical_json(metadata), running.record)
