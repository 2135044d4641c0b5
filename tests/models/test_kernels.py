"""Kernels on a few numbers: worked by hand, in plain NumPy, and exactly at the ends of their branches."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.special import log_expit

from textmix.models.common import heap_kernels as heaps
from textmix.models.common.count_kernels import smallest_positive
from textmix.models.common.f_kernels import choose_for_f
from textmix.models.common.forest_kernels import add_trees
from textmix.models.hmm import hmm_kernels
from textmix.models.label_sets.chain_kernels import gibbs_marginals, reach, search_best, search_chain
from textmix.models.neighbors.neighbor_kernels import votes
from textmix.models.pmm import prediction_kernels
from textmix.models.topics.lda_kernels import drawn_anew, left_to_right
from textmix.numerics.basic_kernels import copy_into, taken, total_of, uniform


def test_copies_and_sums_are_those_of_numpy() -> None:
    values, target = np.random.default_rng(0).normal(size=9), np.zeros(4)
    copy_into(target, values)
    assert target.tolist() == values[:4].tolist()
    for places in (np.array([8, 0, 3, 3]), np.zeros(0, dtype=np.int32)):
        assert taken(values, places).tolist() == values[places].tolist()
    assert total_of(values) == sum(values.tolist())
    assert total_of(values[:0]) == 0.0


@pytest.mark.parametrize("width", [1, 7, 8, 9, 16, 19])
def test_the_smallest_positive_entry_is_found_in_every_column(width: int) -> None:
    table = np.zeros((2 * width + 1, width))
    for place in range(width):
        table[place] = np.random.default_rng(place).integers(0, 3, width) * 5.0
        table[place, place] = 2.0
        table[width + place, place] = 3.0
    expected = [2.0] * width + [3.0] * width + [np.inf]
    assert smallest_positive(table).tolist() == expected


@pytest.mark.parametrize("size", range(1, 9))
def test_nodes_leave_a_heap_by_cost_and_then_by_number(size: int) -> None:
    rng = np.random.default_rng(size)
    for _ in range(20):
        cost, heap = rng.integers(0, 4, size).astype(float), np.zeros(size, dtype=np.int64)
        for held, node in enumerate(rng.permutation(size)):
            heaps.push(heap, held, node, cost)
        taken = [heaps.pop(heap, left, cost) for left in range(size, 0, -1)]
        assert taken == sorted(range(size), key=lambda node, cost=cost: (cost[node], node))


def test_scales_gather_the_logarithms_of_probabilities_of_any_size() -> None:
    total = np.array([0.5, 1e-200, 0.25, 1e-310, 0.0, 0.0, 0.0, 0.0])
    scale, product, logs = np.full(16, 7.0), np.array([1.0, 1.0, 2e-150, 1.0, 3.0]), np.zeros(5)
    hmm_kernels.take_scales(total, 4, scale, 8, product, logs)
    assert scale[8:].tolist() == [2.0, 1e200, 4.0, 0.0, 0.0, 0.0, 0.0, 0.0] and set(scale[:8]) == {7.0}
    assert product.tolist() == [0.5, 1.0, 1.0, 1.0, 3.0]
    np.testing.assert_allclose(logs, [0.0, np.log(1e-200), np.log(5e-151), -np.inf, 0.0], rtol=1e-13)


@pytest.mark.parametrize("seed", range(8))
def test_a_gibbs_sampler_starts_from_fair_coins(seed: int) -> None:
    # Label 0 follows the start of label 1 in the first sweep.
    state = np.array([seed], dtype=np.uint64)
    start = [uniform(state) < 0.5 for _ in range(2)]
    Z, V = np.array([[-500.0, 0.0]]), np.array([[0.0, 0.0], [1000.0, 0.0]])
    assert gibbs_marginals(Z, V, 1, 1, np.array([seed], dtype=np.uint64))[0, 0] == start[1]


def test_the_smallest_votes_count() -> None:
    assert votes(np.array([[0, 1]]), np.array([[1e-20, 3e-20]]), 2, True).tolist() == [[0, 1]]


def test_a_layer_of_a_beam_holds_its_best_sets_once() -> None:
    layer = np.array([[False, False, False], [False, True, False]])
    scores = np.array([[1.0, 3.0, 2.0], [-np.inf, -np.inf, -np.inf]])
    chosen, reached = prediction_kernels._next_layer(layer, scores, 2)
    assert chosen.tolist() == [[False, True, False], [False, False, True]] and reached.tolist() == [3.0, 2.0]
    twice = np.array([[True, False, False], [False, True, False]])
    scores = np.array([[-np.inf, 5.0, 1.0], [5.0, -np.inf, 4.0]])
    chosen, reached = prediction_kernels._next_layer(twice, scores, 9)
    assert chosen.tolist() == [[True, True, False], [False, True, True], [True, False, True]]
    assert reached.tolist() == [5.0, 4.0, 1.0]


def test_particles_are_drawn_anew_in_proportion() -> None:
    assert drawn_anew(np.array([1.0, 3.0, 2.0, 2.0]), 0.5).tolist() == [0, 1, 2, 3]
    assert drawn_anew(np.array([1.0, 5.0, 1.0, 1.0]), 0.6).tolist() == [1, 1, 1, 3]
    assert drawn_anew(np.array([0.0, 0.0, 8.0, 0.0]), 0.99).tolist() == [2, 2, 2, 2]


def test_the_probability_of_one_word_and_of_one_topic_needs_no_chance() -> None:
    phi, tokens = np.array([[0.5, 0.1], [0.3, 0.2], [0.2, 0.7]]), np.array([2, 0, 1, 1], dtype=np.int32)
    one_word = left_to_right(tokens, np.array([0, 1, 2]), phi, 0.3, 5, 1)
    np.testing.assert_allclose(one_word, np.log([0.45, 0.3]), rtol=1e-14)
    one_topic = left_to_right(tokens, np.array([0, 4]), phi[:, :1].copy(), 0.3, 2, 1)
    np.testing.assert_allclose(one_topic, np.log([0.2 * 0.5 * 0.3 * 0.3]), rtol=1e-14)


def test_an_instance_walks_to_a_leaf_of_each_tree() -> None:
    # Tree 0 asks for feature 1, then for feature 0; tree 1 is a leaf; tree 2 asks for feature 0.
    root, feature, threshold = (
        np.array([0, ~3, 2], dtype=np.int32),
        np.array([1, 0, 0], dtype=np.int32),
        [0.5, 2.0, 1.0],
    )
    child = np.array([[~0, 1], [~1, ~2], [~4, ~5]], dtype=np.int32)
    X = np.array([[0.0, 0.5], [2.0, 1.0], [2.5, 0.6]])
    indptr, indices = np.array([0, 2, 4, 6], dtype=np.int32), np.array([0, 1] * 3, dtype=np.int32)
    row, score = np.zeros(2), np.zeros((3, 2))
    value = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])
    add_trees(indptr, indices, X.ravel(), root, feature, np.array(threshold), child, value, row, score)
    assert score.tolist() == [[1.0 + 16.0, 8.0], [2.0 + 32.0, 8.0], [4.0 + 32.0, 8.0]] and not row.any()


def chain_values(z: np.ndarray, V: np.ndarray) -> dict[tuple[bool, ...], float]:
    """Return the log probability of each label set of a chain."""
    sets = itertools.product((False, True), repeat=len(z))
    return {y: float(log_expit(np.where(y, 1, -1) * (z + np.array(y, dtype=float) @ V)).sum()) for y in sets}


def test_every_search_of_a_chain_finds_the_likeliest_set() -> None:
    rng = np.random.default_rng(4)
    Z, V = rng.normal(scale=1.5, size=(6, 4)), np.triu(rng.normal(scale=2.0, size=(4, 4)), k=1)
    up, down = reach(V)
    assert up[4].tolist() == [0.0] * 4 and up[1, 3] == pytest.approx(np.maximum(V[1:3, 3], 0.0).sum())
    assert down[0, 2] == pytest.approx(np.minimum(V[:2, 2], 0.0).sum())
    searches = [search_best(Z, V, 0.0, informed, 100)[:2] for informed in (False, True)]
    for found, value in (search_chain(Z, V, 16), *searches):
        for i, z in enumerate(Z):
            values = chain_values(z, V)
            best = max(values, key=values.__getitem__)
            assert tuple(found[i]) == best and value[i] == pytest.approx(values[best], rel=1e-12)
    whole, bounded = (search_best(Z, V, 0.0, informed, 100)[2].sum() for informed in (False, True))
    assert bounded < whole, "the bound saves nodes"
    greedy, value = search_chain(Z, V, 1)
    cut, cut_value, expanded = search_best(Z, V, 0.9, False, 100)
    np.testing.assert_array_equal(cut, greedy)
    np.testing.assert_allclose(cut_value, value, rtol=1e-12)
    assert (expanded >= 1).all()


def test_the_largest_expected_f_reads_no_label_of_the_empty_set() -> None:
    joint, chosen = np.array([[9.0, 0.3, 0.2], [9.0, 0.1, 0.2]]), np.zeros(2, dtype=bool)
    assert choose_for_f(joint, np.array([0.4, 0.4, 0.2]), True, chosen) == pytest.approx(0.4 * 2 / 3 + 0.4 * 2 / 4)
    assert chosen.all()
