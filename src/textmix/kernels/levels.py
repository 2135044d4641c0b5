"""Tail counts of one class: #(x_dw >= x) for every word and every distinct count x, the DCM's statistic.

The likelihood of a DCM and its derivatives depend on a word's counts only through how many documents hold the word at
least x times (Minka, "Estimating a Dirichlet distribution", 2000).  One *level* is one distinct count of one word.
Words with the same levels, such as all those seen once, have the same parameter: they make one *group* and are kept
once.  Of 20 Newsgroups' words one in eight is left.
"""

from __future__ import annotations

import numba
import numpy as np

#: Whole counts below this are tallied in a table, others sorted.
TALLY = 256


@numba.njit(cache=True)
def class_levels(
    indptr: np.ndarray,
    indices: np.ndarray,
    data: np.ndarray,
    rows: np.ndarray,
    weight: np.ndarray,
    once: np.ndarray,
    position: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the levels of the documents ``rows`` of a CSR matrix.

    Parameters
    ----------
    indptr, indices, data : the CSR matrix (N, V), no cell zero.
    rows : the documents of the class.
    weight : float64 (N,), weight of each document.
    once, position : float64 and int64 (V,) of zeros, to work in; zero again afterwards, for the next class.

    Returns
    -------
    words : the words that occur, rising.
    group : the group of each of them.
    start : int64 (K + 1,); the levels of the k-th group are ``start[k]:start[k + 1]``.
    count : float64; the distinct counts of each group, rising.
    tail : float64; weight of the documents that hold a word of the group at least ``count`` times.
    """
    for d in rows:
        for i in range(indptr[d], indptr[d + 1]):
            # Four counts in five are 1: they are only summed, the others are listed.
            if data[i] == 1:
                once[indices[i]] += weight[d]
            else:
                position[indices[i]] += 1
    words, offsets = _offsets(once, position)
    counts, weights = np.ones(offsets[-1]), np.empty(offsets[-1])
    for k in range(len(words)):
        weights[offsets[k]] = once[words[k]]
        position[words[k]] = offsets[k] + 1
    for d in rows:
        for i in range(indptr[d], indptr[d + 1]):
            if data[i] != 1:
                p = position[indices[i]]
                counts[p], weights[p] = data[i], weight[d]
                position[indices[i]] += 1
    for w in words:
        once[w], position[w] = 0.0, 0
    group, start, count, tail = _merge(offsets, counts, weights)
    return words, group, start, count, tail


@numba.njit(cache=True)
def _offsets(once: np.ndarray, others: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the words that occur, and where the list of each begins: a place for its ones, then its other counts."""
    number = 0
    for w in range(len(once)):
        number += once[w] > 0 or others[w] > 0
    words, offsets = np.empty(number, dtype=np.int64), np.zeros(number + 1, dtype=np.int64)
    k = 0
    for w in range(len(once)):
        if once[w] > 0 or others[w] > 0:
            words[k], offsets[k + 1] = w, offsets[k] + 1 + others[w]
            k += 1
    return words, offsets


@numba.njit(cache=True)
def _merge(
    offsets: np.ndarray, counts: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return ``group``, ``start``, ``count`` and ``tail`` from each word's counts and weights, which are overwritten.

    The first count of a word is 1, with weight 0 if no document holds the word once.
    """
    n_words = len(offsets) - 1
    group, start = np.empty(n_words, dtype=np.int64), np.zeros(n_words + 1, dtype=np.int64)
    slots = np.full(2 * n_words + 1, -1, dtype=np.int32)
    tally = np.zeros(TALLY)
    n_groups = 0
    for k in range(n_words):
        first, last = offsets[k], offsets[k + 1]
        if weights[first] == 0:
            first += 1
        number = last - first
        if number > 1:
            number = _tally_word(counts, weights, first, last, tally)
        # The levels are written over the counts: those of the groups so far never reach beyond this word's counts.
        end = start[n_groups]
        for i in range(number):
            counts[end + i], weights[end + i] = counts[first + i], weights[first + i]
        for i in range(end + number - 2, end - 1, -1):
            weights[i] += weights[i + 1]
        slot = _find(counts, weights, start, n_groups, number, slots)
        if slots[slot] < 0:
            slots[slot] = n_groups
            n_groups += 1
            start[n_groups] = end + number
        group[k] = slots[slot]
    size = start[n_groups]
    return group, start[: n_groups + 1].copy(), counts[:size].copy(), weights[:size].copy()


@numba.njit(cache=True)
def _find(counts: np.ndarray, weights: np.ndarray, start: np.ndarray, new: int, number: int, slots: np.ndarray) -> int:
    """Return the slot of a hash table whose group has the levels of group ``new``, or a free slot."""
    at = start[new]
    key = 0.0
    for i in range(number):
        key = key * 0.618 + counts[at + i] * 17.31 + weights[at + i] * 5.77
    slot = np.int64((key * 0.6180339887 - np.floor(key * 0.6180339887)) * (len(slots) - 1))
    while slots[slot] >= 0:
        old = slots[slot]
        same = start[old + 1] - start[old] == number
        for i in range(number):
            if not same:
                break
            j = start[old] + i
            same = counts[j] == counts[at + i] and weights[j] == weights[at + i]
        if same:
            break
        slot = (slot + 1) % len(slots)
    return int(slot)


@numba.njit(cache=True)
def _tally_word(counts: np.ndarray, weights: np.ndarray, first: int, last: int, tally: np.ndarray) -> int:
    """Replace the counts first:last of a word by its distinct counts, rising, with their weights; return how many."""
    largest = 0
    for i in range(first, last):
        x = counts[i]
        if not (x < TALLY and x == np.floor(x)):
            return _sort_word(counts, weights, first, last)
        if x > largest:
            largest = int(x)
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
