"""DCM: equation (1) and every estimator against dense loops, certificates, guards, and documents drawn and refitted."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, sparse, stats
from sklearn.exceptions import ConvergenceWarning

from tests.naive import dcm as naive
from tests.naive.multinomial import corpus
from textmix.models.dirichlet import dcm_kernels as kernels
from textmix.models.dirichlet.dcm import METHODS, DCMClassifier, maximise
from textmix.models.dirichlet.edcm import EDCMClassifier
from textmix.models.dirichlet.tail_kernels import class_tails, make_scratch

seeds = st.integers(0, 2**32 - 1)
#: Those that maximise the likelihood itself.
EXACT = ("reciprocal_newton", "newton", "fixed_point")


def statistic(X: np.ndarray, weight: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray, kernels.TailCounts]:
    """Return the words that occur in the documents of one class, their groups, and the groups' tails."""
    matrix, weight = sparse.csr_array(X), np.ones(len(X)) if weight is None else weight
    scratch = make_scratch(X.shape[1])
    words, group, *parts = class_tails(matrix.indptr, matrix.indices, matrix.data, np.arange(len(X)), weight, scratch)
    assert not any(array.any() for array in scratch)
    tails = kernels.TailCounts(*parts)
    lengths = X.sum(axis=1)
    assert tails.lengths.tolist() == np.unique(lengths[lengths > 0]).tolist()
    assert tails.number.tolist() == [weight[lengths == n].sum() for n in tails.lengths]
    return words, group, tails


def bursty(seed: int, n: int = 12, n_words: int = 8) -> np.ndarray:
    """Return documents of one class, burstier than a multinomial's, so that the likelihood has a maximum."""
    rng = np.random.default_rng(seed)
    theta = rng.dirichlet(np.full(n_words, 0.3), n)
    X = np.array([rng.multinomial(rng.integers(3, 25), p) for p in theta])
    X[0] = 0
    X[2] = X[1]
    X[:, -1] = 0
    return X


