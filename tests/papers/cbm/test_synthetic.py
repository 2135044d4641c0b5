"""Artificial data of a true mixture, for the CBM paper."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from reproduction.papers.cbm.synthetic import TrueMixture
from tests.naive import cbm as naive

SETTINGS = {"components": 3, "features": 4, "labels": 3, "weight_deviation": 1.0, "intercept_deviation": 0.0}


@pytest.mark.parametrize("intercept_deviation", [0.0, 3.0])
def test_a_true_mixture_gives_the_probability_of_each_label_set(intercept_deviation: float):
    settings = SETTINGS | {"intercept_deviation": intercept_deviation}
    mixture = TrueMixture.random(np.random.default_rng(0), settings)
    assert mixture.gate_intercepts.any() == mixture.expert_intercepts.any() == (intercept_deviation > 0)
    X = np.random.default_rng(1).normal(size=(5, 4))
    log_proba = mixture.set_log_proba(X, 0.0, np.random.default_rng(2))
    np.testing.assert_allclose(np.exp(log_proba).sum(axis=1), 1.0)
    assert {tuple(y) for y in mixture.sets.tolist()} == set(itertools.product((0, 1), repeat=3))
    for x, row in zip(X, log_proba, strict=True):
        scores = np.exp(x @ mixture.gate + mixture.gate_intercepts)
        pi = scores / scores.sum()
        b = 1.0 / (1.0 + np.exp(-np.einsum("d,kdl->kl", x, mixture.experts) - mixture.expert_intercepts))
        expected = [naive.mixture_probability(pi, b, y) for y in mixture.sets]
        np.testing.assert_allclose(np.exp(row), expected)


def test_label_sets_are_sampled_with_their_probabilities():
    mixture = TrueMixture.random(np.random.default_rng(0), SETTINGS)
    X = np.repeat(np.random.default_rng(1).normal(size=(1, 4)), 20_000, axis=0)
    log_proba = mixture.set_log_proba(X, 0.0, np.random.default_rng(2))
    drawn = mixture.sample(log_proba, np.random.default_rng(3))
    proportions = np.bincount(drawn @ [1, 2, 4], minlength=8) / len(X)
    np.testing.assert_allclose(proportions, np.exp(log_proba[0]), atol=0.02)


def test_the_upper_bound_is_perfect_without_noise_and_sampling(measured):
    values = measured[0]["synthetic"].values
    methods = ("upper_bound", "cbm2", "cbm3", "binrel", "powset")
    kinds = ("argmax", "argmax_noise", "sample", "sample_noise")
    assert set(values) == {f"{kind}_{method}" for kind in kinds for method in methods}
    assert values["argmax_upper_bound"].mean == 1.0
    assert values["sample_upper_bound"].mean < 1.0
