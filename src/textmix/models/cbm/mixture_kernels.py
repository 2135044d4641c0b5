r"""Mixtures of independent Bernoulli labels: likelihood of a label set, its exact mode, the set of largest expected F.

    p(y) = \sum_k \pi_k \prod_l b_kl^{y_l} (1 - b_kl)^{1 - y_l},  b_kl = sigmoid(z_kl)

Source: C. Li, B. Wang, V. Pavlu and J. A. Aslam, ICML 2016, section 3 (slides, "prediction").  The mode is exact: each
component yields its label sets in decreasing order of probability; each set is scored under the whole mixture.  The
search ends when no unseen set can be likelier than the best (Fagin's threshold algorithm).

``log_pi`` are the logarithms of the mixture weights, float64 (N, K), and ``Z`` the log odds, float64 (K, N, L); of one
instance (K,) and (K, L).
"""

from __future__ import annotations

import math

import numpy as np

from textmix.models.common.f_kernels import choose_for_f
from textmix.models.common.heap_kernels import pop, push
from textmix.models.linear.loss_kernels import softplus
from textmix.numerics.basic_kernels import copy_into, stable_order
from textmix.numerics.jit import njit


@njit
def _log_mixture(base: np.ndarray, z: np.ndarray, member: np.ndarray) -> float:
    """Return log p(y) of one label set."""
    score = base.copy()
    for label in range(len(member)):
        if member[label]:
            for k in range(len(base)):
                score[k] += z[k, label]
    top = score.max()
    total = 0.0
    for k in range(len(base)):
        total += math.exp(score[k] - top)
    return top + math.log(total)


@njit
def _flip(member: np.ndarray, z: np.ndarray, order: np.ndarray, node: int, last: np.ndarray, rest: np.ndarray) -> None:
    """Set ``member``, bool (L,), to a component's likeliest label set changed by the flips of a node."""
    for k in range(len(z)):
        member[k] = z[k] >= 0.0
    while node >= 0 and last[node] >= 0:
        flipped = order[last[node]]
        member[flipped] = not member[flipped]
        node = rest[node]


