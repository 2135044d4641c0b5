r"""The EDCM's one unknown: the concentration s of a class from its document lengths (EDCM paper, section 3).

Setting the derivative of the log-likelihood to zero gives \beta_w = df_w / B(s) with df_w = \sum_d I(x_dw >= 1) and
B(s) = \sum_d \Psi(s + n_d) - |D| \Psi(s) (equation 4 with its sign put right), and, summed over the words,

    s B(s) = M,    M = \sum_w df_w

The left side rises from |D| (s -> 0) to \sum_d n_d (s -> infinity), |D| counting the documents that are not empty.
"""

from __future__ import annotations

import numba
import numpy as np

from textmix.kernels.special import digamma_rise, trigamma_fall

#: Relative accuracy of s.
TOLERANCE = 1e-14
MAX_STEPS = 200


@numba.njit(cache=True)
def length_slope(s: float, lengths: np.ndarray, number: np.ndarray) -> float:
    """Return B(s) = sum_k number_k [Psi(s + n_k) - Psi(s)] for a histogram of document lengths."""
    total = 0.0
    for k in range(len(lengths)):
        if number[k] > 0:
            total += number[k] * digamma_rise(s, lengths[k])
    return total


@numba.njit(cache=True)
def length_curvature(s: float, lengths: np.ndarray, number: np.ndarray) -> float:
    """Return -B'(s) = sum_k number_k [Psi'(s) - Psi'(s + n_k)]."""
    total = 0.0
    for k in range(len(lengths)):
        if number[k] > 0:
            total += number[k] * trigamma_fall(s, lengths[k])
    return total


@numba.njit(cache=True)
def concentration_bound(lengths: np.ndarray, number: np.ndarray) -> float:
    r"""Return Q = \sum_d n_d^2, at least 2: the largest s considered, and 1 / Q the smallest.

    A DCM with s = Q differs from a multinomial by less than one unit of log-likelihood over the whole class, so a
    larger s cannot be told from infinity.
    """
    total = 0.0
    for k in range(len(lengths)):
        total += number[k] * lengths[k] * lengths[k]
    return max(total, 2.0)


@numba.njit(cache=True)
def solve_concentration(words: float, lengths: np.ndarray, number: np.ndarray) -> tuple[float, int]:
    """Solve s B(s) = M by Newton's method on log s, kept inside a shrinking bracket.

    Parameters
    ----------
    words : M, the number of distinct words summed over the documents of the class.
    lengths, number : distinct positive document lengths and how many documents have each, float64 (K,).

    Returns
    -------
    s : the root; where there is none the bound on its side: Q if no word repeats, else 1 / Q (`concentration_bound`).
    steps : number of steps taken.
    """
    high = concentration_bound(lengths, number)
    low = 1.0 / high
    if high * length_slope(high, lengths, number) <= words:
        return high, 0
    if low * length_slope(low, lengths, number) >= words:
        return low, 0
    s = min(max(words / max(number.sum(), 1.0), low), high)
    for step in range(1, MAX_STEPS + 1):
        slope = length_slope(s, lengths, number)
        if s * slope > words:
            high = s
        else:
            low = s
        # Newton on log(s B) as a function of log s, whose derivative is 1 + s B'/B.
        gradient = 1.0 - s * length_curvature(s, lengths, number) / slope
        trial = s * np.exp(np.log(words / (s * slope)) / gradient) if gradient > 0 else 0.0
        if not low <= trial <= high:
            trial = np.sqrt(low * high)
        if abs(trial - s) <= TOLERANCE * s:
            return trial, step
        s = trial
    return s, MAX_STEPS
