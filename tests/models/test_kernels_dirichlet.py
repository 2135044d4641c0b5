"""Kernels of the Dirichlet models on a few numbers: by SciPy's functions, in plain NumPy, at the ends of branches."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.special import digamma, gammaln, polygamma

from tests.models.test_dcm import statistic
from textmix.models.dirichlet import dcm_kernels, edcm_kernels, latent_edcm_kernels
from textmix.models.dirichlet.length_kernels import concentration_bound, histogram, length_derivatives
from textmix.models.dirichlet.tail_kernels import class_tails, make_scratch

#: A class of six documents, three of 2 words, two of 5 and one of 9: lengths and numbers.
LENGTHS, NUMBER = np.array([2.0, 5.0, 9.0]), np.array([3.0, 2.0, 1.0])
#: Four documents of three words; counts on both sides of every limit of the kernels.
COUNTS = np.array([[1.0, 0.0, 300.0], [3.0, 2.0, 0.0], [5.0, 2.0, 17.0], [0.0, 0.0, 1.0]])


def trigamma(a: np.ndarray) -> np.ndarray:
    """Return SciPy's."""
    return polygamma(1, a)


def test_the_likelihood_of_a_class_and_its_derivatives_are_scipys() -> None:
    words, group, tails = statistic(COUNTS)
    alpha = np.array([0.3, 1.7, 0.02])[np.unique(group, return_index=True)[1]]
    a, n = alpha[group], COUNTS.sum(axis=1)
    s, X = a.sum(), COUNTS[:, words]
    found = dcm_kernels.evaluate(tails, alpha)
    value = (gammaln(X + a) - gammaln(a)).sum() - (gammaln(s + n) - gammaln(s)).sum()
    assert found.value == pytest.approx(value, rel=1e-11)
    slope, bend = (digamma(X + a) - digamma(a)).sum(axis=0), (trigamma(a) - trigamma(X + a)).sum(axis=0)
    np.testing.assert_allclose(found.word_gradient[group], slope, rtol=1e-11)
    np.testing.assert_allclose(found.word_curvature[group], bend, rtol=1e-11)
    b, z = (digamma(s + n) - digamma(s)).sum(), (trigamma(s) - trigamma(s + n)).sum()
    assert (found.length_gradient, found.length_curvature) == pytest.approx((b, z), rel=1e-11)
    assert found.scaled_gradient == pytest.approx((a * abs(slope - b)).sum() / (s * b), rel=1e-10)
    left = dcm_kernels.evaluate_leave_one_out(tails, alpha)
    inner = X - 1 + a
    held = np.where(X > 0, X * np.log(np.where(X > 0, inner, 1.0)), 0.0).sum() - (n * np.log(n - 1 + s)).sum()
    assert left.value == pytest.approx(held, rel=1e-11)
    np.testing.assert_allclose(left.word_gradient[group], (X / inner * (X > 0)).sum(axis=0), rtol=1e-11)
    np.testing.assert_allclose(left.word_curvature[group], (X / inner**2 * (X > 0)).sum(axis=0), rtol=1e-11)
    ends = (n / (n - 1 + s)).sum(), (n / (n - 1 + s) ** 2).sum()
    assert (left.length_gradient, left.length_curvature) == pytest.approx(ends, rel=1e-11)


def test_a_newton_step_solves_the_dense_system_and_keeps_a_tenth() -> None:
    _, group, tails = statistic(COUNTS)
    assert group.tolist() == [0, 1, 2]
    alpha = np.array([0.3, 1.7, 0.02])
    point = dcm_kernels.evaluate(tails, alpha)
    gradient = point.word_gradient - point.length_gradient
    hessian = np.diag(-point.word_curvature) + point.length_curvature
    for damping in (1.0, 0.25):
        step = -damping * np.linalg.solve(hessian, gradient)
        found = dcm_kernels.newton_step(tails, alpha, point, damping)
        np.testing.assert_allclose(found, np.maximum(alpha + step, 0.1 * alpha), rtol=1e-9)


