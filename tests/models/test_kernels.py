"""Kernels on a few numbers: worked by hand, in plain NumPy, and exactly at the ends of their branches."""

from __future__ import annotations

import numpy as np
import pytest

from textmix.models.common import heap_kernels as heaps
from textmix.models.common.count_kernels import smallest_positive
from textmix.models.dirichlet import dcm_kernels, edcm_kernels, latent_edcm_kernels
from textmix.models.dirichlet.length_kernels import length_derivatives
from textmix.models.dirichlet.tail_kernels import class_tails, make_scratch
from textmix.models.hmm import hmm_kernels
from textmix.models.label_sets.chain_kernels import gibbs_marginals, uniform
from textmix.models.label_sets.tree_gibbs_kernels import gibbs_trees
from textmix.models.linear import coordinate_descent_kernels as descent
from textmix.models.linear.loss_kernels import class_line, softmax_line
from textmix.models.linear.margin_problem import Columns
from textmix.models.linear.newton_kernels import newton_logistic
from textmix.models.neighbours.neighbour_kernels import votes
from textmix.models.pmm import prediction_kernels
from textmix.models.pmm.training_kernels import weighted_log_sum
from textmix.models.topics.labelled_lda_kernels import infer_shares
from textmix.models.topics.lda_kernels import draw

#: A class of six documents, three of 2 words, two of 5 and one of 9: lengths and numbers.
LENGTHS, NUMBER = np.array([2.0, 5.0, 9.0]), np.array([3.0, 2.0, 1.0])


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


def test_the_sum_of_the_parameters_solves_its_equation_from_afar() -> None:
    s = dcm_kernels.solve_sum(15.0, 0.0, 12.0, LENGTHS, NUMBER)
    assert s * length_derivatives(s, LENGTHS, NUMBER)[0] == pytest.approx(15.0, rel=1e-9)
    far = dcm_kernels.solve_sum(15.0, 0.0, 1000.0, LENGTHS, NUMBER)
    assert far == pytest.approx(1000.0 * np.exp(-dcm_kernels.LARGEST_SHIFT), rel=1e-12)


def test_newton_finds_the_concentration_in_few_steps() -> None:
    # The second class, of very unequal documents, needs the bracket where Newton's step leaves it.
    for words, lengths, number, most in (
        (6.5, LENGTHS, NUMBER, 10),
        (15.5, LENGTHS, NUMBER, 5),
        (24.0, LENGTHS, NUMBER, 10),
        (99_903.0, np.array([1.0, 2.0, 100_000.0]), np.ones(3), 20),
    ):
        s, steps, capped = edcm_kernels.solve_concentration(words, lengths, number)
        assert s * length_derivatives(s, lengths, number)[0] == pytest.approx(words, rel=1e-12)
        assert steps <= most and not capped


def test_logarithms_that_are_looked_up_are_those_that_are_computed() -> None:
    table = np.tile([0.0, 1.0, 62.0, 63.0, 64.0, 65.0, 0.5, 63.5, 1000.0], (2, 30))
    scale, added, found = np.array([0.5, 3.0]), np.array([0.1, 0.2]), np.empty((270, 2))
    edcm_kernels.log_parameters(table, scale, added, found)
    np.testing.assert_allclose(found, np.log(table.T * scale + added), rtol=1e-14)


def test_sums_of_counts_that_are_not_whole_are_told_apart() -> None:
    counts = np.array([1.0, 2.0, 3.0, 4.0])
    weight = np.repeat([0.5, 0.25], 4)
    indptr, indices = np.arange(9, dtype=np.int32), np.repeat([0, 1], 4).astype(np.int32)
    _, group, _, _, _, tail, _, _ = class_tails(
        indptr, indices, np.tile(counts, 2), np.arange(8), weight, make_scratch(2)
    )
    assert group.tolist() == [0, 1]
    assert tail.tolist() == [2.0, 1.5, 1.0, 0.5, 1.0, 0.75, 0.5, 0.25]


