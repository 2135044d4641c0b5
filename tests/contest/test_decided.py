"""Decisions and confidence, read from predictions."""

from __future__ import annotations

import numpy as np

from tests.contest.studies import corpus
from textmix.contest.decided import read_decided, suited
from textmix.experiment.predictions import Predictions, pack_sets
from textmix.experiment.splits import make_splits


def test_decisions_and_confidence_are_read_from_predictions(tmp_path):
    data = corpus()
    splits = make_splits(data, {"kind": "random", "train": 4, "trials": 1}, 1, "s", None)
    data.save(tmp_path / "features", {})
    splits.save(tmp_path / "splits", {})
    true = data.indicators()[splits.test[0]]
    wrong = 1 - true
    sets = pack_sets(true)[np.newaxis]
    decisions = np.stack([pack_sets(indicators) for indicators in (true, wrong, true)], axis=1)[np.newaxis]
    stated = np.full((1, 4), 0.9, dtype=np.float32)
    fits = [{"variant": "", "trial": 0, "converged": None, "n_iter": None, "objective": None, "chosen": ""}]
    predictions = Predictions([""], fits, np.zeros((1, 4)), sets=sets, confidence=stated, decisions=decisions)
    folder = tmp_path / "matrix/multi/tiny/method"
    predictions.save(folder, {})
    rows, confidence = read_decided([folder], {"tiny": (tmp_path / "features", tmp_path / "splits")})
    assert [row["metric"] for row in rows] == ["subset_accuracy", "sample_f", "hamming_loss"]
    assert rows[0]["mode"] == 1.0 and rows[2]["marginal"] == 0.0 and rows[2]["expected_f"] == 1.0
    assert confidence[0].right.all() and confidence[0].method == "method"
    assert suited(rows) == (
        "From one fit, the decision that suits a metric has its best value: mode for subset accuracy 1 of 1 times, "
        "expected f for sample f 0 of 1 times, marginal for hamming loss 1 of 1 times."
    )
