"""The regularised CBM: one fit, three decisions, over the training label sets or all; stopping and K by likelihood."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.neural_network import MLPClassifier

from tests.models.test_cbm import documents
from tests.naive import cbm as naive
from textmix.models.cbm.estimator import CBMClassifier
from textmix.models.cbm.regularised import RegularisedCBM
from textmix.models.common.f_kernels import listed_expected_f
from textmix.models.label_sets.estimators import BinaryRelevance, PowerSet, decide_listed

seeds = st.integers(0, 2**32 - 1)


def listed(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the probabilities (n, S) of some label sets (S, L)."""
    rng = np.random.default_rng(seed)
    sets = np.unique(rng.integers(0, 2, (6, 4)).astype(np.int8), axis=0)
    return rng.dirichlet(np.full(len(sets), 0.5), size=3), sets


@given(seeds)
@settings(deadline=None, derandomize=True, max_examples=30)
def test_the_set_of_largest_expected_f_is_that_of_enumeration(seed):
    proba, sets = listed(seed)
    chosen, value = listed_expected_f(proba, sets, True)
    for p, found, stated in zip(proba, chosen, value, strict=True):
        best, where = naive.listed_best_f(p, sets)
        np.testing.assert_allclose([stated, naive.listed_expected_f(p, sets, found)], best)
        assert where.shape == found.shape


@given(seeds)
@settings(deadline=None, derandomize=True, max_examples=30)
def test_each_decision_is_best_for_its_own_metric(seed):
    proba, sets = listed(seed)
    with np.errstate(divide="ignore"):
        decided = {name: decide_listed(sets, np.log(proba), name) for name in ("mode", "expected_f", "marginal")}
    for i, p in enumerate(proba):
        agree = {name: float(p @ (sets == made[i]).all(axis=1)) for name, made in decided.items()}
        wrong = {name: float(p @ (sets != made[i]).sum(axis=1)) for name, made in decided.items()}
        f = {name: naive.listed_expected_f(p, sets, made[i]) for name, made in decided.items()}
        assert agree["mode"] >= max(agree.values()) - 1e-12
        assert wrong["marginal"] <= min(wrong.values()) + 1e-12
        allowed = [value for name, value in f.items() if decided[name][i].any() or not sets.any(axis=1).all()]
        assert f["expected_f"] >= max(allowed) - 1e-12


def test_support_renormalises_the_mixture_over_the_training_sets():
    X, Y = documents(3)
    Y[:, 1] = Y[:, 0]
    model = RegularisedCBM(candidates=(3,), max_iter=4, random_state=0).fit(X, Y)
    pi, b = model.components(X[:4])
    expected = np.array([[naive.mixture_probability(pi[i], b[i], y) for y in model.sets_] for i in range(4)])
    expected /= expected.sum(axis=1, keepdims=True)
    (_, found), *_ = model._log_proba(X[:4])
    np.testing.assert_allclose(np.exp(found), expected, rtol=1e-8)
    np.testing.assert_allclose(model.predict_proba(X[:4]), expected @ model.sets_, rtol=1e-8)
    assert model.set_log_proba(X[:1], [[1, 0, 0]]) == -np.inf
    model.set_params(support=False)
    np.testing.assert_allclose(
        np.exp(model.set_log_proba(X[:1], [[1, 0, 0]]))[0], naive.mixture_probability(pi[0], b[0], (1, 0, 0))
    )


def test_one_fit_gives_every_decision_as_its_distribution_says():
    X, Y = documents(1)
    model = RegularisedCBM(candidates=(3,), max_iter=4, random_state=0).fit(X, Y)
    (_, log_proba), *_ = model._log_proba(X)
    for name in ("mode", "expected_f", "marginal"):
        np.testing.assert_array_equal(model.decide(X, name), decide_listed(model.sets_, log_proba, name))
        np.testing.assert_array_equal(model.set_params(decision=name).predict(X), model.decide(X, name))


def test_em_stops_at_the_best_held_out_likelihood_and_k_has_the_best():
    X, Y = documents(5, n=150)
    model = RegularisedCBM(candidates=(1, 4), patience=3, random_state=0).fit(X, Y)
    assert model.n_iter_ == np.argmax(model.held_out_path_) + 1
    each = [RegularisedCBM(candidates=(k,), patience=3, random_state=0).fit(X, Y) for k in (1, 4)]
    best = max(each, key=lambda one: one.held_out_path_.max())
    assert (model.n_components_, model.n_iter_) == (best.n_components_, best.n_iter_)
    np.testing.assert_array_equal(model.predict(X), best.predict(X))


def test_the_elastic_net_sets_weights_to_zero():
    X, Y = documents(6, n=150)
    made = [RegularisedCBM(candidates=(2,), l1_ratio=share, variance=0.1, random_state=0) for share in (0.0, 0.9)]
    zeros = [np.mean(model.fit(X, Y).experts_.coef[:, :-1] == 0) for model in made]
    assert zeros[1] > zeros[0]


def test_a_neural_learner_and_gate_fit_inside_the_mixture():
    X, Y = documents(2, n=200)
    net = MLPClassifier((4,), max_iter=400, random_state=0, solver="lbfgs", alpha=1.0)
    model = CBMClassifier(n_components=2, learner=net, gate=net, max_iter=2, random_state=0).fit(X, Y)
    assert model.set_log_proba(X, Y).mean() > BinaryRelevance().fit(X, Y).set_log_proba(X, Y).mean()


@pytest.mark.parametrize("decision", ["mode", "expected_f", "marginal"])
def test_the_power_set_decides_as_well(decision):
    X, Y = documents(4)
    made = PowerSet().fit(X, Y).decide(X, decision)
    assert made.shape == Y.shape and set(np.unique(made)) <= {0, 1}
