"""The time of the sensitivities."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from reproduction.flow.measures import MeasureData
from reproduction.papers.thesis import times
from textmix.data.corpus import Corpus, label_matrix
from textmix.experiment.splits import make_splits
from textmix.models.lsi.scores import SCORES


def test_sensitivities_are_compared_with_the_classifier_and_each_other_score() -> None:
    rng = np.random.default_rng(0)
    codes = np.arange(120) % 2
    counts = sparse.csr_array(rng.poisson(0.5 + codes[:, np.newaxis] * (np.arange(80) < 9)).astype(np.int32))
    labels = label_matrix([[code] for code in codes], 2)
    corpus = Corpus("made", [str(row) for row in range(120)], ["a", "b"], labels, features=counts)
    splits = make_splits(corpus, {"kind": "random", "train": 110, "test": 10, "trials": 1}, 1, "s", None)
    settings = {"components": 5, "width": 0.3, "repeats": 1}
    measure = times.sensitivity_time({"made": MeasureData(corpus, splits)}, settings, rng)
    seconds = {row["computation"]: row["seconds"] for row in measure.tables["seconds"]}
    assert set(seconds) == {*SCORES, "classifier"}
    ratio = measure.values["sensitivity_over_classifier"]
    assert ratio == pytest.approx(seconds["sensitivity"] / seconds["classifier"])
    assert set(measure.values) == {f"sensitivity_over_{name}" for name in seconds if name != "sensitivity"}
