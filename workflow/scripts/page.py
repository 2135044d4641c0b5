"""Write the report: its pages, all comparisons in one file, and the counts of verdicts."""

from dataclasses import replace
from pathlib import Path

from reproduction.figures.curves import add_drawings
from reproduction.figures.svg_sanitize import inline_svg
from reproduction.flow.job_context import job
from reproduction.flow.results import as_read, role_entries
from reproduction.verdict.compare import (
    COMPARISON_COLUMNS,
    MEANS,
    count_by_kind,
    merge_comparisons,
    method_means,
)
from reproduction.verdict.missing_data import Remedy
from reproduction.verdict.page import Report, render_front, render_numbers, render_paper
from reproduction.verdict.placebo import PLACEBO_COLUMNS
from reproduction.verdict.published import COUNTED, IDENTITY
from reproduction.verdict.read_sections import ReportInputs, read_sections
from reproduction.verdict.recorded_run import read_recorded
from reproduction.verdict.summary_figure import draw_summary
from textmix.core.io import canonical_json, format_csv, read_csv, write_result

with job(snakemake, tolerate_missing=True) as running:
    read, write, asked = snakemake.input, snakemake.output, running.settings
    papers = {path.parent.name: path.parent for path in map(Path, read.config)}
    folders = (papers, Path(read.schemas[0]).parent, Path("results"))
    roles, made = as_read(role_entries(asked.roles), folders[2] / "datasets"), frozenset(map(Path, read))
    recorded = read_recorded(list(map(Path, read.recorded)))
    shown = (asked.papers, roles, asked.chosen, asked.titles, made, recorded, asked.curves)
    curves = {
        paper: add_drawings(files, {row["id"]: row["metric"] for row in read_csv(papers[paper] / "published.csv")})
        for paper, files in asked.recorded_curves.items()
    }
    inputs = ReportInputs(*folders, *shown, asked.home, curves)
    sections, comparisons = read_sections(inputs)
    remedies = {role: Remedy(**entry) for role, entry in asked.remedies.items()}
    report = Report(sections, remedies, recorded, alone=asked.alone)
    drawing = draw_summary(report.points, report.papers)
    narrow = inline_svg(draw_summary(report.points, report.papers, narrow=True), "narrow", "results-narrow.svg")
    report = replace(report, drawing=inline_svg(drawing, "summary", "results.svg"), narrow_drawing=narrow)
    write_result(write.drawing, drawing, running.record)
    write_result(write.front, render_front(report), running.record)
    write_result(write.numbers, render_numbers(report), running.record)
    for path in write.papers:
        write_result(path, render_paper(report, Path(path).stem), running.record)
    rows = merge_comparisons(comparisons)
    write_result(write.comparison, format_csv(rows, COMPARISON_COLUMNS), running.record)
    tried = [{key: row[key] for key in PLACEBO_COLUMNS} for row in rows if row["kind"] in (*COUNTED, IDENTITY)]
    write_result(write.placebo, format_csv(tried, PLACEBO_COLUMNS), running.record)
    write_result(write.means, format_csv(method_means(rows), MEANS), running.record)
    counts = {"verdicts": report.counts, "weak": report.weak_counts, "kinds": count_by_kind(rows)}
    write_result(write.summary, canonical_json({**counts, **report.summary}), running.record)
