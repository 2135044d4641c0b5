"""Numbers of skip-grams if document frequencies are summed over position patterns, as in the authors' code.

The slides drop skip-grams with a frequency of 5 or less.  The authors' files include skip-grams with a frequency of 5,
and their code sums the document frequencies of all position patterns, so that a document may be counted several times.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.random import Generator

from reproduction.flow.measures import Measure, Settings, Sources, Value, only
from textmix.data.corpus import Ragged
from textmix.text.skipgrams import position_patterns

#: Bits of the table of hash counts that prefilters the skip-grams: 2^25 int64 are 256 MB.
TABLE_BITS = 25
#: Odd multipliers of the 64-bit hash; the probability of any collision among 10^8 skip-grams is 1 / 4,000.
HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)
PAIR_FACTOR = np.uint64(0xBF58476D1CE4E5B9)


def pattern_counts(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Count the skip-grams for every pair of maximum n and maximum slop, by document or position pattern.

    A skip-gram with the same frequency at the next smaller slop is dropped, as in the feature extraction.

    Data: the word stream.
    Settings: ``kinds``, pairs of n and slop; ``least``, the minimum frequency; ``once``, whether a document is counted
    once per ``pattern`` or once per ``document``; ``same``, words that are merged (word to replacement).
    Result: the keys of `reproduction.papers.skipgrams.measures.skipgram_counts` and the table ``kinds``.
    """
    source = only(sources)
    tokens: Any = source.corpus.tokens
    train_rows = np.asarray(source.splits.train[0])
    values, document = _stream(tokens, train_rows)
    values = merge_words(values, source.corpus.feature_names or (), settings["same"])
    max_n = max(n for n, _slop in settings["kinds"])
    max_slop = max(slop for _n, slop in settings["kinds"])
    counting = settings["least"], settings["once"]
    sizes: dict[tuple[int, int], int] = {}
    for n in range(1, max_n + 1):
        slop_of_n = max_slop if n > 1 else 0
        numbers = numbers_by_slop(values, document, (n, slop_of_n), counting)
        sizes |= {(n, slop): size for slop, size in enumerate(numbers)}
    values_by_key: dict[str, Value] = {}
    rows = []
    for max_n, max_slop in settings["kinds"]:
        total = 0
        for (n, slop), size in sizes.items():
            if n <= max_n and slop <= max_slop:
                total += size
        values_by_key[f"n{max_n}_s{max_slop}"] = float(total)
        rows.append({"n": max_n, "slop": max_slop, "skipgrams": total})
    return Measure(values_by_key, {"kinds": rows})


