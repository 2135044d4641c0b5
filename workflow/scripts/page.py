"""Write the report: the page, all comparisons in one file, and the counts of verdicts."""

from pathlib import Path

from textmix.core.io import canonical_json, format_csv, write_result
from textmix.core.runtime import job, machine, seconds_spent, versions
from textmix.data.registry import load_registry
from textmix.verdict.compare import COMPARISON_COLUMNS, count_verdicts, merge_comparisons
from textmix.verdict.page import Sources, read_parts, render_page

with job(snakemake, tolerate_missing=True) as running:
    root, params = Path(snakemake.scriptdir).resolve().parents[1], snakemake.params
    registry = load_registry(root / "config/datasets.yaml")
    folders = (root / "config", root / "workflow/schemas", Path("results"))
    parts, comparisons = read_parts(Sources(*folders, params.papers, params.data, params.chosen, registry))
    rows = merge_comparisons(comparisons)
    provenance = {
        "Seed": snakemake.config["seed"],
        "Versions": versions(),
        "Machine": machine(),
        "Seconds of all jobs, by stage": seconds_spent(Path("results/benchmarks")),
    }
    write_result(snakemake.output.page, render_page(parts, provenance), running.record)
    write_result(snakemake.output.comparison, format_csv(rows, COMPARISON_COLUMNS), running.record)
    write_result(snakemake.output.summary, canonical_json({"verdicts": count_verdicts(rows)}), running.record)
