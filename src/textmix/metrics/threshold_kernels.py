"""Threshold sweeps: count detected labels, correct labels and exact label sets at all thresholds in one pass.

Source: Vilar, Castro and Sanchis, "Multi-label Text Classification Using Multinomial Models", EsTAL 2004: accumulated
posterior probability, equations (4) to (7), and one threshold for all classes, equation (9).

A document's label set changes only where the threshold passes one of its (accumulated) scores.  Each sweep locates
these thresholds and records the changes of the three counts; a cumulative sum then yields the counts at every
threshold, so that each label set is determined once.

Symbols: N documents, L labels, K increasing thresholds; y_nl is 1 if document n has label l, otherwise 0.
"""

from __future__ import annotations

import numpy as np

from textmix.numerics.basic_kernels import copy_into, stable_order
from textmix.numerics.jit import njit

#: Row indices of the result of a sweep.
DETECTED = 0
CORRECT = 1
EXACT = 2


@njit
def _sorted_tails(scores: np.ndarray, order: np.ndarray, tail: np.ndarray) -> float:
    """Sort the nonnegative scores of one document, float64 (L,), and return their sum.

    Labels are written to ``order``, int64 (L,), by decreasing score, equation (4); ties are resolved in favour of the
    lowest label.  The sum of the scores after the first n, added from the smallest, is written to ``tail[n]``, float64
    (L + 1,).  Divided by the sum of all scores it is 1 - Pr_n, where Pr_n is the accumulated probability of equation
    (5); this order of addition avoids the cancellation of 1 - Pr_n if Pr_n is close to 1.
    """
    copy_into(order, stable_order(-scores))
    tail[len(scores)] = 0.0
    for n in range(len(scores) - 1, -1, -1):
        tail[n] = tail[n + 1] + scores[order[n]]
    return tail[0]


@njit
def accumulated_sets(scores: np.ndarray, threshold: float, sets: np.ndarray) -> None:
    """Select the fewest labels whose scores reach a proportion ``threshold`` of their sum, equations (6) and (7).

    ``scores`` are nonnegative, float64 (N, L); the label sets are written to ``sets``, bool (N, L), initially False.
    """
    n_labels = scores.shape[1]
    order = np.empty(n_labels, dtype=np.int64)
    tail = np.empty(n_labels + 1)
    for d in range(len(scores)):
        rest = (1.0 - threshold) * _sorted_tails(scores[d], order, tail)
        for n in range(n_labels):
            sets[d, order[n]] = True
            if tail[n + 1] <= rest:
                break


@njit
def accumulated_sweep(scores: np.ndarray, member: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    """Compute the counts of the accumulated posterior rule, see `threshold_sweep`, for nonnegative scores."""
    n_labels = scores.shape[1]
    n_thresholds = len(thresholds)
    change = np.zeros((3, n_thresholds + 1), dtype=np.int64)
    order = np.empty(n_labels, dtype=np.int64)
    tail = np.empty(n_labels + 1)
    for d in range(len(scores)):
        total = _sorted_tails(scores[d], order, tail)
        size = np.sum(member[d])
        correct = 0
        first = 0
        for n in range(1, n_labels + 1):
            correct += member[d, order[n - 1]]
            last = _first_beyond(thresholds, tail[n], total, first) if n < n_labels else n_thresholds
            # At thresholds first to last - 1, n labels are predicted for the document.
            if last > first:
                exact = np.int64(n == size and correct == size)
                for kind, number in ((DETECTED, n), (CORRECT, correct), (EXACT, exact)):
                    change[kind, first] += number
                    change[kind, last] -= number
            first = last
            if first == n_thresholds:
                break
    return _running(change)


@njit
def _first_beyond(thresholds: np.ndarray, tail: float, total: float, low: int) -> int:
    """Find the first threshold, from index ``low`` on, at which labels with total score ``tail`` must be included.

    At threshold t, labels are excluded if their scores sum to at most (1 - t) ``total``.
    """
    high = len(thresholds)
    while low < high:
        middle = (low + high) // 2
        if tail <= (1.0 - thresholds[middle]) * total:
            low = middle + 1
        else:
            high = middle
    return low


@njit
def threshold_sweep(scores: np.ndarray, member: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    """Compute the counts of the threshold rule, equation (9), at every threshold, int64 (3, K).

    The rows are `DETECTED` and `CORRECT` labels and `EXACT` label sets.  A label set is exact at thresholds above the
    scores of all wrong labels and not above the score of any true label, which is one interval per document.
    ``scores`` is float64 (N, L); ``member``, the label indicators, bool (N, L); ``thresholds`` increasing, (K,).
    """
    n_thresholds = len(thresholds)
    change = np.zeros((3, n_thresholds + 1), dtype=np.int64)
    for d in range(len(scores)):
        first = 0
        last = n_thresholds
        for c in range(scores.shape[1]):
            below = np.searchsorted(thresholds, scores[d, c], side="right")
            for kind, number in ((DETECTED, 1), (CORRECT, np.int64(member[d, c]))):
                change[kind, 0] += number
                change[kind, below] -= number
            if member[d, c]:
                last = min(last, below)
            else:
                first = max(first, below)
        if first < last:
            change[EXACT, first] += 1
            change[EXACT, last] -= 1
    return _running(change)


@njit
def _running(change: np.ndarray) -> np.ndarray:
    """Compute the cumulative sums of changes, int64 (3, K), without the column after the last threshold."""
    total = np.empty((change.shape[0], change.shape[1] - 1), dtype=np.int64)
    for kind in range(change.shape[0]):
        sum_so_far = 0
        for k in range(total.shape[1]):
            sum_so_far += change[kind, k]
            total[kind, k] = sum_so_far
    return total


@njit
def best_cut(scores: np.ndarray, member: np.ndarray, by_f1: bool) -> float:
    """Find the best threshold of one class on these documents, in one pass over the sorted scores (N,).

    It maximises F1 = 2 correct / (detected + reference) if ``by_f1``, otherwise it minimises the number of errors,
    detected - correct + reference - correct.  It is the midpoint between the lowest detected score and the next lower
    score, infinity if it is best to detect nothing, and the highest of equally good thresholds.  A score of minus
    infinity is never detected.
    """
    order = stable_order(-scores)
    reference = np.sum(member)
    best = 0.0 if by_f1 else -float(reference)
    cut = np.inf
    correct = 0
    for i in range(len(order)):
        correct += member[order[i]]
        here = scores[order[i]]
        after = scores[order[i + 1]] if i + 1 < len(order) else -np.inf
        if here == -np.inf:
            break
        if here == after:
            continue
        detected = i + 1
        gain = 2.0 * correct / (detected + reference) if by_f1 else float(2 * correct - detected - reference)
        if gain > best:
            best = gain
            middle = 0.5 * (here + after)
            # Adjacent floating-point numbers have no midpoint, and neither has an interval from minus infinity.
            cut = middle if after < middle <= here else here
    return cut
