"""Print a table of the data sets: sources, availability and published values, then the files of those unavailable."""

import os
import sys
from pathlib import Path

from reproduction.flow.availability import survey, table
from reproduction.flow.job_context import job
from textmix.data.catalogue import dataset_table, format_files
from textmix.data.registry import load_registry

with job(snakemake):
    mirror = os.environ.get("TEXTMIX_MIRROR")
    schema = snakemake.input.schema
    registry = {name: entry for path in snakemake.input.registry for name, entry in load_registry(path, schema).items()}
    resources = Path("resources")
    findings = survey(registry.values(), resources, Path(mirror) if mirror else None, snakemake.params.published_rows)
    sys.stdout.write(table(findings) + "\n")
    missing = {finding.dataset: registry[finding.dataset] for finding in findings if finding.reachable == "no"}
    if missing:
        sys.stdout.write(
            "\nDownload the files of unavailable data sets to these paths, or into one folder that TEXTMIX_MIRROR "
            "names, with any compression; then run make retry.\n\n"
        )
        sys.stdout.write(format_files(dataset_table(missing)) + "\n")
