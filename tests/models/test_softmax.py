"""Multinomial logistic regression: plain kernels, scikit-learn's optimum, the bytes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.special import log_softmax
from sklearn.linear_model import LogisticRegression

from tests.naive import softmax as naive
from textmix.models.linear.softmax import SoftmaxClassifier
from textmix.models.linear.softmax_kernels import best_shares, sweep


def data(n_classes: int, n: int = 60, p: int = 15) -> tuple[sparse.csr_array, np.ndarray]:
    """Return raw counts of very different size (n, p), and classes (n,) that they tell apart in part."""
    rng = np.random.default_rng(n_classes)
    y = np.arange(n) % n_classes
    X = rng.poisson(rng.gamma(0.3, 2.0, (n_classes, p))[y] * rng.gamma(1.0, 1.0, (n, 1)))
    return sparse.csr_array(X.astype(np.float64)), y


def objective(model: SoftmaxClassifier | LogisticRegression, X: sparse.csr_array, y: np.ndarray, C: float) -> float:
    """Return the sum of log losses plus the penalty."""
    # Of the own classes alone: scikit-learn's predict_log_proba divides by zero where another class has no probability.
    loss = -np.log(model.predict_proba(X)[np.arange(len(y)), y]).sum()
    return float(loss + np.sum(model.coef_**2) / (2.0 * C))


@pytest.mark.parametrize("square", [1e-6, 0.3, 40.0, 1e6])
def test_the_step_of_a_document_is_that_of_a_general_solver(square: float) -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        scores, shares = rng.normal(0.0, 5.0, 4), rng.dirichlet(np.full(4, 0.3)) * (1.0 - 4e-9) + 1e-9
        expected = naive.best_shares(scores, shares, square)
        found, logs = shares.copy(), np.log(shares)
        best_shares(scores.copy(), found, logs, square)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-12)
        np.testing.assert_allclose(np.exp(logs), found, rtol=1e-12)
        np.testing.assert_allclose(np.log(found), log_softmax(scores - square * (found - shares)), atol=1e-6 * square)


def test_a_sweep_is_a_step_of_each_document_in_turn() -> None:
    X, y = data(3, n=12, p=5)
    truth, order = np.eye(3)[y], np.random.default_rng(0).permutation(12)
    start = 0.9 * truth + 0.1 / 3
    expected = naive.sweep(X.toarray(), truth, order, 0.7, 0.2, start)
    found = start.copy(), 0.7 * (X.T @ (truth - start)), 0.2 * (truth - start).sum(axis=0)
    sweep(X.indptr, X.indices, X.data, order, np.ones(1), 0.7, 0.2, found[0], np.log(start), found[1], found[2])
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("C", [0.05, 3.0])
def test_the_optimum_is_scikit_learns(n_classes: int, C: float) -> None:
    X, y = data(n_classes)
    ours = SoftmaxClassifier(C=C, tol=1e-11, max_iter=20_000).fit(X, y)
    theirs = LogisticRegression(C=C, tol=1e-9, max_iter=10_000).fit(X, y)
    assert ours.converged_
    assert objective(ours, X, y, C) == pytest.approx(objective(theirs, X, y, C), rel=1e-8)
    assert ours.objective_path_[-1] == pytest.approx(objective(ours, X, y, C), rel=1e-10)
    np.testing.assert_allclose(np.exp(ours.predict_log_proba(X)), ours.predict_proba(X), rtol=1e-12)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-4)


def test_sparse_and_dense_features_give_the_same_bytes() -> None:
    X, y = data(3)
    one, other = SoftmaxClassifier().fit(X, y), SoftmaxClassifier().fit(X.toarray(), y)
    assert one.coef_.tobytes() == other.coef_.tobytes()
