"""Set the published numbers of one paper beside the rebuilt ones."""

from pathlib import Path

from textmix.core.io import format_csv, write_result
from textmix.core.runtime import job
from textmix.experiment.results import Results, role_entries
from textmix.verdict.compare import COMPARISON_COLUMNS, compare_paper
from textmix.verdict.published import read_record

with job(snakemake, tolerate_missing=True) as running:
    published = Path(snakemake.input.published)
    record = read_record(published.parent, Path(snakemake.scriptdir).resolve().parent / "schemas")
    spec, paper = snakemake.params.paper, snakemake.wildcards.paper
    results = Results(Path("results"), paper, role_entries(snakemake.params.roles), spec)
    rows = compare_paper(record.rows, record.checks, results)
    write_result(snakemake.output[0], format_csv(rows, COMPARISON_COLUMNS), running.record)
