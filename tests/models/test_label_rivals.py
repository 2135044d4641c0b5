"""The exact and the approximate search in chains, beside all label sets scored one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.naive import cbm as naive
from textmix.models.label_sets.chain_kernels import search_best

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
