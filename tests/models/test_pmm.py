"""PMM1 and PMM2: equal to the paper's equations written out, increasing, and defined at every edge."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from tests.naive import pmm as naive
from textmix.core.errors import ConfigError
from textmix.models.pmm import training_kernels as kernels
from textmix.models.pmm.estimator import PMM1, PMM2
from textmix.models.pmm.training import EMRun, SetCounts, gather

MODELS = (PMM1, PMM2)
seeds = st.integers(0, 2**32 - 1)


def em_at(X: np.ndarray, Y: np.ndarray, theta: np.ndarray, alpha: np.ndarray, zeta: float = 2.0) -> EMRun:
    """Return an EM run whose parameters are the given ones."""
    training = gather(SetCounts.of(sparse.csr_array(X), Y.astype(bool), np.ones(len(X))), 1.0)
    em = EMRun(training, 2.0, zeta, np.ones(len(training.word)), alpha.copy())
    em.theta[:] = theta[training.word, training.label]
    return em


@given(seeds)
@settings(deadline=None, derandomize=True, max_examples=15)
def test_pmm2_step_equals_the_literal_equations(seed: int) -> None:
    X, Y = naive.corpus(seed)
    theta, alpha = naive.parameters(seed, X.shape[1], Y.shape[1])
    em = em_at(X, Y, theta, alpha)
    em._expectation()
    em.update(learn_alpha=True)
    expected_theta, expected_alpha = naive.literal_step(X, Y, theta, alpha)
    np.testing.assert_allclose(em.dense_theta(), expected_theta, rtol=1e-12)
    np.testing.assert_allclose(em.alpha, expected_alpha, rtol=1e-12)
    # The log-likelihood is U - T, and the step maximises U with the priors: no move from there increases it.
    new, old = (em.dense_theta(), em.alpha), (theta, alpha)
    words, pages = X[:4, :5], Y[:4]
    new, old = ((theta[:5] / theta[:5].sum(axis=0), alpha) for theta, alpha in (new, old))
    upper, lower = naive.auxiliary(words, pages, new, old)
    labelled = zip(words[pages.any(axis=1)], pages[pages.any(axis=1)], strict=True)
    likelihood = sum(naive.log_likelihood(x, np.flatnonzero(y), *new) for x, y in labelled)
    assert upper - lower == pytest.approx(likelihood, rel=1e-10)


@given(seeds)
@settings(deadline=None, derandomize=True, max_examples=15)
def test_pmm1_step_equals_equation_21(seed: int) -> None:
    X, Y = naive.corpus(seed)
    theta, _ = naive.parameters(seed, X.shape[1], Y.shape[1])
    em = em_at(X, Y, theta, np.full((4, 4), 0.5), zeta=1.0)
    em._expectation()
    em.update(learn_alpha=False)
    np.testing.assert_allclose(em.dense_theta(), naive.pmm1_step(X, Y, theta), rtol=1e-12)
    np.testing.assert_array_equal(em.alpha, 0.5)


def test_label_sets_of_three_labels_have_the_word_probabilities_of_the_worked_examples() -> None:
    X, Y = naive.corpus(5, n_labels=3)
    pages = np.eye(X.shape[1], dtype=np.int64)  # one word each, so that scores are log probabilities of words
    first_two = np.tile([1, 1, 0], (len(pages), 1))
    all_three = np.ones((len(pages), 3), dtype=np.int64)
    pmm1, pmm2 = PMM1().fit(X, Y), PMM2().fit(X, Y)
    a, b, c = pmm1.theta_.T
    np.testing.assert_allclose(np.exp(pmm1.score_samples(pages, first_two)), (a + b) / 2)
    np.testing.assert_allclose(np.exp(pmm1.score_samples(pages, all_three)), (a + b + c) / 3)
    a, b, c = pmm2.theta_.T
    bias = pmm2.alpha_
    expected = ((1 + 2 * bias[0, 1]) * a + (1 + 2 * bias[1, 0]) * b) / 4
    np.testing.assert_allclose(np.exp(pmm2.score_samples(pages, first_two)), expected)
    weights = 1 + 2 * (bias.sum(axis=1) - bias.diagonal())
    expected = (weights[0] * a + weights[1] * b + weights[2] * c) / 9
    np.testing.assert_allclose(np.exp(pmm2.score_samples(pages, all_three)), expected)


@pytest.mark.parametrize("model", [PMM1(), PMM2(), PMM1(xi=1.3), PMM2(xi=3.5, zeta=1.5)])
@pytest.mark.parametrize("seed", range(6))
def test_objective_path_ends_at_equation_6(model: Any, seed: int) -> None:
    X, Y = naive.corpus(seed, n_words=30)
    model.fit(X, Y)
    zeta = getattr(model, "zeta", 1.0)
    expected = naive.objective(X, Y, model.theta_, model.alpha_, model.xi, zeta)
    assert model.objective_path_[-1] == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("cls", MODELS)
@given(seed=seeds)
@settings(deadline=None, derandomize=True, max_examples=25)
def test_objective_never_falls(cls: Any, seed: int) -> None:
    X, Y = naive.corpus(seed)
    for init in ("mean", "random"):
        path = cls(tol=1e-10, init=init, random_state=seed).fit(X, Y).objective_path_
        assert np.diff(path).min() >= -1e-13 * abs(path[0])


def test_pmm1_hessian_is_equation_22_and_negative() -> None:
    X, Y = naive.corpus(6)
    theta, _ = naive.parameters(6, X.shape[1], Y.shape[1])
    rng = np.random.default_rng(6)
    half, step = np.full((4, 4), 0.5), 1e-4
    for _ in range(5):
        direction = theta * rng.normal(size=theta.shape)
        values = [naive.objective(X, Y, theta + tau * direction, half, zeta=1) for tau in (-step, 0, step)]
        expected = naive.curvature(X, Y, theta, direction)
        assert (values[0] - 2 * values[1] + values[2]) / step**2 == pytest.approx(expected, rel=1e-4)
        assert expected < 0


def test_pmm2_starts_where_pmm1_ends_and_rises_above_it() -> None:
    X, Y = naive.corpus(8)
    first, second = PMM1().fit(X, Y), PMM2().fit(X, Y)
    shared = len(first.objective_path_)
    constant = 16 * np.log(0.5)
    np.testing.assert_allclose(second.objective_path_[:shared], first.objective_path_ + constant, rtol=1e-12)
    assert second.objective_path_[-1] > second.objective_path_[shared - 1] + 0.1


def test_bias_of_two_labels_sums_to_one_and_strangers_keep_a_half() -> None:
    X, Y = naive.corpus(9)
    Y[:, 2] *= 1 - Y[:, 0]
    alpha = PMM2().fit(X, Y).alpha_
    np.testing.assert_allclose(alpha + alpha.T, 1, rtol=1e-14)
    assert (alpha > 0).all()
    assert alpha[0, 2] == alpha[2, 0] == 0.5
    np.testing.assert_array_equal(np.diag(alpha), 0.5)
    assert abs(alpha[0, 1] - 0.5) > 0.01


def test_parameters_of_a_known_model_come_back() -> None:
    rng = np.random.default_rng(11)
    theta, _ = naive.parameters(11, 60, 3)
    Y = np.array(list(naive.itertools.product((0, 1), repeat=3))[1:] * 60)
    phi = Y / Y.sum(axis=1, keepdims=True) @ theta.T
    X = np.array([rng.multinomial(400, row / row.sum()) for row in phi])
    model = PMM1().fit(X, Y)
    assert np.abs(model.theta_ - theta).sum(axis=0).max() < 0.06
    assert (model.predict(X) == Y).all(axis=1).mean() > 0.95


@given(st.lists(st.tuples(st.floats(1e-38, 1.0), st.sampled_from([0.5, 1.0, 2.0, 9.0])), max_size=60))
@settings(deadline=None, derandomize=True)
def test_weighted_log_sum_is_one_even_where_products_would_underflow(pairs: list[tuple[float, float]]) -> None:
    pairs.sort(key=lambda pair: pair[1])
    values, weights = np.array(pairs).reshape(-1, 2).T.copy()
    result = kernels.weighted_log_sum(values, weights)
    assert result == pytest.approx(float((weights * np.log(values)).sum()), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("cls", MODELS)
def test_permuting_pages_words_and_labels_permutes_the_result(cls: Any) -> None:
    X, Y = naive.corpus(14, n=25)
    rng = np.random.default_rng(0)
    pages, words, labels = rng.permutation(25), rng.permutation(11), rng.permutation(4)
    model = cls(tol=1e-12).fit(X, Y)
    same = cls(tol=1e-12).fit(X[pages], Y[pages])
    np.testing.assert_array_equal(same.theta_, model.theta_)
    moved = cls(tol=1e-12).fit(X[:, words], Y[:, labels])
    np.testing.assert_allclose(moved.theta_, model.theta_[words][:, labels], rtol=1e-7)
    np.testing.assert_allclose(moved.alpha_, model.alpha_[labels][:, labels], rtol=1e-6)
    informative = X.any(axis=1)
    np.testing.assert_array_equal(moved.predict(X[informative][:, words]), model.predict(X[informative])[:, labels])


@pytest.mark.parametrize("cls", MODELS)
def test_weights_are_repetitions(cls: Any) -> None:
    X, Y = naive.corpus(15)
    weight = np.random.default_rng(1).integers(0, 4, len(X)).astype(float)
    repeated = np.repeat(np.arange(len(X)), weight.astype(int))
    one, other = cls().fit(X, Y, sample_weight=weight), cls().fit(X[repeated], Y[repeated])
    np.testing.assert_allclose(one.theta_, other.theta_, rtol=1e-12)
    np.testing.assert_allclose(one.objective_path_, other.objective_path_, rtol=1e-12)
    np.testing.assert_array_equal(one.label_count_, other.label_count_)


@pytest.mark.parametrize("cls", MODELS)
def test_pages_without_labels_or_without_words_teach_nothing_about_words(cls: Any) -> None:
    X, Y = naive.corpus(16)
    useful = np.flatnonzero(X.any(axis=1) & Y.any(axis=1))
    np.testing.assert_array_equal(cls().fit(X, Y).theta_, cls().fit(X[useful], Y[useful]).theta_)


@pytest.mark.parametrize("cls", MODELS)
def test_counts_beyond_32_bits_stay_finite(cls: Any) -> None:
    X, Y = naive.corpus(22)
    model = cls().fit(X * 2.0**33, Y)
    assert np.isfinite(model.objective_path_).all()
    assert np.isfinite(model.predict_proba(X * 2.0**33)).all()
    np.testing.assert_allclose(model.theta_.sum(axis=0), 1, rtol=1e-12)


@pytest.mark.parametrize("cls", MODELS)
def test_one_label_a_page_is_the_smoothed_multinomial(cls: Any) -> None:
    X, _ = naive.corpus(23)
    Y = np.eye(3, dtype=int)[np.arange(len(X)) % 3]
    model = cls().fit(X, Y)
    np.testing.assert_allclose(model.theta_, (Y.T @ X + 1).T / (Y.T @ X + 1).sum(axis=1), rtol=1e-12)
    assert model.converged_


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X, Y: (X, 2 * Y), "indicators"),
        (lambda X, Y: (X, 0 * Y), "no page has a label"),
        (lambda X, Y: (X, Y[1:]), "inconsistent"),
    ],
)
def test_bad_input_is_refused_with_its_reason(change: Any, message: str) -> None:
    X, Y = naive.corpus(25)
    with pytest.raises(ValueError, match=message):
        PMM1().fit(*change(X, Y))


def test_bad_requests_are_refused_with_the_remedy() -> None:
    X, Y = naive.corpus(26, n_labels=21)
    Y[0] = 1
    with pytest.raises(ConfigError, match="at most 20 labels, not 21; use search='flip'"):
        PMM1(search="exact").fit(X, Y).predict(X)
    with pytest.raises(ValueError, match="fitted with 21"):
        PMM1().fit(X, Y).score_samples(X, Y[:, :4])
    with pytest.raises(ValueError, match="xi"):
        PMM1(xi=1.0).fit(X, Y)


@pytest.mark.parametrize("cls", MODELS)
@given(seed=seeds, cut=st.integers(1, 11))
@settings(deadline=None, derandomize=True, max_examples=15)
def test_parts_equal_one_fit_to_the_byte(cls: Any, seed: int, cut: int) -> None:
    X, Y = naive.corpus(seed)
    Y[0, 0] = 1  # the first part has a labelled page
    whole = cls(xi=1.5).fit(X, Y)
    for start in (cls(xi=1.5).partial_fit(X[:cut], Y[:cut]), cls(xi=1.5).fit(X[:cut], Y[:cut])):
        model = start.partial_fit(X[cut:], Y[cut:])
        for name in ("theta_", "alpha_", "label_count_", "size_count_", "objective_path_"):
            np.testing.assert_array_equal(getattr(model, name), getattr(whole, name))


def test_parts_of_label_sets_need_all_labels_at_the_first_call() -> None:
    X, y = [[3, 0], [0, 2], [1, 1]], [["a"], ["b"], ["a", "c"]]
    with pytest.raises(ValueError, match="pass all labels"):
        PMM1().partial_fit(X[:1], y[:1])
    model = PMM1().partial_fit(X[:1], y[:1], classes=["c", "a", "b"]).partial_fit(X[1:], y[1:])
    np.testing.assert_array_equal(model.theta_, PMM1().fit(X, y).theta_)
    with pytest.raises(ValueError, match="unknown label 'd'"):
        model.partial_fit(X[:1], [["d"]])
    with pytest.raises(ValueError, match="y has 2 labels, the first pages had 3"):
        model.partial_fit(X[:1], np.array([[0, 1]]))


def test_a_part_without_labels_adds_its_pages_to_the_sizes_alone() -> None:
    model = PMM1().partial_fit([[3, 0], [0, 2]], np.array([[1, 0], [0, 1]]))
    theta = model.theta_.copy()
    model.partial_fit([[5, 5]], [[0, 0]])
    np.testing.assert_array_equal(model.theta_, theta)
    assert model.size_count_.tolist() == [1, 2, 0]


@pytest.mark.parametrize("cls", MODELS)
@pytest.mark.parametrize("seed", range(4))
def test_em_goes_on_until_a_step_changes_the_objective_by_a_ten_millionth(cls: Any, seed: int) -> None:
    X, Y = naive.corpus(seed)
    path = cls().fit(X, Y).objective_path_
    changes = np.abs(np.diff(path)) / np.abs(path[1:])
    assert changes[-1] <= 1e-7 < changes[-2]


@pytest.mark.parametrize("search", ["greedy", "beam", "flip", "exact"])
@pytest.mark.parametrize("prior", ["uniform", "training"])
@pytest.mark.parametrize("cls", MODELS)
def test_a_label_without_pages_is_never_predicted(cls: Any, prior: str, search: str) -> None:
    X, Y = naive.corpus(3)
    seen, new = Y.any(axis=0), np.random.default_rng(0).poisson(1.0, (200, X.shape[1])) * (np.arange(200) > 9)[:, None]
    model = cls(search=search, set_prior=prior).fit(X, Y)
    alone = cls(search=search, set_prior=prior).fit(X, Y[:, seen])
    assert not seen.all() and not model.predict(new)[:, ~seen].any()
    assert not model.predict_proba(new)[:, ~seen].any()
    if prior == "uniform" and cls is PMM1:  # PMM2's objective counts the priors of the biases of all labels
        np.testing.assert_array_equal(model.predict(new)[:, seen], alone.predict(new))
        np.testing.assert_array_equal(model.predict_proba(new)[:, seen], alone.predict_proba(new))
