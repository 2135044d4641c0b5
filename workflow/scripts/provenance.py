"""Write the provenance page of a run: commit, configuration, data, machine, and time by stage."""

from pathlib import Path

from reproduction.flow.job_context import job, machine
from reproduction.verdict.page import render_provenance
from reproduction.verdict.provenance import data_digests, seconds_by_stage
from textmix.core.digests import sha256_file
from textmix.core.environment import versions
from textmix.core.io import canonical_json, write_result

with job(snakemake, tolerate_missing=True) as running:
    read, asked = snakemake.input, running.settings
    facts = {
        "Code": asked.commit,
        "Run": {"seed": asked.settings["seed"], "requirements.lock, sha256": sha256_file(read.lock)},
        "Machine": machine(),
        "Versions": versions(),
        "Digests of the data": data_digests(map(Path, read.data), with_reasons=False),
        "Wall-clock time of all jobs, by stage": seconds_by_stage(
            Path("results/benchmarks"), map(Path, read.benchmarks)
        ),
    }
    page = render_provenance(
        asked.papers,
        facts,
        canonical_json(asked.settings),
        is_rehearsal=asked.settings.get("rehearsal", False),
    )
    write_result(snakemake.output[0], page, running.record)
