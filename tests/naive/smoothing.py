"""The later smoothings of naive Bayes written down as plainly as possible."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import gammaln


def class_text(X: Any, y: Any, c: int) -> list[float]:
    """Return the count of each word in the documents of a class."""
    return [float(sum(row[w] for row, label in zip(X, y, strict=True) if label == c)) for w in range(X.shape[1])]


def background(X: Any) -> list[float]:
    """Return the share of each word in all documents."""
    total = float(X.sum())
    return [float(X[:, w].sum()) / total for w in range(X.shape[1])]


def jelinek_mercer(counts: list[float], p: list[float], mixing: float) -> list[float]:
    """Return p(w|c)."""
    return [(1 - mixing) * c / sum(counts) + mixing * q for c, q in zip(counts, p, strict=True)]


def two_stage(counts: list[float], p: list[float], mu: float, mixing: float) -> list[float]:
    """Return p(w|c)."""
    n = sum(counts)
    return [(1 - mixing) * (c + mu * q) / (n + mu) + mixing * q for c, q in zip(counts, p, strict=True)]


def pitman_yor(counts: list[float], p: list[float], discount: float, strength: float) -> list[float]:
    """Return p(w|c) for whole counts."""
    tables = [c**discount if c else 0.0 for c in counts]
    n, t = sum(counts), sum(tables)
    rows = zip(counts, tables, p, strict=True)
    return [(c - discount * k) / (n + strength) + (strength + discount * t) * q / (n + strength) for c, k, q in rows]


def dirichlet_likelihood(texts: Any, alpha: Any) -> float:
    """Return the log probability of texts (C, V) as sequences under one Dirichlet prior, without constants."""
    total = 0.0
    for counts in texts:
        total += float(gammaln(alpha.sum()) - gammaln(alpha.sum() + counts.sum()))
        total += float(np.sum(gammaln(counts + alpha) - gammaln(alpha)))
    return total


def labelled_lda_sweep(X: Any, topics: Any, gamma: Any, alpha: float, beta: float) -> None:
    """Update gamma[d][w][k] of every cell once in place; ``topics[d]`` lists the topics of a document."""
    for d in range(len(X)):
        for w in np.flatnonzero(X[d]):
            new = {}
            for k in topics[d]:
                own = X[d, w] * gamma[d][w][k]
                here = sum(X[e, w] * gamma[e][w].get(k, 0.0) for e in range(len(X)) if X[e, w]) - own
                every = sum(X[e, v] * gamma[e][v].get(k, 0.0) for e in range(len(X)) for v in np.flatnonzero(X[e]))
                mine = sum(X[d, v] * gamma[d][v][k] for v in np.flatnonzero(X[d])) - own
                new[k] = (mine + alpha) * (here + beta) / (every - own + beta * X.shape[1])
            gamma[d][w] = {k: value / sum(new.values()) for k, value in new.items()}
