"""Tune and test scikit-learn's pipelines on the user's own data, beside the recommended method."""

import numpy as np

from reproduction.bench.peers import COLUMNS, beside, run_peers, sentences
from reproduction.flow.job import job, logger
from textmix.core.io import check_result, format_csv, read_csv, read_json, write_result
from textmix.data.corpus import Corpus
from textmix.experiment.splits import Splits

with job(snakemake) as running:
    for path in (snakemake.input.choice, snakemake.input.predictions, snakemake.input.costs):
        check_result(path)
    name = read_json(snakemake.input.choice)["method"]
    right = [row["right"] == "True" for row in read_csv(snakemake.input.predictions) if row["trial"] == "0"]
    cpu = next(row["cpu_seconds"] for row in read_csv(snakemake.input.costs) if row["method"] == name)
    ours = {
        "recommended": name,
        "recommended_value": float(np.mean(right)),
        "recommended_cpu_seconds": float(cpu),
    }
    corpus, splits = Corpus.load(snakemake.input.parsed), Splits.load(snakemake.input.splits)
    peers = run_peers(corpus, splits, running.settings.task)
    rows = beside(peers, np.array(right), ours, running.settings.seed)
    for sentence in sentences(rows):
        logger.info("%s", sentence)
    write_result(snakemake.output[0], format_csv(rows, COLUMNS), running.record)
