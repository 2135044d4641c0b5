"""Vocabulary selection: remove stop words and rare words from counts and token streams."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from textmix.data.corpus import Ragged

#: Number of stored elements of the counts that are summed at a time.
_BLOCK = 1 << 22
#: Key in ``Corpus.info["features"]`` of the frequency cut-offs that each fit applies to its own training documents.
BY_FOLD = "by_fold"


def kept_words(
    counts: sparse.csr_array, words: Sequence[Any], stop_words: Collection[str], min_count: int, min_df: int
) -> np.ndarray:
    """Select the words that become features.

    Parameters
    ----------
    counts : csr_array of shape (N, V)
        Counts in the documents used for the selection.
    words : sequence of length V
        Vocabulary.
    stop_words : collection of str
        Words to drop.
    min_count : int
        Minimum number of occurrences (Rainbow's ``--prune-vocab-by-occur-count``).
    min_df : int
        Minimum document frequency (n + 1 for ``--prune-vocab-by-doc-count=n``).

    Returns
    -------
    kept : ndarray of shape (V,), bool
        Mask of the selected words.
    """
    n_words = len(words)
    occurrences = np.zeros(n_words)
    documents = np.zeros(n_words, dtype=np.int64)
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
    """Select the features that a fit keeps: those that are frequent enough in its training documents.

    ``counts`` is CSR (N, V); ``cut`` is the pair of ``min_count`` and ``min_df``, see `kept_words`. Return a mask,
    bool (V,).
    """
    return kept_words(sparse.csr_array(counts), range(counts.shape[1]), (), *cut)


def restrict(tokens: Ragged, frequent: np.ndarray) -> Ragged:
    """Restrict a token stream to the words in the mask ``frequent``, bool (V,), and renumber them in order."""
    return renumber(tokens, np.where(frequent, np.cumsum(frequent) - 1, -1).astype(np.int32))


def renumber(tokens: Ragged, new_id: np.ndarray) -> Ragged:
    """Replace every id w by ``new_id[w]``, int32 (V,); tokens with a negative new id are dropped."""
    ids = new_id[tokens.values]
    ends = np.concatenate([[0], np.cumsum(ids >= 0)])
    return Ragged(ids[ids >= 0], ends[tokens.offsets])


def rename(tokens: Ragged, words: Sequence[str], names: Sequence[str]) -> tuple[Ragged, list[str]]:
    """Replace word ids by ids of their names; return the token stream and the sorted distinct names."""
    distinct = sorted(set(names))
    id_of = {name: row for row, name in enumerate(distinct)}
    renumbered = np.fromiter((id_of[name] for name in names), dtype=np.int32, count=len(words))
    return Ragged(renumbered[tokens.values], tokens.offsets), distinct
