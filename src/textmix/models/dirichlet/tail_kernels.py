"""Tail counts of one class: #(x_dw >= x) for every word and every distinct count x, the sufficient statistic of a DCM.

The likelihood of a DCM and its derivatives depend on a word's counts only through the number of documents that contain
the word at least x times (Minka, "Estimating a Dirichlet distribution", 2000).  Words with the same tail counts, such
as all words with a single occurrence, have the same parameter: they form one *group*, which is stored once.  20
Newsgroups has eight times as many words as groups.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from textmix.models.dirichlet.length_kernels import histogram
from textmix.numerics.basic_kernels import copy_into, stable_order, taken
from textmix.numerics.jit import njit
from textmix.numerics.prefetch_kernels import prefetch_row

#: Integer counts up to this (39 of 40 nonzeros of 20 Newsgroups) are summed by value; all other counts are listed.
SMALL = 4
#: A word with integer small sums below this is identified by the number with these digits, without hashing.
BASE = 16
#: Listed counts are tallied in a table if all are integers below this, and sorted otherwise.
TALLY = 256


class Scratch(NamedTuple):
    """Working arrays, all zero before and after each class.

    Attributes
    ----------
    small : ndarray of shape (V, SMALL), float64
        Weight of the documents that contain a word exactly 1, 2, ... times.
    listed : ndarray of shape (V,), int64
        Number of listed counts of each word.
    seen : ndarray of shape (V,), uint8
        Whether the word occurs.
    """

    small: np.ndarray
    listed: np.ndarray
    seen: np.ndarray


def make_scratch(n_words: int) -> Scratch:
    """Allocate the working arrays for a vocabulary of ``n_words`` words."""
    return Scratch(np.zeros((n_words, SMALL)), np.zeros(n_words, dtype=np.int64), np.zeros(n_words, dtype=np.uint8))


@njit
def class_tails(
    indptr: np.ndarray, indices: np.ndarray, data: np.ndarray, rows: np.ndarray, weight: np.ndarray, scratch: Scratch
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Compute words (W,), groups, and `TailCounts` of the documents ``rows`` of a CSR matrix without explicit zeros.

    The words are int32, increasing; the groups are int64 (W,); the remaining results are the six arrays of
    `textmix.models.dirichlet.dcm_kernels.TailCounts`, in its order.  ``weight``, float64 (N,), contains document
    weights.
    """
    length = np.zeros(len(rows))
    cells, owners = _sum_small(indptr, indices, data, rows, weight, scratch, length)
    words = _take_words(scratch.seen)
    offsets = _offsets(words, scratch.listed)
    counts = np.empty(offsets[-1])
    weights = np.empty(offsets[-1])
    for k in range(len(cells)):
        w = indices[cells[k]]
        p = scratch.listed[w]
        counts[p], weights[p] = data[cells[k]], weight[owners[k]]
        scratch.listed[w] += 1
    group, copies, start, count, tail = _merge(words, scratch, offsets, counts, weights)
    lengths, number = histogram(length, taken(weight, rows))
    return words, group, copies, start, count, tail, lengths, number


@njit
def _is_small(x: float) -> bool:
    """Check whether a count is summed by value, i.e. is an integer of at most `SMALL`."""
    return x <= SMALL and x == np.floor(x)


