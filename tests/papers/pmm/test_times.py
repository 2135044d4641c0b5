"""The ratios of running times of the PMM paper."""

from __future__ import annotations

import pytest

from reproduction.papers.pmm import times
from tests.papers.pmm.example import L, V, rng, source

SETTINGS = {
    "network": {"hidden": 3, "decays": [1.0], "max_iter": 5},
    "neighbors": {"neighbors": [3]},
    "xi": 2.0,
    "zeta": 2.0,
    "repeats": 2,
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_times_of_problems_are_positive_and_their_mean_lies_between_them() -> None:
    measure = times.problems_time({"one": source(1), "two": source(2)}, SETTINGS, rng())
    assert measure.values["problems"] == 2
    assert [(row["role"], row["labels"], row["words"]) for row in measure.tables["problems"]] == [
        ("one", L, V),
        ("two", L, V),
    ]
    for name in ("training_nn_pmm1", "training_nn_pmm2", "prediction_knn_pmm1", "prediction_knn_pmm2"):
        smallest, largest = (measure.values[f"{name}_{end}"] for end in ("smallest", "largest"))
        assert 0 < smallest <= measure.values[name] <= largest
    single = times.claims_time({"one": source(1)}, SETTINGS, rng()).values
    assert single["training_nn_pmm1_ci_low"] <= single["training_nn_pmm1"] <= single["training_nn_pmm1_ci_high"]
