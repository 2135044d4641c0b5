"""Join the measured growth of all stages: their slopes, and a figure."""

from reproduction.bench.growth import SLOPES, points, slopes
from reproduction.flow.job import job
from reproduction.pages.scaling import scaling_figure
from textmix.core.io import format_csv, read_csv, write_result
from textmix.pages.style import style, svg_bytes

with job(snakemake) as running:
    rows = points([row for path in snakemake.input for row in read_csv(path)])
    found = slopes(rows)
    write_result(snakemake.output.slopes, format_csv(found, SLOPES), running.record)
    with style():
        figure = scaling_figure(rows, found)
        drawn = svg_bytes(figure, "Time and memory against what grows")
    write_result(snakemake.output.figure, drawn, running.record)