@njit
def _sum_small(
    indptr: np.ndarray,
    indices: np.ndarray,
    data: np.ndarray,
    rows: np.ndarray,
    weight: np.ndarray,
    scratch: Scratch,
    length: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Mark the words, accumulate the weights of small counts, count the other counts, and set the document lengths."""
    n_cells = 0
    for d in rows:
        n_cells += indptr[d + 1] - indptr[d]
    small = scratch.small
    listed = scratch.listed
    seen = scratch.seen
    cells = np.empty(n_cells, dtype=np.int64)
    owners = np.empty(n_cells, dtype=np.int64)
    n = 0
    for k in range(len(rows)):
        d = rows[k]
        total = 0.0
        for i in range(indptr[d], indptr[d + 1]):
            prefetch_row(small, indices, i)
            w = indices[i]
            seen[w] = 1
            total += data[i]
            if _is_small(data[i]):
                small[w, np.int64(data[i]) - 1] += weight[d]
            else:
                listed[w] += 1
                cells[n], owners[n] = i, d
                n += 1
        length[k] = total
    return cells[:n], owners[:n]


@njit
def _take_words(seen: np.ndarray) -> np.ndarray:
    """Return the marked words, int32, increasing, and clear the marks."""
    words = np.empty(len(seen) + 1, dtype=np.int32)
    n = 0
    for w in range(len(seen)):
        words[n] = w
        n += int(seen[w])
        seen[w] = 0
    return words[:n].copy()


@njit
def _offsets(words: np.ndarray, listed: np.ndarray) -> np.ndarray:
    """Compute the start of each word's list, int64 (W + 1,): `SMALL` entries for small counts, then its listed counts.

    ``listed`` is set to the position of each word's first listed count.
    """
    offsets = np.zeros(len(words) + 1, dtype=np.int64)
    for k in range(len(words)):
        number = listed[words[k]]
        offsets[k + 1] = offsets[k] + (number + SMALL if number > 0 else 0)
        listed[words[k]] = offsets[k] + SMALL
    return offsets


@njit
def _merge(
    words: np.ndarray, scratch: Scratch, offsets: np.ndarray, counts: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Compute the five group arrays of `class_tails` from the small sums and the lists; clear the small sums."""
    n_words = len(words)
    small = scratch.small
    listed = scratch.listed
    group = np.empty(n_words, dtype=np.int64)
    copies = np.zeros(n_words)
    start = np.zeros(n_words + 1, dtype=np.int64)
    distinct = np.empty(SMALL * (n_words + 1) + len(counts))
    tail = np.empty(SMALL * (n_words + 1) + len(counts))
    slots = np.full(2 * n_words + 1, -1, dtype=np.int32)
    coded = np.full(BASE**SMALL, -1, dtype=np.int32)
    tally = np.zeros(TALLY)
    n_groups = 0
    for k in range(n_words):
        prefetch_row(small, words, k)
        w = words[k]
        end = start[n_groups]
        code = _code(small, w) if offsets[k] == offsets[k + 1] else -1
        known = coded[code] if code >= 0 else -1
        if known < 0:
            number = _write_tails(
                small, w, counts[offsets[k] : offsets[k + 1]], weights[offsets[k] :], distinct[end:], tail[end:], tally
            )
            slot = code if code >= 0 else _find(distinct, tail, start, n_groups, number, slots)
            table = coded if code >= 0 else slots
            known = table[slot]
            if known < 0:
                table[slot] = known = n_groups
                n_groups += 1
                start[n_groups] = end + number
        group[k] = known
        copies[known] += 1.0
        listed[w] = 0
        for x in range(SMALL):
            small[w, x] = 0.0
    size = start[n_groups]
    return group, copies[:n_groups].copy(), start[: n_groups + 1].copy(), distinct[:size].copy(), tail[:size].copy()


@njit
def _code(small: np.ndarray, w: int) -> int:
    """Encode a word's small sums as the digits of a number in base `BASE`; -1 unless all are integers below it."""
    code = 0
    fit = True
    for x in range(SMALL):
        whole = int(min(small[w, x], float(BASE)))
        fit &= (whole < BASE) & (whole == small[w, x])
        code = code * BASE + whole
    return code if fit else -1


@njit
def _write_tails(
    small: np.ndarray,
    w: int,
    counts: np.ndarray,
    weights: np.ndarray,
    distinct: np.ndarray,
    tail: np.ndarray,
    tally: np.ndarray,
) -> int:
    """Write a word's tail counts, from its small sums and its list (overwritten), to ``distinct`` and ``tail``."""
    number = 0
    if len(counts) == 0:
        for x in range(SMALL):
            if small[w, x] > 0:
                distinct[number], tail[number] = x + 1, small[w, x]
                number += 1
    else:
        for x in range(SMALL):
            counts[x], weights[x] = x + 1, small[w, x]
        number = _tally_word(counts, weights, tally)
        copy_into(distinct[:number], counts)
        copy_into(tail[:number], weights)
    for i in range(number - 2, -1, -1):
        tail[i] += tail[i + 1]
    return number


@njit
def _find(distinct: np.ndarray, tail: np.ndarray, start: np.ndarray, new: int, number: int, slots: np.ndarray) -> int:
    """Return the hash table slot of a group with the same tail counts as group ``new``, or a free slot."""
    at = start[new]
    key = 0.0
    for i in range(number):
        key = key * 0.618 + distinct[at + i] * 17.31 + tail[at + i] * 5.77
    slot = np.int64((key * 0.6180339887 - np.floor(key * 0.6180339887)) * (len(slots) - 1))
    while slots[slot] >= 0:
        old = slots[slot]
        same = start[old + 1] - start[old] == number
        for i in range(number):
            if not same:
                break
            j = start[old] + i
            same = distinct[j] == distinct[at + i] and tail[j] == tail[at + i]
        if same:
            break
        slot = (slot + 1) % len(slots)
    return int(slot)


@njit
def _tally_word(counts: np.ndarray, weights: np.ndarray, tally: np.ndarray) -> int:
    """Replace the counts of a word by its distinct counts, increasing, with their weights; return their number."""
    largest = 0
    for x in counts:
        if not (x < TALLY and x == np.floor(x)):
            return _sort_word(counts, weights)
        largest = max(largest, int(x))
    for i in range(len(counts)):
        tally[np.int64(counts[i])] += weights[i]
    number = 0
    for x in range(1, largest + 1):
        if tally[x] > 0:
            counts[number], weights[number] = x, tally[x]
            tally[x] = 0.0
            number += 1
    return number


@njit
def _sort_word(counts: np.ndarray, weights: np.ndarray) -> int:
    """Do as `_tally_word` for large or non-integer counts."""
    order = stable_order(counts)
    x = taken(counts, order)
    m = taken(weights, order)
    number = 0
    for i in range(len(x)):
        if m[i] == 0:
            continue
        if number > 0 and x[i] == counts[number - 1]:
            weights[number - 1] += m[i]
        else:
            counts[number], weights[number] = x[i], m[i]
            number += 1
    return number
