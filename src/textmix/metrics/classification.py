"""Metrics of single-label classification.

Accuracy is the metric of Table 1 of the EDCM paper and of the lecture on naive Bayes; the error rate is the metric of
Vilar, Castro and Sanchis (2004).
"""

from __future__ import annotations

import numpy as np


def _check_classes(true: np.ndarray, predicted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Convert both to arrays and check that they have the same positive length."""
    true = np.asarray(true)
    predicted = np.asarray(predicted)
    if true.ndim != 1 or true.shape != predicted.shape or not len(true):
        raise ValueError(
            f"true and predicted classes must have the same shape (N,), got {true.shape} and {predicted.shape}"
        )
    return true, predicted


def accuracy(true: np.ndarray, predicted: np.ndarray) -> float:
    """Compute the fraction of documents classified correctly.

    Parameters
    ----------
    true : array-like of shape (N,)
        True classes, of any dtype.
    predicted : array-like of shape (N,)
        Predicted classes.

    Returns
    -------
    float
        Between 0 and 1.

    Raises
    ------
    ValueError
        If the arrays differ in length or are empty.
    """
    true, predicted = _check_classes(true, predicted)
    return float(np.mean(true == predicted))


def error_rate(true: np.ndarray, predicted: np.ndarray) -> float:
    """Compute the fraction of misclassified documents; see `accuracy` for parameters and errors."""
    true, predicted = _check_classes(true, predicted)
    return float(np.mean(true != predicted))


def macro_f1(true: np.ndarray, predicted: np.ndarray) -> float:
    """Compute the unweighted mean of the F1 scores of all classes that are true or predicted.

    The score of a class c is F_c = 2 TP_c / (true_c + predicted_c), where true_c documents have class c, predicted_c
    documents are predicted to have it, and TP_c documents are both.  See `accuracy` for parameters and errors.
    """
    true, predicted = _check_classes(true, predicted)
    classes, codes = np.unique(np.concatenate([true, predicted]), return_inverse=True)
    occurrences = np.bincount(codes, minlength=len(classes))
    hits = np.bincount(codes[: len(true)][true == predicted], minlength=len(classes))
    return float(np.mean(2.0 * hits / occurrences))
