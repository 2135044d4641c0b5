"""Batched linear classifiers: equal to one general optimiser a problem, never rising, the same in the row space."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.special import expit

from tests.early_stops import stops_early
from tests.models.test_cbm import documents
from tests.naive import cbm as naive
from tests.naive.linear import plain_lbfgs
from textmix import BinaryRelevance, CBMClassifier, ClassifierChain, PairwiseCRF, PowerSet
from textmix.models.label_sets import estimators
from textmix.models.linear.loss_kernels import logistic_line
from textmix.models.linear.problems import LogisticBatch, Multinomial, add_bias
from textmix.models.linear.row_space import RowSpace
from textmix.models.linear.solvers import minimise, minimise_newton, minimise_plain

seeds = st.integers(0, 2**32 - 1)


def problem(seed: int, n: int = 30, v: int = 4, b: int = 3) -> tuple[Any, ...]:
    """Return features, labels and weights."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, v))
    Y = (X @ rng.normal(size=(v, b)) + rng.logistic(size=(n, b)) > 0).astype(np.int8)
    return X, Y, rng.uniform(0.1, 2.0, size=n)


@given(seeds)
@settings(deadline=None, derandomize=True, max_examples=10)
def test_a_batch_reaches_what_one_optimiser_a_problem_reaches(seed):
    X, Y, weight = problem(seed)
    found = minimise(LogisticBatch(X, Y, weight, 0.7), np.zeros((5, 3)), 500, 1e-9)
    assert found.converged.all()
    for b in range(3):
        best = naive.best(lambda w, b=b: naive.logistic_objective(X, Y[:, b], weight, 0.7, w), 5)
        own = naive.logistic_objective(X, Y[:, b], weight, 0.7, found.unknowns[:, b])
        np.testing.assert_allclose([own, found.objective[b]], best, rtol=1e-6)


@given(seeds)
@settings(deadline=None, derandomize=True, max_examples=10)
def test_the_multinomial_reaches_what_a_general_optimiser_reaches(seed):
    X, _, weight = problem(seed)
    target = np.random.default_rng(seed).dirichlet(np.full(3, 0.5), size=len(X))
    found = minimise(Multinomial(X, target, 3, weight, 0.7), np.zeros((15, 1)), 500, 1e-9)
    best = naive.best(lambda w: naive.multinomial_objective(X, target, weight, 0.7, w.reshape(5, 3)), 15)
    own = naive.multinomial_objective(X, target, weight, 0.7, found.unknowns.reshape(5, 3))
    np.testing.assert_allclose([own, found.objective[0]], best, rtol=1e-6)


def test_no_objective_rises_however_early_the_descent_is_cut():
    X, Y, weight = problem(2)
    batch, W, before = LogisticBatch(X, Y, weight, 50.0), np.zeros((5, 3)), np.full(3, np.inf)
    for _ in range(12):
        found = minimise(batch, W, 1, 0.0)
        assert np.all(found.objective <= before + 1e-12)
        W, before = found.unknowns, found.objective


def test_a_weight_that_is_not_free_stays_zero_and_the_others_are_best_without_it():
    X, Y, weight = problem(4)
    free = np.ones((5, 3), dtype=bool)
    free[1, 0] = False
    found = minimise(LogisticBatch(X, Y, weight, 1.0, free), np.zeros((5, 3)), 300, 1e-10)
    assert found.unknowns[1, 0] == 0.0
    without = minimise(LogisticBatch(np.delete(X, 1, axis=1), Y, weight, 1.0), np.zeros((4, 3)), 300, 1e-10)
    np.testing.assert_allclose(found.objective[0], without.objective[0], rtol=1e-8)


@pytest.mark.parametrize("z", [-800.0, 800.0])
def test_extreme_predictors_neither_overflow_nor_cancel(z):
    out = np.empty((1, 1))
    value, _, _ = logistic_line(
        np.array([[z]]), np.zeros((1, 1)), np.zeros(1), np.array([[1]], dtype=np.int8), np.ones(1), out
    )
    np.testing.assert_allclose(value, max(-z, 0.0))
    assert out[0, 0] == (-1.0 if z < 0 else 0.0)


