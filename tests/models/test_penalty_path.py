"""Linear models: the objective is the smallest there is, the gap tells by how much not, folds agree with fits alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import approx_fprime, minimize
from sklearn.svm import LinearSVC

from tests.naive import linear as naive
from textmix.models.linear import subspace
from textmix.models.linear.dropout import DropoutLogisticRegression, _Noised
from textmix.models.linear.margin_problem import LOSSES, Columns, MarginProblem, largest_l1
from textmix.models.linear.nbsvm import NBSVMClassifier
from textmix.models.linear.path import PathClassifier, cross_validate, penalty_grid, regularisation_path
from textmix.models.linear.subspace import solve_l2
from textmix.models.linear.working_set import solve_l1

quick = settings(deadline=None, derandomize=True, max_examples=5)
seeds = st.integers(0, 2**32 - 1)
PENALTIES = [(0.0, 0.05), (0.02, 0.0), (0.01, 0.02)]
every_loss = pytest.mark.parametrize("loss", LOSSES)
every_penalty = pytest.mark.parametrize(("l1", "l2"), PENALTIES)


def data(seed: int, n: int = 24, p: int = 6, binary: bool = True) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = (rng.random((n, p)) < 0.4).astype(float)
    if not binary:
        X *= rng.gamma(2.0, size=X.shape)
    y = np.where(X @ rng.normal(size=p) + rng.normal(size=n) > 0, 1.0, -1.0)
    y[:2] = -1.0, 1.0
    return X, y


def solve(problem: MarginProblem, l1: float, l2: float, **options: Any) -> Any:
    return solve_l1(problem, l1, l2, **options) if l1 else solve_l2(problem, l2, **options)


@every_loss
@every_penalty
@pytest.mark.parametrize("binary", [True, False])
@quick
@given(seed=seeds)
def test_objective_is_the_smallest_and_the_gap_bounds_it(
    loss: str, l1: float, l2: float, binary: bool, seed: int
) -> None:
    X, y = data(seed, binary=binary)
    c = np.random.default_rng(seed).integers(0, 3, len(y)) + (np.arange(len(y)) < 2)
    problem = MarginProblem.of(Columns.of(X), y, loss, c.astype(float))
    assert (len(problem.X.data) == 0) == binary
    found = solve(problem, l1, l2, tol=1e-7)
    assert found.all_converged
    assert found.total_objective == pytest.approx(naive.objective(X, y, c, loss, l1, l2, found.w, found.b), rel=1e-9)
    best = naive.smallest(X, y, c, loss, l1, l2)
    assert found.total_objective <= best * (1 + 2e-7)
    np.testing.assert_allclose(found.scores, X @ found.w + found.b, atol=1e-10)
    rough = solve(problem, l1, l2, tol=0.05)
    assert rough.total_objective - found.total_objective <= rough.gap + 1e-12


@every_loss
@every_penalty
def test_a_start_elsewhere_ends_in_the_same_place(loss: str, l1: float, l2: float) -> None:
    X, y = data(3, n=60, p=100)
    problem = MarginProblem.of(Columns.of(X), y, loss)
    near = solve(problem, 3 * l1, 3 * l2, tol=1e-3)
    warm, cold = (solve(problem, l1, l2, start=start, tol=1e-10) for start in (near, None))
    assert warm.total_objective == pytest.approx(cold.total_objective, rel=1e-8)
    assert solve(problem, l1, l2, start=cold, tol=1e-6).n_iter == 0


@every_loss
def test_no_feature_has_weight_from_the_largest_penalty_on(loss: str) -> None:
    X, y = data(7, n=50, p=20)
    problem = MarginProblem.of(Columns.of(X), y, loss)
    limit = largest_l1(problem)
    assert not solve_l1(problem, limit * (1 + 1e-9)).w.any()
    assert np.count_nonzero(solve_l1(problem, limit * 0.98, tol=1e-8).w) == 1


@every_loss
@every_penalty
def test_documents_of_weight_0_change_nothing_but_keep_their_scores(loss: str, l1: float, l2: float) -> None:
    X, y = data(9, n=40, p=8)
    held = np.arange(40) % 4 == 0
    whole = solve(MarginProblem.of(Columns.of(X), y, loss, 1.0 * ~held), l1, l2, tol=1e-11)
    part = solve(MarginProblem.of(Columns.of(X[~held]), y[~held], loss), l1, l2, tol=1e-11)
    np.testing.assert_allclose(whole.w, part.w, atol=1e-5)
    np.testing.assert_allclose(whole.scores[held], X[held] @ part.w + part.b, atol=1e-4)


@pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
def test_cross_validation_counts_what_is_right_among_held_out_documents(l1_ratio: float) -> None:
    X, y = data(10, n=60, p=10)
    fold, columns = np.arange(60) % 3, Columns.of(X)
    lambdas = penalty_grid(MarginProblem.of(columns, y, "logistic"), l1_ratio, 4, 0.5, 0.01)
    accuracy = cross_validate(
        columns, y, fold, loss="logistic", lambdas=lambdas, l1_ratio=l1_ratio, tol=1e-9, patience=9
    )
    right = np.zeros(4)
    for k in range(3):
        rest = MarginProblem.of(Columns.of(X[fold != k]), y[fold != k], "logistic")
        for row, found in enumerate(regularisation_path(rest, lambdas, l1_ratio, 1e-9)):
            right[row] += np.sum((X[fold == k] @ found.w + found.b > 0) == (y[fold == k] > 0))
    np.testing.assert_allclose(accuracy, right / 60)


@every_loss
def test_a_subspace_that_is_too_large_is_left_without_harm(loss: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = data(12, n=60, p=90, binary=False)
    problem = MarginProblem.of(Columns.of(X), y, loss)
    whole = solve_l2(problem, 0.01, tol=1e-6)
    monkeypatch.setattr(subspace, "MOST_DIMENSIONS", 15)
    often = solve_l2(problem, 0.01, tol=1e-6)
    assert often.all_converged and often.n_iter > whole.n_iter
    assert often.total_objective == pytest.approx(whole.total_objective, rel=2e-6)


def test_search_ends_when_accuracy_no_longer_rises() -> None:
    X, y = data(11, n=40, p=5)
    lambdas = np.geomspace(1e-1, 1e-9, 20)
    found = cross_validate(Columns.of(X), y, np.arange(40) % 2, loss="logistic", lambdas=lambdas, l1_ratio=0.0)
    tried = np.flatnonzero(~np.isnan(found))
    assert len(tried) < 20
    assert tried[-1] - int(np.nanargmax(found)) == 2


def test_columns_taken_together_are_those_of_the_matrix() -> None:
    X, _ = data(12, binary=False)
    columns = Columns.of(X).take([(0, 2), (4, 6)])
    np.testing.assert_allclose(columns.scores(np.array([1.0, 0.0, 2.0, 3.0])), X[:, [0, 1, 4, 5]] @ [1, 0, 2, 3])


def test_the_chosen_penalty_is_the_best_on_held_out_documents() -> None:
    X, y = data(13, n=90, p=12)
    model = PathClassifier(l1_ratio=0.1, n_lambdas=6, random_state=0).fit(X, y)
    assert model.lambda_ == model.lambdas_[int(np.nanargmax(model.cv_accuracy_))]
    assert model.gap_ <= 1e-4 * model.objective_path_[-1]
    binary = PathClassifier(binary=True, lambdas=[0.1]).fit(X * 7, y)
    np.testing.assert_array_equal(binary.predict(X * 3), PathClassifier(lambdas=[0.1]).fit(X, y).predict(X))
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)).sum(axis=1), 1.0)
    assert not hasattr(PathClassifier(loss="squared_hinge"), "predict_log_proba")


def test_nbsvm_is_the_papers_formula() -> None:
    X, y = data(14, n=40, p=9)
    model = NBSVMClassifier(C=0.7, alpha=0.5, beta=0.3, tol=1e-12).fit(sparse.csr_array(X * 4), y)
    p, q = 0.5 + X[y > 0].sum(axis=0), 0.5 + X[y < 0].sum(axis=0)
    r = np.log((p / p.sum()) / (q / q.sum()))
    svm = solve_l2(MarginProblem.of(Columns.of(X * r), y, "squared_hinge"), 1 / (0.7 * 40), tol=1e-12)
    np.testing.assert_allclose(model.coef_[0], r * (0.7 * np.abs(svm.w).mean() + 0.3 * svm.w), atol=1e-6)
    assert model.intercept_[0] == pytest.approx(0.3 * svm.b, abs=1e-6)


@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
def test_nbsvm_without_an_intercept_is_liblinears_on_the_same_features(C: float) -> None:
    X, y = data(14, n=60, p=9)
    X, y = np.delete(X, 0, axis=0), np.delete(y, 0)  # classes of different size, for which an intercept matters
    model = NBSVMClassifier(C=C, beta=1.0, tol=1e-12, fit_intercept=False).fit(X, y)
    p, q = 1 + X[y > 0].sum(axis=0), 1 + X[y < 0].sum(axis=0)
    r = np.log((p / p.sum()) / (q / q.sum()))
    twin = LinearSVC(C=C, fit_intercept=False, tol=1e-10, max_iter=100_000).fit(X * r, y)
    np.testing.assert_allclose(model.coef_, r * twin.coef_, atol=1e-5)
    assert model.intercept_.tolist() == [0.0]
    assert model.converged_


def test_nbsvm_of_several_classes_is_one_machine_a_class_against_the_rest() -> None:
    X, codes = sparse.csr_array(data(14, n=60, p=9)[0] * 4), np.arange(60) % 3
    model = NBSVMClassifier(tol=1e-12).fit(X, codes)
    for code in range(3):
        alone = NBSVMClassifier(tol=1e-12).fit(X, codes == code)
        np.testing.assert_allclose(model.decision_function(X)[:, code], alone.decision_function(X), atol=1e-9)
    np.testing.assert_array_equal(model.predict(X), np.argmax(model.decision_function(X), axis=1))


def test_search_goes_on_where_the_largest_penalties_leave_the_most_frequent_class_alone() -> None:
    generator = np.random.default_rng(3)
    y = np.where(np.arange(60) % 5 == 0, 1.0, -1.0)
    X = Columns.of((y[:, np.newaxis] > 0) * 0.5 + generator.normal(0.0, 0.2, (60, 4)))
    lambdas = np.array([1e6, 1e5, 1e4, 1e3, 1e2, 1e-2])
    found = cross_validate(X, y, np.arange(60) // 5 % 3, loss="logistic", lambdas=lambdas, l1_ratio=0.0)
    np.testing.assert_array_equal(found[:4], 0.8)
    assert found[-1] > 0.9


def dropped(seed: int, separable: bool = False) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    X, y = data(seed, n=40, p=5, binary=False)
    return X[:30], (X[:30, 0] > 0).astype(int) if separable else (y[:30] > 0).astype(int), X[30:]


@pytest.mark.parametrize("unlabelled", [False, True])
def test_dropout_is_at_the_smallest_objective_of_its_naive_twin(unlabelled: bool) -> None:
    X, codes, more = dropped(15)
    model = DropoutLogisticRegression(delta=0.4, l2=0.01, discount=0.3, tol=1e-12)
    model.fit(sparse.csr_array(X), codes, sparse.csr_array(more) if unlabelled else None)
    rows = np.vstack([X, more]) if unlabelled else X
    weight = np.repeat([1.0, 0.3], [30, len(rows) - 30])

    def objective(v: np.ndarray) -> float:
        return naive.dropout_objective(rows, codes, weight, 0.4, 0.01, v)

    assert model.objective_path_[0] == pytest.approx(objective(np.append(model.coef_[0], model.intercept_)))
    start = np.random.default_rng(0).normal(size=6)
    assert model.converged_
    assert model.objective_path_[0] <= minimize(objective, start, method="BFGS").fun + 1e-7


def test_dropout_of_one_binary_matrix_is_that_of_its_values() -> None:
    X, codes, _ = dropped(16)
    present = (X > 0).astype(float)
    squared = _Noised.of(sparse.csr_array(present), codes, np.full(30, 0.01), 0.1)
    assert not len(squared.X.data)
    doubled = _Noised.of(sparse.csr_array(2.0 * present), codes, np.full(30, 0.01), 0.4)
    v = np.random.default_rng(1).normal(size=6)
    assert squared.at(v)[0] == pytest.approx(doubled.at(v / [2, 2, 2, 2, 2, 1])[0])


def test_features_of_one_document_alone_are_one_unknown() -> None:
    X, codes, _ = dropped(16)
    lone = np.eye(30)[:, [3, 3, 4, 3, 4]] * [1.0, 1.0, 1.0, 2.0, 2.0]
    wide = np.hstack([X, lone, np.zeros((30, 2))])
    problem = _Noised.of(sparse.csr_array(wide), codes, np.full(30, 0.5 * 0.4 / 0.6 / 30), 0.1)
    assert sorted(problem.root**2) == pytest.approx([1.0] * 8 + [2.0] * 2)
    v = np.random.default_rng(0).normal(size=11)
    value, gradient = problem.at(v)
    w = np.append(problem.weights(v), v[-1])
    assert value == pytest.approx(naive.dropout_objective(wide, codes, np.ones(30), 0.4, 0.1, w))
    np.testing.assert_allclose(gradient, approx_fprime(v, lambda u: problem.at(u)[0]), atol=1e-6)
    alone = DropoutLogisticRegression(tol=1e-12).fit(wide, codes).coef_[0]
    assert alone[5] == alone[6] != alone[8] and not alone[10:].any()


def test_dropout_converges_where_rare_features_separate_the_classes() -> None:
    X, codes, _ = dropped(17, separable=True)
    wide = np.hstack([X, 1e-3 * np.eye(30)])
    model = DropoutLogisticRegression(delta=0.5, l2=1e-4, tol=1e-12).fit(wide, codes)
    problem = _Noised.of(sparse.csr_array(wide), codes, np.full(30, 0.5 / 30), 1e-4)
    unknowns = np.append(np.empty(35), model.intercept_)
    unknowns[problem.group] = model.coef_[0]  # no two features have equal columns
    _, gradient = problem.at(unknowns)
    assert np.abs(gradient * problem.scale()).max() < 1e-5
