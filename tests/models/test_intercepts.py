"""Linear machines without an intercept, and with features that training never saw."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, log_expit
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from textmix import (
    DropoutLogisticRegression,
    LinearSVM,
    NBSVMClassifier,
    PathClassifier,
    SoftmaxClassifier,
)
from textmix.models.label_sets.estimators import SVMRelevance

RNG = np.random.default_rng(3)
X = RNG.poisson(0.7, (60, 12)).astype(float)
#: Labels that lean to one side, so that an intercept would not be 0.
LEAN = X @ RNG.normal(size=12) + RNG.normal(size=60)
TWO = (np.quantile(LEAN, 0.3) < LEAN).astype(int)
THREE = np.digitize(LEAN, np.quantile(LEAN, [0.2, 0.5]))

#: Estimator without an intercept, and the twin that minimises the same objective.
LAMBDA = 0.05
SVMS = (
    LinearSVM(C=0.3, tol=1e-10, max_iter=10_000, fit_intercept=False),
    LinearSVC(C=0.3, tol=1e-10, max_iter=100_000, fit_intercept=False),
)
SOFTMAX = (
    SoftmaxClassifier(C=0.7, tol=1e-10, max_iter=10_000, fit_intercept=False),
    LogisticRegression(C=0.7, tol=1e-10, max_iter=10_000, fit_intercept=False),
)
TWINS: dict[str, tuple[Any, Any, np.ndarray]] = {
    "svm of two classes": (*SVMS, TWO),
    "svm of three classes": (*SVMS, THREE),
    "softmax of two classes": (*SOFTMAX, TWO),
    "softmax of three classes": (*SOFTMAX, THREE),
    "L2 path": (
        PathClassifier(lambdas=[LAMBDA], l1_ratio=0.0, tol=1e-12, fit_intercept=False),
        LogisticRegression(C=1 / (LAMBDA * 60), tol=1e-10, max_iter=10_000, fit_intercept=False),
        TWO,
    ),
    "L1 path": (
        PathClassifier(lambdas=[LAMBDA], l1_ratio=1.0, tol=1e-12, fit_intercept=False),
        LogisticRegression(
            C=1 / (LAMBDA * 60), l1_ratio=1.0, solver="saga", tol=1e-12, max_iter=100_000, fit_intercept=False
        ),
        TWO,
    ),
    "elastic-net path": (
        PathClassifier(lambdas=[LAMBDA], l1_ratio=0.5, tol=1e-12, fit_intercept=False),
        LogisticRegression(
            C=1 / (LAMBDA * 60), l1_ratio=0.5, solver="saga", tol=1e-12, max_iter=100_000, fit_intercept=False
        ),
        TWO,
    ),
}
MACHINES = {
    "svm": LinearSVM(),
    "softmax": SoftmaxClassifier(),
    "L2 path": PathClassifier(n_lambdas=3, random_state=0),
    "L1 path": PathClassifier(n_lambdas=3, l1_ratio=1.0, random_state=0),
    "dropout": DropoutLogisticRegression(),
    "nbsvm": NBSVMClassifier(drop_unseen=True),
}


@pytest.mark.parametrize("name", TWINS)
def test_without_an_intercept_a_machine_is_its_twin_without_one(name: str) -> None:
    ours, twin, y = TWINS[name]
    if getattr(twin, "solver", "") == "saga" and "l1_ratio" in name:
        twin.penalty = "elasticnet"
    ours.fit(X, y)
    twin.fit(X, y)
    assert not ours.intercept_.any()
    np.testing.assert_allclose(ours.coef_, twin.coef_, atol=2e-5)


def test_dropout_without_an_intercept_minimises_the_objective_at_intercept_0() -> None:
    delta, l2 = 0.3, 0.01

    def objective(w: np.ndarray) -> float:
        z = X @ w
        p = expit(z)
        loss = -(TWO * log_expit(z) + (1 - TWO) * log_expit(-z)).mean()
        noise = 0.5 * delta / (1 - delta) * np.mean(p * (1 - p) * (X**2 @ w**2))
        return float(loss + noise + 0.5 * l2 * w @ w)

    ours = DropoutLogisticRegression(delta, l2, tol=1e-14, fit_intercept=False).fit(X, TWO)
    twin = minimize(objective, np.zeros(12), tol=1e-12)
    assert not ours.intercept_.any()
    np.testing.assert_allclose(ours.coef_[0], twin.x, atol=1e-4)


@pytest.mark.parametrize("name", MACHINES)
def test_a_feature_that_training_never_saw_has_weight_0_and_changes_no_other_weight(name: str) -> None:
    wide = np.insert(X, [0, 5, 12], 0.0, axis=1)
    seen = wide.any(axis=0)
    narrow, model = (MACHINES[name].__class__(**MACHINES[name].get_params()).fit(part, TWO) for part in (X, wide))
    assert not model.coef_[:, ~seen].any()
    np.testing.assert_array_equal(model.coef_[:, seen], narrow.coef_)
    np.testing.assert_array_equal(model.intercept_, narrow.intercept_)


def test_a_machine_a_label_without_an_intercept_is_its_twin() -> None:
    Y = np.column_stack([TWO, (np.median(LEAN) < LEAN).astype(int)])
    ours = SVMRelevance(C=0.3, tol=1e-10, max_iter=10_000, fit_intercept=False).fit(X, Y)
    assert not ours.intercept_.any()
    for label in range(2):
        twin = LinearSVC(C=0.3, tol=1e-10, max_iter=100_000, fit_intercept=False).fit(X, Y[:, label])
        np.testing.assert_allclose(ours.coef_[label], twin.coef_[0], atol=2e-5)
