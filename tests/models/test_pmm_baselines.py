"""The binary baselines: equal to what they are defined as, tuned on training pages only, defined at every edge."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, sparse
from scipy.sparse.linalg import aslinearoperator
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import SVC
from sklearn.utils import check_random_state

from tests.naive import pmm as naive
from textmix.metrics.multilabel import sample_f
from textmix.models.common.multilabel import unit_rows
from textmix.models.common.validation import check_indicators, check_labelled_counts
from textmix.models.linear.label_svm import LabelSVM, cost_path
from textmix.models.naive_bayes.labels import LabelNaiveBayes
from textmix.models.neighbors.labels import LabelNeighbors
from textmix.models.network.label_network import LabelNetwork, Layers, LowerRows, loss

seeds = st.integers(0, 2**32 - 1)
ALL = [LabelNaiveBayes(), LabelNeighbors(), LabelSVM(random_state=0), LabelNetwork(hidden=4, random_state=0)]


def topics(seed: int, n: int = 120, n_words: int = 40, n_labels: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Return counts and label sets that the words tell apart, each page with one label or two."""
    rng = np.random.default_rng(seed)
    theta = rng.dirichlet(np.full(n_words, 0.1), n_labels)
    Y = (
        np.eye(n_labels, dtype=int)[rng.integers(n_labels, size=n)]
        | np.eye(n_labels, dtype=int)[rng.integers(n_labels, size=n)]
    )
    phi = Y / Y.sum(axis=1, keepdims=True) @ theta
    return np.array([rng.multinomial(60, row / row.sum()) for row in phi]), Y


@given(seeds, st.sampled_from([0.1, 1.0]))
@settings(deadline=None, derandomize=True, max_examples=15)
def test_naive_bayes_is_scikit_learns_for_each_label(seed: int, alpha: float) -> None:
    X, Y = naive.corpus(seed, n=20)
    model = LabelNaiveBayes(alpha=alpha).fit(X, Y)
    for label in range(Y.shape[1] - 1):
        if len(np.unique(Y[:, label])) < 2:
            continue
        twin = MultinomialNB(alpha=alpha).fit(X, Y[:, label])
        odds = np.diff(twin.predict_joint_log_proba(X), axis=1).ravel()
        np.testing.assert_allclose(model.decision_function(X)[:, label], odds, rtol=1e-9, atol=1e-9)


