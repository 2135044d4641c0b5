"""Write the study: one table of all methods, data sets and sizes, and the page with its lessons."""

from pathlib import Path

import pandas as pd

from reproduction.flow.job import job, machine
from textmix.contest.characteristics import characteristics
from textmix.contest.decided import read_decided
from textmix.contest.sizes import STUDY, study_rows, without_score
from textmix.contest.study_page import Content, render
from textmix.core.environment import versions
from textmix.core.io import format_csv, write_result
from textmix.experiment.methods import Method

with job(snakemake, tolerate_missing=True) as running:
    settings = running.settings
    methods = {name: Method(**entry) for name, entry in settings.methods.items()}
    places = {(study, dataset): (Path(features), Path(splits)) for study, dataset, features, splits in settings.places}
    facts = {key: characteristics(*pair) for key, pair in places.items()}
    rows, missing = [], []
    for scores, timings in zip(map(Path, snakemake.input.scores), map(Path, snakemake.input.timings), strict=True):
        known = facts[scores.parts[-4], scores.parts[-2]]
        rows += study_rows(scores, timings, methods[scores.stem], known.get("train"))
        missing.append(without_score(scores, methods[scores.stem]))
    main = {dataset: pair for (study, dataset), pair in places.items() if study == "matrix"}
    decided, stated = read_decided(map(Path, snakemake.input.predictions), main)
    provenance = {"Run": {"seed": str(settings.seed)}, "Versions": versions(), "Machine": machine()}
    titles = {name: entry["title"] for name, entry in settings.titles.items()}
    table = pd.DataFrame(rows, columns=STUDY)
    left_out = [row for row in missing if row]
    page = render(Content(table, left_out, decided, stated, facts, titles, settings.seed, provenance))
    write_result(snakemake.output.table, format_csv(rows, STUDY), running.record)
    write_result(snakemake.output.page, page, running.record)
