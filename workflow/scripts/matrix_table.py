"""Gather the scores and the costs of every method on every data set; a cell without a value says why."""

from pathlib import Path

from reproduction.flow.job import job
from textmix.contest.rows import COSTS, SCORES, TRIALS, empty_row, read_costs, read_scores, read_trials
from textmix.core.io import format_csv, write_result
from textmix.experiment.methods import Method

with job(snakemake, tolerate_missing=True) as running:
    methods = {name: Method(**entry) for name, entry in running.settings.methods.items()}
    order = list(running.settings.order)
    cells = [empty_row(dataset, methods[method], reason) for dataset, method, reason in running.settings.empty]
    costs, trials = [], []
    for scores, timings in zip(map(Path, snakemake.input.scores), map(Path, snakemake.input.timings), strict=True):
        cells += read_scores(scores, scores.parent.name, methods[scores.stem])
        costs += read_costs(timings, timings.parent.name, timings.stem)
        trials += read_trials(scores, timings, scores.parent.name, methods[scores.stem])
    places = {name: place for place, name in enumerate(methods)}
    for rows in (cells, costs, trials):
        rows.sort(key=lambda row: (order.index(row["dataset"]), places[row["method"]]))
    write_result(snakemake.output.scores, format_csv(cells, SCORES), running.record)
    write_result(snakemake.output.trials, format_csv(trials, TRIALS), running.record)
    write_result(snakemake.output.costs, format_csv(costs, COSTS), running.record)
