"""Tuning selects the best mean score over the folds of the training data."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import MultinomialNB

from tests.experiment.multilabel import RIDGE
from textmix.core.errors import ConfigError
from textmix.experiment.folds import fold_numbers, halves_of
from textmix.experiment.trials import run_trials
from textmix.experiment.tuning import tune


@pytest.mark.parametrize(("metric", "best"), [("accuracy", np.argmax), ("error_rate", np.argmin)])
def test_tuning_takes_the_best_mean_over_the_folds(metric, best):
    generator = np.random.default_rng(2)
    y = np.arange(90) % 3
    X = sparse.csr_array(generator.poisson(0.2 + (np.arange(12)[None] % 3 == y[:, None])))
    alphas = [1e-3, 1.0, 1e4]
    search = {"grid": {"alpha": alphas}, "folds": 3, "metric": metric}
    name, point, score = tune("single", lambda p: MultinomialNB(**p), search, (X, y), np.random.default_rng(9))
    means = []
    for alpha in alphas:
        values = []
        for train, fold in halves_of(fold_numbers(90, 3, np.random.default_rng(9))):
            right = MultinomialNB(alpha=alpha).fit(X[train], y[train]).predict(X[fold]) == y[fold]
            values.append(right.mean() if metric == "accuracy" else 1 - right.mean())
        means.append(np.mean(values))
    chosen = alphas[int(best(means))]
    assert (name, point) == (f"alpha={chosen}", {"alpha": chosen})
    assert score == pytest.approx(means[int(best(means))])


def test_tuned_trials_fit_with_what_training_data_chose(corpus, splits, monkeypatch):
    seen = []
    fit = RidgeClassifier.fit
    monkeypatch.setattr(
        RidgeClassifier, "fit", lambda self, X, Y: (seen.append((self.alpha, X.shape[0])), fit(self, X, Y))[1]
    )
    search = {"grid": {"alpha": [0.1, 10.0, 1000.0]}, "folds": 2, "metric": "micro_f"}
    predictions, timings = run_trials(corpus, splits, RIDGE, {"tune": search}, 5)
    assert [n for _, n in seen] == [30] * 6 + [60] + [30] * 6 + [60]
    assert [row["chosen"] for row in predictions.fits] == [f"alpha={seen[6][0]}", f"alpha={seen[13][0]}"]
    assert all(row["tune_seconds"] > 0 for row in timings)


def test_too_few_documents_for_the_folds_are_said():
    search = {"grid": {"alpha": [1]}, "folds": 5, "metric": "accuracy"}
    with pytest.raises(ConfigError, match="folds: 5 exceeds the 3 training documents"):
        tune("single", lambda p: MultinomialNB(**p), search, (np.ones((3, 2)), np.arange(3)), np.random.default_rng(0))
