"""Compare the published values of a paper with the reproduced ones, and list the results behind each of them."""

from dataclasses import asdict
from pathlib import Path

from reproduction.flow.job_context import job
from reproduction.flow.lineage import ORIGIN_COLUMNS, Ancestors
from reproduction.flow.results import Results, as_read, role_entries
from reproduction.verdict.causes import CAUSE_COLUMNS, cause_rows
from reproduction.verdict.compare import compare_paper
from reproduction.verdict.comparison_row import comparison_csv
from reproduction.verdict.published import read_claims
from textmix.core.io import format_csv, write_result

with job(snakemake, tolerate_missing=True) as running:
    settings = running.settings
    published = Path(snakemake.input.published)
    printed_rows, checks = read_claims(published.parent, Path(snakemake.input.schema).parent)
    results = Results(
        Path("results"),
        snakemake.wildcards.paper,
        as_read(role_entries(settings.roles), Path("results/datasets")),
        settings.paper,
        tests=settings.tests,
        skipped_results=settings.skipped_results,
    )
    rows = compare_paper(printed_rows, checks, results)
    ancestors = Ancestors(Path(), running.inputs)
    origins = [asdict(ancestors.origin(row_id, paths)) for row_id, paths in results.read.items()]
    write_result(snakemake.output.comparison, comparison_csv(rows), running.record)
    write_result(snakemake.output.origins, format_csv(origins, ORIGIN_COLUMNS), running.record)
    causes = cause_rows(settings.given, results)
    write_result(snakemake.output.causes, format_csv(causes, CAUSE_COLUMNS), running.record)
