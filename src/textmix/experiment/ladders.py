"""Ladders: values of a parameter of one ratio, to which a search adds steps beyond an end that is the best."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

#: Most values that a ladder gets beyond one of its ends.
MOST_STEPS = 4
#: Least ratio of two neighbouring values of a ladder that may be made longer, or that have a value between them.
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


def on_ladder(values: Sequence[Any], value: Any) -> bool:
    """Return whether a number is one of a ladder or of its steps beyond both ends; True where there is no ladder."""
    if len(values) < 2 or not all(isinstance(one, (int, float)) and one > 0 for one in values):
        return True
    first, second = sorted(values)[:2]
    if first == second:
        return True
    steps = math.log(value / first) / math.log(second / first)
    return abs(steps - round(steps)) < 1e-6


def between(one: Any, other: Any) -> Any | None:
    """Return the geometric mean of two positive numbers whose ratio is `LEAST_RATIO` or more, else None.

    Of two whole numbers it is rounded; three digits are kept of the others.
    """
    numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in (one, other))
    if not numbers or min(one, other) <= 0 or max(one, other) / min(one, other) < LEAST_RATIO:
        return None
    middle = math.sqrt(float(one) * float(other))
    if isinstance(one, int) and isinstance(other, int):
        return round(middle) if round(middle) not in (one, other) else None
    return float(f"{middle:.3g}")
