"""Baselines of the CBM paper: each does what its definition says; the searches in chains beside all label sets."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import ClassifierChain as PeerChain

from tests.early_stops import may_stop_early
from tests.models.test_cbm import documents
from tests.naive import cbm as naive
from textmix.models.cbm.estimator import CBMClassifier
from textmix.models.common.multilabel import label_sets
from textmix.models.label_sets import chain_kernels as chains
from textmix.models.label_sets.chain_kernels import chain_marginals, search_best, search_samples
from textmix.models.label_sets.chains import ChainEnsemble, ClassifierChain, DependencyNetwork, ProbabilisticChain
from textmix.models.label_sets.estimators import (
    BinaryRelevance,
    BoostedPowerSet,
    BoostedRelevance,
    PairwiseCRF,
    PowerSet,
    _CRFProblem,
    pair_states,
)
from textmix.models.linear.problems import InBlocks, Multinomial, in_blocks
from textmix.models.linear.row_space import RowSpace
from textmix.models.linear.solvers import minimise, minimise_plain

MODELS = {
    "binary relevance": BinaryRelevance(),
    "power set": PowerSet(),
    "chain": ClassifierChain(random_state=0),
    "probabilistic chain": ClassifierChain(beam_width=8, random_state=0),
    "ensemble by label": ChainEnsemble(n_chains=3, random_state=0),
    "ensemble by set": ChainEnsemble(n_chains=3, vote="subset", random_state=0),
    "dependency network": DependencyNetwork(sweeps=60, kept=20, random_state=0),
    "pairwise CRF": PairwiseCRF(),
    "boosted relevance": BoostedRelevance(trees=5),
    "boosted power set": BoostedPowerSet(trees=5),
}
every_model = pytest.mark.parametrize("name", MODELS)


@every_model
def test_sparse_features_give_what_dense_ones_give(name):
    X, Y = documents(2)
    X[np.abs(X) < 1.3] = 0.0
    dense, thin = (clone(MODELS[name]).fit(form, Y).predict(X) for form in (X, sparse.csr_array(X)))
    assert np.mean(dense == thin) > 0.98


@may_stop_early
@pytest.mark.parametrize(
    "model", [*MODELS.values(), CBMClassifier(n_components=2, max_iter=4, random_state=0)], ids=repr
)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_more_features_than_instances_give_what_their_row_space_gives(model, form):
    if "Boosted" in type(model).__name__:
        pytest.skip("trees cut features as they are")
    rng = np.random.default_rng(4)
    _, Y = documents(4, n=40)
    X = rng.normal(size=(40, 90))
    own, turned = clone(model).fit(form(X), Y), clone(model).fit(RowSpace.of(X).inputs, Y)
    np.testing.assert_array_equal(own.predict(form(X)), turned.predict(RowSpace.of(X).inputs))


@every_model
@pytest.mark.parametrize("column", [0, 1])
def test_a_label_of_no_or_all_documents_is_predicted_so(name, column):
    X, Y = documents(3)
    Y[:, 1] = column
    assert np.all(clone(MODELS[name]).fit(X, Y).predict(X)[:, 1] == column)


def test_the_power_set_is_multinomial_logistic_regression():
    X, Y = documents(6)
    model = PowerSet(variance=0.7, tol=1e-10).fit(X, Y)
    code = (model.sets_[None] == Y[:, None]).all(axis=2).argmax(axis=1)
    peer = LogisticRegression(C=0.7, tol=1e-8, max_iter=1000).fit(X, code)
    expected = peer.predict_proba(X)
    np.testing.assert_allclose(model.predict_proba(X), expected @ model.sets_, atol=1e-4)
    np.testing.assert_allclose(model.set_log_proba(X, Y), np.log(expected[np.arange(len(Y)), code]), atol=1e-3)


@pytest.mark.parametrize("name", ["power set", "pairwise CRF", "boosted power set"])
def test_an_unseen_set_is_impossible(name):
    X, Y = documents(7)
    Y[:, 2] = Y[:, 0]
    model = clone(MODELS[name]).fit(X, Y)
    other = Y.copy()
    other[0, 2] = 1 - other[0, 2]
    value = model.set_log_proba(X, other)
    assert value[0] == -np.inf
    assert np.isfinite(value[1:]).all()


def test_the_crf_score_is_its_definition():
    X, Y = documents(8)
    model = PairwiseCRF(variance=0.5).fit(X, Y)
    pairs = list(itertools.combinations(range(3), 2))

    def score(x: Any, y: Any) -> float:
        single = sum(y[k] * (x @ model.coef_[k] + model.intercept_[k]) for k in range(3))
        return single + sum(model.pair_[4 * p + 2 * y[i] + y[j]] for p, (i, j) in enumerate(pairs))

    for x, y, value in zip(X[:5], Y[:5], model.set_log_proba(X[:5], Y[:5]), strict=True):
        scores = [score(x, z) for z in model.sets_]
        np.testing.assert_allclose(value, score(x, y) - np.logaddexp.reduce(scores), atol=1e-9)


def test_the_crf_is_at_its_optimum():
    X, Y = documents(9)
    model = PairwiseCRF(variance=0.5, tol=1e-12, max_iter=2000).fit(X, Y)
    residual = model.predict_proba(X) - Y
    np.testing.assert_allclose(model.coef_ / 0.5, -residual.T @ X, atol=1e-3)
    np.testing.assert_allclose(model.intercept_ / 0.5, -residual.sum(axis=0), atol=1e-3)


@pytest.mark.parametrize("solve", [minimise, minimise_plain])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("name", ["power set", "crf"])
def test_blocks_of_instances_give_what_the_whole_gives(name, form, solve):
    X, Y = documents(9, n=40)
    sets, code = label_sets(Y)
    if name == "crf":
        whole = _CRFProblem(form(X), code, sets.astype(float), pair_states(sets), 0.5)
    else:
        whole = Multinomial(form(X), code, len(sets), np.ones(len(code)), 0.5)
    assert in_blocks(whole, code, len(sets)) is whole
    parts = in_blocks(whole, code, len(sets), 7 * len(sets))
    assert isinstance(parts, InBlocks)
    rng = np.random.default_rng(0)
    point, direction = rng.normal(size=(2, len(whole.penalty), 1))
    for step in (np.array([0.0]), np.array([0.5])):
        ends = whole.predictors(point), whole.predictors(direction)
        value, derivative, _, residual = whole.loss_on_line(*ends, step)
        in_parts = parts.loss_on_line(point, direction, step)
        assert in_parts[0] == pytest.approx(value, rel=1e-5)
        assert in_parts[1] == pytest.approx(derivative, rel=1e-4)
        np.testing.assert_allclose(in_parts[3], whole.gradient(residual), rtol=1e-3, atol=1e-4)
    found = [solve(problem, np.zeros((len(whole.penalty), 1)), 300, 1e-5) for problem in (whole, parts)]
    assert found[0].total_objective == pytest.approx(found[1].total_objective, rel=1e-4)
    assert found[1].all_converged


@pytest.mark.parametrize("width", [1, 2, 3, 5])
def test_a_beam_keeps_the_likeliest_partial_sets(width):
    rng = np.random.default_rng(width)
    Z, V = rng.normal(size=(20, 6)), np.triu(rng.normal(size=(6, 6)) * 2, k=1)
    found, value = chains.search_chain(Z, V, width)
    for z, member, stated in zip(Z, found, value, strict=True):
        kept, log_p = naive.chain_beam(z, V, width)
        assert member.astype(int).tolist() == [*kept]
        assert stated == pytest.approx(log_p)


def test_chains_find_what_scikit_learns_chain_finds_label_by_label_and_by_enumeration():
    X, Y = documents(11)
    greedy, exact = (
        kind(variance=0.7, tol=1e-10, random_state=1).fit(X, Y) for kind in (ClassifierChain, ProbabilisticChain)
    )
    peer = PeerChain(LogisticRegression(C=1.4, tol=1e-8, max_iter=1000), order=greedy.order_.tolist()).fit(X, Y)
    np.testing.assert_array_equal(greedy.predict(X), peer.predict(X))
    sets = np.array(list(itertools.product((0, 1), repeat=Y.shape[1])))
    logs = np.zeros((len(X), len(sets)))
    for place, one in enumerate(sets[:, greedy.order_]):
        for k, classifier in enumerate(peer.estimators_):
            shares = classifier.predict_log_proba(np.hstack([X, np.tile(one[:k], (len(X), 1))]))
            logs[:, place] += shares[:, one[k]]
    np.testing.assert_array_equal(exact.predict(X), sets[logs.argmax(axis=1)])
    np.testing.assert_allclose(exact.search(X)[1], logs.max(axis=1), atol=1e-3)


def test_gibbs_marginals_are_those_of_a_consistent_network():
    # Conditionals of an Ising model: links symmetric, so the joint is known.
    rng = np.random.default_rng(12)
    Z, V = rng.normal(size=(1, 3)), rng.normal(size=(3, 3))
    V = np.triu(V, 1) + np.triu(V, 1).T
    sets = np.array(list(itertools.product((0, 1), repeat=3)))
    weight = np.exp(sets @ Z[0] + 0.5 * np.einsum("si,ij,sj->s", sets, V, sets))
    marginal = weight @ sets / weight.sum()
    found = chains.gibbs_marginals(Z, V, 42_000, 40_000, np.array([7], dtype=np.uint64))
    np.testing.assert_allclose(found[0], marginal, atol=0.015)


@pytest.mark.parametrize("seed", [0, 5])
def test_drawn_label_sets_are_those_of_plain_loops(seed):
    rng = np.random.default_rng(seed)
    Z, V = rng.normal(size=(8, 5)), np.triu(rng.normal(0, 2, (5, 5)), 1)
    found, met = search_samples(Z, V, 6, seed), chain_marginals(Z, V, 6, seed)
    better = 0
    for z, member, share in zip(Z, found, met, strict=True):
        drawn, expected = naive.chain_draws(z, V, 6, seed)
        greedy, _ = naive.chain_beam(z, V, 1)
        likeliest = max([[*greedy], *drawn], key=lambda y: naive.chain_log_probability(z, V, y))
        better += likeliest != [*greedy]
        assert member.astype(int).tolist() == likeliest
        np.testing.assert_allclose(share, expected, rtol=1e-12)
    assert better > 0


def test_the_probabilities_of_a_chain_come_in_the_order_of_the_labels():
    X, Y = documents(13)
    model = ClassifierChain(random_state=0).fit(X, Y)
    assert model.order_.tolist() != sorted(model.order_)
    sets = np.array(list(itertools.product((0, 1), repeat=Y.shape[1])))
    logs = np.stack([model.set_log_proba(X, np.tile(one, (len(X), 1))) for one in sets], axis=1)
    np.testing.assert_allclose(model.predict_proba(X), np.exp(logs) @ sets, atol=0.12)


def test_votes_by_label_and_by_set_differ_as_they_should(monkeypatch):
    X, Y = documents(13)
    votes = np.array([[[1, 1, 0]], [[1, 1, 0]], [[0, 0, 1]], [[1, 0, 1]], [[0, 0, 0]]], dtype=np.int8)
    for vote, expected in (("label", [1, 0, 0]), ("subset", [1, 1, 0])):
        model = ChainEnsemble(n_chains=1, vote=vote, random_state=0).fit(X, Y)
        monkeypatch.setattr(model, "_votes", lambda X: votes)
        assert model.predict(X).tolist() == [expected]


seeds = st.integers(0, 2**32 - 1)


def chain(seed: int, labels: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Return log odds (3, L) and links (L, L) of a chain."""
    rng = np.random.default_rng(seed)
    return rng.normal(scale=1.5, size=(3, labels)), np.triu(rng.normal(scale=1.5, size=(labels, labels)), k=1)


