"""Gibbs sampling in a dependency network whose conditional probabilities are boosted trees."""

from __future__ import annotations

import math

import numpy as np

from textmix.numerics.jit import njit
from textmix.numerics.random_kernels import uniform


@njit
def _score(row: np.ndarray, trees: tuple[np.ndarray, ...], first: int, last: int) -> float:
    """Return the sum of the leaves of the trees ``first`` to ``last`` - 1 that an instance (V + L,) reaches.

    Parameters
    ----------
    trees : root, feature, threshold, child and value of a `textmix.models.common.forest.Forest`.
    """
    root, feature, threshold, child, value = trees
    total = 0.0
    for t in range(first, last):
        node = root[t]
        while node >= 0:
            node = child[node, 0] if row[feature[node]] <= threshold[node] else child[node, 1]
        total += value[~node]
    return total


@njit
def gibbs_trees(
    indptr: np.ndarray,
    indices: np.ndarray,
    data: np.ndarray,
    start: np.ndarray,
    trees: tuple[np.ndarray, ...],
    first: np.ndarray,
    sweeps: int,
    counted: int,
    seed: int,
    row: np.ndarray,
) -> np.ndarray:
    """Return the share of the last sweeps in which each label is on, float64 (N, L); at the start half are on.

    Parameters
    ----------
    indptr, indices, data : float64 CSR (N, V), the instances.
    start : float64 (L,), the log odds before the first tree.
    trees : see `_score`; features V + j stand for the labels j.
    first : int64 (L + 1,), the first tree of each label.
    sweeps, counted : number of sweeps, and of the last sweeps that count.
    seed : of the random numbers, the same for every instance.
    row : float64 (V + L,), zeros; it holds one instance at a time.
    """
    n, n_labels = len(indptr) - 1, len(start)
    marginal, labels = np.zeros((n, n_labels)), len(row) - n_labels
    for i in range(n):
        state = np.array([seed], dtype=np.uint64)
        row[:] = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            row[indices[p]] = data[p]
        for label in range(n_labels):
            row[labels + label] = 1.0 if uniform(state) < 0.5 else 0.0
        for sweep in range(sweeps):
            for label in range(n_labels):
                odds = start[label] + _score(row, trees, first[label], first[label + 1])
                on = uniform(state) * (1.0 + math.exp(-odds)) < 1.0
                row[labels + label] = 1.0 if on else 0.0
                if on and sweep >= sweeps - counted:
                    marginal[i, label] += 1.0
    return marginal / counted
