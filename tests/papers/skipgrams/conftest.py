"""Small made reviews, and what the measures of the skip-grams paper give on them."""

from __future__ import annotations

import numpy as np
import pytest

from reproduction.flow.measures import Measure, MeasureData, run_measure
from tests.papers.skipgrams.example import CURVES, ENTRY, KINDS, PATH, SPEC, source_of


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
        "speaking": {**PATH, "l1_ratio": 0.1, "number": 3, "least_n": 2, "stop_list": "none"},
    }
    generator = np.random.default_rng(0)
    return {
        name: run_measure("skipgrams", SPEC["measures"][name]["function"], {"imdb": source}, changed, generator)
        for name, changed in settings.items()
    }
