"""Latent-topic EDCM: objectives that never fall, blocks against dense twins, one topic the EDCM, topics found again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from tests.early_stops import may_stop_early, stops_early
from tests.naive import latent_edcm as naive
from tests.naive.multinomial import corpus
from textmix.models.dirichlet import latent_edcm_kernels as kernel
from textmix.models.dirichlet.edcm import EDCMClassifier, draw
from textmix.models.dirichlet.latent_edcm import LatentTopicEDCM, _Likelihood, _MeanField

METHODS = ("likelihood", "mean_field")
every_method = pytest.mark.parametrize("method", METHODS)
seeds = st.integers(0, 2**32 - 1)


def run_at(kind: Any, X: np.ndarray, n_components: int, seed: int, prior: float = 0.3) -> Any:
    """Return a run at its start."""
    rng = np.random.default_rng(seed)
    beta = (X > 0).mean(axis=0)[:, np.newaxis] * rng.gamma(1.0, size=(X.shape[1], n_components))
    return kind(sparse.csr_array(X), beta, prior)


@may_stop_early
@every_method
@given(seeds, st.integers(1, 4))
@settings(deadline=None, derandomize=True, max_examples=25)
def test_objective_never_falls(method: Any, seed: int, n_components: int) -> None:
    X, _ = corpus(seed, n=20)
    model = LatentTopicEDCM(
        n_components=n_components, method=method, prior=0.2, max_iter=60, tol=0, random_state=seed % 1000
    )
    path = np.array(model.fit(X).objective_path_)
    assert len(path) > 1
    assert np.all(np.diff(path) >= -1e-9 * np.abs(path[1:]))
    np.testing.assert_allclose(model.mixture_.sum(axis=1), 1.0, rtol=1e-12)
    assert np.all(model.mixture_ >= 0) and np.all(model.beta_ >= 0)


@given(seeds)
@settings(deadline=None, derandomize=True, max_examples=20)
def test_objective_is_the_log_likelihood_at_the_start_of_the_step(seed: int) -> None:
    X, _ = corpus(seed)
    run = run_at(_Likelihood, X, 3, seed)
    for _ in range(4):
        theta, beta = run.theta.copy(), run.beta.T.copy()
        run.step()
        assert run.path[-1] == pytest.approx(float(naive.log_likelihood(X, theta, beta).real), rel=1e-10)


def test_beta_step_is_the_closed_form() -> None:
    X, _ = corpus(7)
    run = run_at(_Likelihood, X, 3, 7)
    expected = naive.update_beta(X, run.theta, run.beta.T)
    run._sweep(run.theta)
    run._lengths(run.theta, run.beta.sum(axis=0))
    run._set_beta(run._rescale(run.theta))
    np.testing.assert_allclose(run.beta.T, expected, rtol=1e-10)


def test_a_parameter_that_vanishes_becomes_zero() -> None:
    run = run_at(_Likelihood, corpus(7)[0], 2, 7)
    run.table[:] = 1.0
    run.table[:2, 0] = 1e-101, 1e-99
    run._set_beta(np.ones(2))
    assert run.beta[:3, 0].tolist() == [0.0, 1e-99, 1.0]


def test_gradient_is_zero_at_the_end() -> None:
    X, _ = corpus(11, n=30)
    with stops_early():
        model = LatentTopicEDCM(n_components=2, max_iter=20000, tol=1e-15, random_state=0).fit(X)
    for k, w in zip(*np.nonzero(model.beta_ > 1e-3), strict=True):
        step = model.beta_.astype(complex)
        step[k, w] += 1e-20j
        slope = naive.log_likelihood(X, model.mixture_.astype(complex), step).imag / 1e-20
        assert abs(slope) * model.beta_[k, w] < 2e-3


@given(seeds)
@settings(deadline=None, derandomize=True, max_examples=50)
def test_shares_maximise_their_bound(seed: int) -> None:
    rng = np.random.default_rng(seed)
    share = rng.uniform(1e-9, 1.0, size=4) ** 3 * rng.choice([0.0, 1.0, 30.0], 4)
    share[0] += 0.5
    cost, mixture = rng.gamma(1.0, size=4) * rng.choice([1e-3, 1.0, 1e3]), np.full(4, 0.25)
    kernel._mix(share, cost, mixture)

    def bound(theta: np.ndarray) -> float:
        seen = share > 1e-12 * share.sum()
        return float(share[seen] @ np.log(np.maximum(theta[seen], 1e-300)) - theta @ cost)

    assert mixture.sum() == pytest.approx(1.0)
    for _ in range(20):
        other = 0.99 * mixture + 0.01 * rng.dirichlet(np.ones(4))
        assert bound(other) <= bound(mixture) + 1e-9 * (1 + abs(bound(mixture)))


def mixed(share: list[float], cost: list[float]) -> np.ndarray:
    """Return the mixture of a document."""
    mixture = np.full(len(share), 1 / len(share))
    kernel._mix(np.array(share), np.array(cost), mixture)
    return mixture


@pytest.mark.parametrize("little", [1e-16, 1e-14, 1e-13])
def test_a_share_too_small_to_count_leaves_the_other_shares_as_they_are(little: float) -> None:
    # The search for lambda starts at 2 - 3, where the cost of the third topic and lambda add up to nothing.
    cost = [3.0, 2.5, 1.0]
    np.testing.assert_allclose(mixed([1.0, 1.0, little], cost), mixed([1.0, 1.0, 0.0], cost), atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_one_topic_is_the_edcm(method: Any) -> None:
    X, _ = corpus(5, n=30)
    one = EDCMClassifier(smoothing=0.0).fit(X, np.zeros(len(X), dtype=int)).beta_
    model = LatentTopicEDCM(n_components=1, method=method, max_iter=2000, tol=1e-14, random_state=0).fit(X)
    np.testing.assert_allclose(model.beta_, one, rtol=1e-4)


def test_mean_field_is_below_the_log_evidence() -> None:
    X = corpus(3)[0][:8]
    run = run_at(_MeanField, X, 2, 3)
    for _ in range(4):
        beta = run.beta.T.copy()
        run.step()
        evidence = sum(naive.log_evidence(x, beta, run.prior) for x in X)
        assert run.path[-1] <= evidence + 1e-6
    assert run.path[-1] > evidence - 0.2 * abs(evidence)


@every_method
def test_topics_without_common_words_come_back(method: Any) -> None:
    rng = np.random.default_rng(2)
    beta = np.kron(np.eye(3), np.full(60, 0.05))
    drawn = [draw(beta[d % 3], 40, rng) for d in range(240)]
    X = np.zeros((240, 180), dtype=int)
    for d, (words, counts) in enumerate(drawn):
        X[d, words] = counts
    model = LatentTopicEDCM(n_components=3, method=method, n_init=3, tol=1e-9, max_iter=1000, random_state=1).fit(X)
    blocks = model.beta_.reshape(3, 3, 60).sum(axis=2) / model.concentration_[:, np.newaxis]
    assert sorted(blocks.argmax(axis=1)) == [0, 1, 2]
    assert blocks.max(axis=1).min() > (0.98 if method == "likelihood" else 0.8)
    if method == "mean_field":
        return  # its approximations keep some words of the others
    assert model.concentration_ == pytest.approx([3.0] * 3, rel=0.2)
    shares = model.transform(X)
    assert np.mean(shares.argmax(axis=1) == model.mixture_.argmax(axis=1)) == 1.0


@may_stop_early
def test_empty_documents_and_absent_words_do_no_harm() -> None:
    X = np.array([[0, 0, 0, 0], [2, 1, 0, 0], [0, 1, 3, 0], [1, 0, 1, 0]])
    for method in METHODS:
        model = LatentTopicEDCM(n_components=2, method=method, random_state=0).fit(X)
        assert np.all(np.isfinite(model.beta_)) and not model.beta_[:, 3].any()
        assert np.all(np.isfinite(model.transform([[0, 0, 0, 5], [1, 0, 0, 2]])))
    with pytest.raises(ValueError, match="Negative"):
        LatentTopicEDCM().fit([[1, -1]])


@may_stop_early
def test_the_best_start_is_kept() -> None:
    X, _ = corpus(9, n=40)
    rng = np.random.RandomState(4)
    ends = []
    for _ in range(4):
        ends.append(LatentTopicEDCM(n_components=3, random_state=rng).fit(X).objective_path_[-1])
    several = LatentTopicEDCM(n_components=3, n_init=4, random_state=4).fit(X)
    assert several.objective_path_[-1] == pytest.approx(max(ends))
