"""Scores of stored label sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.experiment.multilabel import RIDGE
from textmix.core.errors import ConfigError
from textmix.experiment.predictions import Predictions, pack_sets
from textmix.experiment.scoring import RESAMPLES, Evaluation, metric_value, resampled_interval, score
from textmix.experiment.trials import run_trials
from textmix.metrics.significance import wilson
from textmix.metrics.table import METRICS, tuning_metrics
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


@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 2**31), n=st.integers(12, 60), classes=st.integers(2, 25), right=st.floats(0.0, 1.0))
def test_an_interval_holds_its_value_and_nothing_that_the_metric_cannot_be(
    seed: int, n: int, classes: int, right: float
) -> None:
    """Of many rare classes the quantiles of the resampled macro F exclude the value itself."""
    draw = np.random.default_rng(seed)
    true, other = draw.integers(classes, size=(2, n))
    predicted = np.where(draw.random(n) < right, true, other)
    sets, claimed = np.eye(classes, dtype=int)[true], np.eye(classes, dtype=int)[predicted]
    for task, evaluation in (
        ("single", Evaluation(true, predicted, np.full(n, -0.5))),
        ("multi", Evaluation(sets, claimed, np.full(n, np.nan), draw.random((n, classes)))),
    ):
        for name in tuning_metrics(task):
            ends = resampled_interval(name, evaluation, rng(seed, name))
            value = metric_value(name, evaluation)
            if ends is None:
                continue
            assert ends[0] <= value <= ends[1], (name, ends, value)
            if METRICS[name].takes == "decisions":
                assert 0.0 <= ends[0] <= ends[1] <= 1.0, (name, ends)


def test_an_interval_is_what_a_loop_over_resamples_says() -> None:
    draw = np.random.default_rng(3)
    true = draw.integers(6, size=80)
    predicted = np.where(draw.random(80) < 0.6, true, draw.integers(6, size=80))
    evaluation = Evaluation(true, predicted, np.full(80, np.nan))

    def macro(rows: np.ndarray) -> float:
        """Return the mean F of the classes that are true or predicted in some documents."""
        pairs = [(int(true[row]), int(predicted[row])) for row in rows]
        found = []
        for label in {label for pair in pairs for label in pair}:
            hits = sum(pair == (label, label) for pair in pairs)
            found.append(2 * hits / sum((a == label) + (b == label) for a, b in pairs))
        return sum(found) / len(found)

    generator = rng(1, "loop")
    drawn = [macro(generator.integers(80, size=80)) for _ in range(RESAMPLES)]
    distances = sorted(abs(value - sum(drawn) / len(drawn)) for value in drawn)
    place = 0.95 * (RESAMPLES - 1)
    half = distances[int(place)] + (place - int(place)) * (distances[int(place) + 1] - distances[int(place)])
    value = macro(np.arange(80))
    found = resampled_interval("macro_f1", evaluation, rng(1, "loop"))
    assert found == pytest.approx((value - half, min(value + half, 1.0)))
