"""k-NN: its representations, exact neighbours and votes against dense twins; properties of the similarities."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.special import digamma

from tests.naive import neighbors as naive
from tests.naive.multinomial import corpus
from textmix.models.neighbors.knn import KNNClassifier
from textmix.models.neighbors.neighbor_kernels import count_scores_of_words, keep_largest, votes
from textmix.models.neighbors.representations import REPRESENTATIONS, FisherDCM

every_representation = pytest.mark.parametrize("name", REPRESENTATIONS)
seeds = st.integers(0, 2**32 - 1)


def documents(seed: int, n: int = 24) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return training counts, their classes and queries with a word that training lacks; no document is empty."""
    X, y = corpus(seed, n)
    X = X[np.arange(n) != 4]
    X[X.sum(axis=1) == 0, 0] = 1
    queries = X[:6] + (np.arange(X.shape[1]) == X.shape[1] - 1)
    return X, np.delete(y, 4), queries


@every_representation
@pytest.mark.parametrize("cosine", [False, True])
@given(seeds)
@settings(deadline=None, derandomize=True, max_examples=10)
def test_neighbors_are_those_of_the_full_matrix(name: str, cosine: bool, seed: int) -> None:
    X, y, queries = documents(seed)
    model = KNNClassifier(representation=name, cosine=cosine).fit(sparse.csr_array(X), y)
    similarity, index = model.kneighbors(queries, n_neighbors=len(X))
    full = naive.similarities(name, queries, X, cosine)
    scale = np.abs(full).max()
    assert all(sorted(row) == list(range(len(X))) for row in index.tolist())
    np.testing.assert_allclose(similarity / scale, np.take_along_axis(full, index, axis=1) / scale, atol=1e-8)
    assert np.all(np.diff(similarity, axis=1) <= 0)
    few = model.kneighbors(queries, n_neighbors=5)
    np.testing.assert_array_equal(few[1], index[:, :5])


@pytest.mark.parametrize("k", [1, 3, 100, 300])
@pytest.mark.parametrize("order", ["random", "rising", "falling"])
def test_the_largest_scores_are_those_of_a_stable_sort(k: int, order: str) -> None:
    score = np.random.default_rng(k).integers(0, 50, 300).astype(float)
    score = {"random": score, "rising": np.sort(score), "falling": -np.sort(-score)}[order]
    similarity, index = np.empty(k), np.empty(k, dtype=np.int32)
    keep_largest(score, similarity, index)
    assert index.tolist() == np.argsort(-score, kind="stable")[:k].tolist()
    assert similarity.tolist() == score[index].tolist()


def test_of_equal_neighbours_the_first_is_nearer() -> None:
    X = np.array([[0, 1], [1, 0], [2, 0], [1, 0], [4, 0]])
    model = KNNClassifier(representation="l2").fit(X, [0, 1, 2, 0, 1])
    assert model.kneighbors([[3, 0]], n_neighbors=5)[1].tolist() == [[1, 2, 3, 4, 0]]
    assert model.kneighbors([[0, 0]], n_neighbors=3)[1].tolist() == [[0, 1, 2]]


@given(seeds, st.booleans())
@settings(deadline=None, derandomize=True, max_examples=50)
def test_votes_at_every_k_are_those_counted_anew(seed: int, nearest_wins: bool) -> None:
    rng = np.random.default_rng(seed)
    codes, weight = rng.integers(0, 4, (5, 12)), rng.choice([0.0, 0.5, 1.0, 2.0], (5, 12))
    elected = votes(codes, weight, 4, nearest_wins)
    for q in range(5):
        for k in range(1, 13):
            expected = naive.elect(codes[q, :k].tolist(), weight[q, :k].tolist(), nearest_wins)
            assert elected[q, k - 1] == expected


def test_a_tie_of_three_goes_to_the_nearest_or_to_the_first_class() -> None:
    X = np.array([[9, 1, 0], [9, 2, 0], [9, 3, 0]])
    assert KNNClassifier(representation="l2").fit(X, ["c", "b", "a"]).predict([[9, 0, 0]]) == ["c"]
    assert KNNClassifier(representation="l2", ties="first").fit(X, ["c", "b", "a"]).predict([[9, 0, 0]]) == ["a"]


@pytest.mark.parametrize("name", ["l1", "l2", "bhattacharyya", "tfidf"])
def test_repeating_a_document_whole_changes_no_normalised_similarity(name: str) -> None:
    X, y, queries = documents(1)
    model = KNNClassifier(representation=name).fit(X, y)
    for first, second in zip(model.kneighbors(queries), model.kneighbors(7 * queries), strict=True):
        np.testing.assert_allclose(first, second, rtol=1e-12)


@every_representation
def test_permuting_the_words_changes_nothing(name: str) -> None:
    X, y, queries = documents(3)
    order = np.random.default_rng(0).permutation(X.shape[1])
    first = KNNClassifier(representation=name).fit(X, y).kneighbors(queries)[0]
    second = KNNClassifier(representation=name).fit(X[:, order], y).kneighbors(queries[:, order])[0]
    np.testing.assert_allclose(first, second, rtol=1e-9)


def test_fisher_score_of_a_word_is_a_difference_of_digammas() -> None:
    alpha = np.array([1e-4, 0.3, 2.0, 0.0])
    words, counts = np.array([0, 1, 2, 3, 0]), np.array([1.0, 7.0, 40.0, 2.0, 12.0])
    expected = [
        digamma(x + alpha[w]) - digamma(alpha[w]) if alpha[w] else 0 for w, x in zip(words, counts, strict=True)
    ]
    np.testing.assert_allclose(count_scores_of_words(words, counts, alpha), expected, rtol=1e-11)


def test_no_dense_matrix_stands_behind_a_fisher_kernel() -> None:
    X, _, queries = documents(4)
    vectors = FisherDCM().fit(sparse.csr_array(X)).transform(sparse.csr_array(queries))
    assert vectors.sparse.nnz == np.count_nonzero(queries)
    assert vectors.left.shape == vectors.right.shape == (len(queries), 2)
