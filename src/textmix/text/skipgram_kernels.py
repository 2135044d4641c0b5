"""Skip-grams over token ids: a trie of the frequent skip-grams, built level by level, and the counts of each document.

A *pattern* is a row of offsets 0 = o_1 < ... < o_n; its gap is o_n - (n - 1), the number of words passed over.  A node
of the trie is a skip-gram: the children of node ``g`` are the nodes ``starts[g]`` to ``starts[g + 1] - 1``, sorted by
their last words ``last_word``.  ``grams[p, t]`` is the node that pattern ``p`` matches if its first word is token
``t``, or -1.  A skip-gram can be frequent only if its prefix (the first n - 1 words) and its suffix (the last n - 1)
are frequent.

Patterns come as int64 (P, 5): the rows of prefix and suffix in the table of patterns one word shorter, the second
offset, the last offset and the gap; gaps do not decrease from row to row.

Every kernel works on its own range of documents or prefixes and releases the interpreter lock, so that threads can work
on several ranges at once without any change in the result.
"""

from __future__ import annotations

import numpy as np

from textmix.core.jit import njit


@njit(nogil=True)
def word_documents(words: np.ndarray, offsets: np.ndarray, deciding: np.ndarray, n_words: int) -> np.ndarray:
    """Return in how many deciding documents each word occurs, int32 (n_words,).

    Parameters
    ----------
    words : int32 (T,), word ids below ``n_words``; a negative id is skipped.
    offsets : int64 (N + 1,), first token of each document.
    deciding : bool (N,), the documents that count.
    """
    df, seen = np.zeros(n_words, np.int32), np.full(n_words, -1, np.int64)
    for d in range(len(offsets) - 1):
        if deciding[d]:
            for t in range(offsets[d], offsets[d + 1]):
                if words[t] >= 0 and seen[words[t]] != d:
                    seen[words[t]] = d
                    df[words[t]] += 1
    return df


@njit(nogil=True)
def _child(starts: np.ndarray, last_word: np.ndarray, g: int, word: int) -> int:
    """Return the child of node ``g`` whose last word is ``word``, or -1."""
    low, end = starts[g], starts[g + 1]
    high = end
    while low < high:
        middle = (low + high) >> 1
        if last_word[middle] < word:
            low = middle + 1
        else:
            high = middle
    return low if low < end and last_word[low] == word else -1


