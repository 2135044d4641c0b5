r"""Label chains: search for the mode and sampling of label sets; Gibbs sampling in a dependency network.

Sources: J. Read et al., Machine Learning 85, 2011 (classifier chains); K. Dembczynski et al., ICML 2010 (probabilistic
chains); Y. Guo and S. Gu, IJCAI 2011 (conditional dependency networks); J. Read, L. Martino and D. Luengo, Pattern
Recognition 47, 2014 (label sets sampled from a chain); K. Dembczynski, W. Waegeman, W. Cheng and E. Hullermeier, ECAI
2012 (epsilon-approximate uniform-cost search); D. Mena, E. Montanes, J. R. Quevedo and J. J. del Coz, IJCAI
2015 and Machine Learning 106, 2017 (A* with a bound for linear models).

``Z``, float64 (N, L), are the log odds from the features alone, with labels in the order of the chain.  ``V``, float64
(L, L), are the links: V[j, l] is added to the log odds of label l if label j is in the set; in a chain j < l.

In the exact search, a node assigns values to the first d labels of the chain.  Its cost is its negative log probability
and, in A*, minus an upper bound on the log probability of the remaining labels: each of them gets the largest or the
smallest log odds that any values of the labels in between allow.  The bound is admissible, so that the first complete
label set is the mode.
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
    """Compute the log odds of a label given the values of the first ``depth`` labels of a chain.

    ``member``, bool (L,), contains the values; labels from ``label`` on are ignored.
    """
    odds = z[label]
    for j in range(min(label, depth)):
        if member[j]:
            odds += V[j, label]
    return odds


@njit
def search_chain(Z: np.ndarray, V: np.ndarray, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Find label sets by beam search, bool (N, L); also return their log probabilities, float64 (N,).

    ``width`` is the beam width, the maximum number of partial label sets; 1 is the greedy chain.
    """
    n, n_labels = Z.shape
    label_sets = np.zeros((n, n_labels), dtype=np.bool_)
    log_probability = np.zeros(n)
    for i in range(n):
        beam = np.zeros((1, n_labels), dtype=np.bool_)
        score = np.zeros(1)
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
            beam = following
            score = grown[order]
        copy_into(label_sets[i], beam[0])
        log_probability[i] = score[0]
    return label_sets, log_probability


@njit
def gibbs_marginals(Z: np.ndarray, V: np.ndarray, sweeps: int, counted: int, seeds: np.ndarray) -> np.ndarray:
    """Estimate marginals, float64 (N, L), from the last ``counted`` sweeps of a Gibbs sampler.

    Each label is initially on with probability 1/2.  The diagonal of ``V`` is zero; ``seeds`` are uint64 (N,).
    """
    n, n_labels = Z.shape
    marginal = np.zeros((n, n_labels))
    for i in range(n):
        state = seeds[i : i + 1].copy()
        on = np.zeros(n_labels, dtype=np.bool_)
        odds = Z[i].copy()
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
    """Find the most probable of the greedy label set and ``samples`` sampled label sets, bool (N, L).

    All instances use the same seed, so that no result depends on other instances.
    """
    label_sets, best = search_chain(Z, V, 1)
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
                label_sets[i] = drawn
    return label_sets


@njit
def chain_marginals(Z: np.ndarray, V: np.ndarray, samples: int, seed: int) -> np.ndarray:
    """Estimate the marginals p(label | x), float64 (N, L), from label sets sampled from the chain.

    The estimate is the mean over the samples of p(label | x, preceding labels), which has a smaller variance than the
    proportion of the samples that contain the label.
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
    """Compute how much the labels from d on can raise and lower the log odds of later labels, float64 (L + 1, L)."""
    n_labels = len(V)
    up = np.zeros((n_labels + 1, n_labels))
    down = np.zeros((n_labels + 1, n_labels))
    for d in range(n_labels - 1, -1, -1):
        for label in range(n_labels):
            up[d, label] = up[d + 1, label]
            down[d, label] = down[d + 1, label]
            if label > d:
                up[d, label] += max(V[d, label], 0.0)
                down[d, label] += min(V[d, label], 0.0)
    return up, down


@njit
def _bound(z: np.ndarray, V: np.ndarray, ends: tuple[np.ndarray, np.ndarray], member: np.ndarray, depth: int) -> float:
    """Compute an upper bound on the log probability of the labels after the first ``depth``, given these."""
    total = 0.0
    for label in range(depth, len(z)):
        odds = odds_given(z, V, member, label, depth)
        total -= min(softplus(-odds - ends[0][depth, label]), softplus(odds + ends[1][depth, label]))
    return total


@njit
def _complete(z: np.ndarray, V: np.ndarray, member: np.ndarray, depth: int) -> float:
    """Complete ``member`` greedily after the first ``depth`` labels, in place; return the log probability."""
    total = 0.0
    for label in range(depth, len(z)):
        odds = odds_given(z, V, member, label, label)
        member[label] = odds > 0.0
        total -= softplus(-abs(odds))
    return total


@njit
def search_best(  # noqa: PLR0915 - the state of the search
    Z: np.ndarray, V: np.ndarray, epsilon: float, informed: bool, limit: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Search for the mode, bool (N, L); return also its log probability and the number of expanded nodes, (N,) each.

    The result is the mode if its probability is at least ``epsilon``, 0 for the exact search, and fewer than ``limit``
    nodes were expanded.  A node is completed greedily if no child has the probability ``epsilon``, or if the limit is
    reached; the best completion is the result if no complete label set is found.  ``informed`` selects A*, otherwise
    uniform-cost search.
    """
    n, n_labels = Z.shape
    label_sets = np.zeros((n, n_labels), dtype=np.bool_)
    value = np.full(n, -np.inf)
    expanded = np.zeros(n, dtype=np.int64)
    ends = reach(V)
    least = math.log(epsilon) if epsilon > 0.0 else -np.inf
    nodes = 2 * limit + 1  # an expanded node adds at most two
    parent = np.full(nodes, -1)
    on = np.zeros(nodes, dtype=np.bool_)
    depth = np.zeros(nodes, dtype=np.int64)
    heap = np.zeros(nodes, dtype=np.int64)
    score = np.zeros(nodes)
    cost = np.zeros(nodes)
    for i in range(n):
        used = 1
        size = 1
        heap[0] = 0
        while size > 0:
            node = pop(heap, size, cost)
            size = size - 1
            d = depth[node]
            member = np.zeros(n_labels, dtype=np.bool_)
            place = node
            while parent[place] >= 0:
                member[depth[place] - 1] = on[place]
                place = parent[place]
            if d == n_labels:
                copy_into(label_sets[i], member)
                value[i] = score[node]
                break
            if expanded[i] == limit:
                total = score[node] + _complete(Z[i], V, member, d)
                if total > value[i]:
                    copy_into(label_sets[i], member)
                    value[i] = total
                break
            expanded[i] += 1
            odds = odds_given(Z[i], V, member, d, d)
            before = used
            for choice in range(2):
                child = score[node] - softplus(-odds if choice == 1 else odds)
                if child >= least:
                    member[d] = choice == 1
                    bound = _bound(Z[i], V, ends, member, d + 1) if informed else 0.0
                    parent[used] = node
                    on[used] = choice == 1
                    depth[used] = d + 1
                    score[used] = child
                    cost[used] = -child - bound
                    push(heap, size, used, cost)
                    used = used + 1
                    size = size + 1
            if used == before:
                total = score[node] + _complete(Z[i], V, member, d)
                if total > value[i]:
                    copy_into(label_sets[i], member)
                    value[i] = total
    return label_sets, value, expanded
