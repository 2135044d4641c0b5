"""Write the page on the matrix: every method of the registry on every data set at hand."""

from pathlib import Path

from reproduction.flow.job import job, machine
from textmix.contest.description import corpus_facts
from textmix.contest.findings import findings
from textmix.contest.pages import Study, data_facts, matrix_lead, methods_of, render_study, score_table
from textmix.contest.rows import read_table
from textmix.core.environment import versions
from textmix.core.io import check_result, write_result
from textmix.experiment.methods import TASKS

with job(snakemake, tolerate_missing=True) as running:
    for path in (snakemake.input.scores, snakemake.input.costs, snakemake.input.trials):
        check_result(path)
    folders = zip(map(Path, snakemake.input.features), map(Path, snakemake.input.splits), strict=True)
    known = {features.parent.name: corpus_facts(features, splits) for features, splits in folders}
    cells, costs = read_table(snakemake.input.scores), read_table(snakemake.input.costs)
    tasks, titles = running.settings.tasks, running.settings.titles
    tables = {dataset: score_table(cells, dataset, costs) for dataset in tasks}
    places = {Path(path).name: Path(path) for path in snakemake.input.data}
    splits = running.settings.splits
    facts = {name: data_facts(path, titles[name]["title"], splits[name]) for name, path in places.items()}
    study = Study(
        kicker="the matrix",
        title="Every method on every data set",
        lead=matrix_lead(tables),
        tables=tables,
        facts=facts,
        tasks=tasks,
        methods={task: methods_of(cells, [name for name in tasks if tasks[name] == task]) for task in TASKS},
        findings=findings(Path(snakemake.input.trials), known),
        provenance={"Run": {"seed": str(running.settings.seed)}, "Versions": versions(), "Machine": machine()},
    )
    write_result(snakemake.output[0], render_study(study), running.record)
