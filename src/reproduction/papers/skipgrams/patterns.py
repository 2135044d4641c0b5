"""Numbers of skip-grams where a frequency counts each document once for each position pattern, as in the authors' code.

The slides say that skip-grams of a frequency of 5 or less are dropped.  The authors' files keep a frequency of 5, and
their code adds the documents of each pattern of positions, so that a document may count several times.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.random import Generator

from reproduction.flow.measures import Measure, Settings, Sources, only
from textmix.data.corpus import Ragged
from textmix.text.skipgrams import position_patterns

#: Bits of the table that counts the hashes of all occurrences before any is compared: 2^25 numbers are 256 megabytes.
_BITS = 25
#: Odd factors of the hash of a skip-gram; two of 10^8 skip-grams share their 64 bits with a chance of 1 in 4,000.
_FACTOR, _MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)


def pattern_counts(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Count the skip-grams of every pair of largest n and largest slop, by documents and patterns.

    A skip-gram with the same words and frequency at the next smaller slop is dropped, as among our features.

    Data: the stream of words.
    Settings: ``kinds``, pairs of n and slop; ``least``, the smallest frequency that is kept; ``once``, whether a
    document counts once for each ``pattern`` or once (``document``); ``same``, word -> word with which it counts as
    one.
    Result: the keys of `reproduction.papers.skipgrams.measures.skipgram_counts` and the table ``kinds``.
    """
    source = only(sources)
    tokens: Ragged = source.corpus.tokens  # type: ignore[assignment]
    values, document = _stream(tokens, np.asarray(source.splits.train[0]))
    values = merge_words(values, source.corpus.feature_names or (), settings["same"])
    most_n, most_slop = (max(kind[position] for kind in settings["kinds"]) for position in (0, 1))
    counting = settings["least"], settings["once"]
    sizes = {
        (n, slop): size
        for n in range(1, most_n + 1)
        for slop, size in enumerate(numbers_by_slop(values, document, (n, most_slop if n > 1 else 0), counting))
    }
    rows = [
        {"n": n, "slop": slop, "skipgrams": sum(size for (k, s), size in sizes.items() if k <= n and s <= slop)}
        for n, slop in settings["kinds"]
    ]
    return Measure({f"n{row['n']}_s{row['slop']}": float(row["skipgrams"]) for row in rows}, {"kinds": rows})


