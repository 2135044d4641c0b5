r"""The Dirichlet compound multinomial of one class: likelihood, Minka's steps, and an exact profile step.

EDCM paper, equation (1); estimators of Minka, "Estimating a Dirichlet distribution" (2000).  For documents d of one
class, with s = \sum_w \alpha_w and without the multinomial coefficient,

    l(\alpha) = \sum_w A_w(\alpha_w) - \sum_d [log \Gamma(s + n_d) - log \Gamma(s)]
    A_w(\alpha) = \sum_d [log \Gamma(x_dw + \alpha) - log \Gamma(\alpha)]
                = \sum_i T_wi [log \Gamma(x_i + \alpha) - log \Gamma(x_{i-1} + \alpha)]

where x_0 = 0 < x_1 < x_2 ... are the distinct counts of word w and T_wi the number (weight) of documents that hold it
at least x_i times.  A word costs as many terms as it has distinct counts, mostly one, however many documents there are.

Symbols: a_w = A_w', falling from infinity to 0; b(s) = \sum_d [\Psi(s + n_d) - \Psi(s)].  The gradient is a_w - b.

Profile step.  At the maximum all a_w(\alpha_w) equal one number \lambda = b(s).  For any \lambda each \alpha_w is the
root of a_w = \lambda, alone, and these \alpha maximise l among all with the same sum s(\lambda).  So only one number is
sought: the root of b(s(\lambda)) = \lambda, by Newton's method on log \lambda.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from textmix.kernels.edcm import length_curvature, length_slope
from textmix.kernels.special import digamma_rise, log_rising, trigamma_fall

#: A profile step changes lambda by no more than this factor.
LARGEST_STEP = np.e
MAX_INNER = 60


class Levels(NamedTuple):
    """What the likelihood of one class depends on.

    Parameters
    ----------
    start : int64 (K + 1,); the levels of the k-th word that occurs are ``start[k]:start[k + 1]``.
    count, tail : float64; distinct counts x_i of a word, rising, and T_i, the weight of documents with at least x_i.
    lengths, number : float64; distinct positive document lengths and the weight of documents of each.
    """

    start: np.ndarray
    count: np.ndarray
    tail: np.ndarray
    lengths: np.ndarray
    number: np.ndarray


@numba.njit(cache=True)
def log_likelihood(levels: Levels, alpha: np.ndarray) -> float:
    """Return l(alpha), equation (1) without the multinomial coefficients, summed over the class's documents."""
    total = 0.0
    for k in range(len(alpha)):
        below = 0.0
        for i in range(levels.start[k], levels.start[k + 1]):
            gap = levels.count[i] - below
            rise = np.log(alpha[k] + below) if gap == 1.0 else log_rising(alpha[k] + below, gap)
            total += levels.tail[i] * rise
            below = levels.count[i]
    s = alpha.sum()
    for k in range(len(levels.lengths)):
        total -= levels.number[k] * log_rising(s, levels.lengths[k])
    return total


@numba.njit(cache=True)
def _slope(levels: Levels, k: int, alpha: float) -> tuple[float, float]:
    """Return a_k(alpha) and -a_k'(alpha) of one word."""
    slope, curvature, below = 0.0, 0.0, 0.0
    for i in range(levels.start[k], levels.start[k + 1]):
        a, gap, tail = alpha + below, levels.count[i] - below, levels.tail[i]
        if gap == 1.0:
            slope += tail / a
            curvature += tail / (a * a)
        else:
            slope += tail * digamma_rise(a, gap)
            curvature += tail * trigamma_fall(a, gap)
        below = levels.count[i]
    return slope, curvature