def test_a_topic_without_words_takes_what_the_dear_topics_leave() -> None:
    share, cost, mixture = np.array([[1e-15, 1.0, 1.0]]), np.array([0.1, 10.0, 10.0]), np.zeros((1, 3))
    latent_edcm_kernels.mix_documents(share, np.ones(1), cost, mixture)
    np.testing.assert_allclose(mixture[0], [1.0 - 2.0 / 9.9, 1.0 / 9.9, 1.0 / 9.9], rtol=1e-12)


def test_the_dirichlet_of_one_topic_is_its_prior_and_its_words() -> None:
    gamma, share = np.array([[7.0], [2.0]]), np.array([[3.0], [0.5]])
    assert latent_edcm_kernels.natural_steps(gamma, share, 0.4, np.ones(1), np.array([5.0, 2.0])) == 0
    assert gamma.tolist() == [[3.4], [0.9]]


def test_documents_form_groups_of_a_number_of_words_and_of_documents() -> None:
    most = hmm_kernels.GROUP_WORDS
    lengths = np.array([most - 100, 100, 1, most + 1, 2])
    offsets, order = np.concatenate([[0], np.cumsum(lengths)]), np.arange(5)
    assert [hmm_kernels.group_end(offsets, order, first) for first in range(5)] == [2, 3, 3, 4, 5]
    assert hmm_kernels.group_end(np.arange(400), np.arange(399), 0) == hmm_kernels.LANES


@pytest.mark.parametrize("seed", range(8))
def test_a_gibbs_sampler_starts_from_fair_coins(seed: int) -> None:
    # Label 0 follows the start of label 1 in the first sweep.
    state = np.array([seed], dtype=np.uint64)
    start = [uniform(state) < 0.5 for _ in range(2)]
    Z, V = np.array([[-500.0, 0.0]]), np.array([[0.0, 0.0], [1000.0, 0.0]])
    assert gibbs_marginals(Z, V, 1, 1, np.array([seed], dtype=np.uint64))[0, 0] == start[1]
    one = np.array([0], dtype=np.int32)
    tree = (one, one + 1, np.array([0.5]), np.array([[~0, ~1]], dtype=np.int32), np.array([-500.0, 500.0]))
    empty = np.zeros(2, dtype=np.int64), np.zeros(0, dtype=np.int32), np.zeros(0)
    found = gibbs_trees(*empty, np.zeros(2), tree, np.array([0, 1, 1]), 1, 1, seed, np.zeros(2))
    assert found[0, 0] == start[1]


@pytest.mark.parametrize("binary", [True, False])
def test_sums_over_a_column_are_those_of_the_dense_matrix(binary: bool) -> None:
    rng = np.random.default_rng(3)
    X = (rng.random((12, 4)) < 0.5) * (1.0 if binary else rng.gamma(2.0, size=(12, 4)))
    state = rng.gamma(1.0, size=(12, 2))
    arrays = Columns.of(X).arrays
    assert (len(arrays[2]) == 0) == binary
    for j in range(4):
        assert descent._column_curvature(*arrays, j, state) == pytest.approx(state[:, 1] @ X[:, j] ** 2)
        assert descent._column_gradient(*arrays, j, state) == pytest.approx(state[:, 0] @ X[:, j])
        changed = state.copy()
        descent._add_to_weight(*arrays, j, changed, 0.3)
        np.testing.assert_allclose(changed, state + np.outer(0.3 * state[:, 1] * X[:, j], [1.0, 0.0]))


