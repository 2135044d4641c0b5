"""Scores of stored label sets."""

from __future__ import annotations

import numpy as np
import pytest

from tests.experiment.multilabel import RIDGE
from textmix.core.errors import ConfigError
from textmix.experiment.predictions import Predictions, pack_sets
from textmix.experiment.scoring import score
from textmix.experiment.trials import run_trials
from textmix.metrics.registry import tuning_metrics


def test_metrics_of_the_other_task_are_refused(corpus, splits):
    predictions, _ = run_trials(corpus, splits, RIDGE, {}, 5)
    with pytest.raises(ConfigError, match="metrics: 'accuracy' is not allowed; did you mean 'subset_accuracy'"):
        score(predictions, corpus, splits, ["accuracy"])


def test_every_metric_is_perfect_on_the_truth(corpus, splits):
    Y = np.concatenate([corpus.indicators()[splits.test[trial]] for trial in range(2)])
    perfect = Predictions([""], [], np.zeros((1, len(Y))), sets=pack_sets(Y)[None])
    for row in score(perfect, corpus, splits, tuning_metrics("multi")):
        assert row["value"] == (0.0 if "loss" in row["metric"] else 1.0), row