def gradient_of(function, X: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """Return the gradient of a likelihood by complex steps."""
    return np.array([function(X, alpha + 1e-20j * row).imag / 1e-20 for row in np.eye(len(alpha))])


@given(seeds)
@settings(deadline=None, derandomize=True, max_examples=30)
def test_words_share_a_group_exactly_when_their_counts_agree(seed: int) -> None:
    X = np.random.default_rng(seed).choice([0, 0, 0, 1, 1, 2, 300], (6, 40))
    words, group, tails = statistic(X)
    keys = [tuple(sorted(X[:, w])) for w in words]
    assert len(set(keys)) == len(set(zip(keys, group.tolist(), strict=True))) == len(tails.copies)
    assert tails.copies.sum() == len(words)


@given(seeds)
@settings(deadline=None, derandomize=True, max_examples=10)
def test_fixed_point_step_equals_minkas(seed: int) -> None:
    X = bursty(seed)
    words, group, tails = statistic(X)
    start = alpha = kernels.start_alpha(tails)
    for _ in range(5):
        alpha = kernels.fixed_point_step(tails, alpha, kernels.evaluate(tails, alpha), 1.0)
    np.testing.assert_allclose(alpha[group], naive.fixed_point(X[:, words], start[group], 5), rtol=1e-11)


@given(seeds, st.sampled_from(sorted(METHODS)))
@settings(deadline=None, derandomize=True, max_examples=60)
def test_likelihood_never_falls(seed: int, method: str) -> None:
    for X in (bursty(seed), corpus(seed)[0]):
        path = maximise(statistic(X)[2], method, max_iter=200).path
        assert np.all(np.diff(path) >= 0)


@given(seeds)
@settings(deadline=None, derandomize=True, max_examples=20)
def test_all_estimators_reach_the_same_maximum(seed: int) -> None:
    X = bursty(seed)
    words, group, tails = statistic(X)
    ends = [maximise(tails, method, max_iter=50000, tol=1e-13, gradient_tol=1e-6) for method in EXACT]
    if any(end.capped for end in ends):
        return
    values = [end.path[-1] for end in ends]
    np.testing.assert_allclose(values, values[0], rtol=1e-9)
    for end in ends:
        assert end.converged
        gradient = gradient_of(naive.log_likelihood, X[:, words], end.alpha[group].astype(complex))
        assert np.sum(np.abs(gradient) * end.alpha[group]) < 1e-6 * X.sum()


@given(seeds)
@settings(deadline=None, derandomize=True, max_examples=20)
def test_log_likelihood_equals_equation_1(seed: int) -> None:
    X, y = corpus(seed)
    X[7, 2] = 500
    model = DCMClassifier().fit(X, y)
    expected = [[naive.log_pmf(x, alpha) for alpha in model.alpha_] for x in X]
    np.testing.assert_allclose(model.log_likelihood(X), expected, rtol=1e-10, atol=1e-9)


def with_parameters(alpha: np.ndarray) -> DCMClassifier:
    """Return a model of one class with the given parameters (V,)."""
    model = DCMClassifier().fit(np.ones((2, len(alpha)), dtype=int), [0, 0])
    model._alpha, model.concentration_ = alpha[:, np.newaxis], np.array([alpha.sum()])
    return model


@pytest.mark.parametrize("alpha", [(0.4, 0.7), (1.0, 1.0), (3.0, 0.2)])
def test_the_dcm_is_the_integral_of_multinomials_over_a_dirichlet(alpha: tuple[float, float]) -> None:
    model = with_parameters(np.array(alpha))
    for first, length in ((0, 1), (1, 1), (2, 5), (5, 5), (1, 12)):

        def joint(theta: float, first: int = first, length: int = length) -> float:
            return float(stats.binom.pmf(first, length, theta) * stats.beta.pdf(theta, *alpha))

        # The density may be infinite at both ends, so that each is the end of an integral of its own.
        integral = sum(integrate.quad(joint, *part, epsabs=1e-12, limit=200)[0] for part in ((0.0, 0.5), (0.5, 1.0)))
        found = np.exp(model.log_likelihood(np.array([[first, length - first]])))
        np.testing.assert_allclose(found, integral, rtol=1e-6)


def test_the_dcm_is_that_of_an_urn_to_which_each_ball_comes_back_with_another() -> None:
    alpha, total = np.array([0.4, 1.0, 2.5]), dict[tuple[int, ...], float]()
    for drawn in itertools.product(range(3), repeat=5):
        balls, chance = alpha.copy(), 1.0
        for colour in drawn:
            chance *= balls[colour] / balls.sum()
            balls[colour] += 1.0
        counts = tuple(drawn.count(colour) for colour in range(3))
        total[counts] = total.get(counts, 0.0) + chance
    found = np.exp(with_parameters(alpha).log_likelihood(np.array(list(total))))
    np.testing.assert_allclose(found[:, 0], list(total.values()), rtol=1e-12)


@pytest.mark.parametrize("method", EXACT)
@pytest.mark.parametrize(
    "documents",
    [
        [[1, 0, 0], [0, 1, 0], [0, 1, 0]],  # documents of one word: s does not matter
        [[1, 1, 0], [0, 1, 1]],  # no word is repeated
        [[4, 2, 1]],  # one document
        [[4, 0, 0], [0, 3, 0]],  # each document repeats a single word
        [[3, 0, 0], [2, 0, 0]],  # a single word
        [[0, 0, 0], [0, 0, 0]],  # no word at all
    ],
)
def test_degenerate_classes_are_finite_and_end(documents: list[list[int]], method: str) -> None:
    X = np.array([*documents, [2, 1, 1], [1, 0, 3], [0, 4, 0]])
    y = [0] * len(documents) + [1] * 3
    model = DCMClassifier(method=method).fit(X, y)
    assert model.converged_
    assert np.all(np.isfinite(model.alpha_)) and np.all(model.alpha_ > 0)
    assert np.all(np.isfinite(model.predict_log_proba(X)))
    assert np.all(np.diff(model.objective_path_) >= 0)


def test_a_class_less_bursty_than_a_multinomial_is_capped() -> None:
    X = np.array([[3, 2, 1], [3, 2, 1], [3, 2, 1], [5, 0, 0], [0, 4, 1], [0, 0, 3]])
    model = DCMClassifier(smoothing=0.0).fit(X, [0, 0, 0, 1, 1, 1])
    assert model.capped_.tolist() == [True, False]
    assert model.mle_concentration_[0] > 3 * 6**2
    np.testing.assert_allclose(model.alpha_[0] / model.concentration_[0], [3 / 6, 2 / 6, 1 / 6], rtol=0.01)


def test_leave_one_out_drops_words_that_are_never_single() -> None:
    X = np.vstack([bursty(seed) for seed in range(5)])
    X[5, -1] = 2
    model = DCMClassifier(method="leave_one_out", smoothing=0.0).fit(X, np.zeros(len(X)))
    assert model.alpha_[0, -1] == 0
    assert np.all(model.alpha_[0, :-1] > 0.05)
    with pytest.raises(ValueError, match="whole counts"):
        DCMClassifier(method="leave_one_out").fit(X + 0.5, np.arange(len(X)) % 2)


@pytest.mark.parametrize("model", [DCMClassifier, EDCMClassifier])
def test_smoothing_adds_a_share_of_the_smallest_parameter(model: type[DCMClassifier | EDCMClassifier]) -> None:
    X, y = corpus(3)
    plain, smooth = (model(smoothing=value).fit(X, y) for value in (0.0, 0.5))
    fixed = model(smoothing=1e-3, smoothing_unit="absolute").fit(X, y)
    alpha, more, fixed = (
        getattr(each, "alpha_" if model is DCMClassifier else "beta_") for each in (plain, smooth, fixed)
    )
    smallest = np.where(alpha > 0, alpha, np.inf).min(axis=1, keepdims=True)
    np.testing.assert_allclose(more, alpha + 0.5 * smallest, rtol=1e-13)
    np.testing.assert_allclose(fixed, alpha + 1e-3, rtol=1e-13)
    np.testing.assert_allclose(smooth.concentration_, more.sum(axis=1), rtol=1e-13)
    np.testing.assert_array_equal(smooth.mle_concentration_, plain.mle_concentration_)


def test_drawn_documents_give_the_parameters_back() -> None:
    X = np.vstack([bursty(seed) for seed in range(3)])
    model = DCMClassifier(smoothing=0.0).fit(X, np.zeros(len(X)))
    drawn, _ = model.sample(np.full(8000, 25), random_state=0)
    again = DCMClassifier(smoothing=0.0).fit(drawn, np.zeros(8000))
    np.testing.assert_allclose(again.alpha_, model.alpha_, rtol=0.1, atol=1e-3)
    assert np.all(drawn.sum(axis=1) == 25)


def test_the_default_tolerances_are_met_and_needed() -> None:
    X = np.vstack([bursty(seed) for seed in range(4)])
    y = np.zeros(len(X))
    by_change = DCMClassifier(method="fixed_point", gradient_tol=1e9, max_iter=100_000).fit(X, y).objective_path_
    changes = np.abs(np.diff(by_change)) / np.abs(by_change[1:])
    assert changes[-1] <= 1e-8 < changes[-2]
    model = DCMClassifier(method="fixed_point", tol=1.0, max_iter=100_000).fit(X, y)
    earlier = DCMClassifier(method="fixed_point", max_iter=int(model.n_iter_[0]) - 1)
    with pytest.warns(ConvergenceWarning):
        earlier.fit(X, y)
    assert model.gradient_[0] <= 1e-6 < earlier.gradient_[0]
