"""Latent semantic indexing: the decomposition, its signs, the densities, and the classifiers in its space."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.sparse.linalg import ArpackError
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from tests.naive import lsi as naive
from textmix.models.lsi import classifiers, transformer
from textmix.models.lsi.classifiers import LSILogisticRegression, LSINeighbors, ProbabilisticNeuralNetwork
from textmix.models.lsi.transformer import LSITransformer


@pytest.fixture(scope="module")
def counts() -> sparse.csr_array:
    rng = np.random.default_rng(3)
    topics = rng.dirichlet(np.full(40, 0.1), 3)
    return sparse.csr_array(np.vstack([rng.multinomial(30, topics[row % 3]) for row in range(60)]))


CODES = np.arange(60) % 3


@pytest.mark.parametrize("algorithm", ["randomized", "arpack"])
@pytest.mark.parametrize("weighting", ["log_tfidf", "none"])
def test_the_decomposition_is_that_of_linear_algebra(counts: sparse.csr_array, algorithm: str, weighting: str) -> None:
    dense = counts.toarray().astype(float)
    X = naive.weighted(dense) if weighting == "log_tfidf" else dense
    _, values, right = np.linalg.svd(X, full_matrices=False)
    model = LSITransformer(
        n_components=3, algorithm=algorithm, weighting=weighting, unit_length=False, random_state=0
    ).fit(counts)
    np.testing.assert_allclose(model.singular_values_, values[:3], rtol=1e-8)
    np.testing.assert_allclose(np.abs(model.components_ @ right[:3].T), np.eye(3), atol=1e-6)
    np.testing.assert_allclose(model.transform(counts), X @ model.components_.T, atol=1e-12)


def test_signs_do_not_depend_on_algorithm_or_seed(counts: sparse.csr_array) -> None:
    found = [
        LSITransformer(n_components=3, algorithm=algorithm, random_state=seed).fit(counts).components_
        for algorithm in ("randomized", "arpack")
        for seed in (0, 1)
    ]
    for each in found[1:]:
        np.testing.assert_allclose(each, found[0], atol=1e-6)
    assert (found[0][np.arange(3), np.abs(found[0]).argmax(axis=1)] > 0).all()


def test_where_arpack_stops_the_whole_decomposition_takes_its_place(
    counts: sparse.csr_array, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stops(*_: object, **__: object) -> None:
        raise ArpackError(3)

    expected = LSITransformer(n_components=3, random_state=0).fit(counts)
    monkeypatch.setattr(transformer, "svds", stops)
    found = LSITransformer(n_components=3, random_state=0).fit(counts)
    assert_allclose(found.singular_values_, expected.singular_values_, rtol=1e-12)
    assert_allclose(found.components_, expected.components_, atol=1e-9)


def test_scaled_coordinates_vary_alike(counts: sparse.csr_array) -> None:
    Z = LSITransformer(n_components=3, scaled=True, unit_length=False, random_state=0).fit_transform(counts)
    np.testing.assert_allclose(Z.T @ Z, np.eye(3), atol=1e-8)


def test_more_components_than_documents_and_an_empty_document() -> None:
    X = np.array([[1, 0, 2], [0, 3, 1]])
    for algorithm in ("randomized", "arpack"):
        model = LSITransformer(n_components=9, algorithm=algorithm, random_state=0).fit(X)
        assert model.components_.shape == (2, 3)
        assert model.transform([[0, 0, 0]]).tolist() == [[0.0, 0.0]]


@settings(deadline=None, derandomize=True, max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from([0.3, 1.0, 4.0]), st.integers(1, 40))
def test_densities_are_those_of_the_formula(seed: int, width: float, cells: int) -> None:
    rng = np.random.default_rng(seed)
    points, codes = rng.normal(size=(9, 2)), np.arange(9) % 3
    Z = rng.normal(size=(7, 2))
    model = ProbabilisticNeuralNetwork(width=width).fit(points, codes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(classifiers, "CELLS", cells)
        found = model.predict_log_proba(Z)
    np.testing.assert_allclose(found, naive.log_posteriors(Z, points, codes, width), rtol=1e-7, atol=1e-9)


def test_a_narrow_kernel_does_not_underflow() -> None:
    model = ProbabilisticNeuralNetwork(width=1e-4).fit([[0.0], [1.0]], ["a", "b"])
    assert model.predict([[0.4], [0.6]]).tolist() == ["a", "b"]
    assert np.isfinite(model.predict_joint_log_proba([[0.4]])).all()


def test_no_matrix_of_documents_by_documents_is_made() -> None:
    points = np.random.default_rng(0).normal(size=(6000, 3))
    model = ProbabilisticNeuralNetwork().fit(points, np.arange(6000) % 2)
    tracemalloc.start()
    model.predict(points)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 6000 * 6000 * 8 / 5


def test_classifiers_are_those_of_scikit_learn_in_the_same_space(counts: sparse.csr_array) -> None:
    space = LSITransformer(n_components=4, random_state=0).fit(counts)
    Z = space.transform(counts)
    ours = LSINeighbors(n_components=4, n_neighbors=5, random_state=0).fit(counts, CODES)
    theirs = KNeighborsClassifier(5).fit(Z, CODES)
    assert np.mean(ours.predict(counts) == theirs.predict(Z)) > 0.95  # ties are broken in another way
    for codes in (CODES, CODES % 2):
        linear = LSILogisticRegression(n_components=4, random_state=0).fit(counts, codes)
        peer = LogisticRegression(C=10.0, max_iter=500).fit(Z, codes)
        np.testing.assert_allclose(linear.predict_proba(counts), peer.predict_proba(Z), atol=1e-8)
