"""Write the tables of scores, costs and trials, and the page, of the comparison on the user's own data."""

from pathlib import Path

from textmix.contest.findings import findings
from textmix.contest.pages import render_study, score_table
from textmix.contest.rows import COSTS, SCORES, TRIALS, read_costs, read_scores, read_trials
from textmix.contest.tuned import at_the_end, chosen_points
from textmix.core.environment import versions
from textmix.core.io import check_result, format_csv, read_json, write_result
from textmix.core.runtime import job, machine
from textmix.plan.methods import Method

with job(snakemake, tolerate_missing=True) as running:
    check_result(snakemake.input.summary)
    summary = read_json(snakemake.input.summary)
    methods = {name: Method(**entry) for name, entry in running.settings.methods.items()}
    dataset = summary["name"]
    cells, costs, trials, chosen, ends = [], [], [], {}, {}
    files = zip(snakemake.input.scores, snakemake.input.timings, snakemake.input.predictions, strict=True)
    for scores, timings, predictions in files:
        name = Path(scores).stem
        cells += read_scores(Path(scores), dataset, methods[name], name)
        costs += read_costs(Path(timings), dataset, name)
        trials += read_trials(Path(scores), Path(timings), dataset, methods[name], name)
        chosen[name] = chosen_points(Path(predictions))
        ends[name] = at_the_end(chosen[name], running.settings.grids[name])
    write_result(snakemake.output.trials, format_csv(trials, TRIALS), running.record)
    facts = {**summary["splits"][0], **({"mean_length": dict(summary["lengths"])["mean"]} if summary["text"] else {})}
    page = render_study(
        "own.html",
        title=running.settings.title,
        source=running.settings.source,
        summary=summary,
        table=score_table(cells, dataset, costs),
        findings=findings(Path(snakemake.output.trials), {dataset: facts}, running.settings.metric),
        ends=ends,
        chosen={name: points for name, points in chosen.items() if points},
        provenance={
            "Run": {"seed": str(running.settings.seed), "description": running.settings.source},
            "Versions": versions(),
            "Machine": machine(),
        },
    )
    write_result(snakemake.output.page, page, running.record)
    write_result(snakemake.output.scores, format_csv(cells, SCORES), running.record)
    write_result(snakemake.output.costs, format_csv(costs, COSTS), running.record)
