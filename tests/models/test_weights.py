"""Sample weights and class weights of the linear classifiers and of naive Bayes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC

from tests.early_stops import stops_early
from textmix import (
    BinaryRelevance,
    DirichletSmoothedClassifier,
    LabelNaiveBayes,
    LinearSVM,
    MultinomialClassifier,
    NBSVMClassifier,
    SharedDirichletClassifier,
    SoftmaxClassifier,
)

RNG = np.random.default_rng(3)
N, V = 90, 12
X = sparse.csr_array(RNG.poisson(0.7, (N, V)).astype(np.float64))
NAMES = np.array(["art", "money", "sport"])
CLASSES = NAMES[np.minimum(X.toarray()[:, :3].argmax(axis=1) + (RNG.random(N) < 0.2), 2)]
PAIRS = np.where(CLASSES == "art", "art", "other")
Y = (X.toarray()[:, :3] + RNG.poisson(0.4, (N, 3)) > 1).astype(int)
REPEATS = RNG.integers(0, 4, N)
WEIGHTS = RNG.random(N) * 2
COSTS = {"art": 3.0, "sport": 0.5}

SINGLE_LABEL = [
    LinearSVM(tol=1e-9),
    SoftmaxClassifier(tol=1e-10),
    NBSVMClassifier(tol=1e-10),
    MultinomialClassifier(),
]
CLASS_WEIGHTED = SINGLE_LABEL[:3]


def parameters(model: Any) -> np.ndarray:
    """Return the fitted weights and intercepts."""
    if isinstance(model, MultinomialClassifier):
        return np.column_stack([model.feature_log_prob_, model.class_log_prior_])
    return np.column_stack([model.coef_, model.intercept_])


@pytest.mark.parametrize("y", [CLASSES, PAIRS], ids=["three classes", "two classes"])
@pytest.mark.parametrize("model", SINGLE_LABEL, ids=lambda model: type(model).__name__)
def test_integer_weights_are_repeated_rows(model: Any, y: np.ndarray) -> None:
    rows = np.repeat(np.arange(N), REPEATS)
    repeated = clone(model).fit(X[rows], y[rows])
    weighted = clone(model).fit(X, y, sample_weight=REPEATS)
    np.testing.assert_allclose(parameters(weighted), parameters(repeated), atol=2e-4)


def test_integer_weights_of_label_sets_are_repeated_rows() -> None:
    rows = np.repeat(np.arange(N), REPEATS)
    for options in ({}, {"class_weight": "balanced"}, {"class_weight": {1: 4.0}}):
        model = BinaryRelevance(tol=1e-12, **options)
        repeated = clone(model).fit(X[rows], Y[rows])
        weighted = clone(model).fit(X, Y, sample_weight=REPEATS)
        np.testing.assert_allclose(parameters(weighted), parameters(repeated), atol=2e-4)


@pytest.mark.parametrize("y", [CLASSES, PAIRS], ids=["three classes", "two classes"])
@pytest.mark.parametrize("model", CLASS_WEIGHTED, ids=lambda model: type(model).__name__)
def test_unit_weights_do_not_change_the_fit(model: Any, y: np.ndarray) -> None:
    plain = clone(model).fit(X, y)
    np.testing.assert_array_equal(parameters(clone(model).fit(X, y, sample_weight=np.ones(N))), parameters(plain))
    ones = dict.fromkeys(y.tolist(), 1.0)
    np.testing.assert_array_equal(parameters(clone(model).set_params(class_weight=ones).fit(X, y)), parameters(plain))


@pytest.mark.parametrize("class_weight", [None, "balanced", COSTS])
@pytest.mark.parametrize("sample_weight", [None, WEIGHTS], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("y", [CLASSES, PAIRS], ids=["three classes", "two classes"])
def test_the_svm_equals_liblinear(y: np.ndarray, sample_weight: Any, class_weight: Any) -> None:
    if isinstance(class_weight, dict):
        class_weight = {name: class_weight.get(name, 1.0) for name in np.unique(y).tolist()}
    ours = LinearSVM(tol=1e-9, class_weight=class_weight).fit(X, y, sample_weight)
    peer = LinearSVC(tol=1e-9, max_iter=200_000, class_weight=class_weight).fit(X, y, sample_weight)
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=1e-4)
    np.testing.assert_allclose(ours.intercept_, peer.intercept_, atol=1e-4)


@pytest.mark.parametrize("class_weight", [None, "balanced", COSTS])
@pytest.mark.parametrize("sample_weight", [None, WEIGHTS], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("y", [CLASSES, PAIRS], ids=["three classes", "two classes"])
def test_the_softmax_equals_logistic_regression(y: np.ndarray, sample_weight: Any, class_weight: Any) -> None:
    if isinstance(class_weight, dict):
        class_weight = {name: class_weight.get(name, 1.0) for name in np.unique(y).tolist()}
    ours = SoftmaxClassifier(tol=1e-10, class_weight=class_weight).fit(X, y, sample_weight)
    peer = LogisticRegression(tol=1e-10, max_iter=5000, class_weight=class_weight).fit(X, y, sample_weight)
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=2e-4)
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=2e-4)


def test_a_sweep_that_does_not_converge_is_refined_with_weights() -> None:
    scaled = sparse.csr_array(X.toarray() * np.logspace(-3, 3, V))
    for model in (LinearSVM(tol=1e-7, max_iter=20, C=1e-3), SoftmaxClassifier(tol=1e-9, max_iter=20, C=1e-3)):
        with stops_early():
            few_sweeps = model.fit(scaled, CLASSES, WEIGHTS)
        many = clone(model).set_params(max_iter=20_000).fit(scaled, CLASSES, WEIGHTS)
        np.testing.assert_allclose(few_sweeps.decision_function(scaled), many.decision_function(scaled), atol=0.05)


def test_balanced_label_weights_equal_those_of_one_vs_rest() -> None:
    ours = BinaryRelevance(tol=1e-12, variance=0.5, class_weight="balanced").fit(X, Y)
    peer = OneVsRestClassifier(LogisticRegression(tol=1e-10, max_iter=5000, class_weight="balanced")).fit(X, Y)
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-4)


def test_naive_bayes_equals_scikit_learn_with_weights() -> None:
    ours = MultinomialClassifier(smoothing=1.0).fit(X, CLASSES, WEIGHTS)
    peer = MultinomialNB(alpha=1.0).fit(X, CLASSES, WEIGHTS)
    np.testing.assert_allclose(ours.feature_log_prob_, peer.feature_log_prob_)
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X))


@pytest.mark.parametrize("class_weight", ["balanced", COSTS], ids=["balanced", "dict"])
def test_class_weights_of_naive_bayes_are_sample_weights(class_weight: Any) -> None:
    weight = WEIGHTS * np.array([COSTS.get(name, 1.0) for name in CLASSES])
    if class_weight == "balanced":
        mass = {name: WEIGHTS[CLASSES == name].sum() for name in NAMES}
        weight = WEIGHTS / np.array([mass[name] for name in CLASSES]) * WEIGHTS.sum() / len(NAMES)
    ours = MultinomialClassifier(smoothing=1.0, class_weight=class_weight).fit(X, CLASSES, WEIGHTS)
    peer = MultinomialNB(alpha=1.0).fit(X, CLASSES, weight)
    np.testing.assert_allclose(ours.feature_log_prob_, peer.feature_log_prob_)
    np.testing.assert_allclose(ours.class_log_prior_, peer.class_log_prior_)
    for model in (DirichletSmoothedClassifier(), SharedDirichletClassifier()):
        expected = clone(model).fit(X, CLASSES, weight).feature_log_prob_
        weighted = clone(model).set_params(class_weight=class_weight).fit(X, CLASSES, WEIGHTS)
        np.testing.assert_allclose(weighted.feature_log_prob_, expected, rtol=1e-6)


def test_class_weights_of_naive_bayes_in_batches() -> None:
    whole = MultinomialClassifier(class_weight=COSTS).fit(X, CLASSES)
    batches = MultinomialClassifier(class_weight=COSTS)
    for rows in (slice(0, N // 2), slice(N // 2, N)):
        batches.partial_fit(X[rows], CLASSES[rows], classes=NAMES)
    np.testing.assert_allclose(batches.feature_log_prob_, whole.feature_log_prob_)
    with pytest.raises(ValueError, match="balanced"):
        MultinomialClassifier(class_weight="balanced").partial_fit(X, CLASSES, classes=NAMES)


def test_naive_bayes_per_label_equals_one_vs_rest_with_weights() -> None:
    ours = LabelNaiveBayes(alpha=1.0).fit(X, Y, sample_weight=WEIGHTS)
    for label in range(Y.shape[1]):
        peer = MultinomialNB(alpha=1.0).fit(X, Y[:, label], WEIGHTS)
        np.testing.assert_allclose(expit(ours.decision_function(X)[:, label]), peer.predict_proba(X)[:, 1])
    repeated = LabelNaiveBayes().fit(X[np.repeat(np.arange(N), REPEATS)], np.repeat(Y, REPEATS, axis=0))
    weighted = LabelNaiveBayes().fit(X, Y, sample_weight=REPEATS)
    np.testing.assert_allclose(parameters(weighted), parameters(repeated))


def test_weights_of_naive_bayes_per_label_keep_certain_labels_certain() -> None:
    labels = np.column_stack([np.ones(N), np.zeros(N), Y[:, 0]])
    intercepts = LabelNaiveBayes().fit(X, labels, sample_weight=np.full(N, 0.1)).intercept_
    assert intercepts[:2].tolist() == [np.inf, -np.inf]
    assert np.isfinite(intercepts[2])


@pytest.mark.parametrize("model", CLASS_WEIGHTED, ids=lambda model: type(model).__name__)
def test_class_weights_of_unknown_classes_and_negative_weights_are_rejected(model: Any) -> None:
    with pytest.raises(ValueError, match="unknown class 'music'"):
        clone(model).set_params(class_weight={"music": 2.0}).fit(X, CLASSES)
    with pytest.raises(ValueError, match="nonnegative"):
        clone(model).set_params(class_weight={"art": -2.0}).fit(X, CLASSES)
    with pytest.raises(ValueError, match=r"[Nn]egative"):
        clone(model).fit(X, CLASSES, sample_weight=-np.ones(N))
    with pytest.raises(ValueError, match="non-zero"):
        clone(model).fit(X, CLASSES, sample_weight=np.zeros(N))


@pytest.mark.parametrize("model", [LinearSVM(), NBSVMClassifier()], ids=lambda model: type(model).__name__)
def test_calibration_uses_the_weights(model: Any) -> None:
    fits = [
        clone(model).set_params(calibrate=True, class_weight=class_weight).fit(X, CLASSES, sample_weight)
        for class_weight in (None, COSTS)
        for sample_weight in (None, WEIGHTS)
    ]
    slopes = [fitted.slope_ for fitted in fits]
    assert len(set(slopes)) == 4
    assert all(np.allclose(fitted.predict_proba(X).sum(axis=1), 1.0) for fitted in fits)
