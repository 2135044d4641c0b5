"""Skip-grams over token ids: a trie of the frequent skip-grams, built level by level, and the counts of each document.

A *pattern* is a row of offsets 0 = o_1 < ... < o_n; its gap is o_n - (n - 1), the number of skipped words.  A node
of the trie is a skip-gram: the children of node ``g`` are the nodes ``starts[g]`` to ``starts[g + 1] - 1``, sorted by
their last words ``last_word``.  ``grams[p, t]`` is the node that pattern ``p`` matches if its first word is token
``t``, or -1.  A skip-gram can be frequent only if its prefix (the first n - 1 words) and its suffix (the last n - 1)
are frequent.

Patterns are encoded as int64 (P, 5): the row indices of prefix and suffix in the table of patterns one word shorter,
the second offset, the last offset and the gap; patterns are sorted by gap.

Every kernel processes its own range of documents or prefixes and releases the interpreter lock, so that several ranges
can be processed in parallel without changing the result.
"""

from __future__ import annotations

import numpy as np

from textmix.numerics.basic_kernels import copy_into, sort_integers
from textmix.numerics.jit import njit
from textmix.numerics.prefetch_kernels import AHEAD, prefetch
from textmix.text.token_kernels import slot_of

#: Number of bits of a digit of `_sort`, and minimum size for radix sort.
DIGIT = 11
FEW = 256


@njit(nogil=True)
def word_documents(words: np.ndarray, offsets: np.ndarray, deciding: np.ndarray, n_words: int) -> np.ndarray:
    """Count the documents of ``deciding``, bool (N,), that contain each word, int32 (n_words,).

    ``words`` is int32 (T,), where negative ids are skipped; ``offsets``, int64 (N + 1,), is the first token of each
    document.
    """
    df = np.zeros(n_words, np.int32)
    seen = np.full(n_words, -1, np.int64)
    for d in range(len(offsets) - 1):
        if deciding[d]:
            for t in range(offsets[d], offsets[d + 1]):
                if words[t] >= 0 and seen[words[t]] != d:
                    seen[words[t]] = d
                    df[words[t]] += 1
    return df


@njit(nogil=True, inline="always")
def _slot(node: int, word: int, n_slots: int) -> np.int64:
    """Return the initial slot of the search for the child of a node."""
    return slot_of((np.uint64(node) << np.uint64(32)) ^ np.uint64(word), n_slots)


@njit(nogil=True)
def child_table(starts: np.ndarray, last_word: np.ndarray, low: int, high: int) -> np.ndarray:
    """Create the hash table of the children of the nodes ``low`` to ``high`` - 1, int32 (slots, 4).

    A row contains parent (-1 in a free slot), last word and index of a child, and a padding column that aligns it to a
    quarter of a cache line.  The number of slots is a power of two, and at most half of them are occupied.
    """
    n_slots = 2
    while n_slots < 2 * (starts[high] - starts[low]):
        n_slots *= 2
    table = np.full((n_slots, 4), -1, np.int32)
    for node in range(low, high):
        for child in range(starts[node], starts[node + 1]):
            slot = _slot(node, last_word[child], n_slots)
            while table[slot, 0] >= 0:
                slot = (slot + 1) & (n_slots - 1)
            table[slot, 0], table[slot, 1], table[slot, 2] = node, last_word[child], child
    return table


@njit(nogil=True, inline="always")
def _child(table: np.ndarray, slot: np.int64, node: int, word: int) -> int:
    """Return the child of a node with the last word ``word``, or -1; the search begins at ``slot``."""
    while table[slot, 0] >= 0 and (table[slot, 0] != node or table[slot, 1] != word):
        slot = (slot + 1) & (len(table) - 1)
    return table[slot, 2]


@njit(nogil=True)
def walk(
    words: np.ndarray,
    offsets: np.ndarray,
    shorter: np.ndarray,
    patterns: np.ndarray,
    table: np.ndarray,
    grams: np.ndarray,
) -> None:
    """Write the nodes of one level to ``grams``, int32 (P, T), from the nodes of the level below, ``shorter`` (P', T).

    Only the tokens in the range of ``offsets``, int64 (N + 1,), are written.  ``words`` is int32 (T,), with -1 for a
    word that occurs in no skip-gram; ``table`` is the `child_table` of the nodes with one word less.
    """
    longest = 0
    for d in range(len(offsets) - 1):
        longest = max(longest, offsets[d + 1] - offsets[d])
    places = np.empty(longest + 1, np.int64)
    slots = np.empty(longest + 1, np.int64)
    for d in range(len(offsets) - 1):
        for p in range(len(patterns)):
            prefix = patterns[p, 0]
            suffix = patterns[p, 1]
            second = patterns[p, 2]
            last = patterns[p, 3]
            begin = offsets[d]
            end = offsets[d + 1]
            n_known = 0
            for t in range(begin, end - last):
                g = shorter[prefix, t]
                word = words[t + last]
                places[n_known], slots[n_known] = t, _slot(g, word, len(table))
                n_known += (g | word | shorter[suffix, t + second]) >= 0  # true if no operand is -1
            grams[p, begin:end] = -1
            for i in range(n_known):
                prefetch(table, slots[min(i + AHEAD, n_known - 1)], 0)
                t = places[i]
                grams[p, t] = _child(table, slots[i], shorter[prefix, t], words[t + last])


