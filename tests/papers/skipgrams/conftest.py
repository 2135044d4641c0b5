"""Small made reviews, and what the measures of the skip-grams paper give on them."""

from __future__ import annotations

import numpy as np
import pytest

from reproduction.flow.measures import Measure, MeasureData, run_measure
from tests.papers.skipgrams.example import CURVES, ENTRY, KINDS, PATH, SPEC, TABLE, source_of


@pytest.fixture(scope="package")
def source() -> MeasureData:
    return source_of(ENTRY)


@pytest.fixture(scope="package")
def measured(source: MeasureData) -> dict[str, Measure]:
    """Return all measures of skip-grams."""
    settings = {
        "skipgram_counts": {"kinds": KINDS},
        **{
            name: {**PATH, "l1_ratio": ratio, "kinds": KINDS}
            for name, ratio in zip(CURVES, (0.0, 1.0, 0.1), strict=True)
        },
        **{
            name: {**PATH, "loss": "squared_hinge", "l1_ratio": ratio, "kinds": KINDS[-1:]}
            for name, ratio in (("svm_l2_curves", 0.0), ("svm_l1_curves", 1.0))
        },
        "imdb_table": TABLE,
    }
    generator = np.random.default_rng(0)
    measures = {
        name: run_measure("skipgrams", SPEC["measures"][name]["function"], {"imdb": source}, changed, generator)
        for name, changed in settings.items()
    }
    return {**measures, **vector_measures(generator)}


def vector_measures(generator: np.random.Generator) -> dict[str, Measure]:
    """Return the measures of line vectors, small ones."""
    stream = source_of({"tokenizer": "treebank", "lowercase": True, "keep_tokens": True})
    measures = {}
    for name in ("line_vectors", "line_vectors_file_per_part", "line_vectors_shuffled"):
        entry = SPEC["measures"][name]
        settings = {**entry["settings"], "vectors": {"size": 8, "window": 2, "min_count": 1}}
        measures[name] = run_measure("skipgrams", entry["function"], {"imdb": stream}, settings, generator)
    return measures


@pytest.fixture(scope="package")
def table(measured: dict[str, Measure]) -> Measure:
    """Return the accuracy table of the given split."""
    return measured["imdb_table"]