def test_the_reciprocal_step_has_its_roots_and_its_sum() -> None:
    _, _, tails = statistic(COUNTS)
    alpha = np.array([0.3, 0.5, 0.2])
    point = dcm_kernels.evaluate(tails, alpha)
    scale = point.word_gradient / point.word_curvature
    P, Q = (scale * point.word_gradient).sum(), (scale - alpha).sum()
    s = dcm_kernels.solve_sum(P, Q, alpha.sum(), tails.lengths, tails.number)
    roots = alpha + scale * (point.word_gradient * (s + Q) / P - 1.0)
    assert roots.sum() == pytest.approx(s, rel=1e-9)
    bounds = tails.tail[tails.start[:-1]] * (s + Q) / P
    expected = np.maximum(roots, bounds)
    np.testing.assert_allclose(dcm_kernels.reciprocal_step(tails, alpha, point, 1.0), expected, rtol=1e-9)
    halfway = dcm_kernels.reciprocal_step(tails, alpha, point, 0.5)
    np.testing.assert_allclose(halfway, (alpha + expected) / 2, rtol=1e-9)


def test_scores_of_counts_of_every_size_are_scipys() -> None:
    # Whole and not whole, up to and above the largest count that is a product, and products that must be cut.
    # Each word stands three times, so that products reach their limit.
    alpha = np.tile([[1e-9, 0.5], [2.0, 1e6], [0.3, 0.0]], (3, 1))
    X = np.array([[1, 2, 0], [3, 127, 0], [128, 129, 0], [0.5, 2.5, 0], [100, 100, 1], [60, 128, 2], [2, 0, 0]])
    X = np.tile(X, 3)
    matrix, score = sparse.csr_array(X), np.zeros((len(X), 2))
    bounds = 1e-9, 1e6
    length = dcm_kernels.dcm_scores(matrix.indptr, matrix.indices, matrix.data, alpha, bounds, score)
    assert length.tolist() == X.sum(axis=1).tolist()
    with np.errstate(all="ignore"):
        ratio = gammaln(X[:, :, np.newaxis] + alpha) - gammaln(alpha)
    expected = np.where(X[:, :, np.newaxis] > 0, np.where(alpha > 0, ratio, -np.inf), 0.0).sum(axis=1)
    np.testing.assert_allclose(score, expected, rtol=1e-9)


def test_parameters_of_a_class_are_added_at_its_words_in_every_block() -> None:
    size = 2 * dcm_kernels.BLOCK + 3
    words = np.array([0, dcm_kernels.BLOCK - 1, dcm_kernels.BLOCK, size - 1, 5], dtype=np.int32)
    alpha, added, table = np.arange(1.0, 6.0), np.array([0.5, 0.25]), np.full((size, 2), np.nan)
    dcm_kernels.fill_table(words, alpha, np.array([0, 4, 5]), added, table)
    expected = np.tile(added, (size, 1))
    np.add.at(expected, (words, [0, 0, 0, 0, 1]), alpha)
    np.testing.assert_array_equal(table, expected)


def test_lengths_are_counted_with_the_weights_of_their_documents() -> None:
    lengths, number = histogram(np.array([5.0, 0.0, 2.0, 5.0, 2.0, 9.0]), np.array([1.0, 7.0, 0.5, 2.0, 1.0, 1.0]))
    assert lengths.tolist() == [2.0, 5.0, 9.0] and number.tolist() == [1.5, 3.0, 1.0]
    found = length_derivatives(0.7, lengths, number)
    expected = number @ (digamma(0.7 + lengths) - digamma(0.7)), number @ (trigamma(0.7) - trigamma(0.7 + lengths))
    assert found == pytest.approx(expected, rel=1e-12)
    assert concentration_bound(lengths, number) == 1.5 * 4 + 3 * 25 + 81
    assert concentration_bound(np.ones(1), np.ones(1)) == 2.0


