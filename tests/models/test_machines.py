"""Linear support vector machines: scikit-learn's optimum, the gap, a fit from the last one, and fits of blocks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from tests.early_stops import stops_early
from textmix.models.linear.dual import TOGETHER, Descent, fit_machines
from textmix.models.linear.machines import LinearSVM
from textmix.text.word_vectorizer import WordVectorizer


def data(n_classes: int, n: int = 60, p: int = 12) -> tuple[sparse.csr_array, np.ndarray]:
    """Return features (n, p) of unit length, and classes (n,) that they tell apart in part."""
    rng = np.random.default_rng(n_classes)
    y = np.arange(n) % n_classes
    X = rng.poisson(rng.gamma(0.4, 3.0, (n_classes, p))[y]) + (rng.random((n, p)) < 0.1)
    return sparse.csr_array(X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1.0)), y


@pytest.mark.parametrize(("n_classes", "C"), [(2, 0.1), (2, 10.0), (4, 1.0), (TOGETHER + 3, 1.0)])
def test_the_optimum_is_that_of_scikit_learn(n_classes: int, C: float) -> None:
    X, y = data(n_classes, n=120)
    model = LinearSVM(C=C, tol=1e-10, max_iter=100000).fit(X, y)
    peer = LinearSVC(C=C, tol=1e-12, max_iter=10**6, random_state=0).fit(X, y)
    assert model.converged_
    np.testing.assert_allclose(model.coef_, peer.coef_, atol=1e-4)
    np.testing.assert_allclose(model.decision_function(X), peer.decision_function(X), atol=1e-4)
    np.testing.assert_array_equal(model.predict(X), peer.predict(X))


def test_documents_that_are_left_out_do_not_change_the_optimum_of_a_rare_class() -> None:
    X, y = data(9, n=900, p=40)
    is_rare = y == 4
    signs = np.where(is_rare, 1, -1).astype(np.int8)[:, np.newaxis]
    descent = Descent(
        X,
        np.asarray(X.multiply(X).sum(axis=1)).ravel() + 1.0,
        signs,
        1.0,
        intercept=True,
        alpha=np.zeros(signs.shape),
        weights=np.zeros((X.shape[1] + 1, 1)),
    )
    descent.run(tol=1e-10, max_iter=10**5)
    peer = LinearSVC(tol=1e-12, max_iter=10**6, random_state=0).fit(X, is_rare)
    np.testing.assert_allclose(descent.weights[:-1, 0], peer.coef_[0], atol=1e-4)
    assert len(descent.active) < len(y) / 2


def test_the_gap_bounds_the_distance_from_the_optimum() -> None:
    X, y = data(3)
    signs = np.where(y[:, np.newaxis] == np.arange(3), 1, -1).astype(np.int8)

    def objective(tolerance: float) -> float:
        w = fit_machines(X, signs, 4.0, tol=tolerance, max_iter=10**5).weights
        losses = np.maximum(0.0, 1.0 - signs * (X @ w[:-1] + w[-1]))
        return float(np.sum(w**2) / 2.0 + 4.0 * np.sum(losses**2))

    best = objective(1e-12)
    for tolerance in (0.1, 0.01, 0.001):
        assert 0.0 <= objective(tolerance) - best <= tolerance * objective(tolerance)


def test_a_fit_that_starts_from_the_last_one_needs_fewer_sweeps_for_the_same_weights() -> None:
    X, y = data(4, n=200)
    kept = LinearSVM(C=1.0, tol=1e-9, max_iter=10**5, warm_start=True).fit(X, y)
    warm = kept.set_params(C=1.2).fit(X, y)
    cold = LinearSVM(C=1.2, tol=1e-9, max_iter=10**5).fit(X, y)
    assert warm.n_iter_ < cold.n_iter_
    np.testing.assert_allclose(warm.coef_, cold.coef_, atol=1e-4)


def test_other_classes_are_fitted_from_zeros() -> None:
    kept = LinearSVM(warm_start=True).fit(*data(4))
    np.testing.assert_array_equal(kept.fit(*data(3)).coef_, LinearSVM().fit(*data(3)).coef_)


def test_columns_of_a_data_frame_are_texts_and_labels() -> None:
    frame = pd.DataFrame({"text": ["good film", "bad film"] * 4, "label": ["yes", "no"] * 4}, index=range(7, 15))
    model = make_pipeline(WordVectorizer(), LinearSVM()).fit(frame["text"], frame["label"])
    assert model.predict(frame["text"][:2]).tolist() == ["yes", "no"]


@pytest.mark.parametrize("n_classes", [2, TOGETHER + 3])
def test_blocks_give_the_machines_of_all_documents(n_classes: int) -> None:
    X, y = data(n_classes, n=150)
    blocks = [(X[rows], y[rows]) for rows in np.array_split(np.arange(150), 3)]
    options = {"tol": 1e-10, "max_iter": 10**5}
    whole, parts = LinearSVM(**options).fit(X, y), LinearSVM(**options).fit_blocks(blocks, np.unique(y))
    assert parts.converged_ and parts.gap_ <= 1e-10
    np.testing.assert_allclose(parts.coef_, whole.coef_, atol=1e-4)
    np.testing.assert_allclose(parts.intercept_, whole.intercept_, atol=1e-4)
    np.testing.assert_array_equal(parts.predict(X), whole.predict(X))


def test_blocks_are_read_once_a_sweep_and_once_a_look_at_the_gap() -> None:
    X, y = data(3)
    readings = []

    class Blocks:
        def __iter__(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
            readings.append(len(readings))
            return iter([(X[:50], y[:50]), (X[50:], y[50:])])

    with stops_early():
        model = LinearSVM(tol=1e-12, max_iter=5).fit_blocks(Blocks(), [0, 1, 2])
    assert model.n_iter_ == 5
    assert len(readings) == 5 + 3


def test_blocks_that_cannot_be_fitted_are_refused() -> None:
    X, y = data(3)
    for model, blocks, classes, message in (
        (LinearSVM(), iter([(X, y)]), [0, 1, 2], "iterator"),
        (LinearSVM(), [(X, y)], [0, 1], "label 2 is not among the classes"),
        (LinearSVM(), [(X, y)], [0], "at least two classes"),
        (LinearSVM(), [], [0, 1], "blocks is empty"),
        (LinearSVM(calibrate=True), [(X, y)], [0, 1, 2], "calibrate"),
    ):
        with pytest.raises(ValueError, match=message):
            model.fit_blocks(blocks, classes)
