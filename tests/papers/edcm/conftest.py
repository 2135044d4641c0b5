"""A small corpus of bursty documents, and what the measures of the EDCM paper give on it."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from reproduction.flow.measures import Measure, MeasureData, run_measure
from tests.early_stops import stops_early
from tests.papers.edcm.example import CLASSES, SPEC, WORDS
from tests.verdict.reporting import META
from textmix.data.corpus import Corpus
from textmix.experiment.splits import make_splits

SMALL: dict[str, dict[str, Any]] = {
    "training_time": {"repeats": 1},
    "knn_curves": {"neighbours": [1, 3, 9]},
    "knn_curves_industry": {"neighbours": [1, 3, 9]},
    "dcm_parameters": {"steps": [1, 2]},
    "approximation": {"per_class": 10, "n_shown": 40},
    "burstiness": {"bands": {"common": [0, 20], "rare": [20, 200]}, "occurrences": 4},
    "normalisation": {"lengths": [1, 2, 5, 12], "short": 4},
    "fisher_tfidf": {"cells": 200, "frequencies": [1, 10, 100], "counts": [1, 2, 5]},
    "fisher_information": {"neighbours": [1, 3, 9], "trials": 2},
    "perplexity": {"others": [0.1]},
    "dcm_methods": {"trials": 2},
    "deviation_readings": {"smoothing": [0, 0.1], "steps": [1], "per_class": 10},
    "perplexity_readings": {"smoothing": [0.01, 1.0], "absolute": [0.001]},
    "mixtures": {"components": [1, 2], "smoothing": [0.1]},
    "latent_topics": {"documents": [30, 300], "words": 80, "topics": 2, "length": 40, "starts": 3},
    "newsgroup_topics": {"topics": 3, "min_df": 2, "max_iter": 10},
}


@pytest.fixture(scope="package")
def source() -> MeasureData:
    """Return bursty documents of three classes, drawn from DCMs."""
    rng = np.random.default_rng(20050101)
    X, y = [], []
    for c in range(CLASSES):
        alpha = rng.dirichlet(np.full(WORDS, 0.3)) * 12
        for _ in range(50):
            X.append(rng.multinomial(rng.integers(15, 60), rng.dirichlet(np.maximum(alpha, 1e-6))))
            y.append(c)
    labels = sparse.csr_array(np.eye(CLASSES, dtype=np.int8)[y])
    corpus = Corpus(
        name="made",
        ids=[str(i) for i in range(len(y))],
        label_names=[f"group{c}" for c in range(CLASSES)],
        labels=labels,
        features=sparse.csr_array(np.array(X, dtype=np.int32)),
        feature_names=[f"w{w}" for w in range(WORDS)],
    )
    return MeasureData(corpus, make_splits(corpus, {"kind": "random", "train": 0.7, "trials": 2}, 1, "halves", None))


@pytest.fixture(scope="package")
def measured(source, tmp_path_factory) -> tuple[dict[str, Measure], Path]:
    """Run every measure of paper.yaml with smaller settings, and save them where the report looks."""
    root = tmp_path_factory.mktemp("results")
    measures = {}
    for name, entry in SPEC["measures"].items():
        settings = {**entry.get("settings", {}), **SMALL.get(name, {})}
        sources = {"newsgroups": source} if entry["roles"] else {}
        with stops_early() if name == "newsgroup_topics" else nullcontext():
            measures[name] = run_measure("edcm", entry["function"], sources, settings, np.random.default_rng(3))
        measures[name].save(root / "papers/edcm/measures" / name, META)
    return measures, root
