"""A heap of numbered nodes with costs, for best-first searches in kernels."""

from __future__ import annotations

import numpy as np

from textmix.numerics.jit import njit


@njit
def push(heap: np.ndarray, size: int, node: int, cost: np.ndarray) -> None:
    """Add a node to a heap of ``size`` nodes; the node of least cost is first, of equal costs the smaller number."""
    place = size
    while place > 0:
        above = (place - 1) // 2
        other = heap[above]
        if cost[other] < cost[node] or (cost[other] == cost[node] and other < node):
            break
        heap[place] = other
        place = above
    heap[place] = node


@njit
def pop(heap: np.ndarray, size: int, cost: np.ndarray) -> int:
    """Remove the first node from a heap of ``size`` nodes and return it."""
    taken = heap[0]
    node = heap[size - 1]
    place = 0
    while 2 * place + 1 < size - 1:
        below = 2 * place + 1
        if below + 1 < size - 1:
            left = heap[below]
            right = heap[below + 1]
            if cost[right] < cost[left] or (cost[right] == cost[left] and right < left):
                below += 1
        other = heap[below]
        if cost[node] < cost[other] or (cost[node] == cost[other] and node < other):
            break
        heap[place] = other
        place = below
    heap[place] = node
    return taken
