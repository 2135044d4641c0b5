"""Batched linear classifiers: equal to one general optimiser a problem, never rising, the same in the row space."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from tests.naive import cbm as naive
from textmix.models.linear.loss_kernels import logistic_line
from textmix.models.linear.problems import LogisticBatch, Multinomial, add_bias
from textmix.models.linear.row_space import RowSpace
from textmix.models.linear.solvers import minimise, minimise_newton

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
