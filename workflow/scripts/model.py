"""Fit one method to all documents of a data set and save the model, for `textmix predict`."""

from reproduction.flow.job import job
from textmix.data.corpus import Corpus
from textmix.experiment.methods import Method
from textmix.serve.fit import fit_model

with job(snakemake) as running:
    asked = running.settings
    model = fit_model(
        Corpus.load(snakemake.input[0]),
        asked.spec,
        Method(**asked.method),
        asked.params,
        asked.search,
        seed=asked.seed,
    )
    model.save(snakemake.output[0], running.record)