def test_conjugate_gradients_end_at_a_hundredth_of_the_gradient() -> None:
    rng = np.random.default_rng(0)
    X = rng.gamma(2.0, size=(40, 6))
    state, w, l1, l2 = np.column_stack([rng.normal(size=40), rng.gamma(1.0, size=40)]), np.full(6, 50.0), 0.3, 0.1
    curvature = state[:, 1] @ X**2 + l2

    def size() -> float:
        """Return the squared norm of the gradient in weights and intercept, over the second derivatives."""
        slope = X.T @ state[:, 0] + l2 * w + l1 * np.sign(w)
        return float(slope**2 @ (1.0 / curvature) + state[:, 0].sum() ** 2 / state[:, 1].sum())

    before = size()
    descent._support_step(*Columns.of(X).arrays, np.arange(6), w, state, curvature, l1, l2)
    assert (w > 0).all(), "no sign changed, so that the step is whole"
    assert size() <= 0.01 * before * (1.0 + 1e-9)


def test_losses_of_classes_stand_scores_that_no_exponential_stands() -> None:
    rng = np.random.default_rng(1)
    Z, D, code, weight = rng.normal(size=(5, 3)), rng.normal(size=(5, 3)), np.arange(5) % 3, rng.gamma(1.0, size=5)
    for line, target in ((softmax_line, np.eye(3)[code]), (class_line, code)):
        for shift in (-1000.0, 1000.0):
            near, far = np.empty((5, 3)), np.empty((5, 3))
            expected = line(Z, D, 0.5, target, weight, near)
            np.testing.assert_allclose(line(Z + shift, D, 0.5, target, weight, far), expected, rtol=1e-9)
            np.testing.assert_allclose(far, near, atol=1e-12)


def test_a_problem_whose_curvature_is_gone_does_not_claim_to_have_converged() -> None:
    A, Y = np.ones((2, 1)), np.zeros((2, 1), dtype=np.int8)
    unknowns, objective, converged, n_iter = newton_logistic(
        A, Y, np.ones(2), np.zeros(1), np.full((1, 1), 800.0), 5, 1e-9
    )
    assert unknowns.tolist() == [[800.0]] and objective.tolist() == [1600.0]
    assert converged.tolist() == [False] and n_iter == 0


def test_the_smallest_votes_count() -> None:
    assert votes(np.array([[0, 1]]), np.array([[1e-20, 3e-20]]), 2, True).tolist() == [[0, 1]]


def test_a_label_that_only_thins_the_others_is_taken_out() -> None:
    theta = np.array([[0.9, 0.1, 0.1], [0.1, 0.9, 0.9]])
    model = prediction_kernels.Parameters(theta, np.full((3, 3), 0.5), np.zeros(4), np.zeros(3))
    page, member = prediction_kernels.Page(np.array([10.0]), theta[:1].copy()), np.array([True, True, False])
    prediction_kernels.flip(page, model, member)
    assert member.tolist() == [True, False, False]


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


def test_a_sum_of_logarithms_neither_underflows_nor_mixes_weights() -> None:
    values, weights = np.full(50, 1e-35), np.repeat([1.0, 2.0, 3.5], [3, 40, 7])
    assert weighted_log_sum(values, weights) == pytest.approx(weights.sum() * np.log(1e-35), rel=1e-14)


def test_shares_of_topics_are_those_of_plain_em() -> None:
    phi, alpha, counts = np.array([[0.5, 0.1], [0.3, 0.2], [0.2, 0.7]]), np.array([0.2, 0.4]), np.array([3.0, 0.0, 2.0])
    theta = alpha / alpha.sum()
    for _ in range(3):
        shares = theta * phi / (phi @ theta)[:, np.newaxis]
        theta = alpha + counts @ shares
        theta /= theta.sum()
    indptr, indices = np.array([0, 2], dtype=np.int32), np.array([0, 2], dtype=np.int32)
    np.testing.assert_allclose(infer_shares(indptr, indices, counts[[0, 2]], phi, alpha, 3)[0], theta, rtol=1e-13)


def test_an_index_is_drawn_where_the_running_sum_passes_the_share() -> None:
    weights = np.array([1.0, 3.0, 2.0])
    assert [draw(weights, share) for share in (0.0, 0.1, 0.2, 0.66, 0.67, 0.99)] == [0, 0, 1, 1, 2, 2]