def test_presence_is_counted_by_weight_and_scored_by_word() -> None:
    counts = np.tile(COUNTS, 3)  # more than four words a document, which are scored four at a time
    matrix = sparse.csr_array(counts)
    parts, weight, table = (matrix.indptr, matrix.indices, matrix.data), np.array([1.0, 2.0, 0.5, 1.0]), np.ones((2, 9))
    length = edcm_kernels.add_presence(*parts, np.array([0, 1, 0, 1]), np.array([0, 2, 1, 3]), weight, table)
    assert length.tolist() == counts.sum(axis=1).tolist()
    assert table.tolist() == [3 * [2.5, 1.5, 2.5], 3 * [3.0, 3.0, 2.0]]
    log_beta, score = np.log(np.tile([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]], (3, 1))), np.ones((4, 2))
    assert edcm_kernels.presence_scores(*parts, log_beta, score).tolist() == length.tolist()
    np.testing.assert_allclose(score, 1.0 + (counts > 0) @ log_beta, rtol=1e-13)


@pytest.mark.parametrize("topics", [1, 3, 4, 6])
def test_a_sweep_gives_each_word_to_the_topics(topics: int) -> None:
    rng = np.random.default_rng(topics)
    present = sparse.csr_array(np.array([[1, 1, 1, 1, 0, 1, 1], [0, 1, 0, 0, 0, 0, 0], np.zeros(7, dtype=int)]))
    # The product of five words lies below the least product, so that its logarithm is taken in between.
    weight, beta = rng.dirichlet(np.ones(topics), 3), rng.gamma(1.0, size=(7, topics)) * 1e-60
    share, table = np.empty((3, topics)), np.empty((7, topics))
    value = latent_edcm_kernels.sweep(present.indptr, present.indices, weight, beta, share, table)
    mixed = weight[:, np.newaxis] * beta * present.toarray()[:, :, np.newaxis]
    r = mixed / np.maximum(mixed.sum(axis=2, keepdims=True), 1e-300)
    np.testing.assert_allclose(share, r.sum(axis=1), rtol=1e-12)
    np.testing.assert_allclose(table, r.sum(axis=0), rtol=1e-12)
    assert value == pytest.approx(np.log(mixed.sum(axis=2)[present.toarray() > 0]).sum(), rel=1e-12)


def test_words_that_are_hardly_possible_have_a_finite_log_likelihood() -> None:
    indptr, indices = np.array([0, 3]), np.arange(3)
    weight, beta, share, table = np.array([[1e-200]]), np.full((3, 1), 1e-90), np.empty((1, 1)), np.empty((3, 1))
    value = latent_edcm_kernels.sweep(indptr, indices, weight, beta, share, table)
    assert value == pytest.approx(3 * np.log(1e-290), rel=1e-12)


def test_the_bound_of_a_document_is_that_of_its_formula() -> None:
    gamma, share, s, prior, n = (
        np.array([0.3, 2.0, 5.0]),
        np.array([1.0, 0.0, 4.0]),
        np.array([0.5, 4.0, 9.0]),
        0.7,
        6.0,
    )
    logs, mean = digamma(gamma) - digamma(gamma.sum()), gamma @ s / gamma.sum()
    expected = (share + prior - gamma) @ logs + gammaln(gamma).sum() - gammaln(gamma.sum())
    expected += gammaln(mean) - gammaln(mean + n)
    assert latent_edcm_kernels._bound(gamma, share, prior, s, n) == pytest.approx(expected, rel=1e-12)


