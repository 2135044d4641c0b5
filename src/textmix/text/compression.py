"""N-grams chosen because they describe the documents in few pointers, without any label (compressive features).

H. S. Paskov, R. West, J. C. Mitchell and T. Hastie, Compressive Feature Learning, NIPS 2013.  A document is written as
pointers to n-grams of a dictionary.  A pointer costs 1, an entry of the dictionary more; the n-grams of the cheapest
dictionary are the features.  The paper relaxes this problem to a linear program; here a local search solves it.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from textmix.data.corpus import Ragged
from textmix.text.ngram_kernels import cheapest_cover


def ngram_ids(tokens: Ragged, max_n: int, least: int, documents: np.ndarray) -> np.ndarray:
    """Return the number of the n-gram of each length up to ``max_n``, K, that begins at each token, int32 (T, K).

    It is -1 where the n-gram would reach past the end of its document, or where it has two words or more and fewer than
    ``least`` occurrences in ``documents``, int (M,).
    """
    offsets = np.asarray(tokens.offsets, dtype=np.int64)
    document = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    deciding = np.isin(document, documents)
    words = np.asarray(tokens.values, dtype=np.int64)
    ids = np.full((len(words), max_n), -1, dtype=np.int32)
    begins, first = np.ones(len(words), dtype=bool), 0
    keys = words
    for n in range(1, max_n + 1):
        first += _number(ids[:, n - 1], keys, begins, deciding, (least if n > 1 else 1, first))
        ahead = n + np.arange(len(words))
        same = np.minimum(ahead, len(words) - 1)
        suffix = ids[np.minimum(np.arange(len(words)) + 1, len(words) - 1), n - 1]
        begins = (ids[:, n - 1] >= 0) & (suffix >= 0) & (ahead < len(words)) & (document[same] == document)
        keys = ids[:, n - 1].astype(np.int64) * (int(words.max(initial=0)) + 1) + words[same]
    return ids


def _number(
    ids: np.ndarray, keys: np.ndarray, begins: np.ndarray, deciding: np.ndarray, limits: tuple[int, int]
) -> int:
    """Set the numbers of the n-grams of one length in ``ids`` (T,) by their keys (T,); return how many there are."""
    least, first = limits
    values, count = np.unique(keys[begins & deciding], return_counts=True)
    numbered = values[count >= least]
    if len(numbered):
        position = np.minimum(np.searchsorted(numbered, keys), len(numbered) - 1)
        ids[:] = np.where(begins & (numbered[position] == keys), position + first, -1)
    return len(numbered)


def dictionary(
    ids: np.ndarray, offsets: np.ndarray, documents: np.ndarray, entry: float, max_iter: int = 20
) -> tuple[np.ndarray, list[float]]:
    """Return the n-grams of a cheap dictionary, int64 (D,) increasing, and the total costs on the way to it.

    The costs, pointers plus entries of each step, decrease.  The cost ``entry`` (a pointer costs 1) is shared by the
    entry's uses in the cheapest description so far, at first by all its occurrences; the search ends when the total
    cost no longer falls.  ``ids``: see `ngram_ids`; ``offsets``: int64 (N + 1,), first token of each document;
    ``documents``: int (M,), those that are described.
    """
    described = np.repeat(np.isin(np.arange(len(offsets) - 1), documents), np.diff(offsets))
    occurring = ids[described]
    uses = np.bincount(occurring[occurring >= 0], minlength=int(ids.max(initial=-1)) + 1)
    chosen, costs = np.flatnonzero(uses), [float("inf")]
    for _ in range(max_iter):
        shared = np.where(uses > 0, 1.0 + entry / np.maximum(uses, 1), np.inf)
        uses = cheapest_cover(ids, offsets, np.asarray(documents, dtype=np.int64), shared)
        total = float(uses.sum() + entry * np.count_nonzero(uses))
        if total >= costs[-1]:
            break
        chosen, costs = np.flatnonzero(uses), [*costs, total]
    return chosen, costs[1:]


def presence(ids: np.ndarray, offsets: np.ndarray, chosen: np.ndarray) -> sparse.csr_array:
    """Return indicators of the n-grams ``chosen``, increasing int (D,), in each document: float64 CSR (N, D)."""
    column = np.full(int(max(ids.max(initial=-1), chosen.max(initial=-1))) + 2, -1, dtype=np.int64)
    column[chosen] = np.arange(len(chosen))
    document = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    columns = column[ids]
    rows, _ = np.nonzero(columns >= 0)
    used = columns[columns >= 0]
    shape = (len(offsets) - 1, len(chosen))
    X = sparse.csr_array((np.ones(len(used)), (document[rows], used)), shape=shape)
    X.sum_duplicates()
    X.data[:] = 1.0
    return X
