r"""The Dirichlet compound multinomial of one class: its likelihood, Minka's steps, a faster one of ours, and scores.

EDCM paper, equation (1); estimators of T. Minka, "Estimating a Dirichlet distribution" (2000).  For the documents d of
one class, with s = \sum_w \alpha_w and without the multinomial coefficients,

    l(\alpha) = \sum_w A_w(\alpha_w) - \sum_d [log \Gamma(s + n_d) - log \Gamma(s)]
    A_w(\alpha) = \sum_d [log \Gamma(x_dw + \alpha) - log \Gamma(\alpha)]
                = \sum_i T_wi [log \Gamma(x_i + \alpha) - log \Gamma(x_{i-1} + \alpha)]

where x_0 = 0 < x_1 < x_2 ... are the distinct counts of word w and T_wi the number (weight) of documents that hold it
at least x_i times.  A word costs as many terms as it has distinct counts, mostly one, however many documents there are,
and words with the same counts are handled once (`textmix.models.dirichlet.level_kernels`).

Symbols: a_w = A_w', falling from infinity to 0; b(s) = \sum_d [\Psi(s + n_d) - \Psi(s)].  The gradient is a_w - b.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from textmix.core.jit import njit
from textmix.models.common.prefetch_kernels import prefetch_row
from textmix.models.common.special_kernels import log_rising, rising
from textmix.models.dirichlet.length_kernels import length_slope

#: One step changes log s by no more than this.
LARGEST_SHIFT = 2.0
MAX_INNER = 60
#: Whole counts up to this are scored by products, larger ones by `log_rising`.
PRODUCT = 128
#: Rows of the table of parameters filled at a time: they stay in the cache next to the core.
BLOCK = 128
# Steps divide as NumPy does: where the likelihood is flat they give nan, which the climb refuses.
#: Powers of two that a running product may move from 1; a double has 1022.
SAFE = 900.0


class Levels(NamedTuple):
    """What the likelihood of one class depends on.

    Parameters
    ----------
    copies : float64 (K,), the number of words in each group of words with the same levels and so the same parameter.
    start : int64 (K + 1,); the levels of the k-th group are ``start[k]:start[k + 1]``.
    level, tail : float64; distinct counts x_i of a word, rising, and T_i, the weight of documents with at least x_i.
    lengths, number : float64; distinct positive document lengths, rising, and the weight of documents of each.
    """

    copies: np.ndarray
    start: np.ndarray
    level: np.ndarray
    tail: np.ndarray
    lengths: np.ndarray
    number: np.ndarray


class State(NamedTuple):
    r"""An objective and its derivatives at one alpha.

    Parameters
    ----------
    value : the log-likelihood.
    slope, curvature : a_w and -a_w', of a word of each group, float64 (K,).
    b, z : b(s) and -b'(s).
    gradient : \sum_w \alpha_w |a_w - b| / (s b), the scaled gradient: 0 at a maximum, free of units.
    """

    value: float
    slope: np.ndarray
    curvature: np.ndarray
    b: float
    z: float
    gradient: float


@njit
def total(levels: Levels, alpha: np.ndarray) -> float:
    """Return s, the sum of the parameters of all words; alpha has one of each group."""
    return (levels.copies * alpha).sum()


@njit
def _state(
    value: float, levels: Levels, alpha: np.ndarray, slope: np.ndarray, curvature: np.ndarray, b: float, z: float
) -> State:
    """Add the scaled gradient to its parts."""
    gradient = (levels.copies * alpha * np.abs(slope - b)).sum() / (total(levels, alpha) * b)
    return State(value, slope, curvature, b, z, gradient)


@njit
def evaluate(levels: Levels, alpha: np.ndarray) -> State:
    """Return l(alpha), equation (1) without the multinomial coefficients, and its derivatives."""
    slope, curvature = np.zeros(len(alpha)), np.zeros(len(alpha))
    value = 0.0
    for k in range(len(alpha)):
        rise, below = 0.0, 0.0
        for i in range(levels.start[k], levels.start[k + 1]):
            a, gap, tail = alpha[k] + below, levels.level[i] - below, levels.tail[i]
            gain, first, second = rising(a, gap)
            rise += tail * gain
            slope[k] += tail * first
            curvature[k] += tail * second
            below = levels.level[i]
        value += levels.copies[k] * rise
    s = total(levels, alpha)
    b, z, below, longer = 0.0, 0.0, 0.0, levels.number.sum()
    for k in range(len(levels.lengths)):
        rise, first, second = rising(s + below, levels.lengths[k] - below)
        value -= longer * rise
        b += longer * first
        z += longer * second
        below = levels.lengths[k]
        longer -= levels.number[k]
    return _state(value, levels, alpha, slope, curvature, b, z)


@njit
def evaluate_leave_one_out(levels: Levels, alpha: np.ndarray) -> State:
    r"""Return Minka's leave-one-out log-likelihood and its derivatives.

    \sum_d \sum_w x_dw log[(x_dw - 1 + \alpha_w) / (n_d - 1 + s)], for whole counts.
    """
    slope, curvature = np.zeros(len(alpha)), np.zeros(len(alpha))
    value = 0.0
    for k in range(len(alpha)):
        for i in range(levels.start[k], levels.start[k + 1]):
            above = levels.tail[i + 1] if i + 1 < levels.start[k + 1] else 0.0
            a, tokens = levels.level[i] - 1.0 + alpha[k], (levels.tail[i] - above) * levels.level[i]
            value += levels.copies[k] * tokens * np.log(a)
            slope[k] += tokens / a
            curvature[k] += tokens / (a * a)
    rest = levels.lengths - 1.0 + total(levels, alpha)
    mass = levels.number * levels.lengths
    value -= (mass * np.log(rest)).sum()
    return _state(value, levels, alpha, slope, curvature, (mass / rest).sum(), (mass / (rest * rest)).sum())


@njit
def fixed_point_step(levels: Levels, alpha: np.ndarray, state: State, damping: float) -> np.ndarray:
    """Return Minka's fixed point alpha_w a_w / b (his equations 55 and 65), which never lowers its likelihood."""
    return alpha * state.slope / state.b


