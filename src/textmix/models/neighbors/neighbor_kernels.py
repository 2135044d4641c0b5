r"""Exact nearest neighbours by inner product: postings, the scores of one query at a time, and votes for every k.

A document is a sparse vector x with R further dense coordinates; the similarity of a query and a training document is

    k(x, y) = \sum_w x_w y_w + \sum_r left_r(x) right_r(y)

The dense part holds a Fisher kernel's entries for words that are not in a document (`representations`).
No matrix of similarities is stored.  Of equally similar training documents the first is nearer.

The Fisher score of the DCM (EDCM paper, equation 5) is

    \partial l / \partial \alpha_w = \Psi(s) - \Psi(s + n) + [\Psi(x_w + \alpha_w) - \Psi(\alpha_w)]

The bracket is 0 for a word that is not in the document.  The rest, c(x), is one number a document.
"""

from __future__ import annotations

import numpy as np

from textmix.models.common.special_kernels import polygamma_rise
from textmix.numerics.jit import njit


@njit
def postings(
    indptr: np.ndarray, indices: np.ndarray, data: np.ndarray, n_words: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a CSR matrix (N, V) sorted by column (word), as CSC stores it.

    ``start`` is int64 (V + 1,), where each word's entries begin; ``rows``, int32 (nnz,), the document of each entry,
    increasing within a word; ``values`` float64 (nnz,).
    """
    start = np.zeros(n_words + 1, dtype=np.int64)
    for w in indices:
        start[w + 1] += 1
    start = np.cumsum(start)
    rows = np.empty(len(indices), dtype=np.int32)
    values = np.empty(len(indices))
    place = start[:-1].copy()
    for d in range(len(indptr) - 1):
        for i in range(indptr[d], indptr[d + 1]):
            p = place[indices[i]]
            rows[p], values[p] = d, data[i]
            place[indices[i]] += 1
    return start, rows, values


@njit(nogil=True)
def keep_largest(score: np.ndarray, similarity: np.ndarray, index: np.ndarray) -> None:
    """Write the k largest of N scores, decreasing, and their indices, (k,) each; of equal scores the first."""
    k = len(similarity)
    kept = 0
    least = -np.inf
    for d in range(len(score)):
        value = score[d]
        if kept == k and value <= least:
            continue
        place = kept if kept < k else k - 1
        while place > 0 and similarity[place - 1] < value:
            similarity[place], index[place] = similarity[place - 1], index[place - 1]
            place -= 1
        similarity[place], index[place] = value, d
        kept = min(kept + 1, k)
        least = similarity[kept - 1]


@njit(nogil=True)
def nearest(
    indptr: np.ndarray,
    indices: np.ndarray,
    data: np.ndarray,
    left: np.ndarray,
    start: np.ndarray,
    rows: np.ndarray,
    values: np.ndarray,
    right: np.ndarray,
    k: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the similarities, float64 (Q, k), decreasing, and indices, int32, of the k documents nearest each query.

    The queries are CSR (Q, V) and ``left``, float64 (Q, R); the training documents `postings` and ``right``, (N, R).
    """
    n_queries = len(indptr) - 1
    similarity = np.empty((n_queries, k))
    index = np.empty((n_queries, k), dtype=np.int32)
    score = np.empty(len(right))
    for q in range(n_queries):
        score[:] = 0.0
        for r in range(right.shape[1]):
            for d in range(len(score)):
                score[d] += left[q, r] * right[d, r]
        for i in range(indptr[q], indptr[q + 1]):
            w = indices[i]
            x = data[i]
            for p in range(start[w], start[w + 1]):
                score[rows[p]] += x * values[p]
        keep_largest(score, similarity[q], index[q])
    return similarity, index


@njit
def votes(codes: np.ndarray, weight: np.ndarray, n_classes: int, nearest_wins: bool) -> np.ndarray:
    """Return the class elected by the first 1, 2, ..., K neighbours of each query, int64 (Q, K).

    ``codes`` are the neighbours' classes, nearest first, ``weight`` their votes, at least 0, (Q, K) each.  Of classes
    with equal votes the one with the nearest neighbour wins, or without ``nearest_wins`` the first.
    """
    elected = np.empty(codes.shape, dtype=np.int64)
    total = np.empty(n_classes)
    first = np.empty(n_classes, dtype=np.int64)
    for q in range(codes.shape[0]):
        total[:], first[:] = 0.0, -1
        best = codes[q, 0]
        for k in range(codes.shape[1]):
            c = codes[q, k]
            total[c] += weight[q, k]
            if first[c] < 0:
                first[c] = k
            # Only this class gained a vote, so the winner is this class or the winner so far.
            earlier = first[c] < first[best] if nearest_wins else c < best
            if total[c] > total[best] or (total[c] == total[best] and earlier):
                best = c
            elected[q, k] = best
    return elected


@njit
def dot_self(indptr: np.ndarray, data: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return k(x, x) of each document, float64 (N,), whose sparse part is CSR, and dense part (N, R)."""
    result = np.zeros(len(indptr) - 1)
    for d in range(len(result)):
        for i in range(indptr[d], indptr[d + 1]):
            result[d] += data[i] * data[i]
        for r in range(left.shape[1]):
            result[d] += left[d, r] * right[d, r]
    return result


@njit
def count_scores_of_words(indices: np.ndarray, data: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """Return the bracket for every stored count, float64 (nnz,); 0 for a word without a parameter (alpha_w = 0)."""
    score = np.zeros(len(data))
    for i in range(len(data)):
        a = alpha[indices[i]]
        if a > 0:
            score[i] = polygamma_rise(a, data[i])[0]
    return score


@njit
def length_scores(concentration: float, lengths: np.ndarray) -> np.ndarray:
    """Return c(x) = Psi(s) - Psi(s + n) of documents of length n, float64 (N,)."""
    score = np.empty(len(lengths))
    for d in range(len(lengths)):
        score[d] = -polygamma_rise(concentration, lengths[d])[0]
    return score
