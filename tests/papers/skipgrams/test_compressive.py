"""Compressive features."""

from __future__ import annotations

import numpy as np

from reproduction.flow.measures import run_measure
from tests.papers.skipgrams.example import source_of


def test_compressive_features_tell_the_reviews_apart() -> None:
    source = source_of({"tokenizer": "treebank", "casing": "lower", "keep_tokens": True})
    params = {"l1_ratio": 0.1, "n_lambdas": 3, "largest": 0.3, "smallest": 0.01}
    settings = {"max_n": 3, "least": 3, "entries": [1, 50], "folds": 3, "params": params}
    measure = run_measure(
        "skipgrams", "compressive.compressive_features", {"imdb": source}, settings, np.random.default_rng(0)
    )
    rows = measure.tables["entries"]
    assert measure.values["accuracy"] == 1.0 and measure.values["entry"] in (1.0, 50.0)
    assert rows[0]["longer"] >= rows[1]["longer"] >= 0 and rows[0]["ngrams"] >= measure.values["features"] > 0
