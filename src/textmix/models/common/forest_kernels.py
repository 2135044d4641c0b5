"""Scores of boosted trees that are stored as arrays: a walk from the root of each tree to a leaf."""

from __future__ import annotations

import numpy as np

from textmix.numerics.jit import njit


@njit
def add_trees(
    indptr: np.ndarray,
    indices: np.ndarray,
    data: np.ndarray,
    root: np.ndarray,
    feature: np.ndarray,
    threshold: np.ndarray,
    child: np.ndarray,
    value: np.ndarray,
    row: np.ndarray,
    score: np.ndarray,
) -> None:
    """Add the value of each tree's leaf to ``score``, float64 (n, C); tree t counts for the output t modulo C.

    The instances are float64 CSR (n, V), the trees those of `textmix.models.common.boosted_trees.Forest`.  ``row``,
    float64 (V,), is zeros before and after, and holds one instance at a time.
    """
    for i in range(len(indptr) - 1):
        for p in range(indptr[i], indptr[i + 1]):
            row[indices[p]] = data[p]
        for t in range(len(root)):
            node = root[t]
            while node >= 0:
                node = child[node, 0] if row[feature[node]] <= threshold[node] else child[node, 1]
            score[i, t % score.shape[1]] += value[~node]
        for p in range(indptr[i], indptr[i + 1]):
            row[indices[p]] = 0.0
