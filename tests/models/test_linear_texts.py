"""The linear models of a comparison beside scikit-learn's, which solve the same problems."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from textmix.models.linear.linear_texts import LinearTexts


@pytest.fixture(scope="module")
def documents() -> tuple[sparse.csr_array, np.ndarray]:
    """Sixty documents of three classes over forty features."""
    generator = np.random.default_rng(0)
    y = generator.integers(3, size=60)
    X = generator.random((60, 40)) * (generator.random((60, 40)) < 0.3) + 0.3 * (np.arange(40) % 3 == y[:, np.newaxis])
    return sparse.csr_array(X, dtype=np.float32), y


def objective(X: sparse.csr_array, sign: np.ndarray, weights: np.ndarray, loss: str, costs: np.ndarray) -> float:
    """Return what one machine minimises; the bias is the last weight."""
    margin = sign * (X @ weights[:-1] + weights[-1])
    losses = np.maximum(0.0, 1.0 - margin) ** 2 if loss == "svm" else np.logaddexp(0.0, -margin)
    return float(0.5 * np.sum(weights**2) + np.sum(costs * losses))


@pytest.mark.parametrize("loss", ["svm", "logistic"])
@pytest.mark.parametrize("C", [0.1, 10.0])
@pytest.mark.parametrize("balanced", [False, True])
def test_each_machine_is_as_good_as_that_of_scikit_learn(documents, loss: str, C: float, balanced: bool) -> None:
    X, y = documents
    model = LinearTexts(loss=loss, C=C, balanced=balanced, tol=1e-4).fit(X, y)
    both = sparse.csr_array(sparse.hstack([X, np.ones((60, 1))]))
    for label in range(3):
        inside = y == label
        sign = np.where(inside, 1.0, -1.0)
        costs = np.full(60, C) * (np.where(inside, 30.0 / inside.sum(), 30.0 / (~inside).sum()) if balanced else 1.0)
        if loss == "svm":
            twin = LinearSVC(C=1.0, fit_intercept=False, tol=1e-8, max_iter=100_000, dual=True)
        else:
            twin = LogisticRegression(C=1.0, fit_intercept=False, tol=1e-10, max_iter=10_000)
        best = objective(X, sign, twin.fit(both, inside, sample_weight=costs).coef_[0], loss, costs)
        ours = objective(X, sign, np.append(model.coef_[label], model.intercept_[label]), loss, costs)
        assert ours <= best * (1.0 + 2e-3)


@pytest.mark.parametrize("loss", ["svm", "logistic"])
def test_a_fit_from_the_last_one_finds_the_same_weights(documents, loss: str) -> None:
    X, y = documents
    warm = LinearTexts(loss=loss, warm_start=True, tol=1e-6, max_iter=2000)
    for cost in (0.1, 1.0, 10.0):
        warm.set_params(C=cost).fit(X, y)
    alone = LinearTexts(loss=loss, C=10.0, tol=1e-6, max_iter=2000).fit(X, y)
    np.testing.assert_allclose(warm.coef_, alone.coef_, atol=0.02)


def test_two_documents_are_one_of_weight_two(documents) -> None:
    X, y = documents
    options = {"tol": 1e-6, "max_iter": 2000}
    weighted = LinearTexts(**options).fit(X, y, sample_weight=np.where(np.arange(60) < 20, 2.0, 1.0))
    copied = LinearTexts(**options).fit(sparse.csr_array(sparse.vstack([X, X[:20]])), np.append(y, y[:20]))
    np.testing.assert_allclose(weighted.coef_, copied.coef_, atol=0.02)


def test_several_labels_are_machines_of_their_own(documents) -> None:
    X, y = documents
    Y = np.column_stack([np.equal.outer(y, np.arange(3)), np.zeros(60, dtype=bool)]).astype(np.int8)
    several, single = LinearTexts().fit(X, Y), LinearTexts().fit(X, y)
    np.testing.assert_array_equal(several.coef_[:3], single.coef_)
    assert not several.predict(X)[:, 3].any()


def test_ratios_are_a_scale_of_the_features(documents) -> None:
    """The weights apply to the features as they are, and columns outside a view have none."""
    X, y = documents
    model = LinearTexts(ratios=True, columns=(10, 30)).fit(X, y)
    assert not model.coef_[:, :10].any() and not model.coef_[:, 30:].any()
    assert np.mean(model.predict(X) == y) > 0.8
