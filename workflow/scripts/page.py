"""Write the report: the page, all comparisons in one file, and the counts of verdicts."""

from pathlib import Path

from textmix.core.environment import versions
from textmix.core.io import canonical_json, format_csv, write_result
from textmix.core.runtime import job, machine, seconds_spent
from textmix.experiment.results import role_entries
from textmix.verdict.compare import COMPARISON_COLUMNS, count_by_kind, count_verdicts, merge_comparisons
from textmix.verdict.page import render_page
from textmix.verdict.sections import ReportInputs, read_sections

with job(snakemake, tolerate_missing=True) as running:
    read, asked = snakemake.input, running.settings
    folders = (Path(read.config[0]).parents[2], Path(read.schemas[0]).parent, Path("results"))
    roles, made = role_entries(asked.roles), frozenset(map(Path, read))
    inputs = ReportInputs(*folders, asked.papers, roles, asked.chosen, asked.titles, made)
    sections, comparisons = read_sections(inputs)
    rows = merge_comparisons(comparisons)
    provenance = {
        "Seed": asked.seed,
        "Versions": versions(),
        "Machine": machine(),
        "Seconds of all jobs, by stage": seconds_spent(Path("results/benchmarks"), map(Path, read.benchmarks)),
    }
    write_result(snakemake.output.page, render_page(sections, provenance), running.record)
    write_result(snakemake.output.comparison, format_csv(rows, COMPARISON_COLUMNS), running.record)
    counts = {"verdicts": count_verdicts(rows), "kinds": count_by_kind(rows)}
    write_result(snakemake.output.summary, canonical_json(counts), running.record)
