"""Calibrated probabilities: the slope of a general solver, the documents that no fit saw, and what they promise."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

from textmix import BinaryRelevance, KNNClassifier, LinearSVM, MultinomialClassifier, NBSVMClassifier, SVMRelevance
from textmix.metrics.probability import calibration_error
from textmix.models.common.calibration import (
    FOLDS,
    averaged,
    calibrated,
    fitted_slope,
    held_out_scores,
    label_scores,
    slope_of,
)
from textmix.models.common.decision import Decision, bound_probabilities

ESTIMATORS = [
    LinearSVM(C=4.0, calibrate=True),
    NBSVMClassifier(C=1.0, calibrate=True),
    KNNClassifier(n_neighbors=9, cosine=True, weights="similarity", calibrate=True),
]
every = pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda one: type(one).__name__)


def documents(n: int, seed: int, n_classes: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Return counts (n, 60) of which few tell the classes (n,) apart, so that many documents are doubtful."""
    generator = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    rates = np.full((n_classes, 60), 0.25)
    rates[np.arange(n_classes)[:, np.newaxis], np.arange(n_classes * 6).reshape(n_classes, 6)] = 0.7
    X = generator.poisson(rates[y])
    X[X.sum(axis=1) == 0, 0] = 1
    return X, y


def test_the_slope_has_the_greatest_likelihood() -> None:
    generator = np.random.default_rng(0)
    scores, codes = generator.normal(size=(200, 4)), np.arange(200) % 4
    scores[np.arange(200), codes] += 1.0
    scores[codes != 3, 3] = -np.inf
    finite = np.where(np.isfinite(scores), scores, 0.0)

    def change(slope: float) -> float:
        """Return the derivative of the loss in the slope."""
        shares = np.exp(slope * scores) / np.exp(slope * scores).sum(axis=1, keepdims=True)
        return float((shares * finite).sum() - finite[np.arange(200), codes].sum())

    assert fitted_slope(scores, codes) == pytest.approx(brentq(change, 0.01, 100.0, xtol=1e-14), rel=1e-5)
    assert fitted_slope(scores[:0], codes[:0]) == 1.0


def test_no_document_is_scored_by_a_fit_that_saw_it() -> None:
    seen: list[set[float]] = []

    class Spy(LinearSVM):
        """A machine that keeps the first cell of its training documents, by which they are known."""

        def fit(self, X: Any, y: Any) -> Any:
            seen.append(set(X[:, 0].tolist()))
            return super().fit(X, y)

        def _class_scores(self, X: Any) -> np.ndarray:
            assert not seen[-1] & set(X[:, 0].tolist())
            return super()._class_scores(X)

    X, y = np.arange(1.0, 32.0)[:, np.newaxis], np.array([0, 1, 2] * 10 + [3])
    scores, rows = held_out_scores(Spy(calibrate=True), X, y)
    assert len(seen) == FOLDS
    assert rows.tolist() == list(range(30)), "the class of the last document is in one part alone"
    assert np.isfinite(scores[np.arange(30), y[:30]]).all()
    assert np.isneginf(scores[:, 3]).sum() >= 1


@every
@pytest.mark.parametrize("n_classes", [2, 3])
def test_probabilities_are_calibrated_and_leave_the_predictions_alone(estimator: Any, n_classes: int) -> None:
    X, y = documents(1200, 1, n_classes)
    model = estimator.fit(X[:600], y[:600])
    proba = model.predict_proba(X[600:])
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    np.testing.assert_allclose(np.log(proba), model.predict_log_proba(X[600:]), atol=1e-9)
    predicted = model.predict(X[600:])
    plain = type(model)(**{**model.get_params(), "calibrate": False}).fit(X[:600], y[:600])
    np.testing.assert_array_equal(plain.predict(X[600:]), predicted)
    assert np.mean(model.classes_[proba.argmax(axis=1)] == predicted) > 0.99, "votes may be equal"
    right = predicted == y[600:]
    assert 0.5 < right.mean() < 0.95
    assert calibration_error(proba.max(axis=1), right) < 0.08


@every
def test_probabilities_are_only_offered_where_they_are_calibrated(estimator: Any) -> None:
    plain = type(estimator)()
    assert not hasattr(plain, "predict_proba")
    assert not hasattr(plain, "predict_log_proba")


