"""Boosted trees over equal-width bins: equal to a reference implementation, the same in training and prediction."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from tests.early_stops import may_stop_early
from tests.models.test_cbm import documents
from tests.naive import trees as naive
from textmix import BoostedPowerSet, BoostedRelevance, CBMClassifier
from textmix.models.common.boosted_trees import EqualWidthTrees, Growth, Loss
from textmix.models.common.tree_kernels import MAX_TOGETHER, bin_columns, find_root_splits, grow_tree


@given(st.integers(0, 2**32 - 1))
@settings(deadline=None, derandomize=True, max_examples=15)
def test_a_tree_is_that_of_the_reference_implementation(seed):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(25, 3)), int(rng.integers(1, 4)))
    X[:, 2] = 1.0
    residual = rng.uniform(-1.0, 1.0, size=25)
    weight = rng.uniform(size=25) * (rng.uniform(size=25) < 0.7)
    columns = np.ascontiguousarray(X.T)
    order = np.argsort(columns, axis=1, kind="stable").astype(np.uint32)
    active = np.flatnonzero(weight)
    active_bins = np.ascontiguousarray(bin_columns(columns, order)[:, active])
    active_columns = np.ascontiguousarray(columns[:, active])
    products = (weight * residual)[active, np.newaxis]
    roots = find_root_splits(columns, order, active_bins, weight[active], products, 1.0)
    root_split = tuple(part.item() for part in roots)
    _, feature, threshold, _, value, leaf = grow_tree(
        columns, order, active, active_columns, root_split, residual[active], weight[active], 5, 1.0, 0.75, 1.0
    )
    expected = naive.tree(X, residual, weight, 5, 1.0)
    np.testing.assert_allclose(value[leaf], naive.predict(expected, X, residual, weight, 0.75, 1.0), rtol=1e-9)
    assert len(feature) == len(threshold) == len(expected.leaves()) - 1


def test_each_round_adds_shrunken_newton_steps_to_every_output():
    X = np.asarray(documents(3, n=40)[0])
    target = np.eye(3)[np.arange(40) % 3]
    trees = EqualWidthTrees(X, 3, Growth(2, 4, 0.1))
    trees.grow(Loss(target, np.ones(40)))
    scores = np.zeros((40, 3))
    for _ in range(2):
        residual = target - np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        grown = [naive.tree(X, r, np.ones(40), 4, 1.0) for r in residual.T]
        for output, (root, r) in enumerate(zip(grown, residual.T, strict=True)):
            scores[:, output] += 0.1 * naive.predict(root, X, r, np.ones(40), 2.0 / 3.0, 1.0)
    np.testing.assert_allclose(trees.scores, scores, atol=1e-9)
    np.testing.assert_allclose(trees.predict(X), trees.scores, atol=1e-12)


@may_stop_early
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(
    "model",
    [
        BoostedPowerSet(trees=4, tree_method="equal_width"),
        BoostedRelevance(trees=4, tree_method="equal_width"),
        CBMClassifier(
            n_components=2, learner="boosting", max_iter=2, trees=3, tree_method="equal_width", random_state=0
        ),
    ],
)
def test_estimators_predict_alike_from_dense_and_sparse_features_and_after_pickling(form, model):
    X, Y = documents(4, n=100)
    fitted = model.fit(form(X), Y)
    expected = model.predict_proba(X)
    np.testing.assert_allclose(fitted.predict_proba(form(X)), expected)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).predict_proba(X), expected)
    assert (fitted.predict(X) == Y).all(axis=1).mean() > 0.3


def test_trees_that_grow_together_are_those_that_grow_alone():
    X = np.asarray(documents(5, n=60)[0])
    rng = np.random.default_rng(5)
    weight = rng.uniform(size=60) * (rng.uniform(size=60) < 0.8)
    losses = [Loss(rng.integers(2, size=(60, 1)), weight) for _ in range(MAX_TOGETHER + 2)]
    first = EqualWidthTrees(X, 1, Growth(3, 4, 0.1))
    together = [EqualWidthTrees(X, 1, first.growth, first) for _ in losses]
    EqualWidthTrees.grow_all(together, losses)
    for trees, loss in zip(together, losses, strict=True):
        alone = EqualWidthTrees(X, 1, first.growth, first)
        alone.grow(loss)
        np.testing.assert_array_equal(trees.scores, alone.scores)


def test_steps_are_clipped_and_leaves_keep_their_minimum_weight():
    X = np.arange(20.0)[:, np.newaxis]
    y = (X >= 10.0).astype(np.int8)
    trees = EqualWidthTrees(X, 1, Growth(8, 2, 1.0))
    trees.grow(Loss(y, np.ones(20)))
    assert np.abs(trees.forest.value).max() == 2.0
    heavy = EqualWidthTrees(X, 1, Growth(1, 2, 1.0, min_leaf_weight=15.0))
    heavy.grow(Loss(y, np.ones(20)))
    assert len(heavy.forest.feature) == 0, "no split leaves a weight of 15 on both sides"


def test_wide_sparse_features_are_rejected():
    X = sparse.csr_array((2**15, 2**15))
    with pytest.raises(ValueError, match="tree_method"):
        EqualWidthTrees(X, 1, Growth(1, 2, 0.1))