@pytest.mark.parametrize("shape", [(8, 20), (40, 6)])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_newton_in_the_row_space_reaches_what_lbfgs_reaches(shape, form):
    X, Y, weight = problem(11, *shape)
    start = np.random.default_rng(1).normal(size=(shape[1] + 1, 3))
    found = minimise_newton(LogisticBatch(form(X), Y, weight, 0.8), start, 50, 1e-14)
    batch = LogisticBatch(X, Y, weight, 0.8)
    peer = minimise(batch, np.zeros_like(start), 2000, 1e-13)
    np.testing.assert_allclose(found.unknowns, peer.unknowns, atol=1e-4)
    before, after = (minimise(batch, W, 0, 0.0).objective for W in (start, found.unknowns))
    np.testing.assert_allclose(found.objective, after)
    assert found.all_converged
    assert np.all(after <= before)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_the_best_weights_are_found_in_the_space_of_the_rows(form):
    X, Y, weight = problem(13, 9, 25)
    X[4] = X[3]
    space = RowSpace.of(form(X))
    assert space.inputs.shape == (9, 8)
    found = minimise(LogisticBatch(space.inputs, Y, weight, 0.8), np.zeros((9, 3)), 2000, 1e-13)
    peer = minimise(LogisticBatch(X, Y, weight, 0.8), np.zeros((26, 3)), 2000, 1e-13)
    np.testing.assert_allclose(space.lift(found.unknowns), peer.unknowns, atol=1e-5)
    np.testing.assert_allclose(space.project(peer.unknowns), found.unknowns, atol=1e-5)
    others = np.random.default_rng(2).normal(size=(4, 25))
    predicted = add_bias(space.coordinates(form(others)), found.unknowns)
    np.testing.assert_allclose(predicted, add_bias(others, peer.unknowns), atol=1e-4)


def test_only_few_rows_of_many_columns_are_turned():
    assert RowSpace.of(np.ones((5, 4))).X is None
    assert RowSpace.of(np.eye(5, 9), most=4).X is None


@pytest.mark.parametrize("penalise_intercept", [False, True])
def test_plain_lbfgs_takes_the_steps_of_the_reference_implementation(penalise_intercept):
    X, Y, weight = problem(5)
    X = X * 10.0 ** np.arange(4)  # features of different scales, so that the path differs from the scaled one
    batch = LogisticBatch(X, Y, weight, 1e4, penalise_intercept=penalise_intercept)
    for b in range(3):

        def value_and_gradient(w, b=b):
            odds = X @ w[:-1] + w[-1]
            penalised = w if penalise_intercept else np.append(w[:-1], 0.0)
            value = weight @ (np.logaddexp(0.0, odds) - Y[:, b] * odds) + penalised @ penalised / 2e4
            residual = weight * (expit(odds) - Y[:, b])
            return value, np.append(X.T @ residual, residual.sum()) + penalised / 1e4

        iterates = plain_lbfgs(value_and_gradient, np.zeros(5), 12)
        for n_iter in (1, 2, 5, 8, 12):
            solution = minimise_plain(batch, np.zeros((5, 3)), n_iter, 0.0)
            np.testing.assert_allclose(solution.unknowns[:, b], iterates[n_iter], rtol=1e-5, atol=1e-9)


def test_plain_lbfgs_stops_after_five_successive_small_changes():
    X, Y, weight = problem(6)
    batch = LogisticBatch(X, Y, weight, 1.0)
    values = np.array([minimise_plain(batch, np.zeros((5, 3)), n, 0.0).objective for n in range(40)])
    change = np.abs(np.diff(values, axis=0))
    for tol in (1e-3, 1e-5):
        solution = minimise_plain(batch, np.zeros((5, 3)), 40, tol)
        assert solution.converged.all()
        small = (change <= tol * np.abs(values[1:])) & (change <= 100.0 * tol)
        ends = [next(n for n in range(5, 40) if small[n - 5 : n, b].all()) for b in range(3)]
        assert solution.n_iter == max(ends)
        np.testing.assert_allclose(solution.objective, values[ends, range(3)])
    assert not minimise_plain(batch, np.zeros((5, 3)), 4, 1e-3).converged.any()


