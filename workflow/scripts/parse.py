"""Read one data set's raw files into a corpus (textmix.data.corpus) and check its counts."""

from pathlib import Path

from textmix.core.runtime import job
from textmix.data.parse import parse_dataset
from textmix.data.registry import dataset_entry

with job(snakemake) as running:
    name = snakemake.wildcards.dataset
    entry = dataset_entry(name, running.settings.entry, f"config/datasets.yaml: {name}")
    corpus = parse_dataset(entry, Path(snakemake.input[0]).parent)
    corpus.save(snakemake.output[0], running.record)
