"""Twins of the representations and their k-NN: dense vectors, a full matrix of similarities, a count of votes."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import digamma

from tests.naive import edcm


def norm(x: np.ndarray, p: int) -> float:
    """Return ||x||_p; for p = 0 the number of coordinates that are not 0."""
    return float(np.count_nonzero(x)) if p == 0 else float((np.abs(x) ** p).sum() ** (1 / p))


def vector(name: str, x: np.ndarray, train: np.ndarray, beta: np.ndarray) -> np.ndarray:
    """Return the vector of a document that is not empty; beta are the parameters of the EDCM of all documents."""
    if name in ("l0", "l1", "l2"):
        return x / norm(x, int(name[1]))
    if name == "bhattacharyya":
        return np.sqrt(x / norm(x, 1))
    seen = (train > 0).sum(axis=0)
    known = np.flatnonzero(seen)
    result = np.zeros(len(x))
    if name in ("tfidf", "tfidf_damped"):
        for w in known:
            count = x[w] if name == "tfidf" or not x[w] else 1 + math.log(x[w])
            result[w] = count * math.log(len(train) / seen[w])
        return result / norm(result, 2) if result.any() else result
    if name == "fisher_multinomial":
        result[known] = x[known] * train.sum() / train.sum(axis=0)[known]
        return result
    n = x[known].sum()
    for w in known:
        result[w] = digamma(beta.sum()) - digamma(beta.sum() + n) + digamma(x[w] + beta[w]) - digamma(beta[w])
    return result


def similarities(name: str, queries: np.ndarray, train: np.ndarray, cosine: bool = False) -> np.ndarray:
    """Return the inner products of all pairs, (Q, N)."""
    beta = edcm.fit(train) if name == "fisher_dcm" else np.empty(0)
    left, right = (np.array([vector(name, x, train, beta) for x in part]) for part in (queries, train))
    if cosine:
        left, right = (part / np.maximum(np.linalg.norm(part, axis=1, keepdims=True), 1e-300) for part in (left, right))
    return left @ right.T


def elect(classes: list[int], weights: list[float], nearest_wins: bool) -> int:
    """Return the class with the most votes; of equal ones that of the nearest neighbour, or the first."""
    totals = {c: math.fsum(w for k, w in zip(classes, weights, strict=True) if k == c) for c in classes}
    tied = [c for c, total in totals.items() if total == max(totals.values())]
    return min(tied, key=classes.index) if nearest_wins else min(tied)
