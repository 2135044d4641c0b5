"""Write the tables of scores, costs and trials, and the page, of the comparison on the user's own data."""

import time
from pathlib import Path

from reproduction.job.runtime import job, machine
from textmix.contest.findings import findings
from textmix.contest.pages import Account, Study, own_lead, render_study, said, score_table, seconds
from textmix.contest.rows import COSTS, SCORES, TRIALS, processor_seconds, read_costs, read_scores, read_trials
from textmix.contest.tuned import at_the_end, chosen_points, unconverged
from textmix.core.environment import versions
from textmix.core.errors import MissingResult
from textmix.core.io import check_result, format_csv, read_json, write_result
from textmix.experiment.budget import allowed
from textmix.experiment.methods import Method

with job(snakemake, tolerate_missing=True) as running:
    check_result(snakemake.input.summary)
    summary = read_json(snakemake.input.summary)
    methods = {name: Method(**entry) for name, entry in running.settings.methods.items()}
    dataset = summary["name"]
    cells, costs, trials, chosen, ends, stopped = [], [], [], {}, {}, {}
    files = list(zip(snakemake.input.scores, snakemake.input.timings, snakemake.input.predictions, strict=True))
    for scores, timings, predictions in files:
        name = Path(scores).stem
        cells += read_scores(Path(scores), dataset, methods[name], name)
        costs += read_costs(Path(timings), dataset, name)
        trials += read_trials(Path(scores), Path(timings), dataset, methods[name], name)
        chosen[name] = chosen_points(Path(predictions))
        ends[name] = at_the_end(chosen[name], running.settings.grids[name])
        stopped[name] = unconverged(Path(predictions))
    try:
        check_result(snakemake.input.choice)
        choice = read_json(snakemake.input.choice)
    except MissingResult:
        choice = None
    write_result(snakemake.output.trials, format_csv(trials, TRIALS), running.record)
    facts: dict = dict(summary["splits"][0])
    if summary["text"] and summary["lengths"]:
        facts["mean_length"] = dict(summary["lengths"])["mean"]
    missing = [cell["reason"] for cell in cells if not cell.get("metric")]
    study = Study(
        kicker=f"data of your own · {running.settings.source}",
        title=running.settings.title,
        lead=own_lead(len(files), len(summary["splits"]), running.settings.further, missing),
        tables={dataset: score_table(cells, dataset, costs)},
        facts={dataset: {"title": "Scores", "said": said(summary["statistics"])}},
        tasks={},
        methods={},
        findings=findings(Path(snakemake.output.trials), {dataset: facts}, running.settings.metric),
        provenance={
            "Run": {"data set": dataset, "seed": str(running.settings.seed), "description": running.settings.source},
            "Time": {
                "budget": seconds(allowed(running.settings.seconds, summary["statistics"]["documents"])),
                "from the start of the run to this page": seconds(time.time() - snakemake.resources.started),
                "processor time of the methods": seconds(
                    sum(processor_seconds(Path(path)) for path in snakemake.input.timings)
                ),
            },
            "Versions": versions(),
            "Machine": machine(),
        },
        account=Account(
            summary,
            {name: points for name, points in chosen.items() if points},
            ends,
            choice,
            {name: number for name, number in stopped.items() if number},
        ),
    )
    write_result(snakemake.output.page, render_study(study), running.record)
    write_result(snakemake.output.scores, format_csv(cells, SCORES), running.record)
    write_result(snakemake.output.costs, format_csv(costs, COSTS), running.record)
