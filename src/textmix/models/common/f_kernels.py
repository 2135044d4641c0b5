"""The label set of largest expected F under any distribution of label sets: the general F maximiser.

Source: W. Waegeman, K. Dembczynski, A. Jachnik, W. Cheng and E. Hullermeier, JMLR 15, 2014.  F of two empty sets is 1.
"""

from __future__ import annotations

import numpy as np

from textmix.numerics.basic_kernels import stable_order
from textmix.numerics.jit import njit


@njit
def choose_for_f(joint: np.ndarray, sizes: np.ndarray, allow_empty: bool, chosen: np.ndarray) -> float:
    """Return the largest expected F of one instance and set ``chosen``, bool (L,), to the label set that has it.

    For each size the best set holds the labels of largest sum_s P(y_l = 1, |y| = s) 2 / (s + size).  ``joint``, float64
    (L, L + 1), is P(y_l = 1, |y| = s), and ``sizes``, float64 (L + 1,), is P(|y| = s); ``chosen`` comes all False.
    """
    n_labels = len(chosen)
    gain = np.zeros(n_labels)
    top = n_labels
    while top > 1 and sizes[top] < 1e-15:
        top -= 1
    value = sizes[0] if allow_empty else -1.0
    for size in range(1, n_labels + 1):
        gain[:] = 0.0
        for label in range(n_labels):
            for s in range(1, top + 1):
                gain[label] += joint[label, s] * 2.0 / (s + size)
        order = stable_order(-gain)
        expected = 0.0
        for place in range(size):
            expected += gain[order[place]]
        if expected > value:
            value = expected
            chosen[:] = False
            for place in range(size):
                chosen[order[place]] = True
    return value


@njit
def listed_expected_f(proba: np.ndarray, sets: np.ndarray, allow_empty: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the sets of largest expected F, bool (N, L), and it, (N,), where S listed sets alone have probability.

    ``proba`` is float64 (N, S), rows sum to 1; ``sets`` (S, L) of 0 and 1.  The chosen set need not be a listed one.
    """
    n = len(proba)
    n_labels = sets.shape[1]
    chosen = np.zeros((n, n_labels), dtype=np.bool_)
    value = np.zeros(n)
    size = np.zeros(len(sets), dtype=np.int64)
    for s in range(len(sets)):
        size[s] = sets[s].sum()
    for i in range(n):
        joint = np.zeros((n_labels, n_labels + 1))
        sizes = np.zeros(n_labels + 1)
        for s in range(len(sets)):
            sizes[size[s]] += proba[i, s]
            for label in range(n_labels):
                if sets[s, label]:
                    joint[label, size[s]] += proba[i, s]
        value[i] = choose_for_f(joint, sizes, allow_empty, chosen[i])
    return chosen, value
