"""Small made reviews."""

from __future__ import annotations

from typing import Any

import numpy as np

from reproduction.flow.measures import MeasureData
from tests.papers.files import spec_of
from tests.text.test_features import corpus_of
from textmix.data.corpus import TEST, TRAIN
from textmix.experiment.splits import make_splits
from textmix.text.features import build_features

SPEC = spec_of("skipgrams")


ENTRY = {
    **{"tokenizer": "treebank", "lowercase": True, "lemmatise": True, "fit_on": "train", "min_df": 3},
    **{"max_n": 3, "max_slop": 2, "keep_text": True, "weighting": "sqrt_frequency", "scaling": "feature"},
}


PATH = {
    "loss": "logistic",
    "n_lambdas": 4,
    "largest": 0.5,
    "smallest": 0.01,
    "folds": 3,
    "patience": 2,
    "tol": 1e-6,
}


KINDS = [[1, 0], [2, 0], [2, 1], [3, 2]]


TABLE: dict[str, Any] = {
    "kinds": KINDS,
    "tol": {"l1": 1e-4, "l2": 1e-5},
    "learners": SPEC["measures"]["imdb_table"]["settings"]["learners"],
    "predictive": {"learner": "lr_elastic_net", "number": 3, "least_n": 2, "stop_list": "none"},
}


CURVES = ("lr_l2_curves", "lr_l1_curves", "lr_elastic_net_curves")


def reviews(n: int) -> list[str]:
    """Return reviews, good (odd) and bad ones: "waste time" with gaps tells them apart."""
    rng = np.random.default_rng(5)
    filler = "plot actor scene music camera ending story".split()
    sayings = ["I waste {} time.", "It never fails {} here."]
    texts = []
    for i in range(n):
        words = rng.choice(filler, 6)
        texts.append(f"The {words[0]} and {words[1]}. {sayings[i % 2].format(words[2])} See {words[3]} {words[4]}!")
    return texts


def source_of(entry: dict[str, Any], n: int = 120) -> MeasureData:
    split = [TEST if i % 3 == 0 else TRAIN for i in range(n)]
    corpus = build_features(corpus_of(reviews(n), split), entry)
    return MeasureData(corpus, make_splits(corpus, {"kind": "given"}, 1, "given", None))
