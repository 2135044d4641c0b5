"""Numbers of skip-grams where a frequency counts each document once for each position pattern, as the authors' code.

The slides say that skip-grams of a frequency of 5 or less are dropped.  The authors' files keep a frequency of 5, and
their code adds the documents of each pattern of positions, so that a document may count several times.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from textmix.data.corpus import Ragged
from textmix.experiment.measures import Measure, MeasureData
from textmix.text.skipgrams import position_patterns

#: Odd factors of the hash of a skip-gram; two of 10^8 skip-grams share their 64 bits with a chance of 1 in 4,000.
_FACTOR, _MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)


def pattern_counts(sources: Mapping[str, MeasureData], settings: Mapping[str, Any], _: np.random.Generator) -> Measure:
    """Count the skip-grams of every pair of largest n and largest slop, by documents and patterns.

    A skip-gram with the same words and frequency at the next smaller slop is dropped, as among our features.

    Parameters
    ----------
    sources : role -> data set, one, with the stream of words; the training part of its first split.
    settings : ``kinds``, pairs of n and slop; ``least``, the smallest frequency that is kept.

    Returns
    -------
    a measure with the keys of `textmix.papers.skipgrams.measures.skipgram_counts` and the table ``kinds``.
    """
    source = next(iter(sources.values()))
    tokens: Ragged = source.corpus.tokens  # type: ignore[assignment]
    values, document = _stream(tokens, np.asarray(source.splits.train[0]))
    most_n, most_slop = (max(kind[place] for kind in settings["kinds"]) for place in (0, 1))
    own = {
        (n, slop): size
        for n in range(1, most_n + 1)
        for slop, size in enumerate(kept_sizes(values, document, n, most_slop if n > 1 else 0, settings["least"]))
    }
    rows = [
        {"n": n, "slop": slop, "skipgrams": sum(size for (k, s), size in own.items() if k <= n and s <= slop)}
        for n, slop in settings["kinds"]
    ]
    return Measure({f"n{row['n']}_s{row['slop']}": float(row["skipgrams"]) for row in rows}, {"kinds": rows})


def _stream(tokens: Ragged, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the words of some documents in one array and the document of each, int64 (T,)."""
    lengths = np.diff(tokens.offsets)
    document = np.repeat(np.arange(len(lengths)), lengths)
    chosen = np.isin(document, rows)
    return np.asarray(tokens.values, dtype=np.int64)[chosen], document[chosen]


def kept_sizes(values: np.ndarray, document: np.ndarray, n: int, most_slop: int, least: int) -> list[int]:
    """Return how many skip-grams of n words are kept at each slop from 0 to ``most_slop``.

    Parameters
    ----------
    values, document : words and their documents, int64 (T,), in the order of the text.
    n : number of words.
    most_slop : the largest slop.
    least : the smallest frequency that is kept.
    """
    sizes = []
    grams, frequency = np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int64)
    for slop in range(most_slop + 1):
        patterns = [offsets for offsets in position_patterns(n, slop) if offsets[-1] - (n - 1) == slop]
        found = np.concatenate([grams, *(_once_a_document(values, document, offsets) for offsets in patterns)])
        weight = np.concatenate([frequency, np.ones(len(found) - len(grams), dtype=np.int64)])
        before = np.concatenate([frequency, np.zeros(len(found) - len(grams), dtype=np.int64)])
        grams, place = np.unique(found, return_inverse=True)
        frequency = np.bincount(place, weight, minlength=len(grams)).astype(np.int64)
        old = np.bincount(place, before, minlength=len(grams)).astype(np.int64)
        sizes.append(int(np.sum((frequency >= least) & (frequency > old))))
    return sizes


def _once_a_document(values: np.ndarray, document: np.ndarray, offsets: tuple[int, ...]) -> np.ndarray:
    """Return the hash of each skip-gram of one pattern, once for each document that has it, uint64 (M,)."""
    end = len(values) - offsets[-1]
    if end <= 0:
        return np.empty(0, dtype=np.uint64)
    inside = np.flatnonzero(document[:end] == document[offsets[-1] :])
    gram = np.zeros(len(inside), dtype=np.uint64)
    for offset in offsets:
        gram = (gram + values[inside + offset].astype(np.uint64) + np.uint64(1)) * _FACTOR
        gram ^= gram >> np.uint64(29)
    pair = (gram ^ (document[inside].astype(np.uint64) * _FACTOR)) * _MIX
    first = np.unique(pair ^ (pair >> np.uint64(32)), return_index=True)[1]
    return gram[first]
