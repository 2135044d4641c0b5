r"""Mixtures of independent Bernoulli labels: likelihood, exact mode, and the label set with the largest expected F1.

    p(y) = \sum_k \pi_k \prod_l b_kl^{y_l} (1 - b_kl)^{1 - y_l},  b_kl = sigmoid(z_kl)

Source: C. Li, B. Wang, V. Pavlu and J. A. Aslam, ICML 2016, section 3 (slides, "prediction").  The mode is exact: each
component generates its label sets in decreasing order of probability; each set is scored under the mixture.  The
search stops when no remaining set can be more probable than the best one (Fagin's threshold algorithm).

``log_pi``, float64 (N, K), are the logarithms of the mixture weights, and ``Z``, float64 (K, N, L), are the log odds;
for one instance, their shapes are (K,) and (K, L).
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
    """Compute log p(y) of one label set."""
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
def _flip(
    member: np.ndarray, z: np.ndarray, order: np.ndarray, node: int, last: np.ndarray, remainder: np.ndarray
) -> None:
    """Set ``member``, bool (L,), to the mode of a component, modified by the flips of a node."""
    for k in range(len(z)):
        member[k] = z[k] >= 0.0
    while node >= 0 and last[node] >= 0:
        flipped = order[last[node]]
        member[flipped] = not member[flipped]
        node = remainder[node]


@njit
def search_modes(  # noqa: PLR0915 - the state of the search
    log_pi: np.ndarray, Z: np.ndarray, allow_empty: bool, limit: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    r"""Find the mode of each instance, bool (N, L), log p(y), the number of scored sets, and exactness, (N,) each.

    The label sets of a component are its mode with some labels flipped; the cost of a set is the sum of |z| over the
    flipped labels.  Let the labels be sorted by increasing |z|.  A set of flips whose largest label is i has two
    successors: i + 1 is added, or i + 1 replaces i.  A heap thus generates each set once, in order of cost.

    log p(y) is -inf if only the empty set, which is not allowed, was scored.  A set that several components generate is
    scored once for each of them.  The result may not be the mode if ``limit``, the maximum number of scored sets of an
    instance, stopped the search.
    """
    n_components, n, n_labels = Z.shape
    modes = np.zeros((n, n_labels), dtype=np.bool_)
    log_probability = np.empty(n)
    evaluations = np.zeros(n, dtype=np.int64)
    exact = np.ones(n, dtype=np.bool_)
    # A node is a set of flips: its cost, its largest label, and the node with its remaining labels.
    pool = 2 * limit + n_components + 2
    cost = np.zeros(pool)
    last = np.zeros(pool, dtype=np.int64)
    remainder = np.zeros(pool, dtype=np.int64)
    heaps = np.zeros((n_components, limit + 2), dtype=np.int64)
    sizes = np.zeros(n_components, dtype=np.int64)
    z = np.zeros((n_components, n_labels))
    order = np.zeros((n_components, n_labels), dtype=np.int64)
    base = np.zeros(n_components)
    first = np.zeros(n_components)
    bound = np.zeros(n_components)
    member = np.zeros(n_labels, dtype=np.bool_)
    sorted_ = np.zeros(n_components, dtype=np.bool_)
    for i in range(n):
        for k in range(n_components):
            first[k] = log_pi[i, k]
            members = 0.0
            sorted_[k] = False
            for label in range(n_labels):
                z[k, label] = Z[k, i, label]
                first[k] -= softplus(-abs(z[k, label]))
                members += max(z[k, label], 0.0)
            base[k] = first[k] - members
            heaps[k, 0] = k
            sizes[k] = 1
            cost[k] = 0.0
            last[k] = -1
            remainder[k] = -1
        used = n_components
        best = -np.inf
        top = first.max()
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
            _flip(member, z[k], order[k], node, last, remainder)
            if allow_empty or member.any():
                log_p = _log_mixture(base, z, member)
                if log_p > best:
                    best = log_p
                    copy_into(modes[i], member)
            evaluations[i] += 1
            following = last[node] + 1
            if following < n_labels:
                increase = abs(z[k, order[k, following]])
                cost[used] = cost[node] + increase
                last[used] = following
                remainder[used] = node
                push(heaps[k], sizes[k], used, cost)
                used = used + 1
                sizes[k] = sizes[k] + 1
                if last[node] >= 0:
                    cost[used] = cost[node] - abs(z[k, order[k, last[node]]]) + increase
                    last[used] = following
                    remainder[used] = remainder[node]
                    push(heaps[k], sizes[k], used, cost)
                    used = used + 1
                    sizes[k] = sizes[k] + 1
            bound[k] = math.exp(first[k] - cost[heaps[k, 0]] - top) if sizes[k] > 0 else 0.0
        log_probability[i] = best
    return modes, log_probability, evaluations, exact


@njit
def _without(sizes: np.ndarray, b: float, others: np.ndarray) -> None:
    """Compute the distribution of the number of labels without one of L independent labels, in place: ``others``."""
    top = len(sizes) - 1
    if b <= 0.5:
        below = 0.0
        for s in range(top):
            below = max((sizes[s] - b * below) / (1.0 - b), 0.0)
            others[s] = below
    else:
        above = 0.0
        for s in range(top, 0, -1):
            above = max((sizes[s] - (1.0 - b) * above) / b, 0.0)
            others[s - 1] = above


@njit
def label_and_size(log_pi: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compute P(y_l = 1, |y| = s), float64 (L, L + 1), and P(|y| = s), float64 (L + 1,), of one instance."""
    n_components, n_labels = z.shape
    joint = np.zeros((n_labels, n_labels + 1))
    total = np.zeros(n_labels + 1)
    others = np.zeros(n_labels)
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
            _without(sizes, b, others)
            for s in range(1, n_labels + 1):
                joint[label, s] += pi * b * others[s - 1]
    return joint, total


@njit
def search_expected_f(log_pi: np.ndarray, Z: np.ndarray, allow_empty: bool) -> tuple[np.ndarray, np.ndarray]:
    """Find the label set with the largest expected F1 of each instance, bool (N, L), and its expected F1, float64 (N,).

    See `textmix.models.common.f_kernels.choose_for_f`; the probabilities P(y_l = 1, |y| = s) are exact.
    """
    _, n, n_labels = Z.shape
    chosen = np.zeros((n, n_labels), dtype=np.bool_)
    value = np.zeros(n)
    for i in range(n):
        joint, sizes = label_and_size(log_pi[i], np.ascontiguousarray(Z[:, i]))
        value[i] = choose_for_f(joint, sizes, allow_empty, chosen[i])
    return chosen, value
