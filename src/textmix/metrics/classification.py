"""Metrics of single-label classification, from stored predictions alone.

Accuracy is the measure of the EDCM paper's Table 1 and of the lecture; the error rate is that of Vilar, Castro and
Sanchis (2004).  Each metric takes the true and the predicted class of each of N documents, of any dtype (N,).  It is a
share, from 0 to 1, and raises ValueError where the two lists differ in length or are empty.
"""

from __future__ import annotations

import numpy as np


def _paired(true: np.ndarray, predicted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return both as arrays of the same positive length."""
    true, predicted = np.asarray(true), np.asarray(predicted)
    if true.ndim != 1 or true.shape != predicted.shape or not len(true):
        raise ValueError(f"two lists of classes of one length (N,) are needed, not {true.shape} and {predicted.shape}")
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
    """Return the mean over the classes, true or predicted, of F_c = 2 hits_c / (true_c + predicted_c).

    true_c documents have class c, predicted_c documents are predicted to have it, and hits_c documents do both.
    """
    true, predicted = _paired(true, predicted)
    classes, codes = np.unique(np.concatenate([true, predicted]), return_inverse=True)
    occurrences = np.bincount(codes, minlength=len(classes))
    hits = np.bincount(codes[: len(true)][true == predicted], minlength=len(classes))
    return float(np.mean(2.0 * hits / occurrences))
