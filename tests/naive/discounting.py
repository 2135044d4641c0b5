"""Slow and obvious twins of discounting, of the decision rules and of their sweeps, straight from the equations."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from sklearn.metrics import precision_score, recall_score


def replicate(X: np.ndarray, Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return one copy of each document for each of its labels, and the labels, equation (14)."""
    pairs = [(x, c) for x, y in zip(X, Y, strict=True) for c in np.flatnonzero(y)]
    return np.array([x for x, _ in pairs]), np.array([c for _, c in pairs])


def word_probabilities(X: np.ndarray, c: np.ndarray, n_classes: int, b: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return p(w|c), (C, V), equations (19) to (21), from documents with one class each; ``other`` adds to p(w)."""
    counts = np.array([X[c == k].sum(axis=0) for k in range(n_classes)], dtype=float)
    unigram = (counts.sum(axis=0) + other) / (counts.sum() + other.sum())
    estimate = np.empty_like(counts)
    for k in range(n_classes):
        total = counts[k].sum()
        if total == 0:
            estimate[k] = unigram
            continue
        mass = b[k] * np.count_nonzero(counts[k]) / total
        for w in range(counts.shape[1]):
            estimate[k, w] = max(0.0, (counts[k, w] - b[k]) / total) + unigram[w] * mass
    return estimate


def log_joint(X: np.ndarray, estimate: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """Return log p(c) + sum_w x_w log p(w|c), equation (13); words without probability are skipped."""
    score = np.empty((len(X), len(prior)))
    for d, x in enumerate(X):
        for c in range(len(prior)):
            score[d, c] = np.log(prior[c]) if prior[c] > 0 else -np.inf
            for w in np.flatnonzero(x):
                if estimate[:, w].any():
                    score[d, c] += x[w] * np.log(estimate[c, w])
    return score


def leaving_one_out(counts: np.ndarray, b: float) -> float:
    """Return the leaving-one-out log-likelihood of b: each occurrence is predicted from all others of all words."""
    return sum(np.log(b) if r == 1 else r * np.log(r - 1 - b) for r in counts if r > 0)


def accumulated_set(scores: np.ndarray, threshold: float) -> np.ndarray:
    """Return the label set of one document, equations (4) to (7), in exact arithmetic."""
    exact = [Fraction(float(score)) for score in scores]
    order = sorted(range(len(exact)), key=lambda label: (-exact[label], label))
    chosen = np.zeros(len(exact), dtype=bool)
    reached = Fraction(0)
    for label in order:
        chosen[label] = True
        reached += exact[label]
        if reached >= Fraction(float(threshold)) * sum(exact):
            break
    return chosen


def threshold_set(scores: np.ndarray, threshold: np.ndarray) -> np.ndarray:
    """Return the label set of one document, equation (9)."""
    return np.array([score >= limit for score, limit in zip(scores, threshold, strict=True)])


def counts_of(sets: np.ndarray, Y: np.ndarray) -> tuple[int, int, int]:
    """Return the numbers of detected labels, of correct ones and of exact sets."""
    return int(sets.sum()), int((sets & Y).sum()), int((sets == Y).all(axis=1).sum())


def sklearn_figures(sets: np.ndarray, Y: np.ndarray) -> tuple[float, float, float]:
    """Return micro precision, micro recall and exact-set error by scikit-learn and NumPy."""
    figures = [metric(Y, sets, average="micro", zero_division=1.0) for metric in (precision_score, recall_score)]
    return *figures, float(1 - np.mean((sets == Y).all(axis=1)))


def best_class_value(scores: np.ndarray, member: np.ndarray, criterion: str) -> float:
    """Return the best value that any threshold gives one class: fewest errors (negated) or highest F1."""
    values = []
    for threshold in [*scores, np.inf]:
        given = scores >= threshold
        correct, total = np.sum(given & member), given.sum() + member.sum()
        values.append(2 * correct / max(total, 1) if criterion == "f1" else -float(np.sum(given != member)))
    return max(values)
