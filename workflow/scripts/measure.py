"""Compute a measure: quantities that only one paper defines."""

from reproduction.flow.alternatives import base_of
from reproduction.flow.job_context import job
from reproduction.flow.measures import MeasureData, run_measure
from reproduction.flow.results import UNREAD_ROLES
from textmix.data.corpus import Corpus
from textmix.experiment.methods import Method
from textmix.experiment.predictions import Predictions
from textmix.experiment.splits import Splits
from textmix.numerics.seeding import rng

with job(snakemake, threads=snakemake.threads) as running:
    paper = snakemake.wildcards.paper
    measure = snakemake.wildcards.measure
    methods = {name: Method(**entry) for name, entry in running.settings.methods.items()}
    sources = {
        role: MeasureData(
            Corpus.load(features),
            Splits.load(splits),
            {},
            next(map(Corpus.load, extra_features), None),
            methods,
        )
        for role, (features, splits, *extra_features) in running.settings.sources.items()
    }
    for role, method, folder in running.settings.predictions:
        sources[role].predictions[method] = Predictions.load(folder)
    entry = running.settings.entry
    generator = rng(running.settings.seed, paper, base_of(measure))
    result = run_measure(paper, entry["function"], sources, entry.get("settings", {}), generator)
    unread_roles = sorted(set(entry["roles"]) - set(sources))
    result.save(snakemake.output[0], {**running.record, UNREAD_ROLES: unread_roles})
