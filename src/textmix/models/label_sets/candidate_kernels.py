"""The K likeliest label sets of independent labels, in order.

A set is the likeliest one with some labels flipped; its cost is the sum of |z| of the flipped labels.  Sets of flips
are taken from a heap in order of cost, see `textmix.models.cbm.mixture_kernels.search_modes`.
"""

from __future__ import annotations

import numpy as np

from textmix.models.common.heap_kernels import pop, push
from textmix.models.linear.loss_kernels import softplus
from textmix.numerics.jit import njit
from textmix.numerics.sort_kernels import stable_order


@njit
def likeliest_sets(Z: np.ndarray, wanted: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the likeliest label sets of each instance and their log probabilities.

    Parameters
    ----------
    Z : float64 (N, L), log odds of the labels, finite.
    wanted : K, at most 2^L.

    Returns
    -------
    sets : bool (N, K, L), the likeliest first.
    log_probability : float64 (N, K).
    """
    n, n_labels = Z.shape
    sets, log_probability = np.zeros((n, wanted, n_labels), dtype=np.bool_), np.zeros((n, wanted))
    nodes = 2 * wanted + 1  # a node that is taken from the heap adds at most two
    cost, heap = np.zeros(nodes), np.zeros(nodes, dtype=np.int64)
    last, rest = np.zeros(nodes, dtype=np.int64), np.zeros(nodes, dtype=np.int64)
    for i in range(n):
        size_of = np.abs(Z[i])
        order, first = stable_order(size_of), 0.0
        for label in range(n_labels):
            first -= softplus(-size_of[label])
        heap[0], size, used = 0, 1, 1
        cost[0], last[0], rest[0] = 0.0, -1, -1
        for k in range(wanted):
            node = pop(heap, size, cost)
            size -= 1
            log_probability[i, k] = first - cost[node]
            for label in range(n_labels):
                sets[i, k, label] = Z[i, label] >= 0.0
            flip = node
            while last[flip] >= 0:
                label = order[last[flip]]
                sets[i, k, label] = not sets[i, k, label]
                flip = rest[flip]
            following = last[node] + 1
            if following < n_labels:
                more = size_of[order[following]]
                cost[used], last[used], rest[used] = cost[node] + more, following, node
                push(heap, size, used, cost)
                used, size = used + 1, size + 1
                if last[node] >= 0:
                    cost[used] = cost[node] - size_of[order[last[node]]] + more
                    last[used], rest[used] = following, rest[node]
                    push(heap, size, used, cost)
                    used, size = used + 1, size + 1
    return sets, log_probability
