"""Draw the figures of a paper."""

from pathlib import Path

from reproduction.figures.drawing import FigureData, draw
from reproduction.figures.figure_elements import PublishedValue
from reproduction.figures.style import placeholder
from reproduction.flow.job_context import job
from reproduction.flow.results import Results, role_entries
from reproduction.verdict.compare import published_numbers
from reproduction.verdict.comparison_row import read_comparison
from textmix.core.errors import MissingResult
from textmix.core.io import write_missing, write_result

with job(snakemake) as running:
    paper = snakemake.wildcards.paper
    spec = running.settings.paper
    roles = role_entries(running.settings.roles)
    skipped_results = running.settings.skipped_results
    results = Results(Path("results"), paper, roles, spec, skipped_results=skipped_results)
    numbers = published_numbers(read_comparison(snakemake.input.comparison))
    published = {row: PublishedValue(*printed) for row, printed in numbers.items()}
    for path in snakemake.output:
        name = Path(path).stem
        entry = spec["figures"][name]
        try:
            write_result(path, draw(paper, name, FigureData(results, published, entry)), running.record)
        except MissingResult as missing:
            write_missing(path, missing, running.record, placeholder(entry["title"], missing.reason))
