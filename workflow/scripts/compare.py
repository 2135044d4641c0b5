"""Set the published numbers of one paper beside the rebuilt ones."""

from pathlib import Path

from textmix.core.io import format_csv, write_result
from textmix.core.runtime import job
from textmix.experiment.results import Evidence, Results, as_read, role_entries
from textmix.verdict.compare import COMPARISON_COLUMNS, compare_paper
from textmix.verdict.published import read_claims

with job(snakemake, tolerate_missing=True) as running:
    published = Path(snakemake.input.published)
    rows, checks = read_claims(published.parent, Path(snakemake.input.schema).parent)
    spec, paper = running.settings.paper, snakemake.wildcards.paper
    roles = as_read(role_entries(running.settings.roles), Path("results/datasets"))
    results = Results(Path("results"), paper, roles, spec, Evidence(**running.settings.evidence))
    compared = compare_paper(rows, checks, results)
    write_result(snakemake.output[0], format_csv(compared, COMPARISON_COLUMNS), running.record)
