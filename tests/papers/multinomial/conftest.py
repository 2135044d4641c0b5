"""A small corpus with none, one or several of six labels, and what the measures give on it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from reproduction.flow.measures import MeasureData, run_measure
from tests.papers.multinomial.example import N_LABELS, N_WORDS, SETTINGS, SPEC, N
from tests.verdict.reporting import META
from textmix.data.corpus import TEST, TRAIN, Corpus
from textmix.experiment.splits import make_splits


@pytest.fixture(scope="package")
def source() -> MeasureData:
    """Return documents with none, one or several of six labels; the last label stands in test documents only."""
    generator = np.random.default_rng(20040101)
    number = generator.choice(3, size=N, p=[0.15, 0.6, 0.25])
    split = np.where(np.arange(N) < 170, TRAIN, TEST).astype(np.int8)
    rows = [
        sorted(generator.choice(N_LABELS - (split[i] == TRAIN), size=k, replace=False)) for i, k in enumerate(number)
    ]
    profile = generator.dirichlet(np.full(N_WORDS, 0.08), size=N_LABELS)
    X = np.array([generator.multinomial(30, (profile[row].mean(axis=0) if row else np.full(N_WORDS, 1 / N_WORDS)))
                  for row in rows])  # fmt: skip
    Y = np.zeros((N, N_LABELS), dtype=np.int8)
    for i, row in enumerate(rows):
        Y[i, row] = 1
    twice = str(np.flatnonzero((number == 1) & (split == TEST))[0])
    corpus = Corpus(
        name="made",
        ids=[str(i) for i in range(N)],
        label_names=[f"topic{k}" for k in range(N_LABELS)],
        labels=sparse.csr_array(Y),
        split=split,
        features=sparse.csr_array(X.astype(np.int32)),
        feature_names=[f"w{k}" for k in range(N_WORDS)],
        info={"topic named twice": [twice]},
    )
    return MeasureData(corpus, make_splits(corpus, {"kind": "given"}, 1, "given", None))


@pytest.fixture(scope="package")
def measured(source, tmp_path_factory) -> tuple[dict[str, Any], Path]:
    """Run every measure of paper.yaml, and save them where the report looks."""
    root = tmp_path_factory.mktemp("results")
    measures, by_function = {}, {}
    for name in SPEC["measures"]:
        function = SPEC["measures"][name]["function"]
        if function not in by_function:  # else the same function on other words
            by_function[function] = run_measure(
                "multinomial", function, {"role": source}, SETTINGS, np.random.default_rng(3)
            )
        measures[name] = by_function[function]
        measures[name].save(root / "papers/multinomial/measures" / name, META)
    return measures, root