@njit
def search_modes(
    log_pi: np.ndarray, Z: np.ndarray, allow_empty: bool, limit: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    r"""Return the likeliest label set of each instance, bool (N, L), log p(y), sets tried, and exactness, (N,) each.

    A component's label sets are its likeliest set with some labels flipped; a set's cost is the sum of |z| of the
    flipped labels.  Let the labels be sorted by increasing |z|.  A set of flips whose largest label is i has two
    successors: i + 1 is added, or i + 1 replaces i.  Thus a heap yields each set once, in order of cost.

    log p(y) is -inf if only the forbidden empty set was tried.  A set that several components yield is tried once for
    each of them.  The set is not the mode where ``limit``, the most sets tried for an instance, ended the search.
    """
    n_components, n, n_labels = Z.shape
    modes, log_probability = np.zeros((n, n_labels), dtype=np.bool_), np.empty(n)
    evaluations, exact = np.zeros(n, dtype=np.int64), np.ones(n, dtype=np.bool_)
    # A node is a set of flips: its cost, its largest label, and the node with the rest of its labels.
    pool = 2 * limit + n_components + 2
    cost, last, rest = np.zeros(pool), np.zeros(pool, dtype=np.int64), np.zeros(pool, dtype=np.int64)
    heaps, sizes = np.zeros((n_components, limit + 2), dtype=np.int64), np.zeros(n_components, dtype=np.int64)
    z, order = np.zeros((n_components, n_labels)), np.zeros((n_components, n_labels), dtype=np.int64)
    base, first, bound = np.zeros(n_components), np.zeros(n_components), np.zeros(n_components)
    member, sorted_ = np.zeros(n_labels, dtype=np.bool_), np.zeros(n_components, dtype=np.bool_)
    for i in range(n):
        for k in range(n_components):
            first[k], members, sorted_[k] = log_pi[i, k], 0.0, False
            for label in range(n_labels):
                z[k, label] = Z[k, i, label]
                first[k] -= softplus(-abs(z[k, label]))
                members += max(z[k, label], 0.0)
            base[k], heaps[k, 0], sizes[k] = first[k] - members, k, 1
            cost[k], last[k], rest[k] = 0.0, -1, -1
        used, best, top = n_components, -np.inf, first.max()
        for k in range(n_components):
            bound[k] = math.exp(first[k] - top)
        while True:
            k = int(np.argmax(bound))
            if bound.sum() <= math.exp(best - top):
                break
            if evaluations[i] == limit or bound[k] == 0.0:
                exact[i] = bound[k] == 0.0
                break
            if not sorted_[k]:
                copy_into(order[k], stable_order(np.abs(z[k])))
                sorted_[k] = True
            node = pop(heaps[k], sizes[k], cost)
            sizes[k] -= 1
            _flip(member, z[k], order[k], node, last, rest)
            if allow_empty or member.any():
                found = _log_mixture(base, z, member)
                if found > best:
                    best = found
                    copy_into(modes[i], member)
            evaluations[i] += 1
            following = last[node] + 1
            if following < n_labels:
                more = abs(z[k, order[k, following]])
                cost[used], last[used], rest[used] = cost[node] + more, following, node
                push(heaps[k], sizes[k], used, cost)
                used, sizes[k] = used + 1, sizes[k] + 1
                if last[node] >= 0:
                    cost[used] = cost[node] - abs(z[k, order[k, last[node]]]) + more
                    last[used], rest[used] = following, rest[node]
                    push(heaps[k], sizes[k], used, cost)
                    used, sizes[k] = used + 1, sizes[k] + 1
            bound[k] = math.exp(first[k] - cost[heaps[k, 0]] - top) if sizes[k] > 0 else 0.0
        log_probability[i] = best
    return modes, log_probability, evaluations, exact


@njit
def _without(sizes: np.ndarray, b: float, rest: np.ndarray) -> None:
    """Compute the distribution of the number of labels when one of L independent labels is left out."""
    top = len(sizes) - 1
    if b <= 0.5:
        below = 0.0
        for s in range(top):
            below = max((sizes[s] - b * below) / (1.0 - b), 0.0)
            rest[s] = below
    else:
        above = 0.0
        for s in range(top, 0, -1):
            above = max((sizes[s] - (1.0 - b) * above) / b, 0.0)
            rest[s - 1] = above


@njit
def label_and_size(log_pi: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return P(y_l = 1, |y| = s), float64 (L, L + 1), and P(|y| = s), float64 (L + 1,), of one instance."""
    n_components, n_labels = z.shape
    joint, total = np.zeros((n_labels, n_labels + 1)), np.zeros(n_labels + 1)
    rest = np.zeros(n_labels)
    for k in range(n_components):
        sizes = np.zeros(n_labels + 1)
        sizes[0] = 1.0
        for label in range(n_labels):
            b = 1.0 / (1.0 + math.exp(-z[k, label]))
            for s in range(label + 1, 0, -1):
                sizes[s] = (1.0 - b) * sizes[s] + b * sizes[s - 1]
            sizes[0] *= 1.0 - b
        pi = math.exp(log_pi[k])
        total += pi * sizes
        for label in range(n_labels):
            b = 1.0 / (1.0 + math.exp(-z[k, label]))
            _without(sizes, b, rest)
            for s in range(1, n_labels + 1):
                joint[label, s] += pi * b * rest[s - 1]
    return joint, total


@njit
def search_expected_f(log_pi: np.ndarray, Z: np.ndarray, allow_empty: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the label set of largest expected F of each instance, bool (N, L), and its expected F, float64 (N,).

    See `textmix.models.common.f_kernels.choose_for_f`, which takes the exact P(y_l = 1, |y| = s).
    """
    _, n, n_labels = Z.shape
    chosen, value = np.zeros((n, n_labels), dtype=np.bool_), np.zeros(n)
    for i in range(n):
        joint, sizes = label_and_size(log_pi[i], np.ascontiguousarray(Z[:, i]))
        value[i] = choose_for_f(joint, sizes, allow_empty, chosen[i])
    return chosen, value
