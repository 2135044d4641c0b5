"""Results in detail: precision and recall of each label, reliability curves, and precision at a given recall."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

#: Number of bins of a reliability curve.
N_BINS = 10


def by_label(true: np.ndarray, predicted: np.ndarray, names: Sequence[str]) -> list[dict[str, Any]]:
    """Compute support, precision, recall and F1 of each label that is true or predicted, most frequent labels first.

    Parameters
    ----------
    true, predicted : ndarray of shape (T, L)
        Label indicators of 0 and 1.
    names : sequence of str, length L
        Label names.

    Returns
    -------
    list of dict
        Keys ``label``, ``support``, ``precision``, ``recall`` and ``f``; an undefined ratio is None.
    """
    support = np.asarray(true.sum(axis=0), dtype=float)
    n_predicted = np.asarray(predicted.sum(axis=0), dtype=float)
    hits = np.asarray((true & predicted).sum(axis=0), dtype=float)
    rows = []
    for i in np.lexsort((np.arange(len(names)), -support)):
        if support[i] + n_predicted[i] > 0:
            rows.append(
                {
                    "label": str(names[i]),
                    "support": int(support[i]),
                    "precision": _ratio(hits[i], n_predicted[i]),
                    "recall": _ratio(hits[i], support[i]),
                    "f": _ratio(2 * hits[i], support[i] + n_predicted[i]),
                }
            )
    return rows


def _ratio(numerator: float, denominator: float) -> float | None:
    """Divide; return None if the denominator is 0."""
    return float(numerator / denominator) if denominator else None


def calibration(probability: np.ndarray, happened: np.ndarray) -> list[dict[str, Any]]:
    """Compute a reliability curve with `N_BINS` bins of equal width.

    Parameters
    ----------
    probability : array-like
        Predicted probabilities.
    happened : array-like of the same size
        Whether each event occurred.

    Returns
    -------
    list of dict
        For each nonempty bin the mean predicted probability (``stated``), the observed frequency (``observed``) and
        the number of predictions (``number``).  Empty if there are no probabilities or one is nan.
    """
    stated = np.ravel(probability).astype(float)
    occurred = np.ravel(happened).astype(float)
    if not len(stated) or np.isnan(stated).any():
        return []
    bins = np.minimum((stated * N_BINS).astype(int), N_BINS - 1)
    counts = np.bincount(bins, minlength=N_BINS)
    stated_sums = np.bincount(bins, stated, minlength=N_BINS)
    occurred_sums = np.bincount(bins, occurred, minlength=N_BINS)
    return [
        {
            "stated": float(stated_sums[i] / counts[i]),
            "observed": float(occurred_sums[i] / counts[i]),
            "number": int(counts[i]),
        }
        for i in np.flatnonzero(counts)
    ]


def precision_at_recall(probability: np.ndarray, true: np.ndarray, recall: float) -> tuple[float, float] | None:
    """Compute the precision of a label at the highest threshold that reaches a given recall.

    Parameters
    ----------
    probability : array-like of shape (N,)
        Predicted probability of the label; nan counts as 0.
    true : array-like of bool of shape (N,)
        Whether each document has the label.
    recall : float
        Required recall, above 0.

    Returns
    -------
    tuple of (float, float) or None
        Precision and threshold; None if no document has the label.
    """
    n_required = int(np.ceil(recall * np.sum(true) - 1e-9))
    if not n_required:
        return None
    stated = np.nan_to_num(np.asarray(probability, dtype=float))
    threshold = float(np.sort(stated[np.asarray(true, dtype=bool)])[-n_required])
    predicted = stated >= threshold
    return float(np.mean(np.asarray(true, dtype=float)[predicted])), threshold
