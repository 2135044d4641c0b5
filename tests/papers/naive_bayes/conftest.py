"""A small corpus of three classes, and what two measures of Zhai's lecture give on it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from reproduction.flow.measures import MeasureData, run_measure
from tests.papers.naive_bayes.example import CLASSES, SPEC, WORDS, N
from textmix.data.corpus import Corpus
from textmix.experiment.splits import make_splits


@pytest.fixture(scope="package")
def source() -> MeasureData:
    """Return documents of three classes with words of their own and words that all share."""
    rng = np.random.default_rng(4)
    y = rng.integers(0, CLASSES, size=N)
    profile = rng.dirichlet(np.full(WORDS, 0.2), size=CLASSES)
    X = np.array([rng.multinomial(25, profile[c]) for c in y])
    corpus = Corpus(
        name="made",
        ids=[str(i) for i in range(N)],
        label_names=[f"group{c}" for c in range(CLASSES)],
        labels=sparse.csr_array(np.eye(CLASSES, dtype=np.int8)[y]),
        features=sparse.csr_array(X.astype(np.int32)),
        feature_names=[f"w{w}" for w in range(WORDS)],
    )
    return MeasureData(corpus, make_splits(corpus, {"kind": "random", "train": 0.6, "trials": 1}, 1, "s", None))


@pytest.fixture(scope="package")
def measured(source: MeasureData) -> dict[str, Any]:
    """Run both measures."""
    changed = {"clustering": {"documents": 90, "clusters": [2, 3], "min_df": 1, "max_df": 1.0}}
    settings = {
        name: {**SPEC["measures"][name]["settings"], **changed.get(name, {})}
        for name in ("smoothing_reasons", "clustering")
    }
    return {
        name: run_measure(
            "naive_bayes", f"measures.{name}", {"news": source}, changed_settings, np.random.default_rng(1)
        )
        for name, changed_settings in settings.items()
    }
