"""From scores to answers: rules that suit the metric, fitted to documents that no fit had seen."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit, logit

from textmix.compare.decisions import answer_of, fit_decision
from textmix.compare.metrics import metric_of
from textmix.models.common.decision import Decision, observed_label_sets, refit_decision

NAMES = ["a", "b", "c", "d"]


def scored(n: int = 400, bias: float = -1.5) -> tuple[np.ndarray, np.ndarray]:
    """Return scores of four labels that are too low by a bias, and the labels."""
    generator = np.random.default_rng(0)
    odds = generator.normal(-0.5, 2.0, size=(n, 4))
    return odds + bias, (generator.random((n, 4)) < expit(odds)).astype(np.int8)


@pytest.mark.parametrize("name", ["micro_f", "macro_f", "sample_f", "hamming_loss", "jaccard", "f:b"])
def test_a_rule_is_no_worse_for_its_metric_than_a_threshold_of_a_half(name: str) -> None:
    """On the documents of the fit, and on others that are alike."""
    scores, truth = scored()
    metric = metric_of(name, "multi", NAMES)
    for fit, held in ((slice(0, 200), slice(0, 200)), (slice(0, 200), slice(200, 400))):
        rule = fit_decision([scores[fit]], truth[fit], metric)
        plain = Decision(rule.slopes, np.full(4, 0.5))
        values = [metric(truth[held], answer_of(each, [scores[held]], "multi")) for each in (rule, plain)]
        assert metric.sign * (values[0] - values[1]) >= 0.0


def test_whole_sets_are_those_of_the_documents() -> None:
    generator = np.random.default_rng(1)
    truth = np.eye(4, dtype=np.int8)[generator.integers(4, size=300)]
    scores = generator.normal(size=(300, 4)) + 1.5 * truth - 1.0
    metric = metric_of("subset_accuracy", "multi", NAMES)
    rule = fit_decision([scores[:150]], truth[:150], metric)
    answer = answer_of(rule, [scores[150:]], "multi")
    assert rule.label_sets is not None and (answer.labels.sum(axis=1) == 1).all()
    plain = answer_of(Decision(rule.slopes, np.full(4, 0.5)), [scores[150:]], "multi")
    assert metric(truth[150:], answer) > metric(truth[150:], plain) + 0.1


def test_the_set_of_a_document_is_its_most_probable_one() -> None:
    """By brute force over the sets, as if labels were independent, with the log share of each set."""
    scores, truth = scored(60)
    sets, bonus = observed_label_sets(truth)
    probability = np.clip(expit(scores), 1e-6, 1 - 1e-6)
    answer = answer_of(Decision([1.0], None, sets, bonus), [scores], "multi")
    for row in range(60):
        logs = [np.sum(np.where(each, np.log(probability[row]), np.log1p(-probability[row]))) for each in sets]
        assert answer.labels[row].tolist() == sets[int(np.argmax(np.array(logs) + bonus))].tolist()


def test_a_threshold_of_two_classes_suits_the_f_of_one() -> None:
    generator = np.random.default_rng(2)
    truth = (generator.random(600) < 0.15).astype(np.int64)
    odds = logit(np.clip(0.15 + 0.25 * (truth - 0.15) + generator.normal(0.0, 0.08, 600), 0.01, 0.99))
    scores = np.column_stack([np.zeros(600), odds])
    metric = metric_of("f:b", "single", ["a", "b"])
    rule = fit_decision([scores[:300]], truth[:300], metric)
    plain = Decision(rule.slopes)
    assert metric(truth[300:], answer_of(rule, [scores[300:]], "single")) > metric(
        truth[300:], answer_of(plain, [scores[300:]], "single")
    )


def test_parts_of_unlike_scales_count_alike() -> None:
    scores, truth = scored(bias=0.0)
    metric = metric_of("micro_f", "multi", NAMES)
    first = answer_of(fit_decision([scores, scores], truth, metric), [scores, scores], "multi")
    second = answer_of(fit_decision([scores, 100.0 * scores], truth, metric), [scores, 100.0 * scores], "multi")
    np.testing.assert_allclose(first.probability, second.probability, atol=1e-3)


def test_never_empty_gives_each_document_a_label() -> None:
    scores, truth = scored(bias=-6.0)
    rule = fit_decision([scores], truth, metric_of("hamming_loss", "multi", NAMES), never_empty=True)
    assert (answer_of(rule, [scores], "multi").labels.sum(axis=1) >= 1).all()


@pytest.mark.parametrize("task", ["single", "multi"])
def test_few_separable_documents_do_not_give_certain_probabilities(task: str) -> None:
    """Bounded by Platt's targets (n + 1) / (n + 2), although the slope of separable scores is as large as it can be."""
    truth = np.arange(32) % 2
    scores = np.column_stack([1.0 - truth, truth]) * 9.0
    if task == "multi":
        truth = np.eye(2, dtype=np.int8)[truth]
        scores = 2.0 * scores - 9.0
    rule = fit_decision([scores], truth, metric_of(None, task, ["a", "b"]))
    probability = answer_of(rule, [100.0 * scores], task).probability
    assert probability.max() == pytest.approx(17.0 / 18.0) and probability.min() == pytest.approx(1.0 / 18.0)


@pytest.mark.parametrize("metric", ["micro_f", "macro_f", "subset_accuracy", "hamming_loss"])
def test_a_rule_refitted_to_its_own_scores_is_the_same_kind_of_rule(metric: str) -> None:
    scores, truth = scored()
    decision = fit_decision([scores], truth, metric_of(metric, "multi", 4))
    criterion = {"subset_accuracy": "sets", "hamming_loss": "errors"}.get(metric, "f1")
    again = refit_decision(decision, [scores], truth, "multi", criterion)
    assert again.slopes == pytest.approx(decision.slopes)
    assert (again.thresholds is None) == (decision.thresholds is None)
    if decision.label_sets is not None:
        np.testing.assert_array_equal(again.label_sets, decision.label_sets)
        np.testing.assert_allclose(again.set_weights, decision.set_weights, rtol=1e-6)
    elif metric != "macro_f":  # with another minimum number of documents per label
        np.testing.assert_allclose(again.thresholds, decision.thresholds, rtol=1e-6)


def test_a_refitted_rule_follows_the_new_scores() -> None:
    scores, truth = scored(bias=0.0)
    decision = fit_decision([scores], truth, metric_of("micro_f", "multi", 4))
    again = refit_decision(decision, [10.0 * scores], truth, "multi", "f1")
    assert again.slopes[0] == pytest.approx(decision.slopes[0] / 10.0, rel=1e-3)
    np.testing.assert_allclose(again.thresholds, decision.thresholds, atol=1e-3)
    assert again.support is not None
    np.testing.assert_array_equal(again.support[0], truth.sum(axis=0))
