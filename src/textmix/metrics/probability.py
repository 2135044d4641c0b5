"""Metrics of stated probabilities: calibration, log losses, the accuracy of confident predictions, perplexity.

Sources: Naeini, Cooper and Hauskrecht, Obtaining well calibrated probabilities using Bayesian binning, AAAI 2015 (ECE);
C. Li, V. Pavlu, J. Aslam, B. Wang and K. Qin, ECML-PKDD 2019 (confidence of whole label sets); R. El-Yaniv and Y.
Wiener, JMLR 11, 2010 (accuracy against coverage).  Symbols: N documents, L labels.
"""

from __future__ import annotations

import numpy as np

BINS = 15


def calibration_error(probability: np.ndarray, happened: np.ndarray, bins: int = BINS) -> float:
    """Return the expected calibration error: mean distance of stated probability and observed share, in equal bins.

    The mean over the bins is weighted by the number of probabilities in each; a probability of 1 is in the last bin.

    Parameters
    ----------
    probability : of the predicted class, float (N,), or of each label, float (N, L); from 0 to 1.
    happened : of the same shape: whether the prediction is right, or whether the document has the label.
    bins : number of bins of equal width into which 0 to 1 is cut.

    Returns
    -------
    from 0 to 1; nan where a probability is nan (the method gives none).

    Raises
    ------
    ValueError : the shapes differ or are empty, or a probability is outside 0 to 1 by more than rounding.
    """
    stated, seen = np.ravel(probability).astype(np.float64), np.ravel(happened).astype(np.float64)
    if stated.shape != seen.shape or not len(stated):
        raise ValueError(f"as many probabilities as events are needed, not {stated.shape} and {seen.shape}")
    if np.isnan(stated).any():
        return float("nan")
    if stated.min() < -1e-6 or stated.max() > 1 + 1e-6:
        raise ValueError(f"probabilities should be from 0 to 1, not {stated.min()} to {stated.max()}")
    place = np.minimum((np.clip(stated, 0.0, 1.0) * bins).astype(np.int64), bins - 1)
    gaps = np.bincount(place, stated - seen, minlength=bins)
    return float(np.abs(gaps).sum() / len(stated))


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


def log_loss(true_log_proba: np.ndarray) -> float:
    """Return the mean of minus the log posterior of the true class, in nats.

    It is infinite where a true class has posterior 0, and nan where a posterior is nan (the method gives none).

    Parameters
    ----------
    true_log_proba : log posterior of each document's true class, float (N,).

    Raises
    ------
    ValueError : there is no document.
    """
    values = np.asarray(true_log_proba, dtype=np.float64)
    if not values.size:
        raise ValueError("the log posterior of at least one document is needed")
    return float(-np.mean(values))


def set_log_loss(true_log_proba: np.ndarray) -> float:
    """Return the mean of minus the log probability of the true label set, in nats; see `log_loss`.

    Parameters
    ----------
    true_log_proba : log probability of each document's whole true label set, float (N,).
    """
    return log_loss(true_log_proba)
