"""Metrics of single-label classification, from stored predictions alone.

Accuracy is the measure of the EDCM paper's Table 1 and of the lecture; the error rate is Vilar, Castro & Sanchis'.
"""

from __future__ import annotations

import numpy as np


def _paired(true: np.ndarray, predicted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return both as arrays of the same positive length."""
    true, predicted = np.asarray(true), np.asarray(predicted)
    if true.ndim != 1 or true.shape != predicted.shape or not len(true):
        raise ValueError(f"two lists of as many classes (N,) are needed, not {true.shape} and {predicted.shape}")
    return true, predicted


def accuracy(true: np.ndarray, predicted: np.ndarray) -> float:
    """Return the share of documents whose class is predicted."""
    true, predicted = _paired(true, predicted)
    return float(np.mean(true == predicted))


def error_rate(true: np.ndarray, predicted: np.ndarray) -> float:
    """Return the share of documents whose class is not predicted."""
    true, predicted = _paired(true, predicted)
    return float(np.mean(true != predicted))


def macro_f1(true: np.ndarray, predicted: np.ndarray) -> float:
    """Return the mean over the classes, true or predicted, of F_c = 2 hits_c / (true_c + predicted_c)."""
    true, predicted = _paired(true, predicted)
    classes, codes = np.unique(np.concatenate([true, predicted]), return_inverse=True)
    occurrences = np.bincount(codes, minlength=len(classes))
    hits = np.bincount(codes[: len(true)][true == predicted], minlength=len(classes))
    return float(np.mean(2.0 * hits / occurrences))


def log_loss(true_log_proba: np.ndarray) -> float:
    """Return the mean of minus the log posterior of the true class, in nats; infinity if one of them is impossible."""
    values = np.asarray(true_log_proba, dtype=np.float64)
    if not values.size:
        raise ValueError("the log posterior of at least one document is needed")
    return float(-np.mean(values))
