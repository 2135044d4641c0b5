"""Fit the recommended method to all documents of the user's data and save it as a model."""

from reproduction.flow.job import job
from textmix.core.io import check_result, read_json
from textmix.data.corpus import Corpus
from textmix.experiment.methods import Method
from textmix.serve.keep import keep_best

with job(snakemake) as running:
    asked = running.settings
    check_result(snakemake.input.choice)
    choice = read_json(snakemake.input.choice)
    name = choice["method"]
    about = {"seed": asked.seed, **asked.about}
    corpus = Corpus.load(snakemake.input.parsed)
    made_by = Method(**asked.methods[name]), asked.entries[name]
    model = keep_best(corpus, choice, *made_by, features=asked.views, about=about)
    model.save(snakemake.output[0], running.record)
