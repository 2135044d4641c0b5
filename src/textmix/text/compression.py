"""Unsupervised selection of n-grams that compress the training documents (compressive features).

H. S. Paskov, R. West, J. C. Mitchell and T. Hastie, Compressive Feature Learning, NIPS 2013.  A document is encoded as
pointers to n-grams of a dictionary.  A pointer costs 1, a dictionary entry costs more; the n-grams of the cheapest
dictionary become the features.  The paper solves a linear programming relaxation; this module uses a local search.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from textmix.data.corpus import Ragged
from textmix.text.ngram_kernels import cheapest_cover


def ngram_ids(tokens: Ragged, max_n: int, least: int, documents: np.ndarray) -> np.ndarray:
    """Compute the id of the n-gram of each length that begins at each token.

    Parameters
    ----------
    tokens : Ragged
        Word ids of the documents.
    max_n : int
        Maximum length K of an n-gram.
    least : int
        Minimum number of occurrences in ``documents`` of an n-gram of two or more words.
    documents : ndarray of shape (M,), int
        Indices of the documents used for counting.

    Returns
    -------
    ids : ndarray of shape (T, K), int32
        -1 where the n-gram would cross the end of its document or is too rare.
    """
    offsets = np.asarray(tokens.offsets, dtype=np.int64)
    document = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    deciding = np.isin(document, documents)
    words = np.asarray(tokens.values, dtype=np.int64)
    ids = np.full((len(words), max_n), -1, dtype=np.int32)
    begins = np.ones(len(words), dtype=bool)
    first = 0
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
    """Assign ids to the n-grams of one length in ``ids`` (T,) from their keys (T,); return the number of n-grams."""
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
    """Select a cheap dictionary of n-grams by local search.

    The cost ``entry`` of a dictionary entry (a pointer costs 1) is divided among the uses of the entry in the best
    encoding so far, initially among all its occurrences. The search stops when the total cost no longer decreases.

    Parameters
    ----------
    ids : ndarray of shape (T, K), int32
        N-gram ids, see `ngram_ids`.
    offsets : ndarray of shape (N + 1,), int64
        First token of each document.
    documents : ndarray of shape (M,), int
        Indices of the documents to encode.
    entry : float
        Cost of a dictionary entry.
    max_iter : int, default=20
        Maximum number of iterations.

    Returns
    -------
    chosen : ndarray of shape (D,), int64
        Ids of the selected n-grams, increasing.
    costs : list of float
        Total cost (pointers and entries) after each iteration, decreasing.
    """
    described = np.repeat(np.isin(np.arange(len(offsets) - 1), documents), np.diff(offsets))
    occurring = ids[described]
    uses = np.bincount(occurring[occurring >= 0], minlength=int(ids.max(initial=-1)) + 1)
    chosen = np.flatnonzero(uses)
    costs = [float("inf")]
    for _ in range(max_iter):
        shared = np.where(uses > 0, 1.0 + entry / np.maximum(uses, 1), np.inf)
        uses = cheapest_cover(ids, offsets, np.asarray(documents, dtype=np.int64), shared)
        total = float(uses.sum() + entry * np.count_nonzero(uses))
        if total >= costs[-1]:
            break
        chosen = np.flatnonzero(uses)
        costs = [*costs, total]
    return chosen, costs[1:]


def presence(ids: np.ndarray, offsets: np.ndarray, chosen: np.ndarray) -> sparse.csr_array:
    """Compute binary indicators of the n-grams ``chosen``, increasing int (D,), as float64 CSR of shape (N, D)."""
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
