"""Kernels of the linear models on a few numbers: dense matrices, SciPy's optimiser, conditions of the optimum."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import expit, log_expit, log_softmax, softmax

from textmix.models.linear import column_kernels, machine_kernels, smo_kernels, softmax_kernels
from textmix.models.linear import coordinate_descent_kernels as descent
from textmix.models.linear.loss_kernels import class_line, logistic_line, set_log_likelihood, softmax_line, softplus
from textmix.models.linear.margin_problem import Columns
from textmix.models.linear.solver_kernels import column_dots, lbfgs_direction, newton_logistic


def cells(seed: int, binary: bool = False) -> np.ndarray:
    """Return a dense matrix (12, 4) with empty cells."""
    rng = np.random.default_rng(seed)
    return (rng.random((12, 4)) < 0.5) * (1.0 if binary else rng.gamma(2.0, size=(12, 4)))


@pytest.mark.parametrize("binary", [True, False])
def test_sums_over_a_column_are_those_of_the_dense_matrix(binary: bool) -> None:
    X, state = cells(3, binary), np.random.default_rng(4).gamma(1.0, size=(12, 2))
    arrays = Columns.of(X).arrays
    assert (len(arrays[2]) == 0) == binary
    for j in range(4):
        assert descent._column_curvature(*arrays, j, state) == pytest.approx(state[:, 1] @ X[:, j] ** 2)
        assert descent._column_gradient(*arrays, j, state) == pytest.approx(state[:, 0] @ X[:, j])
        changed = state.copy()
        descent._add_to_weight(*arrays, j, changed, 0.3)
        np.testing.assert_allclose(changed, state + np.outer(0.3 * state[:, 1] * X[:, j], [1.0, 0.0]))
    v, w = state[:, 0].copy(), np.array([0.5, -2.0])
    np.testing.assert_allclose(column_kernels.correlate(*arrays, v), X.T @ v)
    np.testing.assert_allclose(column_kernels.gram_product(*arrays, v), X @ (X.T @ v))
    np.testing.assert_allclose(column_kernels.combine_some(*arrays, np.array([3, 1]), w, 12), X[:, [3, 1]] @ w)


@pytest.mark.parametrize("binary", [True, False])
def test_copied_columns_are_those_of_the_matrix(binary: bool) -> None:
    X = cells(8, binary)
    columns = np.array([3, 0])
    indptr, indices, data = column_kernels.copy_columns(*Columns.of(X).arrays, columns)
    data = data if len(data) else np.ones(len(indices))
    np.testing.assert_array_equal(sparse.csc_array((data, indices, indptr), shape=(12, 2)).toarray(), X[:, columns])


@pytest.mark.parametrize("binary", [True, False])
def test_transposed_columns_give_the_same_sums(binary: bool) -> None:
    arrays = Columns.of(cells(9, binary)).arrays
    columns = np.array([0, 2, 3])
    w = np.array([0.3, -1.7, 0.9])
    rows = column_kernels.transpose_columns(*arrays, columns, 12)
    sums = column_kernels.combine_some(*arrays, columns, w, 12)
    np.testing.assert_array_equal(column_kernels.correlate(*rows, w), sums)


@pytest.mark.parametrize("binary", [True, False])
def test_products_with_cells_and_their_squares_are_those_of_the_dense_matrix(binary: bool) -> None:
    X, rng = cells(5, binary), np.random.default_rng(6)
    arrays, W, V = Columns.of(X).arrays, rng.normal(size=(4, 2)), rng.normal(size=(12, 2))
    np.testing.assert_allclose(
        column_kernels.combine_squares(*arrays, W, 12), np.column_stack([X @ W[:, 0], X**2 @ W[:, 1]])
    )
    np.testing.assert_allclose(
        column_kernels.correlate_squares(*arrays, V), np.column_stack([X.T @ V[:, 0], (X**2).T @ V[:, 1]])
    )


def test_the_quadratic_leaves_out_documents_without_curvature() -> None:
    state, w = np.array([[2.0, 4.0], [3.0, 0.0], [-1.0, 0.5]]), np.array([-2.0, 0.0, 3.0])
    found = descent._quadratic(state, w, 0.3, 0.1)
    assert found == pytest.approx(4.0 / 8.0 + 1.0 / 1.0 + 0.3 * 5.0 + 0.05 * 13.0)


def test_conjugate_gradients_end_at_a_hundredth_of_the_gradient() -> None:
    rng = np.random.default_rng(0)
    X = rng.gamma(2.0, size=(40, 6))
    state, w, l1, l2 = np.column_stack([rng.normal(size=40), rng.gamma(1.0, size=40)]), np.full(6, 50.0), 0.3, 0.1
    curvature = state[:, 1] @ X**2 + l2

    def size() -> float:
        """Return the squared norm of the gradient in weights and intercept, over the second derivatives."""
        slope = X.T @ state[:, 0] + l2 * w + l1 * np.sign(w)
        return float(slope**2 @ (1.0 / curvature) + state[:, 0].sum() ** 2 / state[:, 1].sum())

    before = size()
    descent._support_step(*Columns.of(X).arrays, w, state, curvature, l1, l2)
    assert (w > 0).all(), "no sign changed, so that the step is whole"
    assert size() <= 0.01 * before * (1.0 + 1e-9)


def test_descent_ends_where_the_penalised_quadratic_is_least() -> None:
    rng = np.random.default_rng(7)
    X, start, l1, l2 = cells(7), np.column_stack([rng.normal(size=12), rng.gamma(1.0, size=12)]), 1.0, 0.2
    state, w, shift, found = start.copy(), np.zeros(4), 0.0, []
    for _ in range(20):  # a call ends at a tenth of the violation that it begins with
        step, violation, sweeps = descent.descend(*Columns.of(X).arrays, w, state, l1, l2, 1e-12, 500)
        shift += step
        found.append((violation, sweeps))
    moved = X @ w + shift
    np.testing.assert_allclose(state[:, 0], start[:, 0] + start[:, 1] * moved, atol=1e-9)
    slope = X.T @ state[:, 0] + l2 * w
    assert state[:, 0].sum() == pytest.approx(0.0, abs=1e-9)
    np.testing.assert_allclose(slope[w != 0], -l1 * np.sign(w[w != 0]), atol=1e-9)
    assert 0 < np.count_nonzero(w) < 4 and (abs(slope[w == 0]) <= l1).all()
    assert found[0][0] > 0.1 and found[0][1] > 1 and found[-1][0] < 1e-9 and found[-1][1] == 1


def test_losses_of_labels_and_their_derivatives_along_a_line_are_scipys() -> None:
    rng = np.random.default_rng(2)
    Z, D, t, weight = (
        3 * rng.normal(size=(6, 2)),
        rng.normal(size=(6, 2)),
        np.array([0.5, -1.0]),
        rng.gamma(1.0, size=6),
    )
    Y, residual = rng.integers(0, 2, (6, 2)).astype(np.int8), np.empty((6, 2))
    z = Z + t * D
    value, slope, bend = logistic_line(Z, D, t, Y, weight, residual)
    np.testing.assert_allclose(value, -(weight[:, np.newaxis] * (Y * log_expit(z) + (1 - Y) * log_expit(-z))).sum(0))
    np.testing.assert_allclose(residual, weight[:, np.newaxis] * (expit(z) - Y), rtol=1e-12)
    np.testing.assert_allclose(slope, (residual * D).sum(axis=0), rtol=1e-12)
    np.testing.assert_allclose(bend, (weight[:, np.newaxis] * expit(z) * expit(-z) * D**2).sum(axis=0), rtol=1e-12)
    np.testing.assert_allclose(
        set_log_likelihood(z, Y), np.where(Y, log_expit(z), log_expit(-z)).sum(axis=1), rtol=1e-12
    )
    assert [softplus(z) for z in (-800.0, 0.0, 800.0)] == pytest.approx([0.0, np.log(2.0), 800.0])


def test_losses_of_classes_and_their_derivatives_along_a_line_are_scipys() -> None:
    rng = np.random.default_rng(1)
    Z, D, code, weight = rng.normal(size=(5, 3)), rng.normal(size=(5, 3)), np.arange(5) % 3, rng.gamma(1.0, size=5)
    for line, target, share in (
        (softmax_line, np.eye(3)[code], np.eye(3)[code]),
        (softmax_line, np.full((5, 3), 1 / 3), np.full((5, 3), 1 / 3)),
        (class_line, code, np.eye(3)[code]),
    ):
        p = softmax(Z + 0.5 * D, axis=1)
        mean = (p * D).sum(axis=1)
        expected = (
            -weight @ (share * log_softmax(Z + 0.5 * D, axis=1)).sum(axis=1),
            weight @ (mean - (share * D).sum(axis=1)),
            weight @ ((p * D**2).sum(axis=1) - mean**2),
        )
        for shift in (-1000.0, 0.0, 1000.0):  # no exponential of such a score is a number
            residual = np.empty((5, 3))
            assert line(Z + shift, D, 0.5, target, weight, residual) == pytest.approx(expected, rel=1e-9)
            np.testing.assert_allclose(residual, weight[:, np.newaxis] * (p - share), atol=1e-12)


@pytest.mark.parametrize("line", [softmax_line, class_line])
def test_a_move_that_changes_no_difference_of_scores_has_no_negative_curvature(line: Callable[..., Any]) -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        Z, D, code, residual = (
            rng.normal(size=(5, 3)),
            np.full((5, 3), rng.normal()),
            np.arange(5) % 3,
            np.empty((5, 3)),
        )
        target = np.eye(3)[code] if line is softmax_line else code
        assert 0.0 <= line(Z, D, 0.5, target, np.ones(5), residual)[2] < 1e-14


def test_newton_ends_where_scipys_optimiser_ends() -> None:
    rng = np.random.default_rng(5)
    A = np.column_stack([rng.normal(size=(14, 2)), np.ones(14)])
    Y, weight, penalty = (rng.random((14, 2)) < 0.4).astype(np.int8), rng.gamma(2.0, size=14), np.array([0.5, 0.2, 0.0])

    def loss(u: np.ndarray, y: np.ndarray) -> float:
        """Return the penalised loss of one problem."""
        return float(-weight @ log_expit((2 * y - 1.0) * (A @ u)) + penalty @ u**2 / 2)

    unknowns, objective, converged, n_iter = newton_logistic(A, Y, weight, penalty, np.zeros((3, 2)), 50, 1e-12)
    for b in range(2):
        best = minimize(loss, np.zeros(3), args=(Y[:, b],), tol=1e-12)
        assert objective[b] == pytest.approx(best.fun, rel=1e-9) == loss(unknowns[:, b], Y[:, b])
    assert converged.all() and 2 <= n_iter <= 10


def test_a_problem_whose_curvature_is_gone_does_not_claim_to_have_converged() -> None:
    A, Y = np.ones((2, 1)), np.zeros((2, 1), dtype=np.int8)
    unknowns, objective, converged, n_iter = newton_logistic(
        A, Y, np.ones(2), np.zeros(1), np.full((1, 1), 800.0), 5, 1e-9
    )
    assert unknowns.tolist() == [[800.0]] and objective.tolist() == [1600.0]
    assert converged.tolist() == [False] and n_iter == 0


@pytest.mark.parametrize("square", [0.0, 0.3, 50.0])
def test_the_best_shares_of_a_document_solve_their_equation(square: float) -> None:
    start, scores = np.array([0.2, 0.5, 0.3]), np.array([3.0, -1.0, 0.5])
    shares, logs = start.copy(), np.log(start)
    softmax_kernels.best_shares(scores.copy(), shares, logs, square)
    np.testing.assert_allclose(shares, softmax(scores - square * (shares - start)), rtol=1e-6)
    np.testing.assert_allclose(logs, np.log(shares), rtol=1e-12)
    assert shares.sum() == pytest.approx(1.0, rel=1e-14)


@pytest.mark.parametrize("importance", [np.ones(1), np.arange(12.0)], ids=["unweighted", "weighted"])
def test_a_sweep_of_shares_keeps_weights_in_step(importance: np.ndarray) -> None:
    matrix, start, order = sparse.csr_array(cells(9)), np.full((12, 3), 1 / 3), np.array([4, 0, 11, 7])
    shares, logs, weights, bias = start.copy(), np.log(start), np.zeros((4, 3)), np.zeros(3)
    parts = matrix.indptr, matrix.indices, matrix.data
    softmax_kernels.sweep(*parts, order, importance, 0.7, 0.4, shares, logs, weights, bias)
    changes = importance[:, np.newaxis] * (start - shares)
    np.testing.assert_allclose(weights, 0.7 * matrix.T @ changes, atol=1e-12)
    np.testing.assert_allclose(bias, 0.4 * changes.sum(axis=0), atol=1e-12)
    untouched = np.setdiff1d(np.arange(12), order)
    np.testing.assert_array_equal(shares[untouched], start[untouched])


@pytest.mark.parametrize("ridges", [np.full((1, 2), 0.25), np.linspace(0.1, 2.0, 24).reshape(12, 2)])
def test_a_sweep_of_machines_takes_the_best_step_of_each_document(ridges: np.ndarray) -> None:
    X, signs = cells(11), np.where(np.random.default_rng(0).random((12, 2)) < 0.5, 1, -1).astype(np.int8)
    matrix = sparse.csr_array(X)
    ridge_of = np.broadcast_to(ridges, (12, 2))
    full = np.column_stack([X, np.ones(12)])
    alpha, weights, order = np.zeros((12, 2)), np.zeros((5, 2)), np.array([3, 8, 3, 0])
    expected, w = alpha.copy(), weights.copy()
    for i in order:
        for k in range(2):
            slope = signs[i, k] * (full[i] @ w[:, k]) - 1.0 + ridge_of[i, k] * expected[i, k]
            new = max(expected[i, k] - slope / (full[i] @ full[i] + ridge_of[i, k]), 0.0)
            w[:, k] += signs[i, k] * (new - expected[i, k]) * full[i]
            expected[i, k] = new
    squares = (full**2).sum(axis=1)
    machine_kernels.sweep(matrix.indptr, matrix.indices, matrix.data, order, squares, signs, ridges, alpha, weights)
    np.testing.assert_allclose(alpha, expected, rtol=1e-12)
    np.testing.assert_allclose(weights, w, rtol=1e-12)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("ridges", [np.full((1, 1), 0.25), np.linspace(0.1, 2.0, 12).reshape(12, 1)])
def test_a_sweep_of_one_machine_equals_the_sweep_of_several(ridges: np.ndarray, intercept: bool) -> None:
    matrix = sparse.csr_array(cells(11))
    rng = np.random.default_rng(0)
    signs = np.where(rng.random((12, 1)) < 0.5, 1, -1).astype(np.int8)
    squares = np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel() + intercept
    rows = (matrix.indptr, matrix.indices, matrix.data, rng.permutation(12), squares)
    several, one = [(np.zeros((12, 1)), np.zeros((5, 1))) for _ in range(2)]
    for _ in range(3):
        machine_kernels.sweep(*rows, signs, ridges, *several, intercept)
        machine_kernels.sweep_one(*rows, signs[:, 0], ridges[:, 0], *(array[:, 0] for array in one), intercept)
    for expected, found in zip(several, one, strict=True):
        np.testing.assert_array_equal(found, expected)


def test_directions_of_lbfgs_are_those_of_the_dense_update() -> None:
    rng = np.random.default_rng(6)
    gradient, steps = rng.normal(size=(4, 2)), rng.normal(size=(3, 4, 2))
    changes = steps * rng.gamma(2.0, size=(3, 4, 2))
    changes[1, :, 1] = -steps[1, :, 1]  # a pair without positive curvature is skipped
    order, inverse = np.array([2, 0, 1]), rng.gamma(2.0, size=(4, 2))
    found = lbfgs_direction(gradient, steps, changes, order, inverse)
    np.testing.assert_allclose(column_dots(steps[0], changes[0]), (steps[0] * changes[0]).sum(axis=0))
    for b in range(2):
        newest_s, newest_y = steps[1, :, b], changes[1, :, b]
        positive = newest_s @ newest_y > 0
        H = np.diag(inverse[:, b]) * (
            newest_s @ newest_y / (newest_y @ (inverse[:, b] * newest_y)) if positive else 1.0
        )
        for place in order:
            s, y = steps[place, :, b], changes[place, :, b]
            if s @ y > 0:
                V = np.eye(4) - np.outer(y, s) / (s @ y)
                H = V.T @ H @ V + np.outer(s, s) / (s @ y)
        np.testing.assert_allclose(found[:, b], -H @ gradient[:, b], rtol=1e-9)


def test_the_direction_of_lbfgs_is_finite_where_gradients_vanish() -> None:
    """A problem whose gradient falls below the square root of the least number has no curvature to tell."""
    steps, changes = np.ones((1, 3, 2)), np.ones((1, 3, 2))
    changes[0, :, 1] = 1e-170  # its square is 0, its product with the step is not
    gradient = np.column_stack([np.ones(3), np.full(3, 1e-170)])
    found = lbfgs_direction(gradient, steps, changes, np.array([0]), np.ones((3, 2)))
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found[:, 0], -1.0)
    tiny = lbfgs_direction(gradient, steps * 1e-160, changes * 1e-160, np.array([0]), np.ones((3, 2)))
    np.testing.assert_allclose(tiny, -gradient)


def test_a_machine_on_inner_products_meets_its_conditions() -> None:
    rng = np.random.default_rng(8)
    X, y = rng.normal(size=(16, 3)), np.where(rng.random(16) < 0.5, 1.0, -1.0)
    gram, cost = X @ X.T, 0.7
    lower, upper = np.where(y > 0, 0.0, -cost), np.where(y > 0, cost, 0.0)
    beta, gradient = np.zeros(16), y.copy()
    steps = smo_kernels.ascend(gram, lower, upper, beta, gradient, 1e-9, 10_000)
    np.testing.assert_allclose(gradient, y - gram @ beta, atol=1e-9)
    assert 0 < steps < 10_000 and abs(beta.sum()) < 1e-12
    assert (beta >= lower).all() and (beta <= upper).all() and np.isin(beta, [lower, upper]).any()
    top, bottom = gradient[beta < upper].max(), gradient[beta > lower].min()
    assert top - bottom <= 1e-9
    assert smo_kernels.intercept(lower, upper, beta, gradient) == pytest.approx((top + bottom) / 2)
    assert smo_kernels.ascend(gram, lower, upper, np.zeros(16), y.copy(), 1e-9, 3) == 3
