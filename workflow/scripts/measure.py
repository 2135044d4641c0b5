"""Compute one measure of a paper: quantities that this paper alone defines."""

from reproduction.job.runtime import job
from reproduction.stored.measures import MeasureData, run_measure
from textmix.data.corpus import Corpus
from textmix.experiment.predictions import Predictions
from textmix.experiment.splits import Splits
from textmix.numerics.determinism import rng

with job(snakemake, threads=snakemake.threads) as running:
    paper, measure = snakemake.wildcards.paper, snakemake.wildcards.measure
    sources = {
        role: MeasureData(Corpus.load(features), Splits.load(splits), {}, *map(Corpus.load, beside))
        for role, (features, splits, *beside) in running.settings.sources.items()
    }
    for role, method, folder in running.settings.predictions:
        sources[role].predictions[method] = Predictions.load(folder)
    entry = running.settings.entry
    function, settings = entry.get("function", measure), entry.get("settings", {})
    generator = rng(running.settings.seed, paper, measure)
    run_measure(paper, function, sources, settings, generator).save(snakemake.output[0], running.record)
