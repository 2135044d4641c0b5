"""Tail counts of one class: #(x_dw >= x) for every word and every distinct count x, the DCM's statistic.

The likelihood of a DCM and its derivatives depend on a word's counts only through how many documents hold the word at
least x times (Minka, "Estimating a Dirichlet distribution", 2000).  One *level* is one distinct count of one word.
"""

from __future__ import annotations

import numba
import numpy as np

#: Whole counts below this are tallied in a table, others sorted.
TALLY = 256


@numba.njit(cache=True)
def class_levels(
    indptr: np.ndarray, indices: np.ndarray, data: np.ndarray, rows: np.ndarray, weight: np.ndarray, n_words: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the levels of the documents ``rows`` of a CSR matrix.

    Parameters
    ----------
    indptr, indices, data : the CSR matrix (N, V).
    rows : the documents of the class.
    weight : float64 (N,), weight of each document.
    n_words : V.

    Returns
    -------
    words : the K words that occur, rising.
    start : int64 (K + 1,); the levels of the k-th word are ``start[k]:start[k + 1]``.
    count : float64; the distinct counts of each word, rising.
    tail : float64; weight of the documents that hold the word at least ``count`` times.
    """
    position = np.zeros(n_words + 1, dtype=np.int64)
    for d in rows:
        for i in range(indptr[d], indptr[d + 1]):
            if data[i] > 0:
                position[indices[i] + 1] += 1
    words = np.flatnonzero(position) - 1
    for w in range(n_words):
        position[w + 1] += position[w]
    offsets = np.zeros(len(words) + 1, dtype=np.int64)
    for k in range(len(words)):
        offsets[k + 1] = position[words[k] + 1]
    counts, weights = np.empty(position[n_words]), np.empty(position[n_words])
    for d in rows:
        for i in range(indptr[d], indptr[d + 1]):
            if data[i] > 0:
                p = position[indices[i]]
                counts[p], weights[p] = data[i], weight[d]
                position[indices[i]] += 1
    start, count, tail = _merge(offsets, counts, weights)
    return words, start, count, tail


@numba.njit(cache=True)
def _merge(offsets: np.ndarray, counts: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return ``start``, ``count`` and ``tail`` from each word's counts and weights, which are overwritten."""
    start = np.zeros(len(offsets), dtype=np.int64)
    tally = np.zeros(TALLY)
    n_levels = 0
    for k in range(len(offsets) - 1):
        first, last = offsets[k], offsets[k + 1]
        number = last - first
        # The levels are written over the counts: those of this word never reach beyond its own counts.
        if number > 1:
            number = _tally_word(counts, weights, first, last, tally)
        for i in range(number):
            counts[n_levels + i], weights[n_levels + i] = counts[first + i], weights[first + i]
        for i in range(n_levels + number - 2, n_levels - 1, -1):
            weights[i] += weights[i + 1]
        n_levels += number
        start[k + 1] = n_levels
    return start, counts[:n_levels].copy(), weights[:n_levels].copy()


@numba.njit(cache=True)
def _tally_word(counts: np.ndarray, weights: np.ndarray, first: int, last: int, tally: np.ndarray) -> int:
    """Replace the counts first:last of a word by its distinct counts, rising, with their weights; return how many."""
    largest = 0
    for i in range(first, last):
        x = counts[i]
        if not (x < TALLY and x == np.floor(x)):
            return _sort_word(counts, weights, first, last)
        largest = max(largest, np.int64(x))
    for i in range(first, last):
        tally[np.int64(counts[i])] += weights[i]
    number = 0
    for x in range(1, largest + 1):
        if tally[x] > 0:
            counts[first + number], weights[first + number] = x, tally[x]
            tally[x] = 0.0
            number += 1
    return number


@numba.njit(cache=True)
def _sort_word(counts: np.ndarray, weights: np.ndarray, first: int, last: int) -> int:
    """Do as `_tally_word` for counts that are large or not whole."""
    order = first + np.argsort(counts[first:last], kind="mergesort")
    x, m = counts[order], weights[order]
    number = 0
    for i in range(len(x)):
        if number > 0 and x[i] == counts[first + number - 1]:
            weights[first + number - 1] += m[i]
        else:
            counts[first + number], weights[first + number] = x[i], m[i]
            number += 1
    return number
