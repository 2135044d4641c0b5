"""Draw one figure of a paper."""

from pathlib import Path

from textmix.core.io import check_result, read_csv, write_result
from textmix.core.runtime import job
from textmix.experiment.results import Results, role_entries
from textmix.pages.figures import FigureData, draw
from textmix.verdict.compare import printed_numbers

with job(snakemake) as running:
    paper, name, spec = snakemake.wildcards.paper, snakemake.wildcards.figure, running.settings.paper
    check_result(snakemake.input.comparison)
    results = Results(Path("results"), paper, role_entries(running.settings.roles), spec)
    published = printed_numbers(read_csv(snakemake.input.comparison))
    drawing = draw(paper, name, FigureData(results, published, spec["figures"][name]))
    write_result(snakemake.output[0], drawing, running.record)
