"""EDCM: its closed form against bisection and derivatives, its scores, its guards, and its draws."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import loggamma

from tests.naive import edcm as naive
from tests.naive.dcm import compositions
from tests.naive.multinomial import corpus
from textmix.models.dirichlet.edcm import EDCMClassifier
from textmix.models.dirichlet.edcm_kernels import solve_concentration

seeds = st.integers(0, 2**32 - 1)


def with_parameters(beta: np.ndarray) -> EDCMClassifier:
    """Return a fitted classifier with the given parameters (C, V)."""
    model = EDCMClassifier(smoothing=0.0).fit(np.eye(len(beta), beta.shape[1], dtype=int), np.arange(len(beta)))
    model._frequency, model._scale, model._added = beta.copy(), np.ones(len(beta)), np.zeros(len(beta))
    model._log_beta, model.concentration_ = np.log(beta).T.copy(), beta.sum(axis=1)
    return model


@given(seeds)
@settings(deadline=None, derandomize=True, max_examples=30)
def test_closed_form_equals_bisection(seed: int) -> None:
    X, y = corpus(seed)
    model = EDCMClassifier(smoothing=0.0).fit(X, y)
    for c in model.classes_[~model.capped_]:
        np.testing.assert_allclose(model.beta_[c], naive.fit(X[y == c]), rtol=1e-9)
    np.testing.assert_allclose(model.beta_.sum(axis=1), model.concentration_, rtol=1e-12)


@given(seeds)
@settings(deadline=None, derandomize=True, max_examples=20)
def test_score_equations_are_zero_at_the_estimate(seed: int) -> None:
    X, y = corpus(seed)
    model = EDCMClassifier(smoothing=0.0).fit(X, y)
    for c in model.classes_[~model.capped_]:
        documents, beta = X[y == c], model.beta_[c]
        seen = np.flatnonzero(beta)

        def likelihood(values: np.ndarray, documents: np.ndarray = documents[:, seen]) -> complex:
            s, n = values.sum(), documents.sum(axis=1)
            return np.sum(loggamma(s) - loggamma(s + n)) + np.sum((documents >= 1) * np.log(values))

        for w in range(len(seen)):
            step = np.zeros(len(seen), dtype=complex)
            step[w] = 1e-20j
            slope = likelihood(beta[seen] + step).imag / 1e-20
            assert abs(slope) * beta[seen][w] < 1e-8 * (documents >= 1).sum()


@given(seeds)
@settings(deadline=None, derandomize=True, max_examples=20)
def test_log_likelihood_equals_equation_2(seed: int) -> None:
    X, y = corpus(seed)
    model = EDCMClassifier().fit(X, y)
    expected = [[naive.log_q(x, beta) for beta in model.beta_] for x in X]
    np.testing.assert_allclose(model.log_likelihood(X), expected, rtol=1e-11, atol=1e-10)
    orders = [math.lgamma(x.sum() + 1) - sum(math.lgamma(count + 1) for count in x) for x in X]
    difference = model.log_likelihood(X) - model.log_likelihood(X, "sequence")
    np.testing.assert_allclose(difference, np.tile(orders, (3, 1)).T, rtol=1e-10, atol=1e-10)


@given(seeds)
@settings(deadline=None, derandomize=True, max_examples=20)
def test_only_the_presence_of_words_meets_the_parameters(seed: int) -> None:
    """Of two parameters with one sum, log q differs by I(x >= 1) times the difference of their logarithms."""
    X, _ = corpus(seed)
    rng = np.random.default_rng(seed)
    beta = rng.dirichlet(np.ones(X.shape[1]), size=2) * 7.0
    first, second = with_parameters(beta).log_likelihood(X, "sequence").T
    np.testing.assert_allclose(first - second, (X >= 1) @ np.log(beta[0] / beta[1]), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("documents", "bound"),
    [
        ([[1, 1, 0, 0], [0, 1, 1, 1]], "high"),  # no word is repeated
        ([[1, 0, 0, 0], [0, 1, 0, 0]], "high"),  # documents of one word
        ([[5, 0, 0, 0], [0, 3, 0, 0]], "low"),  # each document repeats a single word
    ],
)
def test_s_is_put_at_its_bound_where_there_is_no_root(documents: list[list[int]], bound: str) -> None:
    X = np.array([*documents, [2, 1, 1, 0], [1, 0, 3, 1]])
    model = EDCMClassifier().fit(X, [0, 0, 1, 1])
    limit = float((np.sum(documents, axis=1) ** 2).sum())
    assert model.capped_.tolist() == [True, False]
    assert model.mle_concentration_[0] == pytest.approx(limit if bound == "high" else 1 / limit)
    assert np.all(np.isfinite(model.predict_log_proba(X)))


def test_a_class_without_words_is_uniform() -> None:
    X = np.array([[0, 0, 0], [0, 0, 0], [2, 1, 1], [1, 0, 3]])
    model = EDCMClassifier().fit(X, [0, 0, 1, 1])
    np.testing.assert_allclose(model.beta_[0], 1 / 3)
    assert not model.capped_[0]
    assert np.all(np.isfinite(model.predict_log_proba(X)))


@given(st.lists(st.integers(1, 400), min_size=1, max_size=12), st.floats(0.01, 0.99))
@settings(deadline=None, derandomize=True, max_examples=200)
def test_the_root_is_found_wherever_there_is_one(lengths: list[int], share: float) -> None:
    distinct, number = np.unique(np.array(lengths, dtype=float), return_counts=True)
    words = len(lengths) + share * (sum(lengths) - len(lengths))
    s, _, capped = solve_concentration(words, distinct, number.astype(float))
    if not capped:
        assert s * naive.slope(s, lengths) == pytest.approx(words, rel=1e-11)


def test_drawn_documents_follow_the_normalised_model() -> None:
    beta = np.array([0.8, 0.3, 0.6])
    every = list(compositions(4, 3))
    weight = np.exp([naive.log_q(x, beta) for x in every])
    drawn, _ = with_parameters(beta[np.newaxis]).sample(np.full(8000, 4), random_state=0)
    seen = Counter(map(tuple, drawn.toarray().tolist()))
    share = np.array([seen[x] for x in every]) / seen.total()
    np.testing.assert_allclose(share, weight / weight.sum(), atol=0.016)
