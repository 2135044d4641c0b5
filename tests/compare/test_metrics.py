"""The metrics of a comparison, and the paired test of two answers."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, f1_score, roc_auc_score

from textmix.compare.metrics import Answer, bootstrap_interval, metric_names, metric_of, paired_bootstrap


@pytest.fixture(scope="module")
def answers() -> tuple[np.ndarray, Answer]:
    """Classes of 200 documents, and an answer that is right on most."""
    generator = np.random.default_rng(0)
    truth = generator.integers(3, size=200)
    probability = generator.dirichlet(np.ones(3), size=200) + 0.5 * np.eye(3)[truth]
    probability /= probability.sum(axis=1, keepdims=True)
    return truth, Answer(probability.argmax(axis=1), probability)


def test_values_are_those_of_scikit_learn(answers: tuple[np.ndarray, Answer]) -> None:
    truth, answer = answers
    names = ["a", "b", "c"]
    one = np.equal.outer(truth, np.arange(3))
    expected = {
        "f:b": f1_score(truth, answer.labels, labels=[1], average="macro"),
        "weighted_f": f1_score(truth, answer.labels, average="weighted"),
        "auc": roc_auc_score(truth, answer.probability, multi_class="ovr"),
        "average_precision": average_precision_score(one, answer.probability),
        "log_loss": -np.log(answer.probability[np.arange(200), truth]).mean(),
    }
    for name, value in expected.items():
        assert metric_of(name, "single", names)(truth, answer) == pytest.approx(value), name


def test_the_second_of_two_classes_is_the_one_that_is_ranked() -> None:
    generator = np.random.default_rng(1)
    truth, score = generator.integers(2, size=50), generator.random(50)
    answer = Answer((score > 0.5).astype(int), np.column_stack([1 - score, score]))
    found = metric_of("average_precision", "single", ["a", "b"])(truth, answer)
    assert found == pytest.approx(average_precision_score(truth, score))


@pytest.mark.parametrize("task", ["single", "multi"])
def test_every_metric_has_a_value(task: str, answers: tuple[np.ndarray, Answer]) -> None:
    truth, answer = answers
    if task == "multi":
        truth = np.eye(3, dtype=np.int8)[truth]
        answer = Answer((answer.probability > 0.4).astype(np.int64), answer.probability)
    for name in [*metric_names(task), "f:a"]:
        assert np.isfinite(metric_of(name, task, ["a", "b", "c"])(truth, answer)), name


@pytest.mark.parametrize("name", ["accuracy", "macro_f1", "log_loss"])
def test_a_paired_test_sees_what_two_intervals_do_not(name: str, answers: tuple[np.ndarray, Answer]) -> None:
    """Of two answers that differ on ten documents the test tells the worse one; alone their intervals overlap."""
    truth, answer = answers
    right = np.flatnonzero(answer.labels == truth)[:10]
    probability = answer.probability.copy()
    probability[right] = np.roll(probability[right], 1, axis=1)
    worse = Answer(probability.argmax(axis=1), probability)
    metric = metric_of(name, "single", ["a", "b", "c"])
    found = paired_bootstrap(metric, truth, (answer, worse))
    assert metric.sign * found.value > 0.0 and found.p < 0.05
    assert found.low <= found.value <= found.high
    (low, high), (lower, higher) = bootstrap_interval(metric, truth, answer), bootstrap_interval(metric, truth, worse)
    assert max(low, lower) < min(high, higher)


def test_equal_answers_do_not_differ(answers: tuple[np.ndarray, Answer]) -> None:
    truth, answer = answers
    found = paired_bootstrap(metric_of(None, "single", []), truth, (answer, answer))
    assert (found.value, found.low, found.high, found.p) == (0.0, 0.0, 0.0, 1.0)
