"""Latent semantic indexing and kernel densities by their formulas, one document and one word at a time."""

from __future__ import annotations

import math

import numpy as np


def weighted(X: np.ndarray) -> np.ndarray:
    """Return log(1 + x) log(N / df) of each cell of counts X (N, V), divided by the length of its row."""
    n_documents, n_words = X.shape
    found = np.zeros(X.shape)
    for document in range(n_documents):
        for word in range(n_words):
            frequency = sum(X[other, word] > 0 for other in range(n_documents))
            if frequency:
                found[document, word] = math.log(1 + X[document, word]) * math.log(n_documents / frequency)
        length = math.sqrt(sum(value**2 for value in found[document]))
        if length:
            found[document] /= length
    return found


def log_posteriors(Z: np.ndarray, points: np.ndarray, codes: np.ndarray, width: float) -> np.ndarray:
    """Return log p(c|z), p(c) mean_n exp(-|z - z_n|^2 / (2 width^2)) over its sum, for documents Z (Q, K)."""
    found = np.empty((len(Z), codes.max() + 1))
    for row, z in enumerate(Z):
        for code in range(codes.max() + 1):
            mine = [point for point, each in zip(points, codes, strict=True) if each == code]
            kernels = [math.exp(-sum((z - point) ** 2) / (2 * width**2)) for point in mine]
            found[row, code] = len(mine) / len(points) * sum(kernels) / len(mine)
        found[row] = np.log(found[row] / found[row].sum())
    return found