@njit(error_model="numpy")
def newton_step(levels: Levels, alpha: np.ndarray, state: State, damping: float) -> np.ndarray:
    """Return Newton's step with the Hessian diag(a') + z 1 1^T inverted in O(W) (Minka's equations 60 to 64).

    No parameter falls below a tenth of its value in one step, which keeps all positive.
    """
    g = state.slope - state.b
    weight = levels.copies / state.curvature
    shift = (weight * g).sum() / (weight.sum() - 1.0 / state.z)
    return np.maximum(alpha + damping * (g - shift) / state.curvature, 0.1 * alpha)


@njit(error_model="numpy")
def solve_sum(P: float, Q: float, s: float, lengths: np.ndarray, number: np.ndarray) -> float:
    """Return the root s of b(s) = P / (s + Q), sought from ``s`` by Newton's method on log s within `LARGEST_SHIFT`."""
    t = 0.0
    for _ in range(MAX_INNER):
        trial = s * np.exp(t)
        b, z = length_slope(trial, lengths, number)
        rise = np.log(P / ((trial + Q) * b))
        # Where the right side falls faster than b there is no maximum nearby, only a direction.
        gradient = trial / (trial + Q) - trial * z / b
        step = rise / gradient if gradient > 0.0 else np.sign(rise)
        moved = min(max(t + step, -LARGEST_SHIFT), LARGEST_SHIFT) - t
        t += moved
        if abs(moved) <= 1e-6:
            break
    return s * np.exp(t)


@njit
def start_alpha(levels: Levels) -> np.ndarray:
    r"""Return \alpha_w = T_w1 / b(s) with s their sum: the maximum if no word were repeated (EDCM, equation 4)."""
    alpha = levels.tail[levels.start[:-1]]
    words = total(levels, alpha)
    s = solve_sum(words, 0.0, words / levels.number.sum(), levels.lengths, levels.number)
    return alpha * (s / words)