def test_terms_of_a_dirichlet_are_scipys() -> None:
    s, n, gradient = np.array([0.4, 12.0]), np.array([3.0, 40.0]), np.empty(2)
    value = latent_edcm_kernels.length_terms(s, n, gradient)
    np.testing.assert_allclose(gradient, digamma(s + n) - digamma(s), rtol=1e-12)
    assert value == pytest.approx((gammaln(s) - gammaln(s + n)).sum(), rel=1e-12)
    gamma, weight = np.array([[0.3, 2.0, 5.0], [1.0, 1.0, 0.1]]), np.empty((2, 3))
    logs = digamma(gamma) - digamma(gamma.sum(axis=1, keepdims=True))
    latent_edcm_kernels.expected_weights(gamma, weight)
    np.testing.assert_allclose(weight, np.exp(logs), rtol=1e-12)
    prior = 0.7
    expected = gammaln(gamma.sum(axis=1)) - gammaln(gamma).sum(axis=1) + ((gamma - prior) * logs).sum(axis=1)
    expected = expected.sum() - 2 * (gammaln(3 * prior) - 3 * gammaln(prior))
    assert latent_edcm_kernels.divergence(gamma, prior) == pytest.approx(expected, rel=1e-12)


def test_a_natural_step_is_that_of_fishers_matrix() -> None:
    gamma, share, s, n = np.array([[3.0, 4.0, 5.0]]), np.array([[2.6, 3.5, 4.6]]), np.array([0.5, 0.6, 0.7]), np.ones(1)
    total = gamma.sum()
    mean = (gamma[0] @ s) / total
    fisher = np.diag(trigamma(gamma[0])) - trigamma(total)
    slope = digamma(mean + n[0]) - digamma(mean)
    expected = 0.4 + share[0] - slope * np.linalg.solve(fisher, (s - mean) / total)
    assert latent_edcm_kernels.natural_steps(gamma, share, 0.4, s, n) == 0
    np.testing.assert_allclose(gamma[0], expected, rtol=1e-9)


def test_the_sum_of_the_parameters_solves_its_equation_from_afar() -> None:
    s = dcm_kernels.solve_sum(15.0, 0.0, 12.0, LENGTHS, NUMBER)
    assert s * length_derivatives(s, LENGTHS, NUMBER)[0] == pytest.approx(15.0, rel=1e-9)
    far = dcm_kernels.solve_sum(15.0, 0.0, 1000.0, LENGTHS, NUMBER)
    assert far == pytest.approx(1000.0 * np.exp(-dcm_kernels.LARGEST_SHIFT), rel=1e-12)


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


def test_a_fit_starts_where_it_would_end_if_no_word_were_repeated() -> None:
    _, _, tails = statistic(COUNTS)
    alpha = dcm_kernels.start_alpha(tails)
    b = length_derivatives(alpha.sum(), tails.lengths, tails.number)[0]
    np.testing.assert_allclose(alpha, [3.0 / b, 2.0 / b, 3.0 / b], rtol=1e-6)


def test_a_natural_step_leaves_a_tenth() -> None:
    gamma = np.full((1, 3), 50.0)
    latent_edcm_kernels.natural_steps(gamma, np.zeros((1, 3)), 0.4, np.full(3, 0.5), np.ones(1))
    np.testing.assert_allclose(gamma, 5.0, rtol=1e-14)


@pytest.mark.parametrize(
    ("counts", "distinct", "tail"),
    [
        ([1, 1, 2, 4, 4], [1, 2, 4], [5, 3, 2]),
        ([17, 17, 5, 1, 255], [1, 5, 17, 255], [5, 4, 3, 1]),
        ([300, 2.5, 7, 300, 2.5, 1], [1, 2.5, 7, 300], [6, 5, 3, 2]),
        ([256, 256, 256], [256], [3]),
    ],
)
def test_tail_counts_of_a_word_are_counted_however_large(
    counts: list[float], distinct: list[float], tail: list[float]
) -> None:
    _, _, tails = statistic(np.array(counts, dtype=float)[:, np.newaxis])
    assert tails.counts.tolist() == distinct and tails.tail.tolist() == tail


def test_a_document_whose_bound_is_no_number_keeps_its_dirichlet() -> None:
    gamma = np.full((1, 2), 3.0)
    assert latent_edcm_kernels.natural_steps(gamma, np.full((1, 2), np.nan), 0.4, np.ones(2), np.ones(1)) == 1
    assert gamma.tolist() == [[3.0, 3.0]]
