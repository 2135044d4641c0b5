"""The comparison of methods of the thesis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from reproduction.flow.measures import MeasureData
from reproduction.papers.thesis.comparison import comparison, comparison_time
from tests.early_stops import stops_early
from tests.papers.thesis.example import SPEC
from textmix.experiment.methods import load_methods
from textmix.models.hmm.estimator import HMMClassifier
from textmix.text.sequences import TokenSequences


def with_methods(data: MeasureData, names: Sequence[str]) -> MeasureData:
    """Return a data set with registered methods, their parameters those of paper.yaml."""
    params, registry = SPEC["measures"]["comparison"]["methods"], load_methods()
    return replace(data, methods={name: replace(registry[name], params=params[name]) for name in names})


def test_methods_are_compared_on_the_same_documents(data: MeasureData) -> None:
    few = ("multinomial", "logistic_regression", "lsi_density", "hmm")
    sources, settings = dict.fromkeys(("one", "two"), with_methods(data, few)), {"sizes": [12, 50], "trials": 1}
    measure = comparison(sources, settings, np.random.default_rng(0))
    rows = measure.tables["accuracies"]
    assert len(rows) == 2 * 2 * len(few)
    assert min(row["accuracy"] for row in rows if row["size"] == 50) > 0.6
    assert sum(row["rank"] for row in measure.tables["ranks"]) == pytest.approx(1 + 2 + 3 + 4)
    assert measure.values["critical_difference"] > len(few) / 2
    seconds = comparison_time(sources, settings, np.random.default_rng(0)).tables["seconds"]
    assert [row["method"] for row in seconds] == [*few, *few] and all(row["seconds"] > 0 for row in seconds)


def test_its_hidden_markov_models_know_every_word_of_the_features(
    data: MeasureData, monkeypatch: pytest.MonkeyPatch
) -> None:
    known, fit = [], HMMClassifier.fit

    def noting(model: HMMClassifier, X: TokenSequences, y: np.ndarray) -> HMMClassifier:
        known.append((X.n_words, len(set(X.values.tolist()))))
        return fit(model, X, y)

    monkeypatch.setattr(HMMClassifier, "fit", noting)
    sources, settings = {"one": with_methods(data, ["hmm"])}, {"sizes": [2], "trials": 1}
    with stops_early():
        comparison(sources, settings, np.random.default_rng(0))
    assert known and all(words == 20 > seen for words, seen in known)
