"""Read one data set's raw files into the canonical corpus and check its counts."""

from pathlib import Path

from textmix.core.runtime import job
from textmix.data.parse import parse_dataset
from textmix.data.registry import load_registry

with job(snakemake) as running:
    registry = load_registry(Path(snakemake.scriptdir).resolve().parents[1] / "config/datasets.yaml")
    corpus = parse_dataset(registry[snakemake.wildcards.dataset], Path(snakemake.input[0]).parent)
    corpus.save(snakemake.output[0], running.record)
