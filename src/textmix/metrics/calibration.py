"""Calibration: whether an event that a method gives probability p happens in a share p of the cases.

Source: Naeini, Cooper and Hauskrecht, Obtaining well calibrated probabilities using Bayesian binning, AAAI 2015 (ECE).
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
