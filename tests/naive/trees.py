"""Regression trees over equal-width bins with clipped Newton steps, by their definition, one instance at a time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

BINS = 100


@dataclass
class Node:
    """A leaf with its instances, or a split after `split`."""

    members: list[int]
    feature: int = -1
    threshold: float = 0.0
    children: tuple[Node, Node] | None = None

    def leaves(self) -> list[Node]:
        return [self] if self.children is None else [leaf for child in self.children for leaf in child.leaves()]

    def leaf_of(self, x: Any) -> Node:
        if self.children is None:
            return self
        return self.children[0 if x[self.feature] <= self.threshold else 1].leaf_of(x)


def best_split(X: Any, members: list[int], r: Any, w: Any, min_weight: float) -> tuple[float, int, float]:
    """Return gain, feature and threshold of the best of all bin edges of all features."""
    best = (1e-12, -1, 0.0)
    total = sum(w[i] for i in members)
    whole = sum(w[i] * r[i] for i in members)
    for feature in range(X.shape[1]):
        low, high = min(X[i, feature] for i in members), max(X[i, feature] for i in members)
        if low == high:
            continue
        bins = [math.ceil((X[i, feature] - low) * (BINS / (high - low))) - 1 for i in members]
        for last in range(BINS - 1):
            left = [i for i, b in zip(members, bins, strict=True) if b <= last]
            weight = sum(w[i] for i in left)
            if weight < min_weight or total - weight < min_weight:
                continue
            part = sum(w[i] * r[i] for i in left)
            gain = part**2 / weight + (whole - part) ** 2 / (total - weight) - whole**2 / total
            if gain > best[0] * (1.0 + 1e-9):
                best = (gain, feature, low + (last + 1) * ((high - low) / BINS))
    return best


def tree(X: Any, r: Any, w: Any, leaves: int, min_weight: float) -> Node:
    """Grow a tree leaf by leaf, always splitting the leaf with the largest gain."""
    root = Node(list(range(len(X))))
    while len(root.leaves()) < leaves:
        splits = [(best_split(X, leaf.members, r, w, min_weight), leaf) for leaf in root.leaves()]
        (_, feature, threshold), leaf = max(splits, key=lambda split: split[0][0])
        if feature < 0:
            break
        leaf.feature, leaf.threshold = feature, threshold
        sides = [[i for i in leaf.members if (X[i, feature] <= threshold) == side] for side in (True, False)]
        leaf.children = (Node(sides[0]), Node(sides[1]))
    return root


def step(members: list[int], r: Any, w: Any, factor: float, limit: float) -> float:
    """Return the clipped Newton step of a leaf."""
    up = factor * sum(w[i] * r[i] for i in members)
    down = sum(w[i] * abs(r[i]) * (1.0 - abs(r[i])) for i in members)
    return 0.0 if up == 0.0 else math.copysign(limit, up) if down == 0.0 else float(np.clip(up / down, -limit, limit))


def predict(root: Node, X: Any, r: Any, w: Any, factor: float, limit: float) -> np.ndarray:
    """Return the value of the leaf of each row of X."""
    return np.array([step(root.leaf_of(x).members, r, w, factor, limit) for x in X])
