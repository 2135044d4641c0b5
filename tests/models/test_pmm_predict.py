"""Prediction with PMM1 and PMM2: each search against label sets scored afresh one by one."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.naive import pmm as naive
from textmix.models.pmm.estimator import PMM1, PMM2, set_prior

MODELS = (PMM1, PMM2)
seeds = st.integers(0, 2**32 - 1)


def fitted(model: Any, theta: np.ndarray, alpha: np.ndarray) -> Any:
    """Return an estimator with given parameters in place of learnt ones."""
    rng = np.random.default_rng(0)
    X, Y = rng.poisson(1.0, (6, len(theta))), np.ones((6, len(alpha)), dtype=int)
    model.fit(X, Y)
    model.theta_, model.alpha_ = np.ascontiguousarray(theta), alpha
    return model


@given(seeds)
@settings(deadline=None, derandomize=True, max_examples=20)
def test_exact_search_is_enumeration(seed: int) -> None:
    theta, alpha = naive.parameters(seed, 9, 5)
    X = np.random.default_rng(seed).poisson(0.7, (6, 9)) + np.eye(6, 9, dtype=int)
    model = fitted(PMM2(search="exact"), theta, alpha)
    sets = [tuple(np.flatnonzero(row)) for row in model.predict(X)]
    expected = [naive.exhaustive(x, theta, alpha) for x in X]
    assert sets == [labels for labels, _ in expected]
    np.testing.assert_allclose(model.predict_proba(X), [marginal for _, marginal in expected], rtol=1e-9, atol=1e-12)


@given(seeds, st.booleans())
@settings(deadline=None, derandomize=True, max_examples=20)
def test_greedy_is_the_naive_greedy_even_with_ties(seed: int, uniform: bool) -> None:
    theta, alpha = naive.parameters(seed, 20, 6)
    if uniform:
        alpha[:] = 0.5
    theta[:, 4], alpha[4], alpha[:, 4] = theta[:, 1], alpha[1], alpha[:, 1]  # twins: the lower index wins
    alpha[1, 4] = alpha[4, 1] = alpha[4, 4] = 0.5
    X = np.random.default_rng(seed).poisson(0.8, (6, 20)) + np.eye(6, 20, dtype=int)
    model = fitted(PMM2(), theta, alpha)
    member, marginal = model.predict(X), model.predict_proba(X)
    for x, row, shares in zip(X, member, marginal, strict=True):
        labels, tried = naive.greedy(x, theta, alpha)
        assert set(np.flatnonzero(row)) == set(labels)
        assert 4 not in labels[:1]
        assert len(tried) <= 6 * 7 / 2, "the paper's bound"
        scores = np.exp(np.array([score for _, score in tried]) - max(score for _, score in tried))
        expected = [scores[[k in labels for labels, _ in tried]].sum() / scores.sum() for k in range(6)]
        np.testing.assert_allclose(shares, expected, rtol=1e-9, atol=1e-12)


@given(seeds)
@settings(deadline=None, derandomize=True, max_examples=20)
def test_better_searches_are_never_worse_and_flip_ends_at_a_local_optimum(seed: int) -> None:
    theta, alpha = naive.parameters(seed, 12, 6)
    X = np.random.default_rng(seed).poisson(0.5, (8, 12)) + np.eye(8, 12, dtype=int)
    found = {}
    for search, width in (("greedy", 1), ("beam", 1), ("beam", 64), ("flip", 1), ("exact", 1)):
        model = fitted(PMM2(search=search, beam_width=width), theta, alpha)
        found[search, width] = model.predict(X)
    np.testing.assert_array_equal(found["greedy", 1], found["beam", 1])
    score = {key: model.score_samples(X, Y) for key, Y in found.items()}
    for key, values in score.items():
        assert (values >= score["greedy", 1] - 1e-9).all(), key
        assert (values <= score["exact", 1] + 1e-9).all(), key
    for x, row, value in zip(X, found["flip", 1], score["flip", 1], strict=True):
        for changed in neighbours(set(np.flatnonzero(row)), 6):
            assert naive.log_likelihood(x, sorted(changed), theta, alpha) <= value + 1e-9


def neighbours(labels: set[int], n_labels: int) -> list[set[int]]:
    """Return the label sets with one label more, less or swapped."""
    others = set(range(n_labels)) - labels
    added = [labels | {k} for k in others]
    removed = [labels - {k} for k in labels if len(labels) > 1]
    return added + removed + [labels - {a} | {b} for a, b in itertools.product(labels, others)]


@pytest.mark.parametrize("cls", MODELS)
def test_score_samples_is_the_log_likelihood_and_minus_infinity_for_no_label(cls: Any) -> None:
    X, Y = naive.corpus(12)
    model = cls().fit(X, Y)
    expected = [
        naive.log_likelihood(x, np.flatnonzero(y), model.theta_, model.alpha_) if y.any() else -np.inf
        for x, y in zip(X, Y, strict=True)
    ]
    np.testing.assert_allclose(model.score_samples(X, Y), expected, rtol=1e-12)
    assert np.isneginf(model.score_samples(X, Y)[1])
    np.testing.assert_array_equal(model.score_samples(X), model.score_samples(X, model.predict(X)))


def test_learnt_prior_over_label_sets_sums_to_one_and_prefers_what_training_had() -> None:
    sizes, counts = np.array([0.0, 5, 3, 0, 0]), np.array([5.0, 3, 2, 1])
    size_weight, label_weight = set_prior(sizes, counts)
    log_prior = {y: size_weight[len(y)] + label_weight[list(y)].sum() for y in naive.label_sets(4)}
    assert sum(np.exp(value) for value in log_prior.values()) == pytest.approx(1, rel=1e-12)
    assert log_prior[0,] > log_prior[3,]
    by_size = [sum(np.exp(v) for y, v in log_prior.items() if len(y) == k) for k in range(1, 5)]
    np.testing.assert_allclose(by_size, (sizes[1:] + 0.25) / 9, rtol=1e-12)


@pytest.mark.parametrize("search", ["greedy", "beam", "flip", "exact"])
def test_learnt_prior_decides_where_the_words_do_not(search: str) -> None:
    X, Y = naive.corpus(13, n=40)
    Y[3:, 1], Y[2:, 0] = 1, 0
    model = PMM1(set_prior="training", search=search).fit(X, Y)
    weights = set_prior(model.size_count_, model.label_count_)
    prior = {y: weights[0][len(y)] + weights[1][list(y)].sum() for y in naive.label_sets(4)}
    best = max(prior, key=lambda y: prior[y])
    assert tuple(np.flatnonzero(model.predict(np.zeros((1, 11)))[0])) == best
    given = model.score_samples(X[2:], Y[2:]) - PMM1().fit(X, Y).score_samples(X[2:], Y[2:])
    np.testing.assert_allclose(given, [prior[tuple(np.flatnonzero(y))] for y in Y[2:]], rtol=1e-9)


@pytest.mark.parametrize("search", ["greedy", "beam", "flip", "exact"])
@pytest.mark.parametrize("cls", MODELS)
def test_an_empty_page_gets_the_most_frequent_label(cls: Any, search: str) -> None:
    X, Y = naive.corpus(19)
    Y[:, 2] = 1
    assert cls(search=search).fit(X, Y).predict(np.zeros((1, 11))).tolist() == [[0, 0, 1, 0]]


@pytest.mark.parametrize("cls", MODELS)
def test_prediction_is_never_empty_and_pages_do_not_influence_each_other(cls: Any) -> None:
    X, Y = naive.corpus(20, n=30)
    model = cls().fit(X, Y)
    together = model.predict(X)
    assert (together.sum(axis=1) >= 1).all()
    np.testing.assert_array_equal(together, np.vstack([model.predict(row[None]) for row in X]))
