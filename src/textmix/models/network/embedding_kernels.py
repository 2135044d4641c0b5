"""Averaged embeddings with a softmax on top: one pass of stochastic gradient descent, a document at a time.

Source: A. Joulin, E. Grave, P. Bojanowski and T. Mikolov, Bag of Tricks for Efficient Text Classification, EACL 2017.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from textmix.numerics.jit import njit

#: Multiplier of the hash of a column, 2^32 over the golden ratio (D. E. Knuth, The Art of Computer Programming, 6.4).
MULTIPLIER = 2654435761


def bucket_of(column: Any, buckets: int) -> Any:
    """Return the row of the table of embeddings of a feature, or of each of an int64 array: its hash."""
    return ((column + 1) * MULTIPLIER % 4294967296) % buckets


@njit
def average(
    indices: np.ndarray, data: np.ndarray, first: int, last: int, embedding: np.ndarray, mean: np.ndarray
) -> float:
    """Set ``mean``, float64 (D,), to the mean embedding of the words of a document; return its number of words.

    Its cells are those from ``first`` to before ``last``; ``indices`` are rows of the table of embeddings (B, D).
    """
    mean[:] = 0.0
    words = 0.0
    for cell in range(first, last):
        words += data[cell]
        for i in range(len(mean)):
            mean[i] += data[cell] * embedding[indices[cell], i]
    if words > 0.0:
        mean /= words
    return words


@njit
def softmax(output: np.ndarray, mean: np.ndarray, share: np.ndarray) -> None:
    """Set ``share``, float64 (C,), to the probabilities of the classes: the softmax of ``output`` (C, D) times mean."""
    for c in range(len(share)):
        share[c] = 0.0
        for i in range(len(mean)):
            share[c] += output[c, i] * mean[i]
    share -= share.max()
    for c in range(len(share)):
        share[c] = np.exp(share[c])
    share /= share.sum()


@njit
def train(
    indptr: np.ndarray,
    indices: np.ndarray,
    data: np.ndarray,
    codes: np.ndarray,
    order: np.ndarray,
    rate: float,
    embedding: np.ndarray,
    output: np.ndarray,
) -> None:
    """Take one step of gradient descent for each document in ``order``, (steps,); the rate falls linearly to 0.

    ``indices`` are rows of the table of embeddings, float64 (B, D); it and ``output``, (C, D), are changed in place.
    """
    mean, share, back = np.zeros(embedding.shape[1]), np.zeros(len(output)), np.zeros(embedding.shape[1])
    for step in range(len(order)):
        d, now = order[step], rate * (1.0 - step / len(order))
        words = average(indices, data, indptr[d], indptr[d + 1], embedding, mean)
        if words == 0.0:
            continue
        softmax(output, mean, share)
        back[:] = 0.0
        for c in range(len(share)):
            error = now * ((1.0 if c == codes[d] else 0.0) - share[c])
            for i in range(len(mean)):
                back[i] += error * output[c, i]
                output[c, i] += error * mean[i]
        for cell in range(indptr[d], indptr[d + 1]):
            for i in range(len(mean)):
                embedding[indices[cell], i] += data[cell] / words * back[i]


@njit
def class_shares(
    indptr: np.ndarray, indices: np.ndarray, data: np.ndarray, embedding: np.ndarray, output: np.ndarray
) -> np.ndarray:
    """Return the probabilities of the classes of documents, float64 (N, C); parameters as for `train`."""
    result, mean = np.zeros((len(indptr) - 1, len(output))), np.zeros(embedding.shape[1])
    for d in range(len(result)):
        average(indices, data, indptr[d], indptr[d + 1], embedding, mean)
        softmax(output, mean, result[d])
    return result
