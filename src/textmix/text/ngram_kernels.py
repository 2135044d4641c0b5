"""N-gram counts: each n-gram of a few symbols is encoded as a key of 63 bits, so that n-grams never collide.

The keys are stored in a hash table with open addressing.  Symbols are numbered from 1; an n-gram that contains the
symbol 0 is skipped.

`cheapest_cover` encodes documents as n-grams of a dictionary, see `textmix.text.compression`.
"""

from __future__ import annotations

import math

import numpy as np

from textmix.numerics.jit import njit

#: Maximum load factor of a hash table, and multiplier of its hash function (D. Knuth, TAOCP 3, 6.4).
FULL = 0.6
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


@njit(nogil=True, inline="always")
def _slot(keys: np.ndarray, key: int, shift: int) -> int:
    """Return the slot of a key, or the empty slot for its insertion."""
    mask = len(keys) - 1
    slot = int((np.uint64(key) * MULTIPLIER) >> np.uint64(shift)) & mask
    while keys[slot] != 0 and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


@njit(nogil=True)
def _shift(size: int) -> int:
    """Return the number of bits by which a hash is shifted for a table of ``size`` slots, a power of 2."""
    bits = 0
    while size > 1:
        size //= 2
        bits += 1
    return 64 - bits


@njit(nogil=True)
def table_of(known: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Create a hash table of keys: keys int64 (S,), 0 if empty, and index of each key int32 (S,)."""
    size = 1024
    while len(known) > FULL * size:
        size *= 2
    keys = np.zeros(size, np.int64)
    numbers = np.zeros(size, np.int32)
    shift = _shift(size)
    for number in range(len(known)):
        slot = _slot(keys, known[number], shift)
        keys[slot], numbers[slot] = known[number], number
    return keys, numbers


@njit(nogil=True)
def document_frequencies(
    values: np.ndarray, offsets: np.ndarray, bits: int, shortest: int, longest: int
) -> tuple[np.ndarray, np.ndarray]:
    """Compute the keys of all n-grams and their document frequencies, int64 (F,) and int32 (F,).

    ``values`` are the symbols of N documents, int32, of ``bits`` bits each; ``bits * longest`` is at most 62;
    ``offsets`` is int64 (N + 1,).
    """
    size = 2**16
    filled = 0
    keys = np.zeros(size, np.int64)
    shift = _shift(size)
    counts = np.zeros(size, np.int32)
    last = np.full(size, -1, np.int32)
    for i in range(len(offsets) - 1):
        begin = offsets[i]
        while begin < offsets[i + 1]:
            # The n-grams of these positions fit into the table, which is enlarged outside of the loop over them: if it
            # assigned a new array to a variable, Numba would count references, and it would take three times as long.
            end = min(offsets[i + 1], begin + 1 + (size - int(FULL * size)) // (2 * longest))
            for start in range(begin, end):
                key = np.int64(0)
                for length in range(1, min(longest, offsets[i + 1] - start) + 1):
                    symbol = values[start + length - 1]
                    if symbol == 0:
                        break
                    key = (key << bits) | np.int64(symbol)
                    if length < shortest:
                        continue
                    slot = _slot(keys, key, shift)
                    if keys[slot] == 0:
                        keys[slot] = key
                        filled += 1
                    if last[slot] != i:
                        last[slot] = i
                        counts[slot] += 1
            begin = end
            if filled > FULL * size:
                old_keys = keys
                old_counts = counts
                old_last = last
                size *= 2
                keys = np.zeros(size, np.int64)
                shift = _shift(size)
                counts = np.zeros(size, np.int32)
                last = np.full(size, -1, np.int32)
                for place in range(len(old_keys)):
                    if old_keys[place] != 0:
                        slot = _slot(keys, old_keys[place], shift)
                        keys[slot], counts[slot], last[slot] = old_keys[place], old_counts[place], old_last[place]
    used = np.flatnonzero(keys)
    return keys[used], counts[used]


@njit(nogil=True)
def count_known(
    values: np.ndarray,
    offsets: np.ndarray,
    bits: int,
    shortest: int,
    longest: int,
    keys: np.ndarray,
    numbers: np.ndarray,
    n_features: int,
    room: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Count the n-grams of a vocabulary; return CSR arrays (N, V): int64 (N + 1,), int32 and float64 (nnz,).

    ``keys`` and ``numbers``, the columns, come from `table_of`; ``room`` is the initial capacity for counts.  The other
    parameters are as in `document_frequencies`.
    """
    shift = _shift(len(keys))
    n = len(offsets) - 1
    indptr = np.zeros(n + 1, np.int64)
    filled = 0
    indices = np.empty(max(room, 16), np.int32)
    data = np.empty(max(room, 16), np.float64)
    place = np.full(n_features, -1, np.int64)
    for i in range(n):
        begin = indptr[i]
        for start in range(offsets[i], offsets[i + 1]):
            key = np.int64(0)
            for length in range(1, min(longest, offsets[i + 1] - start) + 1):
                symbol = values[start + length - 1]
                if symbol == 0:
                    break
                key = (key << bits) | np.int64(symbol)
                if length < shortest:
                    continue
                slot = _slot(keys, key, shift)
                if keys[slot] == 0:
                    continue
                column = numbers[slot]
                if place[column] >= begin:
                    data[place[column]] += 1.0
                    continue
                if filled == len(indices):
                    more_indices = np.empty(2 * filled, np.int32)
                    more_data = np.empty(2 * filled, np.float64)
                    more_indices[:filled], more_data[:filled] = indices, data
                    indices = more_indices
                    data = more_data
                place[column] = filled
                indices[filled], data[filled] = column, 1.0
                filled += 1
        indptr[i + 1] = filled
    return indptr, indices[:filled].copy(), data[:filled].copy()


@njit(nogil=True)
def joined(
    indptr: np.ndarray,
    indices: np.ndarray,
    data: np.ndarray,
    more_indptr: np.ndarray,
    more_indices: np.ndarray,
    more_data: np.ndarray,
    first: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Concatenate CSR features (N, V) and (N, W), where ``first`` = V; return CSR arrays (N, V + W).

    SciPy's hstack would keep three copies of all features in memory.
    """
    n = len(indptr) - 1
    filled = 0
    ends = np.zeros(n + 1, np.int64)
    columns = np.empty(len(data) + len(more_data), indices.dtype)
    values = np.empty(len(data) + len(more_data))
    for i in range(n):
        for place in range(indptr[i], indptr[i + 1]):
            columns[filled], values[filled] = indices[place], data[place]
            filled += 1
        for place in range(more_indptr[i], more_indptr[i + 1]):
            columns[filled], values[filled] = first + more_indices[place], more_data[place]
            filled += 1
        ends[i + 1] = filled
    return ends, columns, values


@njit(nogil=True)
def without(
    indptr: np.ndarray, indices: np.ndarray, data: np.ndarray, kept: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Select the columns in the mask ``kept``, bool (V,); return CSR arrays (N, V)."""
    n = len(indptr) - 1
    filled = 0
    for place in range(len(indices)):
        filled += kept[indices[place]]
    ends = np.zeros(n + 1, indptr.dtype)
    columns = np.empty(filled, indices.dtype)
    values = np.empty(filled, data.dtype)
    filled = 0
    for i in range(n):
        for place in range(indptr[i], indptr[i + 1]):
            if kept[indices[place]]:
                columns[filled], values[filled] = indices[place], data[place]
                filled += 1
        ends[i + 1] = filled
    return ends, columns, values


@njit(nogil=True)
def weigh(indptr: np.ndarray, indices: np.ndarray, data: np.ndarray, weights: np.ndarray, first: int) -> None:
    """Multiply features, CSR (N, V), by ``weights`` (V,), and L2-normalise both column groups of each row, in place.

    The groups are the columns before ``first`` and the others; separate arrays would need three times the memory.
    """
    for i in range(len(indptr) - 1):
        squares = 0.0
        others = 0.0
        for place in range(indptr[i], indptr[i + 1]):
            value = data[place] * weights[indices[place]]
            data[place] = value
            if indices[place] < first:
                squares += value * value
            else:
                others += value * value
        for place in range(indptr[i], indptr[i + 1]):
            data[place] /= math.sqrt(squares if indices[place] < first else others)


@njit(nogil=True)
def cheapest_cover(ids: np.ndarray, offsets: np.ndarray, documents: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """Split documents into n-grams with minimum total cost; count the uses of each n-gram, int64 (F,).

    Ties are resolved towards the shortest last n-gram.  ``ids[t, n - 1]``, int32 (T, K), is the n-gram of n words that
    begins at token t, or -1; each token is an n-gram of one word.  ``offsets`` is int64 (N + 1,), ``documents`` int64
    (M,), and ``costs``, float64 (F,), is the cost of one use of each n-gram.
    """
    uses = np.zeros(len(costs), np.int64)
    for d in documents:
        start = offsets[d]
        length = offsets[d + 1] - offsets[d]
        total = np.full(length + 1, np.inf)
        last = np.zeros(length + 1, np.int64)
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
