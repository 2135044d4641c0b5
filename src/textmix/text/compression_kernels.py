"""The cheapest way to write documents as n-grams of a dictionary, one after the other."""

from __future__ import annotations

import numpy as np

from textmix.numerics.jit import njit


@njit(nogil=True)
def cheapest_cover(ids: np.ndarray, offsets: np.ndarray, documents: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """Return how often each n-gram is used, int64 (F,), where documents are cut into those of the smallest total cost.

    Of equal costs the cut whose last n-gram is shortest is taken.  ``ids[t, n - 1]``, int32 (T, K), is the n-gram of n
    words that begins at token t, or -1; each token is an n-gram of one word.  ``offsets`` int64 (N + 1,), ``documents``
    int64 (M,), ``costs`` float64 (F,) of one use of each n-gram.
    """
    uses = np.zeros(len(costs), np.int64)
    for d in documents:
        start, length = offsets[d], offsets[d + 1] - offsets[d]
        total, last = np.full(length + 1, np.inf), np.zeros(length + 1, np.int64)
        total[0] = 0.0
        for end in range(1, length + 1):
            for n in range(1, min(ids.shape[1], end) + 1):
                gram = ids[start + end - n, n - 1]
                if gram >= 0 and total[end - n] + costs[gram] < total[end]:
                    total[end], last[end] = total[end - n] + costs[gram], n
        end = length
        while end > 0:
            uses[ids[start + end - last[end], last[end] - 1]] += 1
            end -= last[end]
    return uses
