"""Extract features from a data set: tokenize the texts and count the words."""

from reproduction.flow.job_context import job
from textmix.data.corpus import Corpus
from textmix.text.features import build_features

with job(snakemake, threads=snakemake.threads) as running:
    corpus = build_features(Corpus.load(snakemake.input[0]), running.settings.spec)
    corpus.save(snakemake.output[0], running.record)
