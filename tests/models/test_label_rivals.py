"""Rivals on label sets: exact search in chains, label subsets, thresholds by cardinality, networks of trees."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.special import expit

from tests.models.test_cbm import documents
from tests.naive import cbm as naive
from textmix.models.label_sets.boosted_network import BoostedNetwork
from textmix.models.label_sets.cardinality import CardinalityChains, cardinality_threshold
from textmix.models.label_sets.chain_search_kernels import search_best
from textmix.models.label_sets.chains import ChainEnsemble, ClassifierChain
from textmix.models.label_sets.estimators import PowerSet
from textmix.models.label_sets.exact_chain import ProbabilisticChain
from textmix.models.label_sets.label_subsets import RandomLabelSubsets, draw_subsets
from textmix.models.label_sets.tree_gibbs_kernels import gibbs_trees

seeds = st.integers(0, 2**32 - 1)


def chain(seed: int, labels: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Return log odds (3, L) and links (L, L) of a chain."""
    rng = np.random.default_rng(seed)
    return rng.normal(scale=1.5, size=(3, labels)), np.triu(rng.normal(scale=1.5, size=(labels, labels)), k=1)


@given(seeds, st.booleans())
@settings(deadline=None, derandomize=True, max_examples=30)
def test_the_exact_search_finds_the_set_of_enumeration(seed, informed):
    Z, V = chain(seed)
    found, value, _ = search_best(Z, V, 0.0, informed, 10_000)
    for z, member, stated in zip(Z, found, value, strict=True):
        best = max(naive.chain_log_probability(z, V, y) for y in itertools.product((0, 1), repeat=len(z)))
        np.testing.assert_allclose([stated, naive.chain_log_probability(z, V, member)], best)


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


def test_the_exact_chain_finds_what_a_full_beam_finds():
    X, Y = documents(3)
    exact = ProbabilisticChain(random_state=0).fit(X, Y)
    beam = ClassifierChain(beam_width=8, random_state=0).fit(X, Y)
    np.testing.assert_array_equal(exact.predict(X), beam.predict(X))
    np.testing.assert_allclose(exact.search(X)[1], exact.set_log_proba(X, exact.predict(X)))


def test_subsets_differ_and_all_are_taken_where_there_are_few():
    drawn = draw_subsets(9, 3, 18, np.random.default_rng(0))
    assert drawn.shape == (18, 3) and len(np.unique(drawn, axis=0)) == 18 and (np.diff(drawn, axis=1) > 0).all()
    assert draw_subsets(4, 3, 8, np.random.default_rng(0)).tolist() == [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]
    assert draw_subsets(2, 3, 8, np.random.default_rng(0)).tolist() == [[0, 1]]


def test_one_subset_of_all_labels_is_the_power_set():
    X, Y = documents(4)
    votes = RandomLabelSubsets(size=3, tol=1e-9).fit(X, Y)
    np.testing.assert_array_equal(votes.predict(X), PowerSet(tol=1e-9).fit(X, Y).predict(X))


def test_votes_are_those_of_the_power_sets_of_the_subsets():
    X, Y = documents(4)
    model = RandomLabelSubsets(size=2, tol=1e-9, random_state=0).fit(X, Y)
    votes, asked = np.zeros(Y.shape), np.zeros(Y.shape[1])
    for labels in model.subsets_:
        votes[:, labels] += PowerSet(tol=1e-9).fit(X, Y[:, labels]).predict(X)
        asked[labels] += 1
    np.testing.assert_allclose(model.predict_proba(X), votes / asked)


def test_the_threshold_gives_the_wanted_number_of_labels():
    share = np.array([[0.9, 0.6, 0.1], [0.8, 0.3, 0.2]])
    assert [cardinality_threshold(share, wanted) for wanted in (1.0, 1.5, 2.0, 9.0)] == [0.8, 0.6, 0.3, 0.1]
    assert cardinality_threshold(np.zeros((2, 3)), 1.0) == 0.5


def test_the_threshold_brings_the_labels_a_document_closer_than_one_half():
    X, Y = documents(5, n=400)
    Y = (Y & (np.random.default_rng(0).random(Y.shape) < 0.45)).astype(np.int8)
    half = ChainEnsemble(random_state=0).fit(X, Y)
    cut = CardinalityChains(random_state=0).fit(X, Y)
    np.testing.assert_array_equal(cut.predict_proba(X), half.predict_proba(X))
    wanted = Y.sum(axis=1).mean()
    gaps = [abs(model.predict(X).sum(axis=1).mean() - wanted) for model in (cut, half)]
    assert gaps[0] < gaps[1]


def test_gibbs_sampling_over_trees_without_links_gives_independent_labels():
    start, row = np.array([-1.0, 2.0]), np.zeros(5)
    none = (np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0), np.zeros((0, 2), np.int32), np.zeros(0))
    empty = np.zeros(3, np.int32), np.zeros(0, np.int32), np.zeros(0)
    found = gibbs_trees(*empty, start, none, np.zeros(3, np.int64), 20_000, 20_000, 5, row)
    np.testing.assert_allclose(found, np.tile(expit(start), (2, 1)), atol=0.02)


@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_a_network_of_trees_learns_dependence(form):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    first = (rng.random(300) < 0.5).astype(np.int8)
    Y = np.stack([first, first, (X[:, 0] > 0).astype(np.int8)], axis=1)
    inputs = X if form == "dense" else sparse.csr_array(np.where(np.abs(X) > 1.4, X, 0.0))
    model = BoostedNetwork(trees=20, sweeps=40, kept=30, random_state=0).fit(inputs, Y)
    made = model.predict(inputs)
    assert (made[:, 0] == made[:, 1]).mean() > 0.95
    with pytest.raises(ValueError, match="kept=30 is above sweeps=10"):
        BoostedNetwork(sweeps=10, kept=30).fit(X, Y)
