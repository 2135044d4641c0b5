"""Boosted trees of the authors' kind, for the CBM slides."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from reproduction.papers.cbm.boosting import (
    BarePowerSet,
    ClippedPowerSet,
    EqualStartPowerSet,
    clipped_steps,
    leaves_of,
    predict_after,
)
from tests.models.test_cbm import documents
from textmix.models.common.boosted_trees import Forest, Growth, Trees
from textmix.models.label_sets.estimators import BoostedPowerSet


def test_the_first_rounds_of_a_model_are_a_model_of_so_many_rounds():
    X, Y = documents(6, n=90)
    for kind in (BoostedPowerSet, ClippedPowerSet):
        model = kind(trees=8, leaves=2).fit(X, Y)
        predictions = dict(predict_after(model, X, (3, 8)))
        np.testing.assert_array_equal(predictions[3], kind(trees=3, leaves=2).fit(X, Y).predict(X))
        np.testing.assert_array_equal(predictions[8], model.predict(X))
        assert (predictions[3] != predictions[8]).any()


def test_leaves_of_a_forest_are_those_that_the_library_finds():
    X = np.random.default_rng(3).normal(size=(80, 4))
    trees = Trees(X, 3, Growth(2, 4, 0.1))
    trees.grow(lambda scores: (np.tanh(X[:, :3] + scores), np.ones((80, 3))))
    for number in range(2):
        expected = trees._booster.predict(X, pred_leaf=True, start_iteration=number, num_iteration=1)
        leaves = leaves_of(Forest.of_booster(trees._booster, number), sparse.csr_array(X), 3)
        np.testing.assert_array_equal(leaves, expected)


def test_leaves_take_clipped_newton_steps():
    leaf = np.array([0, 0, 1, 1])
    gradient, hessian = np.array([-0.2, 0.1, -0.9, -0.9]), np.array([0.1, 0.3, 0.01, 0.02])
    np.testing.assert_allclose(clipped_steps(leaf, gradient, hessian), [0.25, 1.0])


def test_trees_of_the_authors_kind_predict_what_they_scored_in_training():
    X, Y = documents(4, n=100)
    model = ClippedPowerSet(trees=6, leaves=2).fit(X, Y)
    np.testing.assert_allclose(model._gate.trees.predict(X), model._gate.trees.scores, atol=1e-12)
    single = ClippedPowerSet(trees=1, leaves=2, shrinkage=1.0).fit(X, Y)
    assert np.abs(single._gate.trees.scores).max() == 1.0, "a step is clipped at 1"


def test_the_start_and_the_penalty_of_a_leaf_are_left_out_one_after_the_other():
    X, Y = documents(4, n=100)
    ours, equal, bare = (
        kind(trees=1, leaves=2).fit(X, Y) for kind in (BoostedPowerSet, EqualStartPowerSet, BarePowerSet)
    )
    assert np.ptp(ours._gate.trees.start) > 0.0
    assert np.ptp(equal._gate.trees.start) == np.ptp(bare._gate.trees.start) == 0.0
    sizes = [np.abs(model._gate.trees.forest.value).max() for model in (equal, bare)]
    assert sizes[0] < sizes[1], "a penalty makes the steps smaller"
