r"""Convert text bytes to a stream of word ids, and a stream of ids to sparse counts, each in one pass.

A *fold table*, uint8 (256,), describes a tokenizer.  It maps a byte to its replacement in a word, for example the same
letter in lower case, and a byte that ends words to 0.  Words are runs of bytes that are not mapped to 0.

The hash of a word is its bytes in 64 bits, rotated by eight bits for each byte.  The hash of a word of at most eight
bytes *is* the word, so only longer words are compared byte by byte.
"""

from __future__ import annotations

import numpy as np

from textmix.numerics.basic_kernels import copy_into, sort_integers
from textmix.numerics.jit import njit

#: Initial number of slots of the hash table, a power of two; it doubles when half of the slots are occupied.
FIRST_SLOTS = 1 << 14
_ONE = np.uint64(1)
_LOWER = np.uint64(0xFFFFFFFF)


@njit
def slot_of(hash_: np.uint64, n_slots: int) -> np.int64:
    """Return the initial slot of the search for a hash (multiplicative hashing, Knuth, volume 3, section 6.4).

    Both halves of the hash are mixed and multiplied by 2^64 over the golden ratio.
    """
    mixed = (hash_ ^ (hash_ >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64(mixed >> np.uint64(32)) & (n_slots - 1)


@njit
def _rehashed(table: np.ndarray) -> np.ndarray:
    """Copy a hash table to one with twice as many slots, see `_sweep`."""
    larger = np.zeros(2 * len(table), np.uint64)
    n_slots = len(larger) // 2
    for place in range(0, len(table), 2):
        if table[place + 1] != 0:
            slot = slot_of(table[place], n_slots)
            while larger[2 * slot + 1] != 0:
                slot = (slot + 1) & (n_slots - 1)
            larger[2 * slot], larger[2 * slot + 1] = table[place], table[place + 1]
    return larger


@njit
def _grown(values: np.ndarray) -> np.ndarray:
    """Copy values to an array of twice the size; the second half is not initialised."""
    larger = np.empty(2 * len(values), values.dtype)
    copy_into(larger[: len(values)], values)
    return larger


@njit
def _equal(text: np.ndarray, fold: np.ndarray, a: np.uint64, b: np.uint64, length: np.uint64) -> bool:
    """Compare two words of equal length and hash after folding; they begin at bytes a and b."""
    if length <= np.uint64(8):
        return True
    i = np.uint64(0)
    while i < length:
        if fold[text[a + i]] != fold[text[b + i]]:
            return False
        i += _ONE
    return True


@njit
def _sweep(
    text: np.ndarray,
    i: np.uint64,
    end: np.uint64,
    fold: np.ndarray,
    shortest: np.uint64,
    longest: np.uint64,
    table: np.ndarray,
    starts: np.ndarray,
    lengths: np.ndarray,
    n_words: np.uint64,
    ids: np.ndarray,
    n_tokens: np.uint64,
) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Tokenise from ``i`` until ``end`` or until the table is half full; return position, numbers of words and tokens.

    The caller enlarges the table.  If this loop over bytes assigned a new array to a variable, Numba would count
    references in the loop, which would take three times as long.  Indices are unsigned, since Numba would check signed
    ones for negative values at each byte.

    ``table`` is uint64 with two numbers per slot in the same cache line and a power of two of slots: the hash of a
    word; its length in the upper 32 bits, and its id + 1 in the lower ones, or 0 for a free slot.  ``starts`` and
    ``lengths``, in bytes, of each new word, and ``ids``, int32, are filled from ``n_words`` and ``n_tokens`` on.  The
    other parameters are as in `tokenize`; ``i`` to ``end`` is within one document.
    """
    n_slots = len(table) // 2
    last = np.uint64(n_slots - 1)
    room = np.uint64((n_slots + 1) // 2)
    while i < end and n_words < room:
        byte = fold[text[i]]
        i += _ONE
        if byte == 0:
            continue
        start = i - _ONE
        hash_ = np.uint64(byte)
        continued = np.uint64((byte & 0xC0) == 0x80)
        while i < end:
            byte = fold[text[i]]
            if byte == 0:
                break
            hash_ = ((hash_ << np.uint64(8)) | (hash_ >> np.uint64(56))) ^ np.uint64(byte)
            continued += np.uint64((byte & 0xC0) == 0x80)  # a UTF-8 sequence is one character
            i += _ONE
        length = i - start
        if length - continued < shortest or length - continued > longest:
            continue
        slot = np.uint64(slot_of(hash_, n_slots))
        found = table[slot + slot + _ONE]
        while found != 0 and not (
            table[slot + slot] == hash_
            and found >> np.uint64(32) == length
            and _equal(text, fold, np.uint64(starts[(found & _LOWER) - _ONE]), start, length)
        ):
            slot = (slot + _ONE) & last
            found = table[slot + slot + _ONE]
        if found == 0:
            starts[n_words], lengths[n_words] = start, length
            n_words += _ONE
            found = (length << np.uint64(32)) | n_words
            table[slot + slot], table[slot + slot + _ONE] = hash_, found
        ids[n_tokens] = np.int32((found & _LOWER) - _ONE)
        n_tokens += _ONE
    return i, n_words, n_tokens


@njit
def tokenize(
    text: np.ndarray, offsets: np.ndarray, fold: np.ndarray, shortest: int, longest: int, n_slots: int = FIRST_SLOTS
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Tokenise all documents; words are numbered in the order of their first occurrence.

    Parameters
    ----------
    text : ndarray of shape (B,), uint8
        Concatenated documents.
    offsets : ndarray of shape (N + 1,), int64
        First byte of each document; words do not cross document boundaries.
    fold : ndarray of shape (256,), uint8
        Fold table, see the module docstring.
    shortest, longest : int
        Minimum and maximum length of a word in characters; other words are dropped.
    n_slots : int
        Initial size of the hash table, a power of two.

    Returns
    -------
    ids : ndarray of shape (T,), int32
        Word ids.
    first_token : ndarray of shape (N + 1,), int64
        First token of each document.
    starts, lengths : ndarray of shape (V,), int64
        First byte in ``text`` and number of bytes of the first occurrence of each word.
    """
    n_documents = len(offsets) - 1
    ids = np.empty((offsets[-1] - offsets[0] + n_documents) // 2, np.int32)  # token plus separator: at least two bytes
    token_offsets = np.zeros(n_documents + 1, np.int64)
    starts = np.empty(n_slots, np.int64)
    lengths = np.empty(n_slots, np.int64)
    table = np.zeros(2 * n_slots, np.uint64)
    least = np.uint64(shortest)
    most = np.uint64(longest)
    n_words = np.uint64(0)
    n_tokens = np.uint64(0)
    for document in range(n_documents):
        i = np.uint64(offsets[document])
        end = np.uint64(offsets[document + 1])
        while i < end:
            i, n_words, n_tokens = _sweep(
                text, i, end, fold, least, most, table, starts, lengths, n_words, ids, n_tokens
            )
            if 4 * np.int64(n_words) >= len(table):
                starts = _grown(starts)
                lengths = _grown(lengths)
                table = _rehashed(table)
        token_offsets[document + 1] = np.int64(n_tokens)
    tokens = np.int64(n_tokens)
    words = np.int64(n_words)
    return ids[:tokens].copy(), token_offsets, starts[:words].copy(), lengths[:words].copy()


@njit
def join_words(text: np.ndarray, fold: np.ndarray, starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Concatenate the folded words, uint8, each followed by a 0, which occurs in no word."""
    joined = np.zeros(np.sum(lengths) + len(lengths), np.uint8)
    end = 0
    for word in range(len(starts)):
        for i in range(lengths[word]):
            joined[end + i] = fold[text[starts[word] + i]]
        end += lengths[word] + 1
    return joined


@njit
def count_words(
    ids: np.ndarray, offsets: np.ndarray, n_words: int, ordered: bool = True
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Count each word in each document; return CSR arrays: counts and words, int32 (nnz,), and indptr.

    ``ids`` is int32 (T,), ``offsets`` and indptr are int64 (N + 1,).  Unless ``ordered``, the words of a document are
    in the order of their first occurrence.
    """
    n_documents = len(offsets) - 1
    counter = np.zeros(n_words, np.int32)
    counts = np.empty(len(ids), np.int32)
    words = np.empty(len(ids), np.int32)
    indptr = np.zeros(n_documents + 1, np.int64)
    end = 0
    for document in range(n_documents):
        begin = end
        for i in range(offsets[document], offsets[document + 1]):
            if counter[ids[i]] == 0:
                words[end] = ids[i]
                end += 1
            counter[ids[i]] += 1
        if ordered:
            sort_integers(words[begin:end])
        for i in range(begin, end):
            counts[i] = counter[words[i]]
            counter[words[i]] = 0
        indptr[document + 1] = end
    return counts[:end].copy(), words[:end].copy(), indptr
