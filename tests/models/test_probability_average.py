"""Scores to calibrated probabilities: the likeliest slope, blind to the scale of scores, and decisions as before."""

import math
from typing import Any

import numpy as np
import pytest

from textmix import BinaryRelevance, LinearSVM, MultinomialClassifier, SVMRelevance
from textmix.models.common.calibration import averaged, calibrated, decided, label_scores, slope_of

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
    found = decided(averaged([scores], [1.0], task), thresholds)
    np.testing.assert_array_equal(found, np.asarray(estimator.predict(X)))


def test_a_class_that_a_fit_did_not_know_has_no_probability() -> None:
    scores = np.array([[0.0, -np.inf, 1.0]])
    assert averaged([scores, scores], [1.0, 2.0], "single")[0, 1] == 0.0
    assert np.isfinite(slope_of(np.vstack([scores, scores[:, ::-1]]), np.array([1, 2]), "single"))
