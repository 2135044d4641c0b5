"""Conditional Bernoulli Mixtures: likelihood that never falls, exact modes, special cases, and what odd data do."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.special import logit
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.tree import DecisionTreeClassifier

from tests.early_stops import may_stop_early, stops_early
from tests.naive import cbm as naive
from textmix.models.cbm import mixture_kernels as mixture
from textmix.models.cbm.estimator import AUTO_COMPONENTS, CBMClassifier, bernoulli_mixture
from textmix.models.common.f_kernels import listed_expected_f
from textmix.models.label_sets.estimators import BinaryRelevance, PowerSet, decide_listed

seeds = st.integers(0, 2**32 - 1)
LEARNERS = ["logistic", "boosting", DecisionTreeClassifier(max_depth=2, random_state=0)]


def random_mixture(seed: int, n: int = 3, k: int = 3, labels: int = 4) -> tuple[Any, Any, Any, Any]:
    """Return pi (n, K), b (n, K, L), log pi and log odds (K, n, L)."""
    rng = np.random.default_rng(seed)
    pi, b = rng.dirichlet(np.ones(k), size=n), rng.beta(0.6, 0.6, size=(n, k, labels)).clip(1e-4, 1 - 1e-4)
    return pi, b, np.log(pi), np.ascontiguousarray(logit(b).swapaxes(0, 1))


def documents(seed: int, n: int = 80) -> tuple[Any, Any]:
    """Return features and label sets of which some depend on others."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    first = (X[:, 0] + rng.logistic(size=n) / 2 > 0).astype(np.int8)
    second = (X[:, 1] + 2.0 * first + rng.logistic(size=n) / 2 > 1).astype(np.int8)
    third = np.where(rng.uniform(size=n) < 0.9, first, 1 - first).astype(np.int8)
    return X, np.stack([first, second, third], axis=1)


@given(seeds, st.booleans())
@settings(deadline=None, derandomize=True, max_examples=40)
def test_the_search_finds_the_mode_of_enumeration(seed, allow_empty):
    pi, b, log_pi, Z = random_mixture(seed)
    modes, value, _, exact = mixture.search_modes(log_pi, Z, allow_empty, 10_000)
    assert exact.all()
    for i in range(len(pi)):
        _, best = naive.mode(pi[i], b[i], allow_empty)
        np.testing.assert_allclose([np.exp(value[i]), naive.mixture_probability(pi[i], b[i], modes[i])], best)


@given(seeds)
@settings(deadline=None, derandomize=True, max_examples=10)
def test_the_search_scores_as_many_sets_as_the_heap_written_plainly(seed):
    pi, b, log_pi, Z = random_mixture(seed, labels=7)
    _, value, tried, _ = mixture.search_modes(log_pi, Z, True, 10_000)
    for i in range(len(pi)):
        best, scored = naive.heap_mode(pi[i], b[i])
        np.testing.assert_allclose(np.exp(value[i]), best)
        assert tried[i] == scored


def test_a_component_that_has_no_sets_left_does_not_end_the_search():
    # The first component has tried both sets before the certain ones, of which half say each, have tried any.
    pi, b = np.array([0.2, *[0.1] * 8]), np.array([0.5, *[0.999, 0.001] * 4])[:, np.newaxis]
    _, value, tried, exact = mixture.search_modes(np.log(pi)[np.newaxis], logit(b)[:, np.newaxis], True, 100)
    best, scored = naive.heap_mode(pi, b)
    assert scored > 2 and (tried[0], exact[0]) == (scored, True)
    assert np.exp(value[0]) == pytest.approx(best)


def test_a_search_that_hits_its_limit_says_so():
    log_pi = np.log(np.full((1, 8), 1 / 8))
    Z = np.random.default_rng(0).normal(scale=0.3, size=(8, 1, 12))
    _, value, tried, exact = mixture.search_modes(log_pi, Z, True, 5)
    assert tried[0] == 5
    assert not exact[0]
    assert value[0] <= mixture.search_modes(log_pi, Z, True, 10_000)[1][0]


def test_a_label_that_is_as_likely_as_not_is_in_the_mode():
    log_pi, Z = np.zeros((1, 1)), np.array([[[0.0, -1.0, 0.0]]])
    assert mixture.search_modes(log_pi, Z, True, 100)[0].tolist() == [[True, False, True]]


@given(seeds)
@settings(deadline=None, derandomize=True, max_examples=20)
def test_expected_f_is_largest_among_all_sets(seed):
    pi, b, log_pi, Z = random_mixture(seed, n=2, labels=4)
    chosen, value = mixture.search_expected_f(log_pi, Z, True)
    for i in range(2):
        every = [naive.expected_f(pi[i], b[i], [int(c) for c in f"{s:04b}"]) for s in range(16)]
        np.testing.assert_allclose([value[i], naive.expected_f(pi[i], b[i], chosen[i])], max(every))


