"""Mixture of multinomials: its objective never falls, one component is the multinomial, scores are sums."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.naive.multinomial import corpus
from textmix.models.naive_bayes.mixture import MultinomialMixture
from textmix.models.naive_bayes.multinomial import MultinomialClassifier

seeds = st.integers(0, 2**32 - 1)


@given(seeds, st.integers(1, 5), st.sampled_from([1e-3, 0.1, 2.0]))
@settings(deadline=None, derandomize=True, max_examples=25)
def test_objective_never_falls(seed: int, n_components: int, smoothing: float) -> None:
    X, _ = corpus(seed, n=25)
    model = MultinomialMixture(n_components=n_components, smoothing=smoothing, tol=0, random_state=seed % 99).fit(X)
    path = np.array(model.objective_path_)
    assert np.all(np.diff(path) >= -1e-9 * np.abs(path[1:]))


def test_one_component_is_the_multinomial() -> None:
    X, _ = corpus(1)
    mixture = MultinomialMixture(n_components=1, smoothing=0.3).fit(X)
    plain = MultinomialClassifier(smoothing=0.3).fit(X, np.zeros(len(X), dtype=int))
    np.testing.assert_allclose(mixture.log_prob_, plain.feature_log_prob_, rtol=1e-12)
    for convention in ("bag", "sequence"):
        found = mixture.score_samples(X, convention)
        np.testing.assert_allclose(found, plain.log_likelihood(X, convention)[:, 0], rtol=1e-10, atol=1e-10)


def test_score_is_the_sum_over_components() -> None:
    X, _ = corpus(3)
    model = MultinomialMixture(n_components=2, random_state=1).fit(X)
    for x, log_p in zip(X, model.score_samples(X, "sequence"), strict=True):
        terms = [w * np.exp((x * row).sum()) for w, row in zip(model.weights_, model.log_prob_, strict=True)]
        assert log_p == pytest.approx(np.log(sum(terms)))
    assert model.score(X) == pytest.approx(model.score_samples(X).mean())


def test_two_kinds_of_documents_are_told_apart() -> None:
    rng = np.random.default_rng(0)
    X = np.vstack([rng.multinomial(30, p, size=40) for p in ([0.5, 0.4, 0.05, 0.05], [0.05, 0.05, 0.4, 0.5])])
    one, two = (MultinomialMixture(n_components=k, random_state=0).fit(X).score(X) for k in (1, 2))
    assert two > one + 5
