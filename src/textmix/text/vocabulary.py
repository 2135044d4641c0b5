"""The choice of words that become features: stop words and rare words are removed from counts and token streams."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from textmix.data.corpus import Ragged

#: Number of cells of the counts that are summed at a time.
_BLOCK = 1 << 22
#: Name in ``Corpus.info["features"]`` of the cut that each fit makes by its own training documents.
BY_FOLD = "by_fold"


def kept_words(
    counts: sparse.csr_array, words: Sequence[Any], stop_words: Collection[str], min_count: int, min_df: int
) -> np.ndarray:
    """Return which words become features, bool (V,), by their counts in the documents that decide, CSR (N, V).

    ``stop_words`` are dropped, and words with less than ``min_count`` occurrences (Rainbow's
    ``--prune-vocab-by-occur-count``) or ``min_df`` documents (n + 1 for ``--prune-vocab-by-doc-count=n``).
    """
    n_words = len(words)
    occurrences, documents = np.zeros(n_words), np.zeros(n_words, dtype=np.int64)
    for start in range(0, len(counts.data), _BLOCK):  # in blocks, because bincount makes 64-bit copies of both
        ids, times = (part[start : start + _BLOCK] for part in (counts.indices, counts.data))
        occurrences += np.bincount(ids, weights=times, minlength=n_words)
        documents += np.bincount(ids, minlength=n_words)
    frequent: np.ndarray = (occurrences >= min_count) & (documents >= min_df)
    for word in stop_words:
        index = bisect_left(words, word)
        if index < n_words and words[index] == word:
            frequent[index] = False
    return frequent


def of_fold(counts: sparse.csr_array, cut: tuple[int, int]) -> np.ndarray:
    """Return which features a fit keeps, bool (V,): those that its training documents have, without the rare ones.

    ``counts`` is CSR (N, V); ``cut`` is ``min_count`` and ``min_df``, see `kept_words`.
    """
    return kept_words(sparse.csr_array(counts), range(counts.shape[1]), (), *cut)


def restrict(tokens: Ragged, frequent: np.ndarray) -> Ragged:
    """Return the token stream with the words of ``frequent``, bool (V,), alone, renumbered from 0 in their order."""
    return renumber(tokens, np.where(frequent, np.cumsum(frequent) - 1, -1).astype(np.int32))


def renumber(tokens: Ragged, new_id: np.ndarray) -> Ragged:
    """Return the token stream with every id w replaced by ``place[w]``, int32 (V,); a negative place drops it."""
    ids = new_id[tokens.values]
    ends = np.concatenate([[0], np.cumsum(ids >= 0)])
    return Ragged(ids[ids >= 0], ends[tokens.offsets])


def rename(tokens: Ragged, words: Sequence[str], names: Sequence[str]) -> tuple[Ragged, list[str]]:
    """Return the token stream with ids of names in place of ids of words, and the distinct names in order."""
    distinct = sorted(set(names))
    id_of = {name: row for row, name in enumerate(distinct)}
    renumbered = np.fromiter((id_of[name] for name in names), dtype=np.int32, count=len(words))
    return Ragged(renumbered[tokens.values], tokens.offsets), distinct