@njit(nogil=True)
def count_candidates(
    words: np.ndarray,
    offsets: np.ndarray,
    deciding: np.ndarray,
    shorter: np.ndarray,
    patterns: np.ndarray,
    first: int,
    count: np.ndarray,
) -> None:
    """Count the occurrences of candidates, the skip-grams with frequent prefix and suffix, for each prefix.

    Only documents of ``deciding``, bool (N,), are counted.  ``count[g - first]``, int64 (prefixes,), is incremented for
    prefix ``g``; ``first`` is the first node of the level of the prefixes.  The other parameters are as in `walk`.
    """
    for d in range(len(offsets) - 1):
        if deciding[d]:
            for p in range(len(patterns)):
                prefix = patterns[p, 0]
                suffix = patterns[p, 1]
                second = patterns[p, 2]
                last = patterns[p, 3]
                for t in range(offsets[d], offsets[d + 1] - last):
                    g = shorter[prefix, t]
                    if (g | words[t + last] | shorter[suffix, t + second]) >= 0:
                        count[g - first] += 1


@njit(nogil=True)
def place_candidates(
    words: np.ndarray,
    offsets: np.ndarray,
    deciding: np.ndarray,
    first_document: int,
    shorter: np.ndarray,
    patterns: np.ndarray,
    first: int,
    bits: tuple[int, int],
    next_index: np.ndarray,
    occurrences: np.ndarray,
) -> None:
    """List the occurrences counted by `count_candidates` for a range of prefixes from ``first`` on, grouped by prefix.

    ``occurrences``, int64 (M,), receives, from the lowest bit on, the last word, the gap and the document of each, the
    first two in ``bits`` bits; it is sorted by document within a prefix, numbered from ``first_document``.
    ``next_index``, int64 (prefixes,), the index of the next occurrence of each prefix, is advanced.
    """
    n_prefixes = len(next_index)
    above_word = bits[0]
    above_gap = bits[0] + bits[1]
    for d in range(len(offsets) - 1):
        if deciding[d]:
            for p in range(len(patterns)):
                prefix = patterns[p, 0]
                suffix = patterns[p, 1]
                second = patterns[p, 2]
                last = patterns[p, 3]
                mark = ((first_document + d) << above_gap) | (patterns[p, 4] << above_word)
                for t in range(offsets[d], offsets[d + 1] - last):
                    g = shorter[prefix, t] - first
                    word = words[t + last]
                    if (g | word | shorter[suffix, t + second]) >= 0 and g < n_prefixes:
                        occurrences[next_index[g]] = mark | word
                        next_index[g] += 1


@njit(nogil=True)
def _children_of(
    occurrences: np.ndarray,
    bits: tuple[int, int],
    min_df: int,
    state: np.ndarray,
    touched: np.ndarray,
    kept_words: np.ndarray,
    kept_df: np.ndarray,
) -> int:
    """Write the frequent last words of one prefix, increasing, with their document frequencies; return their number.

    ``occurrences``, int64 (m,), are the occurrences of the prefix.  ``state``, int32 (words, 1 + n_slops), is a working
    array (-1 and zeros before and after): the last document with a word, and the number of documents in which the
    smallest gap of the skip-gram is 0, 1, ...; ``touched`` is int32 (words + 1,).  ``kept_words`` (G,) and ``kept_df``
    (G, n_slops), int32, are written.
    """
    n_touched = 0
    above_gap = bits[0] + bits[1]
    word_mask = (1 << bits[0]) - 1
    gap_mask = (1 << bits[1]) - 1
    for i in range(len(occurrences)):
        word = occurrences[i] & word_mask
        document = occurrences[i] >> above_gap
        seen = state[word, 0]
        touched[n_touched] = word
        n_touched += seen == -1
        if seen != document:
            state[word, 0] = document
            state[word, 1 + ((occurrences[i] >> bits[0]) & gap_mask)] += 1
    n_kept = 0
    for i in range(n_touched):
        word = touched[i]
        if np.sum(state[word, 1:]) >= min_df:
            kept_words[n_kept] = word
            n_kept += 1
        else:
            state[word, 0] = -1
            state[word, 1:] = 0
    sort_integers(kept_words[:n_kept])
    for i in range(n_kept):
        word = kept_words[i]
        copy_into(kept_df[i], state[word, 1:])
        state[word, 0] = -1
        state[word, 1:] = 0
    return n_kept


