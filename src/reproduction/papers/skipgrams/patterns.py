"""Numbers of skip-grams if a frequency counts each document once for each position pattern, as in the authors' code.

The slides drop skip-grams with a frequency of 5 or less.  The authors' files keep a frequency of 5, and their code adds
up the documents of each position pattern, so that a document may count several times.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.random import Generator

from reproduction.flow.measures import Measure, Settings, Sources, only
from textmix.data.corpus import Ragged
from textmix.text.skipgrams import position_patterns

#: Bits of the table that counts the hashes of all matches before any are compared: 2^25 int64 are 256 MB.
TABLE_BITS = 25
#: Odd factors of the hash of a skip-gram; two of 10^8 skip-grams share their 64 bits with probability 1 / 4,000.
HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)
PAIR_FACTOR = np.uint64(0xBF58476D1CE4E5B9)


def pattern_counts(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Count the skip-grams for every pair of largest n and largest slop, by documents and patterns.

    A skip-gram with the same frequency at the next smaller slop is dropped, as among the features of the fits.

    Data: the stream of words.
    Settings: ``kinds``, pairs of n and slop; ``least``, the smallest frequency that is kept; ``once``, whether a
    document counts once for each ``pattern`` or once (``document``); ``same``, word -> word with which it is merged.
    Result: the keys of `reproduction.papers.skipgrams.measures.skipgram_counts` and the table ``kinds``.
    """
    source = only(sources)
    tokens: Any = source.corpus.tokens
    values, document = _stream(tokens, np.asarray(source.splits.train[0]))
    values = merge_words(values, source.corpus.feature_names or (), settings["same"])
    max_n = max(n for n, _slop in settings["kinds"])
    max_slop = max(slop for _n, slop in settings["kinds"])
    counting = settings["least"], settings["once"]
    sizes: dict[tuple[int, int], int] = {}
    for n in range(1, max_n + 1):
        numbers = numbers_by_slop(values, document, (n, max_slop if n > 1 else 0), counting)
        sizes |= {(n, slop): size for slop, size in enumerate(numbers)}
    rows = []
    for n, slop in settings["kinds"]:
        total = sum(size for (own_n, own_slop), size in sizes.items() if own_n <= n and own_slop <= slop)
        rows.append({"n": n, "slop": slop, "skipgrams": total})
    return Measure({f"n{row['n']}_s{row['slop']}": float(row["skipgrams"]) for row in rows}, {"kinds": rows})


def gap_words(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Count, for each word, the documents that contain it between the words of a pair.

    Data: the stream of words.
    Settings: ``pair``, two words; ``number`` of words that are listed; ``asked``, key -> a word.
    Result: the documents of each word of ``asked``, and the table ``words`` (word, documents), most documents first.
    """
    corpus = only(sources).corpus
    names: Sequence[str] = corpus.feature_names or ()
    tokens: Any = corpus.tokens
    values, document = _stream(tokens, np.arange(len(tokens)))
    first, last = (names.index(word) if word in names else -1 for word in settings["pair"])
    at_pair = (values[:-2] == first) & (values[2:] == last) & (document[:-2] == document[2:])
    between = np.unique(np.stack([values[1:-1][at_pair], document[:-2][at_pair]]), axis=1)[0]
    count = np.bincount(between, minlength=len(names))
    order = np.argsort(-count, kind="stable")[: settings["number"]]
    rows = [{"word": names[word_id], "documents": int(count[word_id])} for word_id in order if count[word_id]]
    documents_of: dict[str, float] = {}
    for key, word in settings["asked"].items():
        documents_of[key] = float(count[names.index(word)]) if word in names else 0.0
    return Measure(dict(documents_of), {"words": rows})


def _stream(tokens: Ragged, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the words of some documents in one array and the document of each, int64 (T,)."""
    lengths = np.diff(tokens.offsets)
    document = np.repeat(np.arange(len(lengths)), lengths)
    selected = np.isin(document, rows)
    return np.asarray(tokens.values, dtype=np.int64)[selected], document[selected]


def merge_words(values: np.ndarray, names: Sequence[str], same: Mapping[str, str]) -> np.ndarray:
    """Replace the ids (T,) of some words by those of other words; words without an id are skipped."""
    ids = {name: number for number, name in enumerate(names)}
    table = np.arange(len(names))
    for word, other in same.items():
        if word in ids and other in ids:
            table[ids[word]] = ids[other]
    return np.asarray(table[values])


def numbers_by_slop(
    values: np.ndarray, document: np.ndarray, kind: tuple[int, int], counting: tuple[int, str]
) -> list[int]:
    """Return how many skip-grams of n words are kept at each slop from 0 to the largest.

    Parameters
    ----------
    values, document : ndarray of shape (n_tokens,), int64
        Words and their documents, in the order of the text.
    kind : tuple of (int, int)
        n and the largest slop.
    counting : tuple of (int, {"pattern", "document"})
        Smallest frequency that is kept, and for what a document counts once.
    """
    n, max_slop = kind
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
        sizes.append(int(np.sum((frequency >= min_frequency) & (frequency > at_smaller_slop))))
        smaller_names = names
        smaller_frequency = frequency
    return sizes


def _matches(values: np.ndarray, document: np.ndarray, offsets: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Return hash and document of each match of the skip-grams of one pattern, uint64 and int64 (M,)."""
    end = max(len(values) - offsets[-1], 0)
    inside = np.flatnonzero(document[:end] == document[offsets[-1] :])
    gram = np.zeros(len(inside), dtype=np.uint64)
    for offset in offsets:
        gram = (gram + values[inside + offset].astype(np.uint64) + np.uint64(1)) * HASH_FACTOR
        gram ^= gram >> np.uint64(29)
    return gram, document[inside]


def _table_entry(gram: np.ndarray) -> np.ndarray:
    """Return the index of each hash in a table of 2^25 numbers, int64 (M,)."""
    return (gram >> np.uint64(64 - TABLE_BITS)).astype(np.int64)


def _frequent_entries(
    values: np.ndarray, document: np.ndarray, patterns: Sequence[tuple[int, ...]], min_frequency: int
) -> np.ndarray:
    """Return for each entry of the table whether its skip-grams together are frequent, bool (2^25,).

    Skip-grams of other entries cannot reach the frequency, so that most skip-grams need not be compared.
    """
    total = np.zeros(1 << TABLE_BITS, dtype=np.int64)
    for offsets in patterns:
        gram, _document = _matches(values, document, offsets)
        total += np.bincount(_table_entry(gram), minlength=1 << TABLE_BITS)
    return np.asarray(total >= min_frequency)


def _matches_by_document(
    values: np.ndarray, document: np.ndarray, offsets: tuple[int, ...], frequent: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the hash of each skip-gram of one pattern in a frequent entry, and that of its pair with a document.

    Each pair occurs once, uint64 (M,).
    """
    gram, row = _matches(values, document, offsets)
    selected = frequent[_table_entry(gram)]
    gram = gram[selected]
    row = row[selected]
    pair = (gram ^ (row.astype(np.uint64) * HASH_FACTOR)) * PAIR_FACTOR
    pair, first = np.unique(pair ^ (pair >> np.uint64(32)), return_index=True)
    return np.asarray(gram[first]), pair
