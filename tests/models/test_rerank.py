"""BR-rerank: candidates in order, a calibrator that reranks or only calibrates, and a calibrated confidence."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.models.test_cbm import documents
from tests.naive import cbm as naive
from textmix.metrics.calibration import calibration_error
from textmix.models.label_sets.candidate_kernels import likeliest_sets
from textmix.models.label_sets.estimators import BinaryRelevance
from textmix.models.label_sets.rerank import BRRerank

seeds = st.integers(0, 2**32 - 1)


@given(seeds, st.integers(1, 16))
@settings(deadline=None, derandomize=True, max_examples=25)
def test_candidates_are_the_likeliest_sets_in_order(seed, wanted):
    Z = np.random.default_rng(seed).normal(scale=2.0, size=(2, 4))
    sets, log_probability = likeliest_sets(Z, wanted)
    for z, found, stated in zip(Z, sets, log_probability, strict=True):
        links = np.zeros((4, 4))
        every = sorted(
            (naive.chain_log_probability(z, links, y) for y in itertools.product((0, 1), repeat=4)), reverse=True
        )
        np.testing.assert_allclose(stated, every[:wanted])
        np.testing.assert_allclose([naive.chain_log_probability(z, links, y) for y in found], stated)
        assert len(np.unique(found, axis=0)) == wanted


def copies(seed: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return features and label sets of which the second label is always the first: sets that BR cannot see."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    first = (X[:, 0] + rng.logistic(size=n) > 0).astype(np.int8)
    return X, np.stack([first, first, (X[:, 1] > 0).astype(np.int8)], axis=1)


def test_reranking_finds_label_sets_that_binary_relevance_misses():
    X, Y = documents(1, n=800)
    rerank = BRRerank(random_state=0).fit(X[:400], Y[:400])
    alone = BinaryRelevance().fit(X[:400], Y[:400])
    right = [(model.predict(X[400:]) == Y[400:]).all(axis=1).mean() for model in (rerank, alone)]
    assert right[0] > right[1]
    np.testing.assert_allclose(rerank.predict_proba(X), alone.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("calibrator", ["boosting", "isotonic"])
def test_confidence_is_calibrated_where_the_product_is_not(calibrator):
    X, Y = copies(0, 1200)
    model = BRRerank(calibrator=calibrator, random_state=0).fit(X[:600], Y[:600])
    alone = BinaryRelevance().fit(X[:600], Y[:600])
    right = (model.predict(X[600:]) == Y[600:]).all(axis=1)
    made = alone.predict(X[600:])
    product = np.exp(alone.set_log_proba(X[600:], made))
    gap = calibration_error(product, (made == Y[600:]).all(axis=1))
    assert calibration_error(model.confidence(X[600:]), right) < 0.6 * gap


def test_isotonic_regression_keeps_the_likeliest_set():
    X, Y = documents(2, n=200)
    model = BRRerank(calibrator="isotonic", random_state=0).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), BinaryRelevance().fit(X, Y).predict(X))
    assert ((model.confidence(X) >= 0) & (model.confidence(X) <= 1)).all()


def test_features_of_candidates_are_probability_size_prior_and_labels():
    X, Y = documents(3, n=60)
    model = BRRerank(n_candidates=2, random_state=0).fit(X, Y)
    sets, log_probability = model._candidates(model.decision_function(X[:1]))
    for facts, member, value in zip(model._facts(sets, log_probability), sets[0], log_probability[0], strict=True):
        prior = (Y == member).all(axis=1).mean()
        np.testing.assert_allclose(facts, [value, member.sum(), prior, *member])


def test_the_number_of_trees_has_the_least_held_out_loss():
    X, Y = documents(4, n=150)
    short, long = (BRRerank(trees=trees, random_state=0).fit(X, Y) for trees in (20, 200))
    assert len(short.calibrator_.forest.root) <= 20
    assert len(long.calibrator_.forest.root) < 200
    gap = [calibration_error(model.confidence(X), (model.predict(X) == Y).all(axis=1)) for model in (short, long)]
    assert max(gap) < 0.2
