"""Twins of the multinomial estimates: Zhai's two formulas word by word."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import gammaln


def corpus(seed: int, n: int = 16, n_words: int = 9, n_classes: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Return counts and classes with an empty document, duplicates, a word seen once and a word never seen."""
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.7, (n, n_words)) * rng.choice([1, 1, 1, 6], (n, n_words))
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])
    X[4], X[6], y[6] = 0, X[5], y[5]
    X[:, -1] = X[:, -2] = 0
    X[0, -2] = 1
    X[:n_classes, 0] += 2
    X[:n_classes, 1] += 1
    return X, y


def log_prior(y: Sequence[int], delta: float) -> list[float]:
    """Return log (N_c + delta) / (N + k delta)."""
    classes = sorted(set(y))
    return [math.log((list(y).count(c) + delta) / (len(y) + len(classes) * delta)) for c in classes]


def word_probability(X: np.ndarray, y: np.ndarray, mu: float, background: Sequence[float]) -> np.ndarray:
    """Return (c(w, T_c) + mu p(w|B)) / (|T_c| + mu), (C, V)."""
    rows = []
    for c in sorted(set(y)):
        counts = [sum(int(X[d, w]) for d in range(len(X)) if y[d] == c) for w in range(X.shape[1])]
        rows.append([(counts[w] + mu * background[w]) / (sum(counts) + mu) for w in range(X.shape[1])])
    return np.array(rows)


def class_text(X: Any, y: Any, c: int) -> list[float]:
    """Return the count of each word in the documents of a class."""
    return [float(sum(row[w] for row, label in zip(X, y, strict=True) if label == c)) for w in range(X.shape[1])]


def dirichlet_likelihood(texts: Any, alpha: Any) -> float:
    """Return the log probability of texts (C, V) as sequences under one Dirichlet prior, without constants."""
    total = 0.0
    for counts in texts:
        total += float(gammaln(alpha.sum()) - gammaln(alpha.sum() + counts.sum()))
        total += float(np.sum(gammaln(counts + alpha) - gammaln(alpha)))
    return total
