"""Metrics of predicted probabilities: calibration error, log loss, selective accuracy and perplexity.

Sources: M. P. Naeini, G. F. Cooper and M. Hauskrecht, Obtaining well calibrated probabilities using Bayesian binning,
AAAI 2015 (expected calibration error); C. Li, V. Pavlu, J. Aslam, B. Wang and K. Qin, ECML-PKDD 2019 (confidence of
whole label sets); R. El-Yaniv and Y. Wiener, JMLR 11, 2010 (accuracy against coverage).

Symbols: N documents, L labels.
"""

from __future__ import annotations

import numpy as np

#: Number of bins of the expected calibration error.
N_BINS = 15


def calibration_error(probability: np.ndarray, happened: np.ndarray, bins: int = N_BINS) -> float:
    """Compute the expected calibration error (ECE).

    The range 0 to 1 is cut into bins of equal width.  The ECE is the mean over bins, weighted by the number of
    probabilities in each, of the distance between mean predicted probability and observed frequency.

    Parameters
    ----------
    probability : array-like of shape (N,) or (N, L)
        Probability of the predicted class or of each label, between 0 and 1.  A probability of 1 is in the last bin.
    happened : array-like of the same shape
        Whether the prediction is correct, or whether the document has the label.
    bins : int, default=15
        Number of bins.

    Returns
    -------
    float
        Between 0 and 1; nan if a probability is nan.

    Raises
    ------
    ValueError
        If the shapes differ or are empty, or a probability is outside 0 to 1 by more than rounding.
    """
    stated = np.ravel(probability).astype(np.float64)
    occurred = np.ravel(happened).astype(np.float64)
    if stated.shape != occurred.shape or not len(stated):
        raise ValueError(
            f"probabilities and outcomes must have the same shape, got {stated.shape} and {occurred.shape}"
        )
    if np.isnan(stated).any():
        return float("nan")
    if stated.min() < -1e-6 or stated.max() > 1 + 1e-6:
        raise ValueError(f"probabilities must be between 0 and 1, got values from {stated.min()} to {stated.max()}")
    bin_index = np.minimum((np.clip(stated, 0.0, 1.0) * bins).astype(np.int64), bins - 1)
    gaps = np.bincount(bin_index, stated - occurred, minlength=bins)
    return float(np.abs(gaps).sum() / len(stated))


def set_calibration_error(confidence: np.ndarray, right: np.ndarray) -> float:
    """Compute the expected calibration error of whole label sets.

    Parameters
    ----------
    confidence : array-like of shape (N,)
        Predicted probability that the predicted label set is the true one.
    right : array-like of bool of shape (N,)
        Whether it is.
    """
    return calibration_error(confidence, right)


def selective_accuracy(confidence: np.ndarray, right: np.ndarray) -> float:
    """Compute the mean of `coverage_curve`; nan if a confidence is nan.

    Parameters
    ----------
    confidence, right : array-like of shape (N,)
        See `set_calibration_error`.
    """
    if np.isnan(confidence).any():
        return float("nan")
    return float(coverage_curve(confidence, right).mean())


def coverage_curve(confidence: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Compute the accuracy of the n most confident predictions for n = 1, ..., N.

    Documents of equal confidence count with their mean accuracy, so the result does not depend on their order.

    Parameters
    ----------
    confidence, right : array-like of shape (N,)
        See `set_calibration_error`.

    Returns
    -------
    ndarray of shape (N,), float64

    Raises
    ------
    ValueError
        If the arrays differ in length or are empty.
    """
    stated = np.asarray(confidence, dtype=np.float64)
    correct = np.asarray(right, dtype=np.float64)
    if stated.shape != correct.shape or stated.ndim != 1 or not len(stated):
        raise ValueError(
            f"confidences and outcomes must have the same shape (N,), got {stated.shape} and {correct.shape}"
        )
    _, tie = np.unique(-stated, return_inverse=True)
    tie_accuracy = np.bincount(tie, correct) / np.bincount(tie)
    return np.asarray(np.cumsum(tie_accuracy[np.sort(tie)]) / np.arange(1, len(stated) + 1))


def perplexity(text: np.ndarray) -> float:
    """Compute the perplexity per word of documents under the models of their true classes.

    Parameters
    ----------
    text : array-like of shape (N, 2)
        Log probability of each document given its true class, in nats, and its number of words.  Rows with nan, of
        classes that are absent from the training documents, are skipped.

    Returns
    -------
    float
        exp(-mean log probability per word); infinite if a document is impossible, nan without words.
    """
    values = np.asarray(text, dtype=np.float64)
    log_probability, n_words = values[~np.isnan(values).any(axis=1)].sum(axis=0)
    return float(np.exp(-log_probability / n_words)) if n_words > 0 else float("nan")


def log_loss(true_log_proba: np.ndarray) -> float:
    """Compute the mean negative log posterior probability of the true class, in nats.

    Parameters
    ----------
    true_log_proba : array-like of shape (N,)
        Log posterior probability of the true class of each document.

    Returns
    -------
    float
        Infinite if a true class has probability 0; nan if a probability is nan.

    Raises
    ------
    ValueError
        If there are no documents.
    """
    values = np.asarray(true_log_proba, dtype=np.float64)
    if not values.size:
        raise ValueError("true_log_proba is empty; at least one document is required")
    return float(-np.mean(values))


def set_log_loss(true_log_proba: np.ndarray) -> float:
    """Compute the mean negative log probability of the true label set, in nats; see `log_loss`.

    Parameters
    ----------
    true_log_proba : array-like of shape (N,)
        Log probability of the true label set of each document.
    """
    return log_loss(true_log_proba)
