"""Ladders: values of a parameter of one ratio, to which a search adds steps beyond an end that is the best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

#: Most values that a ladder gets beyond one of its ends.
MOST_STEPS = 4
#: Least ratio of two neighbouring values of a ladder that may be made longer.
LEAST_RATIO = 2.0


def beyond(values: Sequence[Any], best: Any) -> Any | None:
    """Return the next value of a ladder beyond the end that is best; None where best is no end or there is no ladder.

    A ladder is two or more positive numbers of one ratio, at least `LEAST_RATIO`.  A ladder of whole numbers ends at 1.
    """
    if len(values) < 2 or not all(isinstance(value, (int, float)) and value > 0 for value in values):
        return None
    ladder = np.sort(np.asarray(values, dtype=float))
    ratio = ladder[1] / ladder[0]
    if ratio < LEAST_RATIO or not np.allclose(ladder[1:] / ladder[:-1], ratio, rtol=1e-6):
        return None
    if best not in (ladder[0], ladder[-1]):
        return None
    step = float(best * ratio if best == ladder[-1] else best / ratio)
    if not all(isinstance(value, int) for value in values):
        return float(f"{step:.12g}")
    return int(step) if step >= 1 and step.is_integer() else None
