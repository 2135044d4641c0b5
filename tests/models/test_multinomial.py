"""Multinomial naive Bayes: Zhai's formulas word by word, their limits, scikit-learn, and the linear form."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.naive_bayes import MultinomialNB

from tests.naive import multinomial as naive
from tests.naive.dcm import compositions
from textmix.models.naive_bayes.multinomial import (
    DirichletSmoothedClassifier,
    MultinomialClassifier,
    SharedDirichletClassifier,
)

seeds = st.integers(0, 2**32 - 1)
positive = st.floats(1e-3, 1e4)


@given(seeds, positive, positive, st.sampled_from(["training", "uniform"]))
@settings(deadline=None, derandomize=True, max_examples=40)
def test_estimates_equal_the_formulas(seed: int, delta: float, mu: float, background: str) -> None:
    X, y = naive.corpus(seed)
    model = DirichletSmoothedClassifier(delta=delta, mu=mu, background=background).fit(X, y)
    share = X.sum(axis=0) / X.sum() if background == "training" else np.full(X.shape[1], 1 / X.shape[1])
    expected = naive.word_probability(X, y, mu, share)
    np.testing.assert_allclose(np.exp(model.feature_log_prob_), expected, rtol=1e-12, atol=0)
    np.testing.assert_allclose(model.class_log_prior_, naive.log_prior(y, delta), rtol=1e-12)


@given(seeds, positive)
@settings(deadline=None, derandomize=True, max_examples=30)
def test_equal_to_scikit_learn(seed: int, smoothing: float) -> None:
    X, y = naive.corpus(seed)
    ours, peer = MultinomialClassifier(smoothing=smoothing).fit(X, y), MultinomialNB(alpha=smoothing).fit(X, y)
    np.testing.assert_allclose(ours.predict_joint_log_proba(X), peer.predict_joint_log_proba(X), rtol=1e-12)
    np.testing.assert_allclose(ours.predict_log_proba(X), peer.predict_log_proba(X), atol=1e-11)
    np.testing.assert_array_equal(ours.predict(X), peer.predict(X))
    np.testing.assert_array_equal(ours.feature_count_, peer.feature_count_)


def test_a_constant_count_is_a_uniform_background() -> None:
    X, y = naive.corpus(1)
    n_words = X.shape[1]
    constant = MultinomialClassifier(smoothing=0.3, delta=1.0).fit(X, y)
    background = DirichletSmoothedClassifier(delta=1.0, mu=0.3 * n_words, background="uniform").fit(X, y)
    np.testing.assert_allclose(constant.predict_joint_log_proba(X), background.predict_joint_log_proba(X), rtol=1e-13)


def test_limits_are_equal_priors_and_the_background() -> None:
    X, y = naive.corpus(3)
    share = X.sum(axis=0) / X.sum()
    limit = DirichletSmoothedClassifier(delta=np.inf, mu=np.inf).fit(X, y)
    np.testing.assert_allclose(limit.class_log_prior_, -math.log(3), rtol=1e-15)
    np.testing.assert_allclose(np.exp(limit.feature_log_prob_), np.tile(share, (3, 1)), rtol=1e-14)
    # All word weights are 0: the classes tie and the first is taken.
    assert set(limit.predict(X)) == {limit.classes_[0]}


@given(seeds, positive)
@settings(deadline=None, derandomize=True, max_examples=40)
def test_linear_form_equals_the_log_odds(seed: int, mu: float) -> None:
    X, y = naive.corpus(seed)
    model = DirichletSmoothedClassifier(mu=mu).fit(X, y)
    coef, intercept = model.linear_form()
    joint = model.predict_joint_log_proba(X)
    odds = joint[:, :-1] - joint[:, -1:]
    np.testing.assert_allclose(X @ coef.T + intercept, odds, rtol=1e-12, atol=1e-12 * np.abs(joint).max())


def test_a_word_that_no_class_can_produce_is_left_out() -> None:
    X, y = naive.corpus(5)
    model = DirichletSmoothedClassifier(mu=10.0).fit(X, y)
    assert np.all(np.isneginf(model.feature_log_prob_[:, -1]))
    more = X.copy()
    more[:, -1] = 4
    np.testing.assert_array_equal(model.predict_joint_log_proba(more), model.predict_joint_log_proba(X))
    assert np.all(model.linear_form()[0][:, -1] == 0)


def test_a_document_that_no_class_can_produce_gets_the_prior() -> None:
    X = np.array([[2, 0, 1], [0, 3, 1], [0, 1, 1]])
    model = DirichletSmoothedClassifier(delta=0.0, mu=0.0).fit(X, [0, 1, 1])
    np.testing.assert_allclose(model.predict_proba([[1, 1, 0], [0, 0, 0]]), [[1 / 3, 2 / 3]] * 2)
    np.testing.assert_allclose(model.predict_proba([[1, 0, 0]]), [[1, 0]])
    assert model.predict([[1, 1, 0]]) == [1]


def test_probabilities_of_all_documents_of_a_length_sum_to_one() -> None:
    X, y = naive.corpus(6, n_words=6)
    model = MultinomialClassifier().fit(X, y)
    every = np.array(list(compositions(4, 6)))
    np.testing.assert_allclose(np.exp(model.log_likelihood(every)).sum(axis=0), 1.0, rtol=1e-12)
    np.testing.assert_allclose(np.exp(model.score_samples(every)).sum(), 1.0, rtol=1e-12)


def test_sequence_and_bag_differ_by_the_number_of_orders() -> None:
    X, y = naive.corpus(7)
    model = MultinomialClassifier().fit(X, y)
    x = np.array([[3, 1, 0, 0, 0, 2, 0, 0, 0]])
    orders = math.factorial(6) / (math.factorial(3) * math.factorial(2))
    difference = model.log_likelihood(x) - model.log_likelihood(x, "sequence")
    np.testing.assert_allclose(difference, math.log(orders), rtol=1e-12)


def test_drawn_documents_give_the_parameters_back() -> None:
    X, y = naive.corpus(8)
    model = MultinomialClassifier(smoothing=0.5).fit(X, y)
    drawn, classes = model.sample(np.full(6000, 30), random_state=0)
    again = MultinomialClassifier(smoothing=0.5).fit(drawn, classes)
    np.testing.assert_allclose(np.exp(again.feature_log_prob_), np.exp(model.feature_log_prob_), atol=0.005)
    np.testing.assert_allclose(np.exp(again.class_log_prior_), np.exp(model.class_log_prior_), atol=0.02)


def test_the_shared_prior_is_the_likeliest_and_its_constant_is_additive_smoothing() -> None:
    X, y = naive.corpus(5)
    X[:, 0] += 1
    model = SharedDirichletClassifier(smoothing=0.0).fit(X, y)
    texts = np.array([naive.class_text(X, y, c) for c in model.classes_])
    best = naive.dirichlet_likelihood(texts[:, model.alpha_ > 0], model.alpha_[model.alpha_ > 0])
    for factor in (0.8, 0.95, 1.05, 1.25):
        assert naive.dirichlet_likelihood(texts[:, model.alpha_ > 0], factor * model.alpha_[model.alpha_ > 0]) < best
    counts = texts + model.alpha_
    np.testing.assert_allclose(np.exp(model.feature_log_prob_), counts / counts.sum(axis=1, keepdims=True), rtol=1e-9)
