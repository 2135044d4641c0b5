"""Scores of stored label sets."""

from __future__ import annotations

import numpy as np
import pytest

from tests.experiment.multilabel import RIDGE
from textmix.core.errors import ConfigError
from textmix.experiment.predictions import Predictions, pack_sets
from textmix.experiment.scoring import Evaluation, resampled_interval, score
from textmix.experiment.trials import run_trials
from textmix.metrics.significance import wilson
from textmix.metrics.table import tuning_metrics
from textmix.numerics.determinism import rng


def test_metrics_of_the_other_task_are_refused(corpus, splits):
    predictions, _ = run_trials(corpus, splits, RIDGE, {}, 5)
    with pytest.raises(ConfigError, match="metrics: 'accuracy' is not allowed; did you mean 'subset_accuracy'"):
        score(predictions, corpus, splits, ["accuracy"])


def test_every_metric_is_perfect_on_the_truth(corpus, splits):
    Y = np.concatenate([corpus.indicators()[splits.test[trial]] for trial in range(2)])
    perfect = Predictions([""], [], np.zeros((1, len(Y))), sets=pack_sets(Y)[None])
    for row in score(perfect, corpus, splits, tuning_metrics("multi")):
        assert row["value"] == (0.0 if "loss" in row["metric"] else 1.0), row


def test_a_resampled_interval_of_accuracy_is_near_that_of_a_share():
    true = np.arange(500) % 3
    predicted = np.where(np.arange(500) % 5 == 0, (true + 1) % 3, true)
    evaluation = Evaluation(true, predicted, np.full(500, np.nan))
    assert resampled_interval("accuracy", evaluation, rng(1, "a")) == pytest.approx(wilson(0.8, 500), abs=0.01)
    low, high = resampled_interval("macro_f1", evaluation, rng(1, "a"))
    assert low < 0.8 < high
    assert resampled_interval("log_loss", evaluation, rng(1, "a")) is None
