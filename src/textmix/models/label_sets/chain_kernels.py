r"""Label chains: searches for the likeliest label set, draws of label sets, and Gibbs sampling in a dependency network.

Sources: J. Read et al., Machine Learning 85, 2011 (classifier chains); K. Dembczynski et al., ICML 2010 (probabilistic
chains); Y. Guo and S. Gu, IJCAI 2011 (conditional dependency networks); J. Read, L. Martino and D. Luengo, Pattern
Recognition 47, 2014 (label sets drawn from a chain); K. Dembczynski, W. Waegeman, W. Cheng and E. Hullermeier, ECAI
2012 (the epsilon-approximate search, of uniform cost); D. Mena, E. Montanes, J. R. Quevedo and J. J. del Coz, IJCAI
2015 and Machine Learning 106, 2017 (A* with a bound for linear models).

``Z``, float64 (N, L), are the log odds from the features alone, labels in the order of the chain.  ``V``, float64
(L, L), are the links: V[j, l] is added to the log odds of label l where label j is in the set; in a chain j < l.

In the exact search a node is a choice of the first d labels of the chain.  Its cost is minus its log probability and,
in A*, minus a bound on the log probability of the labels that follow: each of them gets the largest log odds, or the
smallest, that any choice of the labels between could give it.  The bound is never too small, so that the first whole
set is the likeliest.
"""

from __future__ import annotations

import math

import numpy as np

from textmix.models.common.heap_kernels import pop, push
from textmix.models.linear.loss_kernels import softplus
from textmix.numerics.basic_kernels import copy_into, stable_order, uniform
from textmix.numerics.jit import njit


@njit
def odds_given(z: np.ndarray, V: np.ndarray, member: np.ndarray, label: int, depth: int) -> float:
    """Return the log odds of a label given the choice of the first ``depth`` labels of a chain.

    ``member``, bool (L,), is the choice; labels from ``label`` on count nothing.
    """
    odds = z[label]
    for j in range(min(label, depth)):
        if member[j]:
            odds += V[j, label]
    return odds


@njit
def search_chain(Z: np.ndarray, V: np.ndarray, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the likeliest label set found by a beam, bool (N, L), and its log probability, float64 (N,).

    ``width`` is the most partial label sets that the search goes on with after each label; 1 is the greedy chain.
    """
    n, n_labels = Z.shape
    found, log_probability = np.zeros((n, n_labels), dtype=np.bool_), np.zeros(n)
    for i in range(n):
        beam, score = np.zeros((1, n_labels), dtype=np.bool_), np.zeros(1)
        for label in range(n_labels):
            size = len(score)
            grown = np.zeros(2 * size)
            for b in range(size):
                z = odds_given(Z[i], V, beam[b], label, label)
                grown[b] = score[b] - softplus(-z)
                grown[size + b] = score[b] - softplus(z)
            order = stable_order(-grown)[:width]
            following = np.zeros((len(order), n_labels), dtype=np.bool_)
            for place in range(len(order)):
                copy_into(following[place], beam[order[place] % size])
                following[place, label] = order[place] < size
            beam, score = following, grown[order]
        copy_into(found[i], beam[0])
        log_probability[i] = score[0]
    return found, log_probability


@njit
def gibbs_marginals(Z: np.ndarray, V: np.ndarray, sweeps: int, counted: int, seeds: np.ndarray) -> np.ndarray:
    """Return the share of the last ``counted`` of a Gibbs sampler's sweeps in which each label is on, float64 (N, L).

    At the start each label is on with probability 1/2.  The diagonal of ``V`` is zero; ``seeds`` are uint64 (N,).
    """
    n, n_labels = Z.shape
    marginal = np.zeros((n, n_labels))
    for i in range(n):
        state = seeds[i : i + 1].copy()
        on, odds = np.zeros(n_labels, dtype=np.bool_), Z[i].copy()
        for label in range(n_labels):
            if uniform(state) < 0.5:
                on[label] = True
                odds += V[label]
        for sweep in range(sweeps):
            for label in range(n_labels):
                value = uniform(state) * (1.0 + math.exp(-odds[label])) < 1.0
                if value != on[label]:
                    on[label] = value
                    if value:
                        odds += V[label]
                    else:
                        odds -= V[label]
                if value and sweep >= sweeps - counted:
                    marginal[i, label] += 1.0
    return marginal / counted


@njit
def search_samples(Z: np.ndarray, V: np.ndarray, samples: int, seed: int) -> np.ndarray:
    """Return the likeliest of the greedy label set and of ``samples`` label sets drawn from the chain, bool (N, L).

    The seed is the same for each instance, so that none depends on another.
    """
    found, best = search_chain(Z, V, 1)
    n, n_labels = Z.shape
    drawn = np.zeros(n_labels, dtype=np.bool_)
    for i in range(n):
        state = np.array([seed], dtype=np.uint64)
        for _ in range(samples):
            value = 0.0
            for label in range(n_labels):
                z = odds_given(Z[i], V, drawn, label, label)
                drawn[label] = uniform(state) * (1.0 + math.exp(-z)) < 1.0
                value -= softplus(-z) if drawn[label] else softplus(z)
            if value > best[i]:
                best[i] = value
                found[i] = drawn
    return found


@njit
def chain_marginals(Z: np.ndarray, V: np.ndarray, samples: int, seed: int) -> np.ndarray:
    """Return p(label in the set | x), float64 (N, L), by label sets drawn from the chain, see `search_samples`.

    It is the mean over the draws of p(label | x, labels drawn before), which varies less than the share of the draws
    that have the label.
    """
    n, n_labels = Z.shape
    total = np.zeros((n, n_labels))
    drawn = np.zeros(n_labels, dtype=np.bool_)
    for i in range(n):
        state = np.array([seed], dtype=np.uint64)
        for _ in range(samples):
            for label in range(n_labels):
                z = odds_given(Z[i], V, drawn, label, label)
                p = 1.0 / (1.0 + math.exp(-z))
                total[i, label] += p
                drawn[label] = uniform(state) < p
    return total / samples


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
    ``informed`` says whether the bound counts (A*), or probability alone (uniform cost).
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