@pytest.mark.parametrize("penalise_intercept", [False, True])
@pytest.mark.parametrize("solver", ["lbfgs", "plain_lbfgs"])
@pytest.mark.parametrize("steps", [1, 5])
def test_likelihood_never_falls(steps, solver, penalise_intercept):
    X, Y = documents(1)
    params = {"steps": steps, "solver": solver, "penalise_intercept": penalise_intercept}
    with stops_early():
        model = CBMClassifier(
            n_components=4, floor=0.0, constant=0.0, max_iter=25, tol=0.0, random_state=0, **params
        ).fit(X, Y)
    path = model.objective_path_
    assert np.all(np.diff(path) >= -1e-9 * np.abs(path[1:]))
    # The E step: the posteriors of the components given the label set.
    pi, b = model.components(X)
    for weights, labels, y, found in zip(pi, b, Y, model._expectation(Y)[1], strict=True):
        joint = [naive.mixture_probability([weight], [row], y) for weight, row in zip(weights, labels, strict=True)]
        np.testing.assert_allclose(found, np.array(joint) / sum(joint), rtol=1e-8, atol=1e-12)
    assert path[-1] > path[0] + 1.0


def test_left_out_memberships_cost_no_more_than_stated():
    X, Y = documents(2)
    with stops_early():
        path = CBMClassifier(n_components=4, max_iter=25, tol=0.0, random_state=0).fit(X, Y).objective_path_
    assert np.diff(path).min() >= -len(X) * 4 * 1e-5 - 1e-3


@may_stop_early
@pytest.mark.parametrize("floor", [0.6, 0.9, 0.99])
def test_an_instance_stays_in_its_likeliest_component_whatever_the_floor(floor):
    (X, Y), sums = documents(2), list[np.ndarray]()
    model = CBMClassifier(n_components=3, floor=floor, max_iter=8, tol=0.0, random_state=0)
    model.set_params(callback=lambda fitted: sums.append(fitted._expectation(Y)[1].sum(axis=1))).fit(X, Y)
    np.testing.assert_allclose(sums, 1.0)
    assert np.isfinite(model.objective_path_).all()
    assert np.isfinite(model.predict_proba(X)).all()


def test_the_objective_is_the_penalised_log_likelihood():
    X, Y = documents(3)
    with stops_early():
        model = CBMClassifier(n_components=3, max_iter=4, variance=0.5, constant=0.0, random_state=0).fit(X, Y)
    pi, b = model.components(X)
    likelihood = sum(np.log(naive.mixture_probability(*row)) for row in zip(pi, b, Y, strict=True))
    cost = np.sum(model.gate_.coef[:-1] ** 2) / (2 * 0.5) + np.sum(model.experts_.coef[:, :-1] ** 2) / (2 * 1.0)
    np.testing.assert_allclose(model.objective_path_[-1], likelihood - cost, rtol=1e-9)
    np.testing.assert_allclose(model.set_log_proba(X, Y).sum(), likelihood, rtol=1e-9)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_classifiers_of_scikit_learn_give_the_mixture_of_our_own(form):
    X, Y = documents(12)
    X, common = form(X), {"n_components": 2, "max_iter": 4, "tol": 0.0, "constant": 0.0, "random_state": 0}
    with stops_early():
        own = CBMClassifier(variance=0.5, steps=500, step_tol=1e-14, **common).fit(X, Y)
    plain = LogisticRegression(C=1.0, tol=1e-10, max_iter=10_000)
    # Two classes take one weight vector in scikit-learn where our gate has two: the variance of a difference is twice.
    with stops_early():
        wrapped = CBMClassifier(learner=plain, gate=plain, **common).fit(X, Y)
    np.testing.assert_allclose(wrapped.predict_proba(X), own.predict_proba(X), atol=1e-4)
    np.testing.assert_allclose(wrapped.set_log_proba(X, Y), own.set_log_proba(X, Y), atol=1e-3)
    np.testing.assert_array_equal(wrapped.predict(X), own.predict(X))


def test_a_hard_component_a_label_set_equals_the_power_set():
    X, Y = documents(5)
    with stops_early():
        hard = CBMClassifier(init="label_sets", max_iter=3, steps=500).fit(X, Y)
    np.testing.assert_array_equal(hard.predict(X), PowerSet(tol=1e-8).fit(X, Y).predict(X))


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_dependence_is_learnt(learner):
    X, Y = documents(6, n=200)
    with stops_early():
        model = CBMClassifier(n_components=4, learner=learner, max_iter=5, random_state=0).fit(X, Y)
    assert model.label_correlations(X)[:, 0, 2].mean() > 0.3
    single = BinaryRelevance().fit(X, Y)
    assert model.set_log_proba(X, Y).mean() > single.set_log_proba(X, Y).mean() + 0.1