GENERATOR = np.random.default_rng(5)
X = GENERATOR.poisson(1.0, (60, 12)).astype(float)
CLASSES = np.argmax(X[:, :3] + GENERATOR.normal(0, 0.5, (60, 3)), axis=1)
SETS = (X[:, :4] + GENERATOR.normal(0, 0.5, (60, 4)) > 1.2).astype(int)


@pytest.mark.parametrize(("task", "truth"), [("single", CLASSES), ("multi", SETS)])
def test_a_scale_of_the_scores_changes_no_probability(task: str, truth: np.ndarray) -> None:
    scores = X[:, : 3 if task == "single" else 4] - 1.2
    plain, scaled = slope_of(scores, truth, task), slope_of(8.0 * scores, truth, task)
    assert plain == pytest.approx(8.0 * scaled, rel=1e-3)
    np.testing.assert_allclose(calibrated(scores, plain, task), calibrated(8.0 * scores, scaled, task), rtol=5e-3)


@pytest.mark.parametrize(("task", "truth"), [("single", CLASSES), ("multi", SETS)])
def test_no_slope_beside_the_fitted_one_has_a_larger_likelihood(task: str, truth: np.ndarray) -> None:
    scores = X[:, : 3 if task == "single" else 4] - 1.2

    def loss(slope: float) -> float:
        """Return minus the log likelihood, one decision after the other."""
        p = calibrated(scores, slope, task)
        if task == "single":
            return -sum(math.log(p[i, c]) for i, c in enumerate(truth))
        return -sum(math.log(p[i, j] if truth[i, j] else 1.0 - p[i, j]) for i, j in np.ndindex(*truth.shape))

    found = slope_of(scores, truth, task)
    assert all(loss(found) <= loss(found * factor) for factor in (0.8, 0.95, 1.05, 1.25))


@pytest.mark.parametrize(
    ("estimator", "task", "truth"),
    [
        (LinearSVM(), "single", CLASSES),
        (LinearSVM(calibrate=True), "single", CLASSES),
        (LinearSVM(), "single", CLASSES > 0),
        (MultinomialClassifier(), "single", CLASSES),
        (SVMRelevance(), "multi", SETS),
        (BinaryRelevance(), "multi", SETS),
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_scores_of_one_estimator_decide_as_it_does(estimator: Any, task: str, truth: np.ndarray) -> None:
    estimator.fit(X, np.asarray(truth, dtype=int))
    scores = label_scores(estimator, X, task)
    assert scores is not None
    thresholds = None if task == "single" else np.full(scores.shape[1], 0.5)
    found = Decision([1.0], thresholds).labels(averaged([scores], [1.0], task), task)
    np.testing.assert_array_equal(found, np.asarray(estimator.predict(X)))


def test_a_class_that_a_fit_did_not_know_has_no_probability() -> None:
    scores = np.array([[0.0, -np.inf, 1.0]])
    assert averaged([scores, scores], [1.0, 2.0], "single")[0, 1] == 0.0
    assert np.isfinite(slope_of(np.vstack([scores, scores[:, ::-1]]), np.array([1, 2]), "single"))


@pytest.mark.parametrize("task", ["single", "multi"])
def test_bounded_probabilities_stay_within_platts_targets(task: str) -> None:
    """The order of the labels of a document and the decision at 0.5 do not change."""
    generator = np.random.default_rng(0)
    probability = calibrated(generator.normal(0.0, 30.0, (200, 3)), 1.0, task)
    support = np.array([[4.0, 10.0, 98.0], [108.0, 102.0, 14.0]])
    bounded = bound_probabilities(probability, support, task)
    assert (bounded.max(axis=0) <= (support[0] + 1.0) / (support[0] + 2.0) + 1e-12).all()
    assert (bounded > 0.0).all()
    if task == "single":
        np.testing.assert_allclose(bounded.sum(axis=1), 1.0)
        np.testing.assert_array_equal(bounded.argmax(axis=1), probability.argmax(axis=1))
    else:
        np.testing.assert_array_equal(bounded >= 0.5, probability >= 0.5)
        assert (bounded.min(axis=0) >= 1.0 / (support[1] + 2.0) - 1e-12).all()
