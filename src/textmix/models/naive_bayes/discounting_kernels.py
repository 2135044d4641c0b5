r"""Absolute discounting with unigram interpolation: the leaving-one-out estimate of its constant, and scores.

Source: see `textmix.models.naive_bayes.discounting_weights`, equations (13), (21), (22); Ney, Martin and Wessel,
"Statistical Language Modeling Using Leaving-One-Out", 1997.  Symbols: document d, word w, class c; x_dw count, b
discounting constant, n_r number of words counted r times.

A word that does not occur in class c has \hat p(w|c) = p(w) M_c, and most words occur in few classes.  The log weights
are therefore stored in two parts: a small dense table with one row for all words that would have equal weights if they
occurred in no class, and a sparse *excess* for each class in which the word occurs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from textmix.numerics.jit import njit


class Weights(NamedTuple):
    """Log weights of V words in C classes: ``table[group[w], c]`` plus the excess for classes that contain w.

    Attributes
    ----------
    group : ndarray of shape (V,), int64
        Table row of each word; -1 for a word that does not occur in the training documents and is skipped.
    start : ndarray of shape (V + 1,), int64
        The excesses of word w are ``start[w]:start[w + 1]``.
    excess : ndarray of shape (K,), float64
        Excess of each pair of word and class.
    seen_by : ndarray of shape (K,), int32
        Class of each excess.
    """

    group: np.ndarray
    table: np.ndarray
    start: np.ndarray
    seen_by: np.ndarray
    excess: np.ndarray


@njit
def add_scores(indptr: np.ndarray, indices: np.ndarray, data: np.ndarray, weights: Weights, score: np.ndarray) -> None:
    """Add sum_w x_dw log weight(w, c) to ``score[d, c]``, equation (13), for counts in CSR form."""
    for d in range(len(indptr) - 1):
        for i in range(indptr[d], indptr[d + 1]):
            w = indices[i]
            x = data[i]
            if weights.group[w] < 0:
                continue
            row = weights.table[weights.group[w]]
            for c in range(score.shape[1]):
                score[d, c] += x * row[c]
            for k in range(weights.start[w], weights.start[w + 1]):
                score[d, weights.seen_by[k]] += x * weights.excess[k]


@njit
def leaving_one_out_gradient(b: float, counts: np.ndarray, number: np.ndarray) -> float:
    r"""Compute L'(b), 0 < b < 1, of the log-likelihood L(b) = n_1 log b + \sum_{r>=2} r n_r log(r - 1 - b).

    ``counts`` and ``number``, float64 (R,), are the distinct counts r and n_r, the number of words with each.
    """
    gradient = 0.0
    for k in range(len(counts)):
        r = counts[k]
        gradient += number[k] / b if r == 1.0 else -r * number[k] / (r - 1.0 - b)
    return gradient


@njit
def leaving_one_out_root(counts: np.ndarray, number: np.ndarray) -> float:
    """Maximise L(b) on [0, 1] by bisection of its derivative, which is decreasing.

    The maximum is at 0 if no word is counted once, and at 1 if L increases on all of [0, 1] (no word is counted twice).
    """
    low = 0.0
    high = 1.0
    while True:
        middle = 0.5 * (low + high)
        if not low < middle < high:
            return middle
        if leaving_one_out_gradient(middle, counts, number) > 0.0:
            low = middle
        else:
            high = middle