@given(seeds)
@settings(deadline=None, derandomize=True, max_examples=20)
def test_the_bound_never_expands_more_nodes_and_a_start_at_zero_epsilon_is_uniform_cost(seed):
    Z, V = chain(seed, labels=8)
    blind, informed = (search_best(Z, V, 0.0, each, 10_000)[2] for each in (False, True))
    assert (informed <= blind).all()
    for z, expanded in zip(Z, blind, strict=True):
        assert expanded == naive.chain_nodes_above_mode(z, V)


@given(seeds, st.sampled_from([0.05, 0.25]))
@settings(deadline=None, derandomize=True, max_examples=20)
def test_the_approximate_search_is_exact_where_the_mode_is_likely_enough(seed, epsilon):
    Z, V = chain(seed)
    exact, value, _ = search_best(Z, V, 0.0, False, 10_000)
    near, stated, expanded = search_best(Z, V, epsilon, False, 10_000)
    likely = np.exp(value) >= epsilon
    np.testing.assert_array_equal(near[likely], exact[likely])
    for z, member, log_p in zip(Z, near, stated, strict=True):
        np.testing.assert_allclose(naive.chain_log_probability(z, V, member), log_p)
    assert (expanded <= Z.shape[1] / epsilon).all()


@pytest.mark.parametrize("limit", [2, 20])
def test_a_search_at_its_limit_still_gives_a_set(limit):
    Z, V = chain(1, labels=8)
    Z = 0.1 * Z  # nearly even odds, so that many sets are likely
    member, value, expanded = search_best(Z, V, 0.0, False, limit)
    assert (expanded == limit).all() and np.isfinite(value).all()
    np.testing.assert_allclose(value, [naive.chain_log_probability(z, V, y) for z, y in zip(Z, member, strict=True)])
