"""Label sets go the way of classes: predicted, stored as bits, scored; parameters are tuned on training data alone."""

from __future__ import annotations

import sys
import types

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import MultinomialNB

from textmix.core.errors import ConfigError
from textmix.data.corpus import Corpus, label_matrix
from textmix.experiment import estimators
from textmix.experiment.folds import fold_numbers, halves_of
from textmix.experiment.methods import Method
from textmix.experiment.predictions import Predictions, pack_sets, true_log_proba
from textmix.experiment.scoring import score
from textmix.experiment.splits import make_splits
from textmix.experiment.trials import run_trials
from textmix.experiment.tuning import tune
from textmix.metrics import multilabel
from textmix.metrics.table import tuning_metrics

RIDGE = Method("ridge", "sklearn.linear_model:RidgeClassifier", "", "multi", "reals", "cbm")
NAIVE_BAYES = Method("nb", "sklearn.naive_bayes:MultinomialNB", "", "single", "counts", "edcm")


@pytest.fixture
def corpus() -> Corpus:
    """Synthetic: 80 documents, 11 labels (more than one byte of them), counts that depend on the labels."""
    generator = np.random.default_rng(3)
    Y = (generator.random((80, 11)) < 0.3).astype(int)
    counts = generator.poisson(0.3 + 2.0 * Y @ generator.random((11, 15)))
    rows = [np.flatnonzero(row).tolist() for row in Y]
    names = [f"label {i}" for i in range(11)]
    matrix = sparse.csr_array(counts.astype(np.int32))
    return Corpus("sets", [str(i) for i in range(80)], names, label_matrix(rows, 11), features=matrix)


@pytest.fixture
def splits(corpus):
    return make_splits(corpus, {"kind": "random", "train": 0.75, "trials": 2}, 5, "random", None)


@pytest.mark.parametrize("n_labels", [1, 7, 8, 9, 16, 101])
def test_packed_sets_come_back(n_labels):
    Y = (np.random.default_rng(n_labels).random((5, n_labels)) < 0.5).astype(np.int8)
    packed = pack_sets(Y)
    assert packed.shape == (5, -(-n_labels // 8))
    back = Predictions([""], [], np.zeros((1, 5)), sets=packed[None]).label_sets(0, slice(1, 4), n_labels)
    np.testing.assert_array_equal(back, Y[1:4])


def test_label_sets_are_those_of_the_estimator_in_every_variant_and_trial(corpus, splits, tmp_path):
    predictions, _ = run_trials(corpus, splits, RIDGE, {"grid": {"alpha": [1.0, 50.0]}}, 5)
    predictions.save(tmp_path / "p", {})
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


def test_metrics_of_the_other_task_are_refused(corpus, splits):
    predictions, _ = run_trials(corpus, splits, RIDGE, {}, 5)
    with pytest.raises(ConfigError, match="metrics: 'accuracy' is not allowed; did you mean 'subset_accuracy'"):
        score(predictions, corpus, splits, ["accuracy"])


def test_every_metric_is_perfect_on_the_truth(corpus, splits):
    Y = np.concatenate([corpus.indicators()[splits.test[trial]] for trial in range(2)])
    perfect = Predictions([""], [], np.zeros((1, len(Y))), sets=pack_sets(Y)[None])
    for row in score(perfect, corpus, splits, tuning_metrics("multi")):
        assert row["value"] == (0.0 if "loss" in row["metric"] else 1.0), row


# --- tuning -----------------------------------------------------------------------------------------------------------


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
    with pytest.raises(ConfigError, match="folds: 3 training documents make no 5 folds; lower it"):
        tune("single", lambda p: MultinomialNB(**p), search, (np.ones((3, 2)), np.arange(3)), np.random.default_rng(0))


def test_log_probability_of_the_truth_is_nan_where_there_is_none():
    assert np.all(np.isnan(true_log_proba("multi", RidgeClassifier(), np.ones((2, 2)), np.ones((2, 3)))))


def test_a_method_of_many_iterations_tells_how_far_it_is(corpus, splits, monkeypatch):
    told: list[tuple[str, int | None, int, float]] = []

    def progress(what, total):
        return lambda iteration, objective: told.append((what, total, iteration, objective))

    monkeypatch.setattr(estimators, "progress", progress)
    cbm = Method("cbm", "textmix.models.cbm.estimator:CBMClassifier", "", "multi", "reals", "cbm")
    run_trials(corpus, splits, cbm, {"params": {"n_components": 2, "max_iter": 3, "tol": 0.0}}, 5)
    assert [(what, total, iteration) for what, total, iteration, _ in told] == [
        ("CBMClassifier on sets", 3, iteration) for _ in range(2) for iteration in (1, 2, 3)
    ]
    assert all(np.isfinite(objective) for *_, objective in told)
