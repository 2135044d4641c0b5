"""Set the published numbers of one paper beside the rebuilt ones, and say what each rebuilt one came from."""

from dataclasses import asdict
from pathlib import Path

from reproduction.flow.job_context import job
from reproduction.flow.lineage import ORIGIN_COLUMNS, Ancestors
from reproduction.flow.results import Results, as_read, role_entries
from reproduction.verdict.causes import GIVEN, given_rows
from reproduction.verdict.compare import COMPARISON_COLUMNS, compare_paper
from reproduction.verdict.published import read_claims
from textmix.core.io import format_csv, write_result

with job(snakemake, tolerate_missing=True) as running:
    published = Path(snakemake.input.published)
    rows, checks = read_claims(published.parent, Path(snakemake.input.schema).parent)
    spec, paper = running.settings.paper, snakemake.wildcards.paper
    roles = as_read(role_entries(running.settings.roles), Path("results/datasets"))
    settings = running.settings
    results = Results(Path("results"), paper, roles, spec, tests=settings.tests, left_out=settings.left_out)
    compared = compare_paper(rows, checks, results)
    ancestors = Ancestors(Path(), running.inputs)
    origins = [asdict(ancestors.origin(name, read)) for name, read in results.read.items()]
    write_result(snakemake.output.comparison, format_csv(compared, COMPARISON_COLUMNS), running.record)
    write_result(snakemake.output.origins, format_csv(origins, ORIGIN_COLUMNS), running.record)
    given = given_rows(settings.given, results)
    write_result(snakemake.output.causes, format_csv(given, GIVEN), running.record)
