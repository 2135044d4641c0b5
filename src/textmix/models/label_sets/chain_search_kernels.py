r"""Exact and approximate search for the likeliest label set of a probabilistic chain.

Sources: K. Dembczynski, W. Waegeman, W. Cheng and E. Hullermeier, ECAI 2012 (the epsilon-approximate search, of uniform
cost); D. Mena, E. Montanes, J. R. Quevedo and J. J. del Coz, IJCAI 2015 and Machine Learning 106, 2017 (A* with a bound
for linear models).

A node is a choice of the first d labels of the chain.  Its cost is minus its log probability and, in A*, minus a bound
on the log probability of the labels that follow: each of them gets the largest log odds, or the smallest, that any
choice of the labels between could give it.  The bound is never too small, so that the first whole set is the likeliest.
"""

from __future__ import annotations

import math

import numpy as np

from textmix.models.common.heap_kernels import pop, push
from textmix.models.label_sets.chain_kernels import odds_given
from textmix.models.linear.loss_kernels import softplus
from textmix.numerics.copy_kernels import copy_into
from textmix.numerics.jit import njit


@njit
def reach(V: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return how much the labels from d on can raise and lower each later label's log odds, float64 (L + 1, L) each."""
    n_labels = len(V)
    up, down = np.zeros((n_labels + 1, n_labels)), np.zeros((n_labels + 1, n_labels))
    for d in range(n_labels - 1, -1, -1):
        for label in range(n_labels):
            up[d, label], down[d, label] = up[d + 1, label], down[d + 1, label]
            if label > d:
                up[d, label] += max(V[d, label], 0.0)
                down[d, label] += min(V[d, label], 0.0)
    return up, down


@njit
def _bound(z: np.ndarray, V: np.ndarray, ends: tuple[np.ndarray, np.ndarray], member: np.ndarray, depth: int) -> float:
    """Return a bound from above on the log probability of the labels after the first ``depth``, given these."""
    total = 0.0
    for label in range(depth, len(z)):
        odds = odds_given(z, V, member, label, depth)
        total -= min(softplus(-odds - ends[0][depth, label]), softplus(odds + ends[1][depth, label]))
    return total


@njit
def _complete(z: np.ndarray, V: np.ndarray, member: np.ndarray, depth: int) -> float:
    """Choose the labels after the first ``depth`` greedily in ``member``; return their log probability."""
    total = 0.0
    for label in range(depth, len(z)):
        odds = odds_given(z, V, member, label, label)
        member[label] = odds > 0.0
        total -= softplus(-abs(odds))
    return total


@njit
def search_best(
    Z: np.ndarray, V: np.ndarray, epsilon: float, informed: bool, limit: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the likeliest label set, bool (N, L), its log probability and the number of nodes expanded, (N,) each.

    The set is the likeliest one if its probability is at least ``epsilon``, 0 for the exact search, and fewer than
    ``limit`` nodes were expanded.  A node none of whose children has the probability ``epsilon`` is completed greedily,
    and so is the node at which the limit is reached; the best completion is the result where no whole set is found.
    ``informed`` says whether the bound counts (A*), or probability alone (uniform cost).  ``Z`` and ``V`` as of
    `textmix.models.label_sets.chain_kernels`.
    """
    n, n_labels = Z.shape
    found, value = np.zeros((n, n_labels), dtype=np.bool_), np.full(n, -np.inf)
    expanded, ends = np.zeros(n, dtype=np.int64), reach(V)
    least = math.log(epsilon) if epsilon > 0.0 else -np.inf
    nodes = 2 * limit + 1  # a node that is expanded adds at most two
    parent, on = np.full(nodes, -1), np.zeros(nodes, dtype=np.bool_)
    depth, heap = np.zeros(nodes, dtype=np.int64), np.zeros(nodes, dtype=np.int64)
    score, cost = np.zeros(nodes), np.zeros(nodes)
    for i in range(n):
        used, size, heap[0] = 1, 1, 0
        while size > 0:
            node = pop(heap, size, cost)
            size, d = size - 1, depth[node]
            member, place = np.zeros(n_labels, dtype=np.bool_), node
            while parent[place] >= 0:
                member[depth[place] - 1], place = on[place], parent[place]
            if d == n_labels:
                copy_into(found[i], member)
                value[i] = score[node]
                break
            if expanded[i] == limit:
                total = score[node] + _complete(Z[i], V, member, d)
                if total > value[i]:
                    copy_into(found[i], member)
                    value[i] = total
                break
            expanded[i] += 1
            odds, before = odds_given(Z[i], V, member, d, d), used
            for choice in range(2):
                child = score[node] - softplus(-odds if choice == 1 else odds)
                if child >= least:
                    member[d] = choice == 1
                    more = _bound(Z[i], V, ends, member, d + 1) if informed else 0.0
                    parent[used], on[used], depth[used] = node, choice == 1, d + 1
                    score[used], cost[used] = child, -child - more
                    push(heap, size, used, cost)
                    used, size = used + 1, size + 1
            if used == before:
                total = score[node] + _complete(Z[i], V, member, d)
                if total > value[i]:
                    copy_into(found[i], member)
                    value[i] = total
    return found, value, expanded
