"""Whole predictions with a stated confidence: its calibration, and the accuracy of the predictions it selects.

Sources: C. Li, V. Pavlu, J. Aslam, B. Wang and K. Qin, ECML-PKDD 2019 (confidence of whole label sets); R. El-Yaniv and
Y. Wiener, JMLR 11, 2010 (accuracy against coverage).  Symbols: N documents.
"""

from __future__ import annotations

import numpy as np

from textmix.metrics.calibration import calibration_error


def set_calibration_error(confidence: np.ndarray, right: np.ndarray) -> float:
    """Return the expected calibration error of whole label sets: distance of confidence and accuracy in equal bins.

    Parameters
    ----------
    confidence : stated probability that the predicted label set is the true one, float (N,).
    right : bool (N,), whether it is.
    """
    return calibration_error(confidence, right)


def selective_accuracy(confidence: np.ndarray, right: np.ndarray) -> float:
    """Return the mean over all coverages of the accuracy of the predictions with the largest confidence.

    Parameters
    ----------
    confidence, right : see `set_calibration_error`.
    """
    if np.isnan(confidence).any():
        return float("nan")
    return float(coverage_curve(confidence, right).mean())


def coverage_curve(confidence: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return the accuracy of the n documents with the largest confidence, float64 (N,), for n from 1 to N.

    Documents of equal confidence count with their mean accuracy, so that their order plays no part.  Raises ValueError
    where the arrays differ in length or are empty.
    """
    stated, seen = np.asarray(confidence, dtype=np.float64), np.asarray(right, dtype=np.float64)
    if stated.shape != seen.shape or stated.ndim != 1 or not len(stated):
        raise ValueError(f"as many confidences as predictions are needed, not {stated.shape} and {seen.shape}")
    _, tie = np.unique(-stated, return_inverse=True)
    level = np.bincount(tie, seen) / np.bincount(tie)
    return np.asarray(np.cumsum(level[np.sort(tie)]) / np.arange(1, len(stated) + 1))


def perplexity(text: np.ndarray) -> float:
    """Return the perplexity of the documents as word sequences in their true classes.

    Parameters
    ----------
    text : log probability of each document given its true class, in nats, and its number of words, float (N, 2); nan
        for a class unseen in training, whose documents are left out.

    Returns
    -------
    exp of minus the mean log probability a word; infinite where a document is impossible, nan without a word.
    """
    known = np.asarray(text, dtype=np.float64)
    total = known[~np.isnan(known).any(axis=1)].sum(axis=0)
    return float(np.exp(-total[0] / total[1])) if total[1] > 0 else float("nan")