def test_correlations_are_those_of_enumeration():
    X, Y = documents(7)
    with stops_early():
        model = CBMClassifier(n_components=3, max_iter=3, random_state=0).fit(X, Y)
    pi, b = (part[0] for part in model.components(X[:1]))
    sets = np.array([[int(c) for c in f"{s:03b}"] for s in range(8)])
    p = np.array([naive.mixture_probability(pi, b, y) for y in sets])
    mean = p @ sets
    centred = sets - mean
    covariance = (p[:, None] * centred).T @ centred
    scale = np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)))
    np.testing.assert_allclose(model.label_correlations(X[:1])[0], covariance / scale, atol=1e-9)
    np.testing.assert_allclose(model.predict_proba(X[:1])[0], mean, atol=1e-12)


@pytest.mark.parametrize("decision", ["mode", "expected_f", "marginal"])
def test_every_decision_gives_label_sets(decision):
    X, Y = documents(8)
    Y[:, 0] |= ~Y.any(axis=1)
    with stops_early():
        predicted = CBMClassifier(n_components=3, max_iter=3, decision=decision, random_state=0).fit(X, Y).predict(X)
    assert predicted.dtype == np.int64
    assert predicted.shape == Y.shape
    assert np.mean((predicted == Y).all(axis=1)) > 0.3


@may_stop_early
@pytest.mark.parametrize("learner", LEARNERS, ids=str)
@pytest.mark.parametrize("oddity", ["never", "always", "unlabelled", "constant", "collinear", "many components"])
def test_odd_data_give_finite_probabilities(oddity, learner):
    X, Y = documents(9)
    k = 3
    if oddity == "never":
        Y[:, 1] = 0
    elif oddity == "always":
        Y[:, 1] = 1
    elif oddity == "unlabelled":
        Y[:5] = 0
    elif oddity == "constant":
        X[:, 0] = 1.0
    elif oddity == "collinear":
        X[:, 1] = -X[:, 0]
    else:
        k = 12
    model = CBMClassifier(n_components=k, learner=learner, trees=3, max_iter=3, random_state=0).fit(X, Y)
    assert np.isfinite(model.predict_proba(X)).all()
    assert np.isfinite(model.set_log_proba(X, Y)).all()
    if oddity in ("never", "always"):
        assert np.all(model.predict(X)[:, 1] == (oddity == "always"))
    assert model.allow_empty_ == (not Y.any(axis=1).all())


def test_fitting_twice_gives_the_same_bytes_and_the_callback_sees_every_iteration():
    X, Y = documents(12)
    seen: list[int] = []
    kwargs = {"n_components": 3, "max_iter": 4, "tol": 0.0, "random_state": 5}
    with stops_early():
        first = CBMClassifier(**kwargs, callback=lambda model: seen.append(model.predict(X[:2]).shape[1])).fit(X, Y)
    with stops_early():
        second = CBMClassifier(**kwargs).fit(X, Y)
    assert first.predict_proba(X).tobytes() == second.predict_proba(X).tobytes()
    assert seen == [3, 3, 3, 3]


def test_the_bernoulli_mixture_finds_two_kinds_of_sets():
    Y = np.array([[1, 1, 0, 0]] * 20 + [[0, 0, 1, 1]] * 10, dtype=np.int8)
    found = bernoulli_mixture(Y, 2, 5, np.random.default_rng(0))
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert np.all(found.argmax(axis=1)[:20] == found[0].argmax())
    assert np.all(found.argmax(axis=1)[20:] != found[0].argmax())


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
    with stops_early():
        model = CBMClassifier(n_components=2, learner=net, gate=net, max_iter=2, random_state=0).fit(X, Y)
    assert model.set_log_proba(X, Y).mean() > BinaryRelevance().fit(X, Y).set_log_proba(X, Y).mean()


def test_number_of_components_is_selected_by_held_out_likelihood() -> None:
    rng = np.random.default_rng(0)
    component = rng.integers(2, size=200)
    X = np.column_stack([component, rng.normal(size=(200, 2))])
    Y = np.where(component[:, np.newaxis], [1, 1, 0], [0, 0, 1])
    Y[:, 2] ^= rng.random(200) < 0.1
    model = CBMClassifier(n_components="auto", max_iter=5, random_state=3).fit(X, Y)
    assert model.n_components_ == AUTO_COMPONENTS[model.component_scores_.argmax()]
    explicit = CBMClassifier(n_components=model.n_components_, max_iter=5, random_state=3).fit(X, Y)
    np.testing.assert_array_equal(explicit.predict_proba(X), model.predict_proba(X))
    assert len(explicit.component_scores_) == 0


def test_number_of_components_of_too_few_instances_is_1() -> None:
    model = CBMClassifier(n_components="auto", random_state=0).fit([[0.0], [1.0], [2.0]], [[1, 0], [0, 1], [1, 1]])
    assert model.n_components_ == 1


def test_selection_of_components_neither_warns_nor_calls_back() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    Y = (X[:, :2] > 0).astype(int)
    sizes: list[int] = []
    model = CBMClassifier(
        n_components="auto", max_iter=2, tol=1.0, callback=lambda fitted: sizes.append(fitted.n_components_)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(X, Y)
    assert set(sizes) == {model.n_components_}
