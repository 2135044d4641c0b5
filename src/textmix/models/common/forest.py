"""Boosted trees as arrays: read from LightGBM's text form, joined, cut apart, checked, and applied."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from textmix.models.common.forest_kernels import add_trees


class Forest(NamedTuple):
    """Trees whose leaves hold numbers.  An instance goes to child 0 of a node if its feature is at most the threshold.

    ``root``, int32 (T,), is the first node of each tree; a negative node r stands for the leaf ~r.  A node has
    ``feature``, int32 (M,), ``threshold``, float64 (M,), ``child``, int32 (M, 2); a leaf has ``value``, float64 (Q,).
    """

    root: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    child: np.ndarray
    value: np.ndarray

    @classmethod
    def of_booster(cls, booster: Any, only: int | None = None) -> Forest:
        """Return the trees of a LightGBM model with numeric features and without missing values.

        Its text form has seventeen digits, so that every number comes back as it was.
        """
        rounds = {} if only is None else {"start_iteration": only, "num_iteration": 1}
        lines = [line.split("=", 1) for line in booster.model_to_string(**rounds).split("\n") if "=" in line]

        def numbers(name: str, kind: type) -> np.ndarray:
            """Return the numbers in the lines of a name, tree after tree."""
            return np.fromstring(" ".join([text for key, text in lines if key == name]), sep=" ").astype(kind)

        leaves = numbers("num_leaves", np.int32)
        first_node, first_leaf = (np.cumsum([0, *sizes[:-1]]) for sizes in (leaves - 1, leaves))
        child = np.column_stack([numbers(f"{side}_child", np.int32) for side in ("left", "right")])
        tree = np.repeat(np.arange(len(leaves)), leaves - 1)
        return cls(
            np.where(leaves > 1, first_node, ~first_leaf).astype(np.int32),
            numbers("split_feature", np.int32),
            numbers("threshold", np.float64),
            _moved(child, first_node[tree, np.newaxis], first_leaf[tree, np.newaxis]),
            numbers("leaf_value", np.float64),
        )

    @classmethod
    def empty(cls) -> Forest:
        """Return no tree."""
        none = np.empty(0, dtype=np.int32)
        return cls(none, none, np.empty(0), np.empty((0, 2), dtype=np.int32), np.empty(0))

    @classmethod
    def joined(cls, forests: Sequence[Forest]) -> Forest:
        """Return the trees of some forests one after the other."""
        forests = [cls.empty(), *forests]
        nodes = np.cumsum([0, *(len(forest.feature) for forest in forests[:-1])])
        leaves = np.cumsum([0, *(len(forest.value) for forest in forests[:-1])])
        moved = [
            forest._replace(root=_moved(forest.root, first, leaf), child=_moved(forest.child, first, leaf))
            for forest, first, leaf in zip(forests, nodes, leaves, strict=True)
        ]
        return cls(*(np.concatenate(part) for part in zip(*moved, strict=True)))

    def check(self, n_features: int) -> None:
        """Check a forest that was read from a file: a walk ends at a leaf and reads only features that exist."""
        nodes = np.concatenate([self.root, self.child.ravel()])
        inside = -len(self.value) <= nodes.min(initial=0) and nodes.max(initial=-1) < len(self.feature)
        forward = (self.child > np.arange(len(self.feature))[:, np.newaxis]) | (self.child < 0)
        known = 0 <= self.feature.min(initial=0) and self.feature.max(initial=-1) < n_features
        if not (inside and forward.all() and known):
            raise ValueError("a tree has a node, a leaf or a feature out of range")

    def add_scores(self, X: Any, score: np.ndarray) -> None:
        """Add the scores of instances X (n, V), sparse or dense, to ``score``, float64 (n, C), in place."""
        rows = sparse.csr_array(X)
        data = rows.data.astype(np.float64, copy=False)
        add_trees(rows.indptr, rows.indices, data, *self, np.zeros(rows.shape[1]), score)


#: Fields and their forms, see `textmix.serve.forms`.
FOREST_FORMS: dict[str, str] = {
    **{"root": "int32 *", "feature": "int32 *", "threshold": "float64 *", "child": "int32 * *", "value": "float64 *"}
}


def _moved(nodes: np.ndarray, first: Any, leaf: Any) -> np.ndarray:
    """Return nodes whose numbers start at ``first``, and whose leaves start at ``leaf``; int32 like ``nodes``."""
    return np.where(nodes < 0, nodes - leaf, nodes + first).astype(np.int32)
