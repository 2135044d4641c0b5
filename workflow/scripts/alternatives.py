"""Compute the value of each row of a paper under each registered alternative, and draw the specification curves."""

from pathlib import Path

from reproduction.figures.curves import RowLabel, draw_figures
from reproduction.flow.alternatives import GridPoint, SpecificationGrid
from reproduction.flow.curves import FACTORS, POINT_COLUMNS, factor_rows
from reproduction.flow.job_context import job
from reproduction.flow.results import Results, as_read, role_entries
from reproduction.verdict.published import read_claims
from reproduction.verdict.specifications import curve_of
from textmix.core.io import format_csv, new_folder, write_bytes, write_text

with job(snakemake, tolerate_missing=True) as running:
    published = Path(snakemake.input.published)
    rows, checks = read_claims(published.parent, Path(snakemake.input.schema).parent)
    settings = running.settings
    paper = snakemake.wildcards.paper
    roles = as_read(role_entries(settings.roles), Path("results/datasets"))
    results = Results(Path("results"), paper, roles, settings.alternatives["spec"])
    by_id = {row.id: row for row in rows}
    grids = [
        SpecificationGrid(**{**entry, "points": tuple(GridPoint(**point) for point in entry["points"])})
        for entry in settings.alternatives["grids"]
    ]
    curves = [curve_of(by_id[row], grid, checks, results) for grid in grids for row in grid.rows]
    factors = factor_rows({grid.name: grid.factors for grid in grids})
    with new_folder(snakemake.output[0], running.record) as folder:
        points = [row for curve in curves for row in curve.rows()]
        write_text(folder / "curves.csv", format_csv(points, POINT_COLUMNS))
        write_text(folder / "factors.csv", format_csv(list(factors), FACTORS))
        labels = {row.id: RowLabel(row.dataset, row.method, row.metric) for row in rows}
        for name, svg in draw_figures(curves, labels).items():
            write_bytes(folder / f"{name}.svg", svg)