@njit(nogil=True)
def frequent_children(
    begins: np.ndarray, occurrences: np.ndarray, bits: tuple[int, int], n_words: int, n_slops: int, min_df: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Extend prefixes by one word to the skip-grams in at least ``min_df`` documents at the largest slop.

    ``begins``, int64 (prefixes + 1,), is the index of the first of the ``occurrences`` of `place_candidates` of each
    prefix; ``n_slops`` is the largest gap plus one.  Return the number of children of each prefix, int64 (prefixes,),
    their last words, int32 (G,), and the number of documents in which the smallest gap is 0, 1, ..., int32 (G,
    n_slops).
    """
    room = (begins[-1] - begins[0]) // min_df  # a prefix of m occurrences has at most m // min_df frequent children
    kept_words = np.empty(room, np.int32)
    kept_df = np.empty((room, n_slops), np.int32)
    n_kept = np.zeros(len(begins) - 1, np.int64)
    state = np.zeros((n_words, 1 + n_slops), np.int32)
    touched = np.empty(n_words + 1, np.int32)
    state[:, 0] = -1
    end = 0
    for g in range(len(begins) - 1):
        low = begins[g]
        high = begins[g + 1]
        if high - low >= min_df:
            n_kept[g] = _children_of(
                occurrences[low:high], bits, min_df, state, touched, kept_words[end:], kept_df[end:]
            )
            end += n_kept[g]
    return n_kept, kept_words[:end].copy(), kept_df[:end].copy()


@njit(nogil=True)
def _sort(values: np.ndarray, scratch: np.ndarray, places: np.ndarray, end: int) -> None:
    """Sort ``values[:end]``, int32 (n,), with radix sort if there are many (Knuth, volume 3, section 5.2.5).

    Working arrays are ``scratch``, int32 (n,) or more, and ``places``, int64 (2 ** DIGIT,).
    """
    if len(values) < FEW:
        sort_integers(values)
        return
    source = values
    target = scratch[: len(values)]
    shift = 0
    while end >> shift:
        places[:] = 0
        for i in range(len(source)):
            places[(source[i] >> shift) & (len(places) - 1)] += 1
        begin = 0
        for digit in range(len(places)):
            begin, places[digit] = begin + places[digit], begin
        for i in range(len(source)):
            digit = (source[i] >> shift) & (len(places) - 1)
            target[places[digit]] = source[i]
            places[digit] += 1
        source, target, shift = target, source, shift + DIGIT
    if (shift // DIGIT) % 2:
        copy_into(values, source)


@njit(nogil=True)
def add_columns(
    grams: np.ndarray,
    offsets: np.ndarray,
    gaps: np.ndarray,
    weights: np.ndarray,
    columns: np.ndarray,
    total: np.ndarray,
    indices: np.ndarray,
    data: np.ndarray,
) -> np.ndarray:
    """Write the features of a range of documents as CSR arrays; return the end of each document, int64 (N,).

    ``grams``, int32 (P, T), are nodes of all levels; ``gaps``, int64 (P,), and ``weights`` (P,) are the gap and the
    value of one occurrence of each pattern; ``columns``, int32 (G, n_slops), is the column of each node at each slop,
    or -1; ``total`` (F,) is a working array, zero before and after.  ``indices``, int32, and ``data``, int32 or float32
    like ``weights`` and ``total``, have room for all matches; columns are increasing within a document.
    """
    ends = np.empty(len(offsets) - 1, np.int64)
    scratch = np.empty(len(indices), np.int32)
    places = np.empty(1 << DIGIT, np.int64)
    last = 0
    for d in range(len(ends)):
        begin = last
        for p in range(len(gaps)):
            for t in range(offsets[d], offsets[d + 1]):
                g = grams[p, t]
                if g >= 0:
                    for s in range(gaps[p], columns.shape[1]):
                        column = columns[g, s]
                        if column >= 0:
                            indices[last] = column
                            last += total[column] == 0
                            total[column] += weights[p]
        _sort(indices[begin:last], scratch, places, len(total))
        for i in range(begin, last):
            data[i] = total[indices[i]]
            total[indices[i]] = 0
        ends[d] = last
    return ends
