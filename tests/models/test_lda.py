"""Latent Dirichlet allocation a class: bound and left-to-right estimate beside the sum over all topics of all words."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import sparse
from scipy.special import gammaln
from sklearn.decomposition import LatentDirichletAllocation

from tests.naive import lda as naive
from textmix.models.topics.lda import SWEEPS, UPDATES, LDAClassifier, bound, in_order
from textmix.models.topics.lda_kernels import bounds, left_to_right


def exact(words: list[int], phi: np.ndarray, alpha: float) -> float:
    """Return log p of a short document by the sum over the topics of all its words."""
    k, total = len(phi), 0.0
    for topics in itertools.product(range(k), repeat=len(words)):
        counts = np.bincount(topics, minlength=k) + alpha
        prior = gammaln(k * alpha) - gammaln(counts.sum()) + (gammaln(counts) - gammaln(alpha)).sum()
        total += np.exp(prior + np.log(phi[list(topics), words]).sum())
    return float(np.log(total))


@pytest.fixture(scope="module")
def topics() -> np.ndarray:
    """Return two topics over three words."""
    return np.array([[0.7, 0.2, 0.1], [0.1, 0.2, 0.7]])


@pytest.mark.parametrize("words", [[0], [0, 0, 0, 0], [0, 2, 1, 2, 0, 1]])
def test_the_estimate_is_the_sum_over_topics_and_the_bound_lies_below(words: list[int], topics: np.ndarray) -> None:
    expected = exact(words, topics, 0.3)
    offsets = np.array([0, len(words)])
    (found,) = left_to_right(np.array(words, np.int32), offsets, topics.T.copy(), 0.3, 20_000, 7)
    assert found == pytest.approx(expected, abs=0.01)
    (low,) = bound(sparse.csr_array([np.bincount(words, minlength=3)]), topics, 0.3)
    assert expected - 1.0 < low <= expected + 1e-12


@pytest.mark.parametrize("particles", [1, 4, 6])
def test_particles_side_by_side_draw_what_they_draw_one_after_the_other(particles: int) -> None:
    rng = np.random.default_rng(particles)
    phi, rows = rng.dirichlet(np.ones(8), size=5).T.copy(), [rng.integers(8, size=n) for n in (0, 1, 12)]
    tokens, offsets = np.concatenate(rows).astype(np.int32), np.array([0, 0, 1, 13])
    expected = [naive.left_to_right(row.tolist(), phi, 0.2, particles, 9 + d) for d, row in enumerate(rows)]
    assert left_to_right(tokens, offsets, phi, 0.2, particles, 9).tolist() == expected


def test_the_bound_is_that_of_plain_arrays() -> None:
    rng = np.random.default_rng(0)
    X, phi = rng.poisson(0.5, (6, 30)), rng.dirichlet(np.ones(30), size=4)
    expected = [naive.bound(x, phi, 0.2, SWEEPS) for x in X]
    np.testing.assert_allclose(bound(sparse.csr_array(X), phi, 0.2), expected, rtol=1e-12)


@pytest.mark.parametrize("alpha", [2e-3, 1e-3, 1e-4, 1e-300])
def test_a_topic_whose_share_is_too_small_for_a_number_leaves_the_bound_finite(alpha: float) -> None:
    rng = np.random.default_rng(2)
    X, phi = np.vstack([rng.poisson(0.5, (6, 30)), np.zeros((1, 30), int)]), rng.dirichlet(np.ones(30), size=4)
    for updates in (0, 1, 3, SWEEPS):
        cells = sparse.csr_array(X.astype(float))
        found = bounds((cells.indptr, cells.indices, cells.data), phi.T.copy(), alpha, updates)
        expected = [naive.bound(x, phi, alpha, updates) for x in X]
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    model = LDAClassifier(n_components=3, alpha=alpha, random_state=0).fit(X, [0, 1, 0, 1, 0, 1, 1])
    probability = model.predict_proba(X)
    np.testing.assert_allclose(probability.sum(axis=1), 1.0)
    assert probability[-1].tolist() == pytest.approx([3 / 7, 4 / 7])


def test_the_topics_are_those_of_scikit_learn() -> None:
    X = np.random.default_rng(0).poisson(0.3, (20, 40))
    X[:, 5:9] = 0
    model = LDAClassifier(n_components=3, alpha=0.2, beta=0.1, max_iter=4, random_state=2).fit(X, np.zeros(20))
    seed = np.random.RandomState(2).randint(2**31 - 1)
    peer = LatentDirichletAllocation(
        3, doc_topic_prior=0.2, topic_word_prior=0.1, max_iter=4, max_doc_update_iter=UPDATES, random_state=seed
    ).fit(X)
    expected = peer.components_ / peer.components_.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.topics_[0], expected, rtol=1e-6)


def test_words_in_order_are_the_counts() -> None:
    X = sparse.csr_array(np.random.default_rng(0).poisson(1.0, (5, 4)))
    tokens, offsets = in_order(X, np.random.RandomState(0))
    rows = [np.bincount(row, minlength=4) for row in np.split(tokens, offsets[1:-1])]
    np.testing.assert_array_equal(rows, X.toarray())
    with pytest.raises(ValueError, match="not an integer"):
        in_order(sparse.csr_array([[0.5]]), np.random.RandomState(0))


def test_classes_of_two_topics_are_told_apart() -> None:
    rng = np.random.default_rng(0)
    shares = np.array([[[6, 1, 1, 1, 1, 1], [1, 6, 1, 1, 1, 1]], [[1, 1, 1, 1, 6, 1], [1, 1, 1, 1, 1, 6]]])
    y = np.arange(60) % 2
    X = np.vstack([rng.multinomial(30, p / p.sum()) for p in (shares[c, rng.integers(2)] for c in y)])
    model = LDAClassifier(n_components=2, random_state=0).fit(X[:40], y[:40])
    assert model.score(X[40:], y[40:]) > 0.9
    estimate = model.left_to_right_log_likelihood(X[40:], y[40:], 50, 0)
    low = model.log_likelihood(X[40:], "sequence")[np.arange(20), y[40:]]
    assert 0 < (estimate - low).mean() < 1.0
    with pytest.raises(ValueError, match="label 2 is not among the classes"):
        model.left_to_right_log_likelihood(X[40:], y[40:] + 1)
    sample, classes = model.sample([25, 30], y=[0, 1], random_state=0)
    assert sample.sum(axis=1).tolist() == [25, 30] and classes.tolist() == [0, 1]
