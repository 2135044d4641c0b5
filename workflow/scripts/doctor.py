"""Print a table of the data sets: where each would come from now, and what waits for it."""

import os
import sys
from pathlib import Path

from reproduction.flow.availability import survey, table
from reproduction.flow.job_context import job
from textmix.data.registry import load_registry

with job(snakemake):
    mirror = os.environ.get("TEXTMIX_MIRROR")
    schema = snakemake.input.schema
    registry = [entry for path in snakemake.input.registry for entry in load_registry(path, schema).values()]
    places = Path("resources"), Path(mirror) if mirror else None
    sys.stdout.write(table(survey(registry, *places, snakemake.params.published_rows)) + "\n")
