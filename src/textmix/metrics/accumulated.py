"""Label sets by accumulated posterior probability: the likeliest labels, until together they reach a threshold.

Source: Vilar, Castro and Sanchis, "Multi-label Text Classification Using Multinomial Models", EsTAL 2004, section 2.1.
Works on any scores that are not negative: they count as shares of their sum, which for posteriors is 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from textmix.metrics import threshold_kernels as kernels
from textmix.metrics.threshold import Sweep, checked_scores, swept


def accumulated_sets(scores: ArrayLike, threshold: float) -> np.ndarray:
    """Return the fewest labels, in falling order of score, whose share reaches the threshold, equations (4) to (7).

    What is compared is the share that is left out, summed from the smallest: at most 1 - threshold.  So thresholds as
    near to 1 as numbers go have their effect.  At 0 there is one label, at 1 every label with a share.

    Parameters
    ----------
    scores : float (N, L), not negative; of equal scores the label with the lower index comes first.
    threshold : 0 to 1.

    Returns
    -------
    bool (N, L); never an empty row.  A row of zeros has no order: it gets the first label.

    Raises
    ------
    ValueError : a score is negative or not a finite number, or the threshold is not from 0 to 1.
    """
    checked = _checked_shares(scores)
    _check_range(threshold)
    sets = np.zeros(checked.shape, dtype=bool)
    kernels.accumulated_sets(checked, float(threshold), sets)
    return sets


def accumulated_sweep(scores: ArrayLike, Y: Any, thresholds: ArrayLike) -> Sweep:
    """Return what `accumulated_sets` does at each of many thresholds, by one pass over each document's sorted scores.

    Parameters
    ----------
    scores : float (N, L), not negative.
    Y : label indicators (N, L), dense or sparse.
    thresholds : float (K,), 0 to 1, in any order.

    Returns
    -------
    a `Sweep` over the thresholds in rising order.

    Raises
    ------
    ValueError : as `accumulated_sets`; or there is no document, or shapes differ.
    """
    checked = _checked_shares(scores)
    _check_range(thresholds)
    return swept(kernels.accumulated_sweep, checked, Y, thresholds)


def _checked_shares(scores: ArrayLike) -> np.ndarray:
    """Return scores as float64 (N, L) with L of at least 1; raises ValueError where they cannot be shares."""
    checked = checked_scores(scores)
    if not checked.shape[1]:
        raise ValueError("there is no label; the accumulated rule always gives one")
    if (checked < 0).any() or np.isinf(checked).any():
        raise ValueError("a score is negative or infinite; give posterior probabilities, not their logarithms")
    return checked


def _check_range(thresholds: ArrayLike) -> None:
    """Raise ValueError where a threshold is not from 0 to 1."""
    values = np.asarray(thresholds, dtype=np.float64)
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError("a threshold is not from 0 to 1; the accumulated posterior is a share")
