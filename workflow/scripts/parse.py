"""Parse the raw files of a data set, or of its first available substitute, and check the expected counts."""

from pathlib import Path

from reproduction.flow.job_context import job
from textmix.data.parse import parse_first
from textmix.data.registry import dataset_entry

with job(snakemake) as running:
    raw = {snakemake.wildcards.dataset: running.settings.entry, **running.settings.substitutes}
    entries = [dataset_entry(name, entry, f"config/datasets.yaml: {name}") for name, entry in raw.items()]
    folders = [Path(record).parent for record in snakemake.input]
    corpus = parse_first(dict(zip(folders, entries, strict=True)))
    corpus.save(snakemake.output[0], running.record)
