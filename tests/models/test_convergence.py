"""Solvers reach the optimum where one feature is hundreds of times the others, and a fit that has not says so."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC, LinearSVC

import textmix
from tests.models.public import CLASSES, OF_SEQUENCES, SEVERAL, make
from textmix.models.linear import nbsvm, path
from textmix.models.linear.subspace import solve_l2
from textmix.models.linear.working_set import solve_l1
from textmix.numerics.seeding import rng as seeded


def drawn(seed: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return features of means 500, 1, 1, 1 and 1, and the label sets that the small ones tell."""
    rng = seeded(seed, "unlike scales")
    X = np.column_stack([rng.poisson(500, n), rng.poisson(1.0, (n, 4))]).astype(float)
    return X, (X[:, 1:4] + rng.normal(0, 0.5, (n, 3)) > 1).astype(int)


X, SETS = drawn(0, 80)
CODES, NEW = SETS[:, 0], drawn(1, 200)[0]


def regression(C: float = 1.0) -> Any:
    """Return scikit-learn's logistic regression by Newton's method, which no scale slows."""
    return LogisticRegression(C=C, tol=1e-12, max_iter=100_000, solver="newton-cholesky")


#: Solver -> ours and scikit-learn's estimator of the same objective.
TWINS: dict[str, tuple[Any, Any]] = {
    "dual ascent": (textmix.SoftmaxClassifier(tol=1e-8), regression()),
    "dual descent": (textmix.LinearSVM(tol=1e-8), LinearSVC(tol=1e-12, max_iter=10**6, dual=False)),
    "function": (textmix.DropoutLogisticRegression(delta=0.0, l2=1 / 80, tol=1e-12), regression()),
    "subspace": (textmix.PathClassifier(lambdas=[1 / 80], l1_ratio=0.0, tol=1e-10), regression()),
}
#: Solver -> our estimator of label sets, and a function from C of a label's machine to scikit-learn's of one label.
LABEL_TWINS: dict[str, tuple[Any, Any]] = {
    "lbfgs": (textmix.BinaryRelevance(tol=1e-12), regression(C=2.0)),
    "newton": (textmix.CBMClassifier(n_components=1, tol=1e-12, step_tol=1e-12), regression(C=2.0)),
}


@pytest.mark.parametrize("solver", TWINS)
def test_a_feature_of_mean_500_does_not_keep_a_solver_from_the_optimum(solver: str) -> None:
    ours, theirs = TWINS[solver]
    model = ours.fit(X, CODES)
    assert model.converged_
    np.testing.assert_allclose(model.decision_function(NEW), theirs.fit(X, CODES).decision_function(NEW), atol=1e-4)


@pytest.mark.parametrize("solver", LABEL_TWINS)
def test_nor_a_solver_of_several_labels(solver: str) -> None:
    ours, theirs = LABEL_TWINS[solver]
    model = ours.fit(X, SETS)
    assert model.converged_
    expected = np.column_stack([theirs.fit(X, column).predict_proba(NEW)[:, 1] for column in SETS.T])
    np.testing.assert_allclose(model.predict_proba(NEW), expected, atol=1e-4)


def test_nor_the_pairs_of_a_support_vector_machine() -> None:
    model = textmix.LabelSVM(scale="none", costs=(1e-3,), cost_factors=(1.0,), tol=1e-6).fit(X, SETS)
    assert model.converged_
    twins = [SVC(kernel="linear", C=cost, tol=1e-8) for cost in model.cost_]
    expected = [twin.fit(X, column).decision_function(NEW) for twin, column in zip(twins, SETS.T, strict=True)]
    np.testing.assert_allclose(model.decision_function(NEW), np.column_stack(expected), atol=1e-3)


def test_nor_coordinate_descent_with_an_l1_penalty() -> None:
    model = textmix.PathClassifier(lambdas=[0.01], l1_ratio=1.0, tol=1e-10).fit(X, CODES)
    slope = X.T @ (model.predict_proba(X)[:, 1] - CODES) / len(X)
    assert model.converged_
    np.testing.assert_allclose(slope, -0.01 * np.sign(model.coef_[0]), atol=1e-6)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(("n_classes", "intercept"), [(2, True), (3, True), (2, False), (3, False)])
