"""Predicted label sets, probabilities of labels, and what is stored of them."""

from __future__ import annotations

import sys
import types

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import RidgeClassifier

from tests.experiment.multilabel import RIDGE
from textmix.core.io import new_folder
from textmix.experiment.methods import Method
from textmix.experiment.predictions import Predictions, pack_sets
from textmix.experiment.scoring import score
from textmix.experiment.trials import run_trials
from textmix.metrics import multilabel


@pytest.mark.parametrize("n_labels", [1, 7, 8, 9, 16, 101])
def test_packed_sets_come_back(n_labels):
    Y = (np.random.default_rng(n_labels).random((5, n_labels)) < 0.5).astype(np.int8)
    packed = pack_sets(Y)
    assert packed.shape == (5, -(-n_labels // 8))
    back = Predictions([""], [], np.zeros((1, 5)), sets=packed[None]).label_sets(0, slice(1, 4), n_labels)
    np.testing.assert_array_equal(back, Y[1:4])


def test_label_sets_are_those_of_the_estimator_in_every_variant_and_trial(corpus, splits, tmp_path):
    predictions, _ = run_trials(corpus, splits, RIDGE, {"grid": {"alpha": [1.0, 50.0]}}, 5)
    with new_folder(tmp_path / "p", {}) as target:
        predictions.write(target)
    back = Predictions.load(tmp_path / "p")
    Y = corpus.indicators()
    for row, alpha in enumerate([1.0, 50.0]):
        for trial in range(2):
            train, test = splits.train[trial], splits.test[trial]
            twin = RidgeClassifier(alpha=alpha).fit(corpus.features[train], Y[train])
            expected = twin.predict(corpus.features[test])
            np.testing.assert_array_equal(back.label_sets(row, splits.test_place(trial), 11), expected)
            rows = score(back, corpus, splits, ["sample_f", "subset_accuracy"])
            values = {(r["variant"], r["trial"], r["metric"]): r["value"] for r in rows}
            name = predictions.variants[row]
            assert values[name, trial, "sample_f"] == multilabel.sample_f(Y[test], expected)
            assert values[name, trial, "subset_accuracy"] == multilabel.subset_accuracy(Y[test], expected)
    assert back.classes is None and np.all(np.isnan(back.true_log_proba))


def test_probabilities_of_labels_and_sets_are_kept(corpus, splits, monkeypatch):
    class Prior(BaseEstimator):
        def fit(self, X, Y):
            self.p_ = Y.mean(axis=0)
            return self

        def predict(self, X):
            return np.ones((X.shape[0], len(self.p_)), dtype=np.int8)

        def predict_proba(self, X):
            return np.tile(self.p_, (X.shape[0], 1))

        def set_log_proba(self, X, Y):
            return np.log(np.where(Y == 1, self.p_, 1 - self.p_)).sum(axis=1)

    module = types.ModuleType("test_prior")
    module.Prior = Prior
    monkeypatch.setitem(sys.modules, "test_prior", module)
    predictions, _ = run_trials(
        corpus, splits, Method("prior", "test_prior:Prior", "", "multi", "counts", "pmm"), {}, 5
    )
    share = corpus.indicators()[splits.train[0]].mean(axis=0)
    np.testing.assert_array_equal(predictions.marginals[0, 0], share.astype(np.float32))
    truth = corpus.indicators()[splits.test[0][0]]
    expected = np.log(np.where(truth == 1, share, 1 - share)).sum()
    assert predictions.true_log_proba[0, 0] == expected
    rows = score(predictions, corpus, splits, ["set_log_loss"])
    assert rows[1]["value"] == pytest.approx(-predictions.true_log_proba[0, splits.test_place(1)].mean())
