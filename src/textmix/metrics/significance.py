"""Whether a difference of two methods is more than chance, from their values on the same trials.

The EDCM paper (section 6) calls one kernel "significantly better using a t-test" without saying which; ours is paired,
since both methods see the same splits.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import stdtr


def paired_t_test(left: Sequence[float], right: Sequence[float]) -> float:
    """Return the two-sided p of a paired t-test; 1 where it is not defined (fewer than two trials, no difference).

    Parameters
    ----------
    left, right : values on the same trials, in the same order.

    Raises
    ------
    ValueError : they are not of one length.
    """
    difference = np.subtract(left, right, dtype=np.float64) if len(left) == len(right) else None
    if difference is None:
        raise ValueError(f"a paired t-test needs the same trials on both sides, not {len(left)} and {len(right)}")
    n = len(difference)
    if n < 2 or not difference.any():
        return 1.0
    spread = difference.std(ddof=1)
    if spread == 0:
        return 0.0
    return float(2.0 * stdtr(n - 1, -abs(difference.mean()) * np.sqrt(n) / spread))
