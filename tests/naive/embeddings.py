"""Averaged embeddings with a softmax written down as plainly as possible."""

from __future__ import annotations

from typing import Any

import numpy as np


def shares(x: Any, embedding: Any, output: Any) -> Any:
    """Return p(c|x) of one document of counts x (V,), and its mean embedding."""
    mean = sum(count * embedding[w] for w, count in enumerate(x)) / max(sum(x), 1)
    scores = np.exp(output @ mean)
    return scores / scores.sum(), mean


def train(X: Any, y: Any, order: Any, rate: float, embedding: Any, output: Any) -> None:
    """Take one step of gradient descent on the log loss for each document in the order, in place."""
    for step, d in enumerate(order):
        if not X[d].sum():
            continue
        now = rate * (1 - step / len(order))
        p, mean = shares(X[d], embedding, output)
        error = np.eye(len(output))[y[d]] - p
        back = error @ output
        output += now * np.outer(error, mean)
        for w in np.flatnonzero(X[d]):
            embedding[w] += now * X[d, w] / X[d].sum() * back