@njit(error_model="numpy")
def reciprocal_step(levels: Levels, alpha: np.ndarray, state: State, damping: float) -> np.ndarray:
    r"""Return Newton's step on the reciprocals 1/a_w, with b(s) left as it is.

    At the maximum all a_w(\alpha_w) equal one number \lambda = b(s).  1/a_w is close to a straight line through zero
    (exactly one for a word that is never repeated), so that to second order the root of a_w = \lambda is
    \alpha_w + (a_w / -a_w') (a_w / \lambda - 1), and the sum of the roots is s = P / \lambda - Q.  That leaves one
    equation, b(s) = P / (s + Q), over the histogram of lengths.  T_w1 / \lambda (times x_1 for a first count below 1)
    bounds each root from below and keeps it positive.
    """
    P, Q = 0.0, 0.0
    for k in range(len(alpha)):
        scale = state.slope[k] / state.curvature[k]
        P += levels.copies[k] * scale * state.slope[k]
        Q += levels.copies[k] * (scale - alpha[k])
    inverse = (solve_sum(P, Q, total(levels, alpha), levels.lengths, levels.number) + Q) / P
    result = np.empty(len(alpha))
    for k in range(len(alpha)):
        first = levels.start[k]
        bound = levels.tail[first] * min(levels.level[first], 1.0) * inverse
        root = alpha[k] + state.slope[k] / state.curvature[k] * (state.slope[k] * inverse - 1.0)
        result[k] = alpha[k] + damping * (max(root, bound) - alpha[k])
    return result


@njit
def spread(words: np.ndarray, alpha: np.ndarray, starts: np.ndarray, added: np.ndarray, table: np.ndarray) -> None:
    """Set ``table[w, c]`` to ``added[c]``, plus alpha where the word occurs in the class.

    Parameters
    ----------
    words, alpha : words and their parameters, of one class after the other, the words of each rising.
    starts : int64 (C + 1,); the words of the c-th class are ``words[starts[c]:starts[c + 1]]``.
    table : float64 (V, C).
    """
    place = starts[:-1].copy()
    for first in range(0, len(table), BLOCK):
        last = min(first + BLOCK, len(table))
        for w in range(first, last):
            table[w] = added
        for c in range(len(place)):
            k = place[c]
            while k < starts[c + 1] and words[k] < last:
                table[words[k], c] += alpha[k]
                k += 1
            place[c] = k


@njit
def _digits(least: float, most: float) -> np.ndarray:
    r"""Return, for x = 0 .. PRODUCT, how many powers of two x factors \alpha + j may move a product."""
    digits = np.zeros(PRODUCT + 1)
    for j in range(PRODUCT):
        digits[j + 1] = digits[j] + max(abs(np.log2(least + j)), abs(np.log2(most + j)))
    return digits


@njit
def _take_logarithm(product: np.ndarray, score: np.ndarray) -> None:
    """Move the logarithms of running products to the scores."""
    for c in range(len(product)):
        score[c] += np.log(product[c])
        product[c] = 1.0


@njit
def dcm_scores(
    indptr: np.ndarray,
    indices: np.ndarray,
    data: np.ndarray,
    alpha: np.ndarray,
    bounds: tuple[float, float],
    score: np.ndarray,
) -> np.ndarray:
    r"""Add \sum_w [log \Gamma(x_dw + \alpha_wc) - log \Gamma(\alpha_wc)] of equation (1) to ``score[d, c]``.

    A count x contributes the factors \alpha + j, j < x.  They are multiplied up and the logarithm is taken of the
    product before it can leave the range of a double, one for every fifty factors or so instead of one each.

    Parameters
    ----------
    alpha : (V, C).
    bounds : smallest positive and largest entry of ``alpha``.

    Returns
    -------
    length : n_d, float64 (N,).
    """
    n_classes = score.shape[1]
    digits = _digits(*bounds)
    product = np.ones(n_classes)
    length = np.zeros(len(indptr) - 1)
    for d in range(len(length)):
        used, n = 0.0, 0.0
        for i in range(indptr[d], indptr[d + 1]):
            prefetch_row(alpha, indices, i)
            x, w = data[i], indices[i]
            n += x
            if x <= PRODUCT and x == np.floor(x) and digits[np.int64(x)] <= SAFE:
                used += digits[np.int64(x)]
                if used > SAFE:
                    _take_logarithm(product, score[d])
                    used = digits[np.int64(x)]
                # The first two factors without a branch, which would be foretold wrongly for every fifth cell.
                second = 1.0 if x > 1 else 0.0
                for c in range(n_classes):
                    product[c] *= alpha[w, c] * (second * alpha[w, c] + 1.0)
                for j in range(2, np.int64(x)):
                    for c in range(n_classes):
                        product[c] *= alpha[w, c] + j
            else:
                for c in range(n_classes):
                    score[d, c] += log_rising(alpha[w, c], np.float64(x)) if alpha[w, c] > 0 else -np.inf
        _take_logarithm(product, score[d])
        length[d] = n
    return length