@numba.njit(cache=True)
def slopes(levels: Levels, alpha: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a_w and -a_w' of every word, each float64 (K,)."""
    slope, curvature = np.empty(len(alpha)), np.empty(len(alpha))
    for k in range(len(alpha)):
        slope[k], curvature[k] = _slope(levels, k, alpha[k])
    return slope, curvature


@numba.njit(cache=True)
def certificate(levels: Levels, alpha: np.ndarray) -> float:
    r"""Return the scaled gradient \sum_w \alpha_w |a_w - b| / (s b): 0 at a maximum, free of units."""
    slope, _ = slopes(levels, alpha)
    s = alpha.sum()
    b = length_slope(s, levels.lengths, levels.number)
    return (alpha * np.abs(slope - b)).sum() / (s * b)


@numba.njit(cache=True)
def fixed_point_step(levels: Levels, alpha: np.ndarray, damping: float) -> np.ndarray:
    """Return Minka's fixed point alpha_w a_w / b (his equation 55): never lowers the likelihood, needs no damping."""
    slope, _ = slopes(levels, alpha)
    return alpha * slope / length_slope(alpha.sum(), levels.lengths, levels.number)


@numba.njit(cache=True)
def newton_step(levels: Levels, alpha: np.ndarray, damping: float) -> np.ndarray:
    """Return Newton's step with the Hessian diag(a') + z 1 1^T inverted in O(W) (Minka's equations 60 to 64).

    No parameter falls below a tenth of its value in one step, which keeps all positive.
    """
    slope, curvature = slopes(levels, alpha)
    s = alpha.sum()
    g = slope - length_slope(s, levels.lengths, levels.number)
    z = length_curvature(s, levels.lengths, levels.number)
    shift = -(g / curvature).sum() / (1.0 / z - (1.0 / curvature).sum())
    return np.maximum(alpha + damping * (g - shift) / curvature, 0.1 * alpha)


@numba.njit(cache=True)
def profile_point(levels: Levels, alpha: np.ndarray, multiplier: float) -> np.ndarray:
    r"""Return \alpha with a_w(\alpha_w) = \lambda for every word, by Newton's method on 1/a_w started at ``alpha``.

    1/a_w is concave for whole counts, so that the iteration rises to the root from any point below it.  T_1/\lambda
    is such a point, since a_w >= T_1/\alpha (times x_1 where a count lies between 0 and 1).
    """
    root = np.empty(len(alpha))
    for k in range(len(alpha)):
        first = levels.start[k]
        floor = levels.tail[first] * min(levels.count[first], 1.0) / multiplier
        value = max(alpha[k], floor)
        if levels.start[k + 1] == first + 1 and levels.count[first] == 1.0:
            value = floor
        else:
            for _ in range(MAX_INNER):
                slope, curvature = _slope(levels, k, value)
                trial = max(value + slope * (slope / multiplier - 1.0) / curvature, floor)
                moved = abs(trial - value)
                value = trial
                if moved <= 1e-13 * value:
                    break
        root[k] = value
    return root


@numba.njit(cache=True)
def profile_step(levels: Levels, alpha: np.ndarray, damping: float) -> np.ndarray:
    r"""Return the next profile point: one Newton step on log \lambda for b(s(\lambda)) = \lambda."""
    slope, curvature = slopes(levels, alpha)
    s = alpha.sum()
    b = length_slope(s, levels.lengths, levels.number)
    z = length_curvature(s, levels.lengths, levels.number)
    multiplier = (alpha * slope).sum() / s
    # d log b / d log lambda = z / b * lambda * sum_w 1 / (-a_w'); below 1 where the profile likelihood is concave.
    growth = multiplier * z / b * (1.0 / curvature).sum()
    rise = np.log(b / multiplier)
    step = rise / (1.0 - growth) if growth < 1.0 else np.sign(rise)
    limit = np.log(LARGEST_STEP)
    return profile_point(levels, alpha, multiplier * np.exp(damping * min(max(step, -limit), limit)))


@numba.njit(cache=True)
def leave_one_out_likelihood(levels: Levels, alpha: np.ndarray) -> float:
    r"""Return Minka's leave-one-out log-likelihood \sum_d \sum_w x_dw log[(x_dw - 1 + \alpha_w) / (n_d - 1 + s)]."""
    total = 0.0
    for k in range(len(alpha)):
        for i in range(levels.start[k], levels.start[k + 1]):
            above = levels.tail[i + 1] if i + 1 < levels.start[k + 1] else 0.0
            x = levels.count[i]
            total += (levels.tail[i] - above) * x * np.log(x - 1.0 + alpha[k])
    s = alpha.sum()
    for k in range(len(levels.lengths)):
        n = levels.lengths[k]
        total -= levels.number[k] * n * np.log(n - 1.0 + s)
    return total


@numba.njit(cache=True)
def _leave_one_out_slopes(levels: Levels, alpha: np.ndarray) -> tuple[np.ndarray, float]:
    """Return sum_d x_dw / (x_dw - 1 + alpha_w) of every word and sum_d n_d / (n_d - 1 + s)."""
    slope = np.zeros(len(alpha))
    for k in range(len(alpha)):
        for i in range(levels.start[k], levels.start[k + 1]):
            above = levels.tail[i + 1] if i + 1 < levels.start[k + 1] else 0.0
            x = levels.count[i]
            slope[k] += (levels.tail[i] - above) * x / (x - 1.0 + alpha[k])
    return slope, (levels.number * levels.lengths / (levels.lengths - 1.0 + alpha.sum())).sum()


@numba.njit(cache=True)
def leave_one_out_step(levels: Levels, alpha: np.ndarray, damping: float) -> np.ndarray:
    """Return Minka's leave-one-out fixed point (his equation 65): no digamma, its own likelihood never falls."""
    slope, b = _leave_one_out_slopes(levels, alpha)
    return alpha * slope / b


@numba.njit(cache=True)
def leave_one_out_certificate(levels: Levels, alpha: np.ndarray) -> float:
    """Return the scaled gradient of the leave-one-out likelihood (see `certificate`)."""
    slope, b = _leave_one_out_slopes(levels, alpha)
    return (alpha * np.abs(slope - b)).sum() / (alpha.sum() * b)
