r"""What DCM and EDCM make of the lengths of a class's documents, kept as a histogram of the distinct lengths.

    b(s) = \sum_d [\Psi(s + n_d) - \Psi(s)]      the derivative in s of \sum_d [log \Gamma(s + n_d) - log \Gamma(s)]

Symbols: n_d length of document d, s concentration (the sum of a class's parameters).
"""

from __future__ import annotations

import numpy as np

from textmix.core.jit import njit
from textmix.models.common.special_kernels import polygamma_rise


@njit
def histogram(length: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct positive lengths, rising, and the weight of the documents of each."""
    distinct, number = np.empty(len(length)), np.empty(len(length))
    n = 0
    for d in np.argsort(length, kind="mergesort"):
        if length[d] <= 0:
            continue
        if n > 0 and distinct[n - 1] == length[d]:
            number[n - 1] += weight[d]
        else:
            distinct[n], number[n] = length[d], weight[d]
            n += 1
    return distinct[:n].copy(), number[:n].copy()


@njit
def length_slope(s: float, lengths: np.ndarray, number: np.ndarray) -> tuple[float, float]:
    """Return b(s) and -b'(s) of ``number[k]`` documents of length ``lengths[k]`` > 0, rising, float64 (K,).

    Each length adds only what it exceeds the one before by, for all documents that are as long: mostly a term or two.
    """
    slope, curvature, below, longer = 0.0, 0.0, 0.0, number.sum()
    for k in range(len(lengths)):
        first, second = polygamma_rise(s + below, lengths[k] - below)
        slope += longer * first
        curvature += longer * second
        below = lengths[k]
        longer -= number[k]
    return slope, curvature


@njit
def concentration_bound(lengths: np.ndarray, number: np.ndarray) -> float:
    r"""Return Q = \sum_d n_d^2, at least 2: the largest s considered, and 1 / Q the smallest.

    A DCM with s = Q differs from a multinomial by less than one unit of log-likelihood over the whole class, so a
    larger s cannot be told from infinity.
    """
    return max((number * lengths * lengths).sum(), 2.0)
