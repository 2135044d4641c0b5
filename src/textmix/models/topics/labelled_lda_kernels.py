"""Labelled LDA by the zero-order collapsed variational update: expected topics of every word that occurs in a document.

Source: D. Ramage, D. Hall, R. Nallapati and C. D. Manning, EMNLP 2009 (the model); A. Asuncion, M. Welling, P. Smyth
and Y. W. Teh, UAI 2009 (CVB0).  No random number is needed: a cell starts with equal shares.

Symbols: a cell is a word w with its count x in a document d; gamma (cells, K) its topics' shares, 0 outside of the
document's topics.
"""

from __future__ import annotations

import numpy as np

from textmix.numerics.copy_kernels import copy_into
from textmix.numerics.jit import njit


@njit
def train_sweep(
    indptr: np.ndarray,
    indices: np.ndarray,
    data: np.ndarray,
    topics: np.ndarray,
    first: np.ndarray,
    gamma: np.ndarray,
    place: np.ndarray,
    word: np.ndarray,
    total: np.ndarray,
    prior: tuple[float, float],
) -> float:
    """Update the shares of every cell once, document after document; return the largest change of a share.

    Parameters
    ----------
    indptr, indices, data : counts, CSR (N, V).
    topics, first : the topics of each document, one list after the other, int64, and where each begins, int64 (N + 1,).
    gamma : float64, shares of the topics of each cell, one list after the other; changed in place.
    place : int64 (cells + 1,), where the shares of each cell begin.
    word : float64 (V, K), expected counts of the topics; changed in place.
    total : float64 (K,), their sums over the words; changed in place.
    prior : alpha of the documents and beta of the topics.
    """
    alpha, beta = prior
    mass, largest = beta * len(word), 0.0
    for d in range(len(indptr) - 1):
        mine = topics[first[d] : first[d + 1]]
        document = np.zeros(len(mine))
        for cell in range(indptr[d], indptr[d + 1]):
            for j in range(len(mine)):
                document[j] += data[cell] * gamma[place[cell] + j]
        share = np.zeros(len(mine))
        for cell in range(indptr[d], indptr[d + 1]):
            x, w, start = data[cell], indices[cell], place[cell]
            for j in range(len(mine)):
                own, k = x * gamma[start + j], mine[j]
                # Rounding may leave a sum of expected counts slightly below the cell's own part.
                here, there = max(word[w, k] - own, 0.0), max(total[k] - own, 0.0)
                share[j] = (max(document[j] - own, 0.0) + alpha) * (here + beta) / (there + mass)
            whole = share.sum()
            for j in range(len(mine)):
                change = share[j] / whole - gamma[start + j]
                largest = max(largest, abs(change))
                document[j] += x * change
                word[w, mine[j]] += x * change
                total[mine[j]] += x * change
                gamma[start + j] += change
    return largest


@njit
def infer_shares(
    indptr: np.ndarray, indices: np.ndarray, data: np.ndarray, phi: np.ndarray, alpha: np.ndarray, sweeps: int
) -> np.ndarray:
    """Return the shares of the topics in documents, float64 (N, K), by EM with fixed topics and a prior on the shares.

    Parameters
    ----------
    indptr, indices, data : counts, CSR (N, V).
    phi : float64 (V, K), probability of each word in each topic.
    alpha : float64 (K,), pseudo-words of each topic in a document.
    sweeps : updates of each document.
    """
    n, n_topics = len(indptr) - 1, phi.shape[1]
    result = np.zeros((n, n_topics))
    for d in range(n):
        theta = alpha / alpha.sum()
        for _ in range(sweeps):
            count = alpha.copy()
            for cell in range(indptr[d], indptr[d + 1]):
                whole = 0.0
                for k in range(n_topics):
                    whole += theta[k] * phi[indices[cell], k]
                if whole > 0.0:
                    for k in range(n_topics):
                        count[k] += data[cell] * theta[k] * phi[indices[cell], k] / whole
            theta = count / count.sum()
        copy_into(result[d], theta)
    return result
