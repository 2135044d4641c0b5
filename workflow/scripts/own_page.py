"""Write the tables of scores, costs and trials, and the page, of the comparison on the user's own data."""

import time
from pathlib import Path

from reproduction.flow.job import job, machine
from textmix.contest.own_page import About, own_page, own_tables
from textmix.contest.pages import seconds
from textmix.contest.rows import COSTS, SCORES, processor_seconds
from textmix.core.environment import versions
from textmix.core.errors import MissingResult
from textmix.core.io import check_result, format_csv, read_json, write_result
from textmix.experiment.budget import allowed
from textmix.experiment.methods import Method

with job(snakemake, tolerate_missing=True) as running:
    asked = running.settings
    check_result(snakemake.input.summary)
    summary = read_json(snakemake.input.summary)
    methods = {name: Method(**entry) for name, entry in asked.methods.items()}
    files = list(zip(snakemake.input.scores, snakemake.input.timings, snakemake.input.predictions, strict=True))
    try:
        check_result(snakemake.input.choice)
        choice = read_json(snakemake.input.choice)
    except MissingResult:
        choice = None
    spent = sum(processor_seconds(Path(path)) for path in snakemake.input.timings)
    provenance = {
        "Run": {"data set": summary["name"], "seed": str(asked.seed), "description": asked.source},
        "Time": {
            "budget": seconds(allowed(asked.seconds, summary["statistics"]["documents"])),
            "from the start of the run to this page": seconds(time.time() - snakemake.resources.started),
            "processor time of the methods": seconds(spent),
        },
        "Versions": versions(),
        "Machine": machine(),
    }
    about = About(asked.source, asked.title, asked.metric, methods, asked.grids, provenance, asked.further)
    tables = own_tables(files, summary["name"], methods)
    page = own_page(files, tables, summary, choice, about=about, trials=(snakemake.output.trials, running.record))
    write_result(snakemake.output.page, page, running.record)
    write_result(snakemake.output.scores, format_csv(tables.scores, SCORES), running.record)
    write_result(snakemake.output.costs, format_csv(tables.costs, COSTS), running.record)