def gap_words(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Count, for each word, the documents that contain it between the words of a pair.

    Data: the word stream.
    Settings: ``pair``, two words; ``number`` of words in the table; ``asked``, words with a value of their own, by key.
    Result: the number of documents for each word of ``asked``, and the table ``words`` (word, documents) in decreasing
    order.
    """
    corpus = only(sources).corpus
    names: Sequence[str] = corpus.feature_names or ()
    tokens: Any = corpus.tokens
    values, document = _stream(tokens, np.arange(len(tokens)))
    first, last = (names.index(word) if word in names else -1 for word in settings["pair"])
    is_in_one_document = document[:-2] == document[2:]
    at_pair = (values[:-2] == first) & (values[2:] == last) & is_in_one_document
    middle = values[1:-1]
    matches = np.stack([middle[at_pair], document[:-2][at_pair]])
    word_of_match, _document = np.unique(matches, axis=1)
    count = np.bincount(word_of_match, minlength=len(names))
    order = np.argsort(-count, kind="stable")[: settings["number"]]
    occurring = order[count[order] > 0]
    rows = []
    for word_id in occurring:
        n_documents = int(count[word_id])
        rows.append({"word": names[word_id], "documents": n_documents})
    documents_of: dict[str, float] = {}
    for key, word in settings["asked"].items():
        documents_of[key] = float(count[names.index(word)]) if word in names else 0.0
    return Measure(dict(documents_of), {"words": rows})


def _stream(tokens: Ragged, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Concatenate the words of selected documents; return word ids and document indices, int64 (T,)."""
    lengths = np.diff(tokens.offsets)
    document = np.repeat(np.arange(len(lengths)), lengths)
    selected = np.isin(document, rows)
    return np.asarray(tokens.values, dtype=np.int64)[selected], document[selected]


def merge_words(values: np.ndarray, names: Sequence[str], same: Mapping[str, str]) -> np.ndarray:
    """Replace word ids (T,) according to ``same``; out-of-vocabulary words are ignored."""
    ids = {name: number for number, name in enumerate(names)}
    table = np.arange(len(names))
    for word, replacement in same.items():
        if word in ids and replacement in ids:
            table[ids[word]] = ids[replacement]
    return np.asarray(table[values])


def numbers_by_slop(
    values: np.ndarray, document: np.ndarray, largest: tuple[int, int], counting: tuple[int, str]
) -> list[int]:
    """Count the skip-grams of n words that are kept at each slop from 0 to the maximum.

    Parameters
    ----------
    values, document : ndarray of shape (n_tokens,), dtype int64
        Word ids and document indices, in text order.
    largest : tuple of (int, int)
        n and the maximum slop.
    counting : tuple of (int, {"pattern", "document"})
        Minimum frequency, and the unit per which a document is counted once.

    Returns
    -------
    list of int
    """
    n, max_slop = largest
    min_frequency, counted_once = counting
    frequent = _frequent_entries(values, document, position_patterns(n, max_slop), min_frequency)
    sizes = []
    grams = np.empty(0, dtype=np.uint64)
    pairs = np.empty(0, dtype=np.uint64)
    smaller_names = grams
    smaller_frequency = np.empty(0, dtype=np.int64)
    for slop in range(max_slop + 1):
        for offsets in position_patterns(n, slop):
            if offsets[-1] - (n - 1) == slop:
                new_grams, new_pairs = _matches_by_document(values, document, offsets, frequent)
                grams = np.concatenate([grams, new_grams])
                pairs = np.concatenate([pairs, new_pairs])
        if counted_once == "document":
            pairs, first = np.unique(pairs, return_index=True)
            grams = grams[first]
        names, frequency = np.unique(grams, return_counts=True)
        at_smaller_slop = np.zeros(len(names), dtype=np.int64)
        at_smaller_slop[np.searchsorted(names, smaller_names)] = smaller_frequency
        is_counted = (frequency >= min_frequency) & (frequency > at_smaller_slop)
        sizes.append(int(np.sum(is_counted)))
        smaller_names = names
        smaller_frequency = frequency
    return sizes


def _matches(values: np.ndarray, document: np.ndarray, offsets: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Return hash, uint64 (M,), and document, int64 (M,), of each match of a position pattern."""
    end = max(len(values) - offsets[-1], 0)
    inside = np.flatnonzero(document[:end] == document[offsets[-1] :])
    gram = np.zeros(len(inside), dtype=np.uint64)
    for offset in offsets:
        words = values[inside + offset].astype(np.uint64)
        gram = (gram + words + np.uint64(1)) * HASH_FACTOR
        gram ^= gram >> np.uint64(29)
    return gram, document[inside]


def _table_entry(gram: np.ndarray) -> np.ndarray:
    """Map hashes to indices into a table of size 2^25, int64 (M,)."""
    return (gram >> np.uint64(64 - TABLE_BITS)).astype(np.int64)


def _frequent_entries(
    values: np.ndarray, document: np.ndarray, patterns: Sequence[tuple[int, ...]], min_frequency: int
) -> np.ndarray:
    """Check which table entries reach the minimum frequency in total, bool (2^25,).

    Skip-grams of all other entries are infrequent, so that most skip-grams can be discarded without sorting.
    """
    total = np.zeros(1 << TABLE_BITS, dtype=np.int64)
    for offsets in patterns:
        gram, _document = _matches(values, document, offsets)
        total += np.bincount(_table_entry(gram), minlength=1 << TABLE_BITS)
    return np.asarray(total >= min_frequency)


def _matches_by_document(
    values: np.ndarray, document: np.ndarray, offsets: tuple[int, ...], frequent: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return hashes of the unique (skip-gram, document) pairs of a pattern in frequent table entries.

    Returns
    -------
    gram, pair : ndarray of shape (M,), dtype uint64
        Hashes of the skip-grams and of the pairs.
    """
    gram, row = _matches(values, document, offsets)
    selected = frequent[_table_entry(gram)]
    gram = gram[selected]
    row = row[selected]
    row_hash = row.astype(np.uint64) * HASH_FACTOR
    pair = (gram ^ row_hash) * PAIR_FACTOR
    pair, first = np.unique(pair ^ (pair >> np.uint64(32)), return_index=True)
    return np.asarray(gram[first]), pair