@given(seeds, st.sampled_from([3.0, 100.0]))
@settings(deadline=None, derandomize=True, max_examples=15)
def test_naive_bayes_with_a_length_is_that_of_pages_scaled_by_hand(seed: int, length: float) -> None:
    X, Y = naive.corpus(seed, n=20)
    X[2] = 0
    scaled = np.array([[length * count / max(sum(page), 1) for count in page] for page in X.tolist()])
    model, twin = LabelNaiveBayes(length=length).fit(X, Y), LabelNaiveBayes().fit(scaled, Y)
    np.testing.assert_allclose(model.coef_, twin.coef_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(model.decision_function(X), twin.decision_function(scaled), rtol=1e-9, atol=1e-9)
    assert not np.allclose(model.coef_, LabelNaiveBayes().fit(X, Y).coef_)


def test_naive_bayes_leaves_out_words_of_no_training_page() -> None:
    X, Y = naive.corpus(3, n=20)
    X[:, 4] = 0
    few = LabelNaiveBayes(vocabulary="training").fit(X, Y)
    twin = LabelNaiveBayes().fit(np.delete(X, 4, axis=1), Y)
    np.testing.assert_allclose(np.delete(few.coef_, 4, axis=1), twin.coef_)
    assert not few.coef_[:, 4].any()


@given(seeds, st.sampled_from([0.3, 3.0, 300.0]), st.sampled_from([1.0, 4.0]))
@settings(deadline=None, derandomize=True, max_examples=20)
def test_machine_is_libsvms(seed: int, cost: float, factor: float) -> None:
    X, Y = topics(seed, n=40)
    gram, sign = (X @ X.T).astype(float) / 400, 2.0 * Y[:, 0] - 1
    (found,) = cost_path(gram, sign, [cost], factor, tol=1e-5, max_iter=10**6)
    weight = {1: factor, -1: 1.0}
    twin = SVC(C=cost, kernel="precomputed", class_weight=weight, tol=1e-5).fit(gram, sign)
    assert found.converged
    np.testing.assert_allclose(gram @ found.beta + found.bias, twin.decision_function(gram), atol=1e-3)


def test_costs_of_a_path_give_what_each_gives_alone() -> None:
    X, Y = topics(5)
    gram, sign = (X @ X.T).astype(float) / 400, 2.0 * Y[:, 1] - 1
    path = list(cost_path(gram, sign, [0.1, 1.0, 10.0], 2.0, tol=1e-6, max_iter=10**6))
    for cost, found in zip([0.1, 1.0, 10.0], path, strict=True):
        (alone,) = cost_path(gram, sign, [cost], 2.0, tol=1e-6, max_iter=10**6)
        np.testing.assert_allclose(gram @ found.beta + found.bias, gram @ alone.beta + alone.bias, atol=1e-4)


def test_svm_tunes_to_the_best_f_of_the_folds() -> None:
    X, Y = topics(6)
    model = LabelSVM(costs=[0.01, 1.0, 100.0], cost_factors=[1.0, "ratio"], random_state=3)
    counts, labels = check_labelled_counts(model, X, Y)
    pages = unit_rows(counts, 1.0)
    gram, sign = (pages @ pages.T).toarray(), 2.0 * labels.toarray() - 1
    model._costs = np.asarray(model.costs) * len(gram) / np.trace(gram)
    factors = np.array([model._factors(column) for column in sign.T])
    order = check_random_state(model.random_state).permutation(len(sign))
    f = model._cross_validate(gram, order, sign, factors)
    assert f.shape == (3, 2, 3)
    assert f[:, :, 0].max() < f.max(), "the smallest cost separates nothing"
    model.fit(X, Y)
    for label in range(3):
        place, cost = np.unravel_index(np.argmax(f[label]), (2, 3))
        assert (model.cost_factor_[label], model.cost_[label]) == (factors[label, place], model._costs[cost])


def neighbours_twin(X: np.ndarray, Y: np.ndarray, x: np.ndarray, k: int) -> np.ndarray:
    """Return the summed similarities of each label among the k nearest pages, one page at a time."""
    cosine = X @ x / np.maximum(np.linalg.norm(X, axis=1) * np.linalg.norm(x), 1e-300)
    nearest = sorted(range(len(X)), key=lambda i: (-cosine[i], i))[:k]
    return np.sum([cosine[i] * Y[i] for i in nearest], axis=0)


@given(seeds)
@settings(deadline=None, derandomize=True, max_examples=15)
def test_neighbors_vote_with_their_similarities(seed: int) -> None:
    X, Y = topics(seed, n=30)
    model = LabelNeighbors(neighbors=[4]).fit(X, Y)
    new, _ = topics(seed + 1, n=5)
    expected = [neighbours_twin(X, Y, x, 4) for x in new]
    np.testing.assert_allclose(model.decision_function(new), expected, atol=1e-9)
    shares = LabelNeighbors(neighbors=[4], votes="share").fit(X, Y).decision_function(new)
    assert shares.max() <= 1 + 1e-12


def test_neighbors_with_a_threshold_vote_by_majority() -> None:
    X, Y = topics(9, n=40)
    model = LabelNeighbors(neighbors=[1, 3, 9], votes="share", threshold=0.5).fit(X, Y)
    new, _ = topics(10, n=20)
    cosine = new @ X.T / (np.linalg.norm(new, axis=1)[:, None] * np.linalg.norm(X, axis=1))
    total = np.sort(cosine, axis=1)[:, ::-1][:, : model.n_neighbors_].sum(axis=1)
    votes = np.array([neighbours_twin(X, Y, x, model.n_neighbors_) for x in new])
    np.testing.assert_array_equal(model.predict(new), votes > total[:, None] / 2)


def test_neighbors_are_tuned_without_the_page_itself() -> None:
    X, Y = topics(7, n=40)
    Y = Y[np.random.default_rng(0).permutation(40)]  # nothing to learn: a page would only find itself
    model = LabelNeighbors(neighbors=[1, 10, 30]).fit(X, Y)
    assert model.n_neighbors_ > 1
    clean, labels = topics(7, n=40)
    assert sample_f(labels, LabelNeighbors().fit(clean, labels).predict(clean)) > 0.8


def test_gradient_of_the_network_is_that_of_its_loss() -> None:
    X, Y = topics(8, n=12, n_words=9)
    rng = np.random.default_rng(0)
    like = Layers(rng.normal(size=(9, 4)), rng.normal(size=4), rng.normal(size=(4, 3)), rng.normal(size=3))
    args = (like, aslinearoperator(X / 20), Y, 0.7)
    gradient = optimize.approx_fprime(like.flat(), lambda flat: loss(flat, *args)[0], 1e-7)
    np.testing.assert_allclose(loss(like.flat(), *args)[1], gradient, rtol=1e-4, atol=1e-5)


def test_blocks_of_a_triangular_matrix_give_its_products() -> None:
    rng = np.random.default_rng(0)
    lower = np.tril(rng.normal(size=(600, 600)))
    rows = np.sort(rng.permutation(600)[:530])
    W = rng.normal(size=(600, 3))
    R = rng.normal(size=(530, 3))
    operator = LowerRows(lower, rows)
    np.testing.assert_allclose(operator.matmat(W), lower[rows] @ W, atol=1e-10)
    np.testing.assert_allclose(operator.rmatmat(R), lower[rows].T @ R, atol=1e-10)


def test_network_finds_the_topics_and_weights_of_unseen_words_are_zero() -> None:
    X, Y = topics(9)
    X = np.hstack([X, np.zeros((len(X), 2), dtype=int)])
    model = LabelNetwork(hidden=6, decays=[0.1], random_state=0).fit(X, Y)
    assert sample_f(Y, model.predict(X)) > 0.95
    assert not model.weights_.hidden[-2:].any()
    again = LabelNetwork(hidden=6, decays=[0.1], random_state=0).fit(X, Y)
    np.testing.assert_array_equal(model.predict_proba(X), again.predict_proba(X))


@pytest.mark.parametrize("model", ALL, ids=lambda model: type(model).__name__)
def test_edges(model: Any) -> None:
    X, Y = topics(10, n=60)
    Y = np.hstack([Y, np.zeros((60, 1), dtype=int), np.ones((60, 1), dtype=int)])
    X[0] = 0
    model.fit(sparse.csr_array(X), sparse.csr_array(Y))
    predicted = model.predict(X)
    assert predicted.shape == Y.shape
    assert set(np.unique(predicted)) <= {0, 1}
    assert not predicted[:, 3].any(), "a label of no page is never predicted"
    assert predicted[1:, 4].mean() > 0.9, "a label of all pages nearly always"
    assert sample_f(Y, predicted) > 0.8
    np.testing.assert_array_equal(model.fit(X.astype(np.float32), Y).predict(X), predicted)


def test_indicators_come_back_without_stored_zeros() -> None:
    stored = sparse.csr_array((np.array([1, 0]), (np.array([0, 0]), np.array([0, 1]))), shape=(2, 2))
    assert check_indicators(stored).nnz == 1
    np.testing.assert_array_equal(unit_rows(sparse.csr_array([[3, 4], [0, 0]]), 2.0).toarray(), [[0.6, 0.8], [0, 0]])


def test_network_does_not_depend_on_the_lengths_of_pages_scaled_to_one_length() -> None:
    X = np.random.default_rng(3).poisson(1.0, size=(20, 6))
    Y = (np.random.default_rng(4).random((20, 2)) < 0.5).astype(int)
    settings: dict[str, Any] = {"hidden": 3, "decays": [1.0], "length": 40.0, "random_state": 0}
    model = LabelNetwork(**settings).fit(X, Y)
    longer = LabelNetwork(**settings).fit(X * np.arange(1, 21)[:, None], Y)
    assert model.length_ == longer.length_ == 40.0
    assert np.allclose(model.decision_function(X), longer.decision_function(5 * X), atol=1e-8)
