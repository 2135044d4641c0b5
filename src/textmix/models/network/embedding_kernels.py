"""Softmax classifier on averaged embeddings, trained by stochastic gradient descent, one document at a time.

Source: A. Joulin, E. Grave, P. Bojanowski and T. Mikolov, Bag of Tricks for Efficient Text Classification, EACL 2017.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from textmix.numerics.jit import njit

#: Multiplier of the hash of a column, 2^32 over the golden ratio (D. E. Knuth, The Art of Computer Programming, 6.4).
MULTIPLIER = 2654435761


def bucket_of(column: Any, buckets: int) -> Any:
    """Hash a feature, or an int64 array of features, to rows of the embedding table."""
    return ((column + 1) * MULTIPLIER % 4294967296) % buckets


@njit
def average(
    indices: np.ndarray, data: np.ndarray, first: int, last: int, embedding: np.ndarray, mean: np.ndarray
) -> float:
    """Compute the mean word embedding of a document, in place: ``mean``, float64 (D,); return its number of words.

    The elements of the document are ``first:last``; ``indices`` are rows of the embedding table (B, D).
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
def softmax(output: np.ndarray, mean: np.ndarray, probability: np.ndarray) -> None:
    """Compute the class probabilities softmax(output @ mean), in place: ``probability``, float64 (C,)."""
    for c in range(len(probability)):
        probability[c] = 0.0
        for i in range(len(mean)):
            probability[c] += output[c, i] * mean[i]
    probability -= probability.max()
    for c in range(len(probability)):
        probability[c] = np.exp(probability[c])
    probability /= probability.sum()


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
    """Take one gradient step for each document in ``order``, (steps,); the learning rate decreases linearly to 0.

    ``indices`` are rows of the embedding table, float64 (B, D); it and ``output``, (C, D), are updated in place.
    """
    mean = np.zeros(embedding.shape[1])
    probability = np.zeros(len(output))
    back = np.zeros(embedding.shape[1])
    for step in range(len(order)):
        d = order[step]
        step_size = rate * (1.0 - step / len(order))
        words = average(indices, data, indptr[d], indptr[d + 1], embedding, mean)
        if words == 0.0:
            continue
        softmax(output, mean, probability)
        back[:] = 0.0
        for c in range(len(probability)):
            error = step_size * ((1.0 if c == codes[d] else 0.0) - probability[c])
            for i in range(len(mean)):
                back[i] += error * output[c, i]
                output[c, i] += error * mean[i]
        for cell in range(indptr[d], indptr[d + 1]):
            for i in range(len(mean)):
                embedding[indices[cell], i] += data[cell] / words * back[i]


@njit
def class_probabilities(
    indptr: np.ndarray, indices: np.ndarray, data: np.ndarray, embedding: np.ndarray, output: np.ndarray
) -> np.ndarray:
    """Compute the class probabilities of documents, float64 (N, C); parameters as for `train`."""
    result = np.zeros((len(indptr) - 1, len(output)))
    mean = np.zeros(embedding.shape[1])
    for d in range(len(result)):
        average(indices, data, indptr[d], indptr[d + 1], embedding, mean)
        softmax(output, mean, result[d])
    return result
