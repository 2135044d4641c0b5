"""Label sets by accumulated posterior probability: the most probable labels until their sum reaches a threshold.

Source: Vilar, Castro and Sanchis, "Multi-label Text Classification Using Multinomial Models", EsTAL 2004, section 2.1.
The rule takes any non-negative scores; a label's share is its score over the sum of the document's scores, which is 1
for posterior probabilities.  Symbols: N documents, L labels, K thresholds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from textmix.metrics import threshold_kernels as kernels
from textmix.metrics.threshold import Sweep, checked_scores, swept


def accumulated_sets(scores: ArrayLike, threshold: float) -> np.ndarray:
    """Return the fewest labels of each document whose shares add up to a threshold or more, equations (4) to (7).

    Labels enter in decreasing order of score.  The shares of the labels left out are added, the smallest first, and
    compared with 1 - threshold: a threshold within rounding of 1 then still differs from 1.  At threshold 0 a document
    gets one label, at threshold 1 every label with a positive share.

    Parameters
    ----------
    scores : float (N, L), not negative; among equal scores the label with the lower index comes first.
    threshold : 0 to 1.

    Returns
    -------
    bool (N, L) without an empty row; a row of zeros gets the first label.
    """
    checked = _checked_shares(scores)
    _check_range(threshold)
    sets = np.zeros(checked.shape, dtype=bool)
    kernels.accumulated_sets(checked, float(threshold), sets)
    return sets


def accumulated_sweep(scores: ArrayLike, Y: Any, thresholds: ArrayLike) -> Sweep:
    """Return the results of `accumulated_sets` at K thresholds in increasing order, by one pass over the sorted scores.

    ``scores`` are as there; ``Y`` is label indicators (N, L), dense or sparse; ``thresholds`` (K,) have any order.
    """
    checked = _checked_shares(scores)
    _check_range(thresholds)
    return swept(kernels.accumulated_sweep, checked, Y, thresholds)


def _checked_shares(scores: ArrayLike) -> np.ndarray:
    """Return scores as float64 (N, L), not negative and finite, with L at least 1; else raise ValueError."""
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