@njit(nogil=True)
def walk(
    words: np.ndarray,
    offsets: np.ndarray,
    shorter: np.ndarray,
    patterns: np.ndarray,
    starts: np.ndarray,
    last_word: np.ndarray,
    grams: np.ndarray,
) -> None:
    """Write into ``grams`` the nodes of one level, from those of the level below.

    Parameters
    ----------
    words : int32 (T,), numbers of the words, -1 for a word that is in no skip-gram.
    offsets : int64 (N + 1,), first token of each document of the range.
    shorter : int32 (P', T), the nodes with one word less, as ``grams`` holds them.
    patterns, starts, last_word : see the module.
    grams : int32 (P, T), overwritten at the tokens of the range.
    """
    for d in range(len(offsets) - 1):
        for p in range(len(patterns)):
            prefix, suffix, second, last = patterns[p, 0], patterns[p, 1], patterns[p, 2], patterns[p, 3]
            begin, end = offsets[d], offsets[d + 1]
            for t in range(begin, end - last):
                g, word = shorter[prefix, t], words[t + last]
                known = (g | word | shorter[suffix, t + second]) >= 0  # no part is -1
                grams[p, t] = _child(starts, last_word, g, word) if known else -1
            grams[p, max(begin, end - last) : end] = -1


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

    Parameters
    ----------
    words, offsets, shorter, patterns : as for `walk`.
    deciding : bool (N,), the documents that count.
    first : the first node of the level of the prefixes.
    count : int64 (prefixes,); ``count[g - first]`` is increased for prefix ``g``.
    """
    for d in range(len(offsets) - 1):
        if deciding[d]:
            for p in range(len(patterns)):
                prefix, suffix, second, last = patterns[p, 0], patterns[p, 1], patterns[p, 2], patterns[p, 3]
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
    place: np.ndarray,
    found: np.ndarray,
    marks: np.ndarray,
) -> None:
    """List the occurrences that `count_candidates` counts, grouped by prefix: the last word and the mark of each.

    The mark holds document and gap in one number.

    Parameters
    ----------
    words, offsets, deciding, shorter, patterns, first : as for `count_candidates`.
    first_document : number of the first document of ``offsets``.
    place : int64 (prefixes,), index in ``found`` of the next occurrence of each prefix; increased.
    found : int32 (M,), last words, written.
    marks : int64 (M,), document times number of slops plus gap, written; they do not decrease within a prefix.
    """
    n_slops = patterns[-1, 4] + 1
    for d in range(len(offsets) - 1):
        if deciding[d]:
            for p in range(len(patterns)):
                prefix, suffix, second, last = patterns[p, 0], patterns[p, 1], patterns[p, 2], patterns[p, 3]
                mark = (first_document + d) * n_slops + patterns[p, 4]
                for t in range(offsets[d], offsets[d + 1] - last):
                    g, word = shorter[prefix, t], words[t + last]
                    if (g | word | shorter[suffix, t + second]) >= 0:
                        at = place[g - first]
                        found[at], marks[at] = word, mark
                        place[g - first] = at + 1


@njit(nogil=True)
def _children_of(
    found: np.ndarray,
    marks: np.ndarray,
    min_df: int,
    seen: np.ndarray,
    df: np.ndarray,
    touched: np.ndarray,
    kept_words: np.ndarray,
    kept_df: np.ndarray,
) -> int:
    """Write one prefix's frequent last words, increasing, with their document frequencies; return their number.

    ``df[w, s]`` counts the documents in which the smallest gap of the skip-gram with last word ``w`` is ``s``.
    ``seen``, ``df`` and ``touched`` are working arrays over words; the call leaves ``seen`` at -1 and ``df`` at 0.
    """
    n_slops, n_touched = df.shape[1], 0
    for i in range(len(found)):
        word, document = found[i], marks[i] // n_slops
        if seen[word] == -1:
            touched[n_touched] = word
            n_touched += 1
        if seen[word] != document:
            seen[word] = document
            df[word, marks[i] - document * n_slops] += 1
    touched[:n_touched].sort()
    n_kept = 0
    for i in range(n_touched):
        word = touched[i]
        if np.sum(df[word]) >= min_df:
            kept_words[n_kept] = word
            kept_df[n_kept] = df[word]
            n_kept += 1
        seen[word] = -1
        df[word] = 0
    return n_kept


@njit(nogil=True)
def frequent_children(
    begins: np.ndarray, found: np.ndarray, marks: np.ndarray, n_words: int, n_slops: int, min_df: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the skip-grams in at least ``min_df`` documents that extend a range of prefixes by one word.

    Parameters
    ----------
    begins : int64 (prefixes + 1,), index of each prefix's first occurrence in ``found`` and ``marks``.
    found, marks : the occurrences as `place_candidates` lists them.
    n_words : number of words that are in skip-grams; ``found`` is below it.
    n_slops : largest gap plus one.
    min_df : smallest number of documents, counted at the largest slop.

    Returns
    -------
    n_kept : int64 (prefixes,), number of children of each prefix.
    kept_words : int32 (G,), their last words.
    kept_df : int32 (G, n_slops), number of documents in which the smallest gap is 0, 1, ...
    """
    room = (begins[-1] - begins[0]) // min_df  # a prefix of m occurrences has at most m // min_df frequent children
    kept_words, kept_df = np.empty(room, np.int32), np.empty((room, n_slops), np.int32)
    n_kept = np.zeros(len(begins) - 1, np.int64)
    seen, df = np.full(n_words, -1, np.int64), np.zeros((n_words, n_slops), np.int32)
    touched = np.empty(n_words, np.int32)
    end = 0
    for g in range(len(begins) - 1):
        low, high = begins[g], begins[g + 1]
        if high - low >= min_df:
            n_kept[g] = _children_of(
                found[low:high], marks[low:high], min_df, seen, df, touched, kept_words[end:], kept_df[end:]
            )
            end += n_kept[g]
    return n_kept, kept_words[:end].copy(), kept_df[:end].copy()


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
    """Write the features of a range of documents as the arrays of a CSR matrix; return the end of each document.

    Parameters
    ----------
    grams : int32 (P, T), nodes of the patterns of all levels.
    offsets : int64 (N + 1,), first token of each document.
    gaps : int64 (P,), gap of each pattern.
    weights : (P,), of the dtype of ``data``, weight of one occurrence of each pattern.
    columns : int32 (G, n_slops), the column of each node at each slop, -1 for none.
    total : (F,), of the dtype of ``data``, working array, zero before and after.
    indices, data : int32 and int32 or float32, with room for all matches; written from 0 on, columns increasing
        within a document.

    Returns
    -------
    ends : int64 (N,), the index in ``data`` after the last feature of each document.
    """
    ends = np.empty(len(offsets) - 1, np.int64)
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
                            if total[column] == 0:
                                indices[last] = column
                                last += 1
                            total[column] += weights[p]
        indices[begin:last].sort()
        for i in range(begin, last):
            data[i] = total[indices[i]]
            total[indices[i]] = 0
        ends[d] = last
    return ends