def gap_words(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Count the documents that have a pair of words around one further word, for each further word.

    Data: the stream of words.
    Settings: ``pair``, both words; ``number``, how many further words are listed; ``asked``, key -> a further word.
    Result: the documents of each asked word, and the table ``words`` (word, documents), most documents first.
    """
    corpus = only(sources).corpus
    names: Sequence[str] = corpus.feature_names or ()
    tokens: Ragged = corpus.tokens  # type: ignore[assignment]
    values, document = _stream(tokens, np.arange(len(tokens)))
    first, last = (names.index(word) if word in names else -1 for word in settings["pair"])
    at_pair = (values[:-2] == first) & (values[2:] == last) & (document[:-2] == document[2:])
    between = np.unique(np.stack([values[1:-1][at_pair], document[:-2][at_pair]]), axis=1)[0]
    count = np.bincount(between, minlength=len(names))
    order = np.argsort(-count, kind="stable")[: settings["number"]]
    rows = [{"word": names[word_id], "documents": int(count[word_id])} for word_id in order if count[word_id]]
    documents_of = {
        key: float(count[names.index(word)]) if word in names else 0.0 for key, word in settings["asked"].items()
    }
    return Measure(documents_of, {"words": rows})


def _stream(tokens: Ragged, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the words of some documents in one array and the document of each, int64 (T,)."""
    lengths = np.diff(tokens.offsets)
    document = np.repeat(np.arange(len(lengths)), lengths)
    chosen = np.isin(document, rows)
    return np.asarray(tokens.values, dtype=np.int64)[chosen], document[chosen]


def merge_words(values: np.ndarray, names: Sequence[str], same: Mapping[str, str]) -> np.ndarray:
    """Return word ids (T,) in which some words have the id of another word; a word without an id is passed over."""
    ids, table = {name: number for number, name in enumerate(names)}, np.arange(len(names))
    for word, other in same.items():
        if word in ids and other in ids:
            table[ids[word]] = ids[other]
    return np.asarray(table[values])


def numbers_by_slop(
    values: np.ndarray, document: np.ndarray, kind: tuple[int, int], counting: tuple[int, str]
) -> list[int]:
    """Return how many skip-grams of n words are kept at each slop from 0 to the largest.  ``values`` and ``document``
    are words and their documents, int64 (T,), in the order of the text; ``kind`` is n and the largest slop;
    ``counting`` is the smallest frequency that is kept, and for what a document counts once: ``pattern`` or
    ``document``.
    """
    (n, most_slop), (least, once) = kind, counting
    often = _frequent_entries(values, document, position_patterns(n, most_slop), least)
    sizes, grams, pairs = [], np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.uint64)
    before, frequency = grams, np.empty(0, dtype=np.int64)
    for slop in range(most_slop + 1):
        patterns = [offsets for offsets in position_patterns(n, slop) if offsets[-1] - (n - 1) == slop]
        matches = [_occurrences_by_document(values, document, offsets, often) for offsets in patterns]
        grams, pairs = (
            np.concatenate([old, *new]) for old, new in zip((grams, pairs), zip(*matches, strict=True), strict=True)
        )
        if once == "document":
            pairs, first = np.unique(pairs, return_index=True)
            grams = grams[first]
        names, now = np.unique(grams, return_counts=True)
        old = np.zeros(len(names), dtype=np.int64)
        old[np.searchsorted(names, before)] = frequency
        sizes.append(int(np.sum((now >= least) & (now > old))))
        before, frequency = names, now
    return sizes


def _occurrences(values: np.ndarray, document: np.ndarray, offsets: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Return hash and document of each occurrence of the skip-grams of one pattern, uint64 and int64 (M,)."""
    end = max(len(values) - offsets[-1], 0)
    inside = np.flatnonzero(document[:end] == document[offsets[-1] :])
    gram = np.zeros(len(inside), dtype=np.uint64)
    for offset in offsets:
        gram = (gram + values[inside + offset].astype(np.uint64) + np.uint64(1)) * _FACTOR
        gram ^= gram >> np.uint64(29)
    return gram, document[inside]


def _bin(gram: np.ndarray) -> np.ndarray:
    """Return the index of each hash in a table of 2^25 numbers, int64 (M,)."""
    return (gram >> np.uint64(64 - _BITS)).astype(np.int64)


def _frequent_entries(
    values: np.ndarray, document: np.ndarray, patterns: Sequence[tuple[int, ...]], least: int
) -> np.ndarray:
    """Return for each entry of the table whether its skip-grams together occur ``least`` times, bool (2^25,).  A
    skip-gram of another entry cannot reach that frequency, so most need not be compared.
    """
    total = np.zeros(1 << _BITS, dtype=np.int64)
    for offsets in patterns:
        total += np.bincount(_bin(_occurrences(values, document, offsets)[0]), minlength=1 << _BITS)
    return np.asarray(total >= least)


def _occurrences_by_document(
    values: np.ndarray, document: np.ndarray, offsets: tuple[int, ...], often: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the hash of each skip-gram of one pattern in an entry of ``often``, once per document, uint64 (M,)."""
    gram, row = _occurrences(values, document, offsets)
    chosen = often[_bin(gram)]
    gram, row = gram[chosen], row[chosen]
    pair = (gram ^ (row.astype(np.uint64) * _FACTOR)) * _MIX
    pair, first = np.unique(pair ^ (pair >> np.uint64(32)), return_index=True)
    return np.asarray(gram[first]), pair
