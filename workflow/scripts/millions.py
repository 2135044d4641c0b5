"""Take millions of made documents from a file to labels, by textmix and by other programs."""

import os

from textmix.core.environment import use_all_instructions

use_all_instructions(os.environ)  # before NumPy is imported

import tempfile
from pathlib import Path

from reproduction.bench.millions import COLUMNS, measure_millions
from reproduction.flow.job import job, logger
from textmix.core.io import format_csv, write_result

with job(snakemake) as running, tempfile.TemporaryDirectory(dir=Path(snakemake.output[0]).parent) as folder:
    spec, largest = running.settings.spec, running.settings.largest
    documents = spec["documents"] if largest is None else min(largest, spec["documents"])
    asked = {**spec, "documents": documents, "seed": running.settings.seed}
    rows = []
    for row in measure_millions(snakemake.input[0], Path(folder), asked):
        logger.info("; ".join(f"{name} {value}" for name, value in row.items() if value not in (None, "")))
        rows.append(row)
    write_result(snakemake.output[0], format_csv(rows, COLUMNS), running.record)
