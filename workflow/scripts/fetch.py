"""Fetch the raw files of one data set to resources/, or record why they are not available."""

import os
from pathlib import Path

from reproduction.flow.job_context import job
from textmix.core.io import write_json
from textmix.data.fetch import fetch_dataset
from textmix.data.registry import dataset_entry

with job(snakemake) as running:
    name = snakemake.wildcards.dataset
    mirror = os.environ.get("TEXTMIX_MIRROR")
    record = fetch_dataset(
        dataset_entry(name, running.settings.entry, f"config/datasets.yaml: {name}"),
        Path(snakemake.output[0]).parent,
        Path(mirror) if mirror else None,
        running.settings.state,
    )
    # The content of the files does not depend on the code or the machine.
    write_json(snakemake.output[0], {**record, "path": snakemake.output[0]})
