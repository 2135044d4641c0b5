"""Basic kernels: copies and sums of numbers, sorting, and random numbers.

They compile quickly, whereas Numba's own versions need one or two seconds each: slice assignment compiles error
message formatting, indexing by an array compiles the general case, and sorting (with the same results as
`stable_order`) compiles three times as long.

"""

from __future__ import annotations

import math

import numpy as np

from textmix.numerics.jit import njit

#: Length of runs that are sorted by insertion: before runs are merged, and after longer parts have been partitioned.
RUN = 16
#: Stack size for pending partitions: two ends each, and at most one partition per halving of an array.
WAITING = 128
#: Difference of two successive states of splitmix64.
STEP = np.uint64(0x9E3779B97F4A7C15)


@njit(nogil=True)
def copy_into(target: np.ndarray, source: np.ndarray) -> None:
    """Set ``target`` to ``source``, (n,) each, or to its first n numbers."""
    for i in range(len(target)):
        target[i] = source[i]


@njit(nogil=True)
def taken(values: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Gather the elements at ``places``, (n,), of an array (m,) of float64."""
    result = np.empty(len(places))
    for i in range(len(places)):
        result[i] = values[places[i]]
    return result


@njit(nogil=True)
def total_of(values: np.ndarray) -> float:
    """Compute the sum of numbers (n,), added sequentially."""
    total = 0.0
    for i in range(len(values)):
        total += values[i]
    return total


@njit(nogil=True)
def stable_order(values: np.ndarray) -> np.ndarray:
    """Compute the stable sorting permutation, int64 (n,); NaN is sorted to the end."""
    n = len(values)
    order = np.empty(n, dtype=np.int64)
    merged = np.empty(n, dtype=np.int64)
    for i in range(n):
        place = i
        first = i // RUN * RUN
        while place > first and _is_before(values[i], values[order[place - 1]]):
            order[place] = order[place - 1]
            place -= 1
        order[place] = i
    width = RUN
    while width < n:
        for first in range(0, n, 2 * width):
            middle = min(first + width, n)
            last = min(first + 2 * width, n)
            left = first
            right = middle
            for k in range(first, last):
                if right == last or (left < middle and not _is_before(values[order[right]], values[order[left]])):
                    merged[k] = order[left]
                    left += 1
                else:
                    merged[k] = order[right]
                    right += 1
        order, merged = merged, order
        width *= 2
    return order


@njit(nogil=True)
def _is_before(one: float, other: float) -> bool:
    """Check whether a number precedes another one, regardless of their positions."""
    return one < other or (math.isnan(other) and not math.isnan(one))


@njit(nogil=True)
def sort_integers(values: np.ndarray) -> None:
    """Sort integers (n,) in increasing order, in place, by quicksort."""
    if len(values) > RUN:
        _split(values)
    for i in range(1, len(values)):
        value = values[i]
        place = i
        while place > 0 and value < values[place - 1]:
            values[place] = values[place - 1]
            place -= 1
        values[place] = value


@njit(nogil=True)
def _split(values: np.ndarray) -> None:
    """Partition integers (n,) in place until each is less than `RUN` positions from its final position."""
    ends = np.empty(WAITING, dtype=np.int64)
    waiting = 0
    low = 0
    high = len(values) - 1
    while True:
        while high - low >= RUN:
            one = values[low]
            other = values[low + (high - low) // 2]
            last = values[high]
            pivot = max(min(one, other), min(max(one, other), last))
            left = low
            right = high
            while left <= right:
                while values[left] < pivot:
                    left += 1
                while values[right] > pivot:
                    right -= 1
                if left <= right:
                    values[left], values[right] = values[right], values[left]
                    left = left + 1
                    right = right - 1
            # The longer part is postponed, which bounds the number of pending parts.
            if right - low > high - left:
                ends[waiting], ends[waiting + 1], low = low, right, left
            else:
                ends[waiting], ends[waiting + 1], high = left, high, right
            waiting += 2
        if waiting == 0:
            return
        waiting -= 2
        low = ends[waiting]
        high = ends[waiting + 1]


@njit
def hashed(z: np.uint64) -> float:
    """Map a state of splitmix64 to a number in [0, 1); the t-th number after state s has state s + t STEP."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return (z >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@njit
def uniform(state: np.ndarray) -> float:
    """Draw a random number in [0, 1) and advance ``state``, uint64 (1,), with the generator splitmix64."""
    state[0] += STEP
    return hashed(state[0])
