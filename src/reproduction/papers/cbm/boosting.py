"""Boosted trees with the settings of the authors' published code, beside LightGBM's own steps.

Differences from `textmix.models.common.boosted_trees.Trees`: the scores start equal, a tree is fitted to the residuals
by least squares, and the value of a leaf is a Newton step without a penalty, clipped at 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from scipy import sparse

from textmix.models.cbm.learners import BoostedGate
from textmix.models.common.boosted_trees import LEAST_HESSIAN, Forest, Growth, Trees
from textmix.models.common.multilabel import label_sets
from textmix.models.label_sets.estimators import BoostedPowerSet

#: Largest size of a leaf's value, before the shrinkage.
CLIP = 1.0


class ClippedTrees(Trees):
    """Boosted trees of the authors' kind, for instances of weight 1."""

    def __init__(self, X: Any, outputs: int, growth: Growth) -> None:
        super().__init__(X, outputs, growth)
        self._settings |= {"lambda_l2": 0.0}
        self._rows = sparse.csr_array(X)

    def grow(self, derivatives: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]) -> None:
        """Add ``growth.trees`` trees to each output and update ``scores``, see `Trees.grow`."""
        from lightgbm import Booster

        self._booster = booster = Booster(self._settings, self._data)
        for number in range(self.growth.trees):
            gradient, hessian = derivatives(self.scores)
            flat = gradient.ravel(order="F")
            if booster.update(fobj=lambda *_, flat=flat: (flat, np.ones_like(flat))):
                break  # no tree can be split
            leaves = leaves_of(Forest.of_booster(booster, number), self._rows, self.outputs)
            for output, leaf in enumerate(leaves.T):
                value = self.growth.shrinkage * clipped_steps(leaf, gradient[:, output], hessian[:, output])
                self.scores[:, output] += value[leaf]
                for leaf_number, step in enumerate(value):
                    booster.set_leaf_output(number * self.outputs + output, leaf_number, step)


def leaves_of(forest: Forest, X: sparse.csr_array, outputs: int) -> np.ndarray:
    """Return the leaf of each instance in the tree of each output, int64 (N, C), counted from 0 in each tree."""
    numbered = forest._replace(value=np.arange(len(forest.value), dtype=np.float64))
    numbered.add_scores(X, leaf := np.zeros((X.shape[0], outputs)))
    return (leaf - leaf.min(axis=0)).astype(np.int64)


def clipped_steps(leaf: np.ndarray, gradient: np.ndarray, hessian: np.ndarray) -> np.ndarray:
    """Return the Newton step of each leaf, at most `CLIP` in size, float64 (leaves,)."""
    step = -np.bincount(leaf, gradient) / np.maximum(np.bincount(leaf, hessian), LEAST_HESSIAN)
    return np.clip(step, -CLIP, CLIP)


class EqualStartPowerSet(BoostedPowerSet):
    """`BoostedPowerSet` with scores that start equal, not at the logarithms of the shares."""

    def _fit(self, X: Any, Y: np.ndarray) -> None:
        self.sets_, code = label_sets(Y)
        self._gate = BoostedGate(X, len(self.sets_), self._growth())
        self._gate.trees = self._trees(X)
        self._gate._started = True  # the scores stay equal at the start
        self._gate.update(np.eye(len(self.sets_))[code])

    def _trees(self, X: Any) -> Trees:
        """Return the trees that grow, none of them grown."""
        return Trees(X, len(self.sets_), self._growth())


class BarePowerSet(EqualStartPowerSet):
    """The same without the 1 that is added to the Hessian of each leaf."""

    def _trees(self, X: Any) -> Trees:
        """Return trees whose leaves have no penalty."""
        trees = super()._trees(X)
        trees._settings |= {"lambda_l2": 0.0}
        return trees


class ClippedPowerSet(EqualStartPowerSet):
    """The power set by trees of the authors' kind."""

    def _trees(self, X: Any) -> Trees:
        """Return trees of the authors' kind."""
        return ClippedTrees(X, len(self.sets_), self._growth())


def predict_after(model: BoostedPowerSet, X: Any, rounds: Iterable[int]) -> Iterator[tuple[int, np.ndarray]]:
    """Yield each number of rounds and the label sets (N, L) that a fitted model predicts from its first rounds."""
    trees = model._gate.trees
    forest = trees.forest
    for number in rounds:
        trees.forest = forest._replace(root=forest.root[: number * trees.outputs])
        yield number, model.predict(X)
    trees.forest = forest
