"""Draw one figure of a paper."""

from pathlib import Path

from textmix.core.errors import MissingResult
from textmix.core.io import check_result, read_csv, write_missing, write_result
from textmix.core.runtime import job
from textmix.experiment.results import Results, role_entries
from textmix.pages.figures import FigureData, draw
from textmix.pages.marks import Printed
from textmix.pages.style import placeholder
from textmix.verdict.compare import printed_numbers

with job(snakemake) as running:
    paper, name, spec = snakemake.wildcards.paper, snakemake.wildcards.figure, running.settings.paper
    check_result(snakemake.input.comparison)
    results = Results(Path("results"), paper, role_entries(running.settings.roles), spec)
    entry, numbers = spec["figures"][name], printed_numbers(read_csv(snakemake.input.comparison))
    published = {row: Printed(*printed) for row, printed in numbers.items()}
    try:
        write_result(snakemake.output[0], draw(paper, name, FigureData(results, published, entry)), running.record)
    except MissingResult as missing:
        shown = placeholder(entry["title"], missing.reason)
        write_missing(snakemake.output[0], missing, running.record, shown)
