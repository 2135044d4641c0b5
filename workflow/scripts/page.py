"""Write the report: its pages, all comparisons in one file, and the counts of verdicts."""

from dataclasses import asdict, replace
from pathlib import Path

import reproduction
from reproduction.figures.curves import RowLabel, add_drawings
from reproduction.figures.svg_sanitize import inline_svg
from reproduction.flow.job_context import job
from reproduction.flow.results import as_read, role_entries
from reproduction.verdict.compare import MEAN_COLUMNS, count_by_kind, merge_comparisons, method_means
from reproduction.verdict.comparison_row import comparison_csv
from reproduction.verdict.missing_data import as_remedy
from reproduction.verdict.page import Report, render_front, render_numbers, render_paper
from reproduction.verdict.placebo import PLACEBO_COLUMNS
from reproduction.verdict.provenance import copy_linked_files
from reproduction.verdict.published import COUNTED, IDENTITY
from reproduction.verdict.read_sections import ReportInputs, read_sections
from reproduction.verdict.recorded_run import read_recorded
from reproduction.verdict.summary_figure import draw_summary
from textmix.core.io import canonical_json, format_csv, new_folder, read_csv, write_result

with job(snakemake, tolerate_missing=True) as running:
    files = snakemake.input
    output = snakemake.output
    settings = running.settings
    results = Path("results")
    folders = {path.parent.name: path.parent for path in map(Path, files.config)}
    recorded = read_recorded(list(map(Path, files.recorded)))
    labels = {
        paper: {
            row["id"]: RowLabel(row["dataset"], row["method"], row["metric"])
            for row in read_csv(folders[paper] / "published.csv")
        }
        for paper in settings.recorded_curves
    }
    sections, comparisons = read_sections(
        ReportInputs(
            folders=folders,
            schemas=Path(files.schemas[0]).parent,
            results=results,
            papers=settings.papers,
            roles=as_read(role_entries(settings.roles), results / "datasets"),
            chosen=settings.chosen,
            titles=settings.titles,
            made=frozenset(map(Path, files)),
            recorded=recorded,
            curves=settings.curves,
            recorded_curves={
                paper: add_drawings(curves, labels[paper]) for paper, curves in settings.recorded_curves.items()
            },
            unnamed=settings.unnamed,
            wanted={role: (entry["dataset"], entry["title"]) for role, entry in settings.remedies.items()},
        )
    )
    report = Report(
        sections=sections,
        remedies={role: as_remedy(entry) for role, entry in settings.remedies.items()},
        recorded=recorded,
        is_alone=settings.alone,
        is_rehearsal=settings.rehearsal,
    )
    drawing = draw_summary(report.points, report.papers, report.claims)
    narrow_drawing = draw_summary(report.points, report.papers, report.claims, narrow=True)
    report = replace(
        report,
        drawing=inline_svg(drawing, "summary", "results.svg"),
        narrow_drawing=inline_svg(narrow_drawing, "narrow", "results-narrow.svg"),
    )
    write_result(output.drawing, drawing, running.record)
    pages = {output.front: render_front(report), output.numbers: render_numbers(report)}
    pages |= {path: render_paper(report, Path(path).stem) for path in output.papers}
    for path, page in pages.items():
        write_result(path, page, running.record)
    with new_folder(output.files, running.record) as folder:
        copy_linked_files(pages.values(), folder, [Path(), Path(reproduction.__file__).parents[2]])
    rows = merge_comparisons(comparisons)
    placebos = [row.cells for row in rows if row.kind in (*COUNTED, IDENTITY)]
    placebos = [{column: cells[column] for column in PLACEBO_COLUMNS} for cells in placebos]
    write_result(output.comparison, comparison_csv(rows), running.record)
    write_result(output.placebo, format_csv(placebos, PLACEBO_COLUMNS), running.record)
    write_result(output.means, format_csv(map(asdict, method_means(rows)), MEAN_COLUMNS), running.record)
    counts = {"verdicts": report.counts, "weak": report.weak_counts, "kinds": count_by_kind(rows)}
    write_result(output.summary, canonical_json({**counts, **report.summary}), running.record)
