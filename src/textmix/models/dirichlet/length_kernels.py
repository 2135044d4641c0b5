r"""The document length term of the likelihoods of DCM and EDCM, computed from a histogram of the lengths.

    b(s) = \sum_d [\Psi(s + n_d) - \Psi(s)]      the derivative in s of \sum_d [log \Gamma(s + n_d) - log \Gamma(s)]

Symbols: n_d length of document d, s concentration (the sum of a class's parameters).
"""

from __future__ import annotations

import numpy as np

from textmix.models.common.special_kernels import polygamma_rise
from textmix.numerics.basic_kernels import stable_order, total_of
from textmix.numerics.jit import njit


@njit
def histogram(length: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compute the distinct positive lengths, increasing, and the total document weight of each, float64 (H,) each."""
    distinct = np.empty(len(length))
    number = np.empty(len(length))
    n = 0
    for d in stable_order(length):
        if length[d] <= 0:
            continue
        if n > 0 and distinct[n - 1] == length[d]:
            number[n - 1] += weight[d]
        else:
            distinct[n], number[n] = length[d], weight[d]
            n += 1
    return distinct[:n].copy(), number[:n].copy()


@njit
def length_derivatives(s: float, lengths: np.ndarray, number: np.ndarray) -> tuple[float, float]:
    """Compute b(s) and -b'(s) of ``number[k]`` documents of length ``lengths[k]`` > 0, increasing, both float64 (H,).

    Psi(s + n) - Psi(s) is a sum of differences between consecutive lengths, each computed once for all documents that
    are at least as long; consecutive lengths usually differ by one or two words, hence by one or two terms.
    """
    gradient = 0.0
    curvature = 0.0
    below = 0.0
    longer = total_of(number)
    for k in range(len(lengths)):
        first, second = polygamma_rise(s + below, lengths[k] - below)
        gradient += longer * first
        curvature += longer * second
        below = lengths[k]
        longer -= number[k]
    return gradient, curvature


@njit
def concentration_bound(lengths: np.ndarray, number: np.ndarray) -> float:
    r"""Compute Q = \sum_d n_d^2, at least 2: the largest s considered, and 1 / Q is the smallest.

    A DCM with s = Q differs from a multinomial by less than one unit of log-likelihood over the whole class, so
    the data cannot distinguish a larger s from infinity.
    """
    bound = 0.0
    for k in range(len(lengths)):
        bound += number[k] * lengths[k] * lengths[k]
    return max(bound, 2.0)
