"""Decisions over listed label sets: each is the best for its own metric; a neural learner inside the mixture."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.neural_network import MLPClassifier

from tests.models.test_cbm import documents
from tests.naive import cbm as naive
from textmix.models.cbm.estimator import CBMClassifier
from textmix.models.common.f_kernels import listed_expected_f
from textmix.models.label_sets.estimators import BinaryRelevance, decide_listed

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


def test_a_neural_learner_and_gate_fit_inside_the_mixture():
    X, Y = documents(2, n=200)
    net = MLPClassifier((4,), max_iter=400, random_state=0, solver="lbfgs", alpha=1.0)
    model = CBMClassifier(n_components=2, learner=net, gate=net, max_iter=2, random_state=0).fit(X, Y)
    assert model.set_log_proba(X, Y).mean() > BinaryRelevance().fit(X, Y).set_log_proba(X, Y).mean()