@pytest.mark.parametrize("kind", [BinaryRelevance, PowerSet, PairwiseCRF])
def test_plain_and_scaled_lbfgs_reach_the_same_optimum_by_different_paths(kind):
    X, Y = documents(1, n=60)
    X = X * 10.0 ** np.arange(X.shape[1]) / 100.0
    params = {"variance": 1.0, "max_iter": 5000, "tol": 1e-12}
    plain = kind(**params, solver="plain_lbfgs").fit(X, Y)
    scaled = kind(**params).fit(X, Y)
    np.testing.assert_allclose(plain.objective_path_, scaled.objective_path_, rtol=1e-6)
    few = {"max_iter": 3, "tol": 0.0}
    with stops_early():
        coef = [kind(**few, solver=solver).fit(X, Y).coef_ for solver in ("plain_lbfgs", "lbfgs")]
    assert not np.allclose(*coef)


@pytest.mark.parametrize("kind", [BinaryRelevance, PowerSet, PairwiseCRF])
def test_plain_lbfgs_takes_the_same_path_in_the_row_space(kind, monkeypatch):
    X, Y = np.random.default_rng(2).poisson(0.3, (30, 80)).astype(float), documents(1, n=30)[1]
    model = kind(variance=1e6, max_iter=4, tol=0.0, solver="plain_lbfgs")
    with stops_early():
        inside = model.fit(X, Y).coef_
    monkeypatch.setattr(RowSpace, "of", classmethod(lambda cls, X, most=0: cls(X)))
    monkeypatch.setattr(estimators, "_latest", {})
    with stops_early():
        outside = model.fit(X, Y).coef_
    np.testing.assert_allclose(outside, inside, atol=1e-8)


@pytest.mark.parametrize("form", [np.array, sparse.csr_array])
def test_fits_with_the_plain_solver_decompose_the_same_training_matrix_once(form, monkeypatch):
    X, Y = np.random.default_rng(3).poisson(0.3, (20, 60)).astype(float), documents(1, n=20)[1]
    decomposed = []
    create = RowSpace.of
    monkeypatch.setattr(RowSpace, "of", classmethod(lambda cls, X, most=0: decomposed.append(X) or create(X, most)))
    monkeypatch.setattr(estimators, "_latest", {})
    fits = [ClassifierChain(solver="plain_lbfgs", random_state=seed).fit(form(X), Y) for seed in (0, 1, 0)]
    assert len(decomposed) == 1
    np.testing.assert_array_equal(fits[0].predict_proba(form(X)), fits[2].predict_proba(form(X)))
    ClassifierChain(solver="plain_lbfgs", random_state=0).fit(form(2.0 * X), Y)
    assert len(decomposed) == 2


def test_penalised_intercepts_are_smaller():
    X, Y = documents(1, n=60)
    for kind in (BinaryRelevance, PowerSet, ClassifierChain):
        free, penalised = (kind(variance=0.01, penalise_intercept=on).fit(X, Y) for on in (False, True))
        assert np.linalg.norm(penalised.intercept_) < np.linalg.norm(free.intercept_)


def test_plain_partial_m_steps_never_decrease_the_likelihood():
    X, Y = documents(1, n=200)
    params = {"n_components": 3, "variance": 1e2, "max_iter": 5, "steps": 3, "floor": 0.0, "constant": 0.0, "tol": 0.0}
    paths = []
    for solver in ("plain_lbfgs", "lbfgs"):
        with stops_early():
            model = CBMClassifier(**params, solver=solver, penalise_intercept=True, random_state=0).fit(X, Y)
        assert (np.diff(model.objective_path_) >= -1e-9 * np.abs(model.objective_path_[1:])).all()
        paths.append(model.objective_path_)
    assert not np.allclose(*paths)