@pytest.mark.parametrize("name", ["SoftmaxClassifier", "LinearSVM"])
def test_the_gap_bounds_the_distance_to_the_optimum(name: str, n_classes: int, intercept: bool, form: Any) -> None:
    y = CODES + (n_classes - 2) * SETS[:, 1]
    rough, exact = (
        make(name, fit_intercept=intercept, tol=tolerance, max_iter=steps).fit(form(X), y)
        for tolerance, steps in ((1e-3, 300), (1e-6, 3000))
    )
    assert exact.converged_ and (intercept or not exact.intercept_.any())
    if name == "SoftmaxClassifier":
        best = exact.objective_path_[-1]
        assert best - 1e-6 * best <= rough.objective_path_[-1] <= best + rough.gap_ + 1e-6 * best
    np.testing.assert_allclose(rough.decision_function(NEW), exact.decision_function(NEW), atol=0.2)


def test_machines_that_another_method_finished_are_no_start() -> None:
    warm = textmix.LinearSVM(warm_start=True, tol=1e-8)
    for C in (0.1, 1.0):
        found = warm.set_params(C=C).fit(X, CODES).decision_function(NEW)
    np.testing.assert_allclose(found, textmix.LinearSVM(tol=1e-8).fit(X, CODES).decision_function(NEW), atol=1e-5)


#: Classes whose fit may end before it has converged, and the parameters of which it surely does.
ONE_STEP = {"max_iter": 1, "tol": 0.0}
LIMITED: dict[str, dict[str, Any]] = {
    **{name: {"max_iter": 1, "tol": 1e-12} for name in ("SoftmaxClassifier", "LinearSVM", "SVMRelevance")},
    **{name: {"max_iter": 1, "tol": 1e-12} for name in ("SVMPowerSet", "DropoutLogisticRegression")},
    "NBSVMClassifier": {"tol": 1e-3},
    "PathClassifier": {"l1_ratio": 1.0, "lambdas": [1e-3]},
    "AbsoluteDiscountingClassifier": {"unlabelled": "em", **ONE_STEP},
    "DCMClassifier": {"max_iter": 1, "gradient_tol": 1e-300},
    "LabelSVM": {"max_iter": 1, "costs": (1.0,), "cost_factors": (1.0,)},
    **{name: ONE_STEP for name in ("BinaryRelevance", "PowerSet", "PairwiseCRF", "ClassifierChain", "ChainEnsemble")},
    **{name: ONE_STEP for name in ("ProbabilisticChain", "DependencyNetwork", "CBMClassifier", "PMM1", "PMM2")},
    **{name: ONE_STEP for name in ("LabelNetwork", "MultinomialMixture", "LatentTopicEDCM", "HiddenMarkovModel")},
    **{name: ONE_STEP for name in ("HMMClassifier", "ClusteredHMMClassifier")},
}


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_a_fit_that_has_not_converged_warns(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Two classes have no limit that a user may set: their solver stops at its start.
    monkeypatch.setattr(nbsvm, "solve_l2", functools.partial(solve_l2, max_iter=0))
    monkeypatch.setattr(path, "solve_l1", functools.partial(solve_l1, max_iter=0))
    rng = np.random.default_rng(0)
    counts = rng.poisson(1.0, (40, 6))
    labels = (counts[:, :3] + rng.poisson(0.5, (40, 3)) > 1).astype(int)
    y = labels if name in SEVERAL else labels[:, 0]
    if name == "AbsoluteDiscountingClassifier":
        y[:20] = 0
    words = [np.repeat(np.arange(6), row) for row in counts] if name in OF_SEQUENCES else counts
    if name in LIMITED:
        model = make(name, **LIMITED[name])
        with pytest.warns(ConvergenceWarning, match=f"{name} has not converged.*; raise (max_iter|tol)") as message:
            model.fit(words, y)
        assert not model.converged_
        assert message[-1].filename == __file__, "the warning names the line that called fit"
    else:
        assert name == "EDCMClassifier" or "converged_" not in repr(getattr(CLASSES[name], "_fitted_forms", ""))
