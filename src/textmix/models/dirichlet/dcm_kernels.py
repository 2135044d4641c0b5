r"""Kernels of the Dirichlet compound multinomial of one class: likelihood, Minka's and our own update steps, scores.

EDCM paper, equation (1); estimators of T. Minka, "Estimating a Dirichlet distribution" (2000).  For the documents d of
one class, with s = \sum_w \alpha_w and without the multinomial coefficients,

    l(\alpha) = \sum_w A_w(\alpha_w) - \sum_d [log \Gamma(s + n_d) - log \Gamma(s)]
    A_w(\alpha) = \sum_d [log \Gamma(x_dw + \alpha) - log \Gamma(\alpha)]
                = \sum_i T_wi [log \Gamma(x_i + \alpha) - log \Gamma(x_{i-1} + \alpha)]

where x_0 = 0 < x_1 < x_2 ... are the distinct counts of word w and T_wi is the number (weight) of documents that
contain it at least x_i times.  A word contributes one term per distinct count, usually a single one, regardless of the
number of documents.  Words with the same tail counts are evaluated once (`textmix.models.dirichlet.tail_kernels`).

Symbols: a_w = A_w', which decreases from infinity to 0; b(s) = \sum_d [\Psi(s + n_d) - \Psi(s)].
The gradient is a_w - b; z = -b'(s).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from textmix.models.common.special_kernels import log_rising, rising
from textmix.models.dirichlet.length_kernels import length_derivatives
from textmix.numerics.basic_kernels import copy_into, taken, total_of
from textmix.numerics.jit import njit
from textmix.numerics.prefetch_kernels import prefetch_row

#: Maximum change of log s in one call of `solve_sum`.
LARGEST_SHIFT = 2.0
#: Maximum number of Newton steps of `solve_sum`.
MAX_INNER = 60
#: Integer counts up to this are scored by products, larger ones by `log_rising`.
PRODUCT = 128
#: Number of rows of the parameter table that are filled at a time, chosen so that they stay in the L1 cache.
BLOCK = 128
#: Maximum binary exponent, of either sign, of a running product; a double allows 1022.
SAFE = 900.0
# Steps are compiled with NumPy's division semantics.  Where the likelihood is flat, a step divides by 0 and yields nan;
# the comparison of objectives in `textmix.models.dirichlet.dcm` then rejects the step.


class TailCounts(NamedTuple):
    """Sufficient statistics of one class; words with equal tail counts form one of K groups.

    Parameters
    ----------
    copies : ndarray of shape (K,), float64
        Number of words in each group, which have the same parameter.
    start : ndarray of shape (K + 1,), int64
        The entries of group k in ``counts`` and ``tail`` are ``start[k]:start[k + 1]``.
    counts : ndarray of shape (start[K],), float64
        Distinct counts x_i of a word of the group, increasing.
    tail : ndarray of shape (start[K],), float64
        T_i, the weight of the documents that contain the word at least x_i times.
    lengths : ndarray of shape (H,), float64
        Distinct positive document lengths in words, increasing.
    number : ndarray of shape (H,), float64
        Weight of the documents of each length.
    """

    copies: np.ndarray
    start: np.ndarray
    counts: np.ndarray
    tail: np.ndarray
    lengths: np.ndarray
    number: np.ndarray


class Derivatives(NamedTuple):
    r"""An objective (log-likelihood in nats) and its derivatives at one alpha.

    Parameters
    ----------
    value : float
        Objective.
    word_gradient, word_curvature : ndarray of shape (K,), float64
        a_w and -a_w' of a word of each group.
    length_gradient, length_curvature : float
        b(s) and -b'(s).
    scaled_gradient : float
        \sum_w \alpha_w |a_w - b| / (s b), dimensionless; 0 at a maximum.
    """

    value: float
    word_gradient: np.ndarray
    word_curvature: np.ndarray
    length_gradient: float
    length_curvature: float
    scaled_gradient: float


@njit
def total(tails: TailCounts, alpha: np.ndarray) -> float:
    """Compute s, the sum of the parameters of all words; ``alpha``, float64 (K,), has one parameter per group."""
    s = 0.0
    for k in range(len(alpha)):
        s += tails.copies[k] * alpha[k]
    return s


@njit
def _point(
    value: float,
    tails: TailCounts,
    alpha: np.ndarray,
    word_gradient: np.ndarray,
    word_curvature: np.ndarray,
    b: float,
    z: float,
) -> Derivatives:
    """Compute the scaled gradient and return the complete point."""
    distance = 0.0
    for k in range(len(alpha)):
        distance += tails.copies[k] * alpha[k] * abs(word_gradient[k] - b)
    return Derivatives(value, word_gradient, word_curvature, b, z, distance / (total(tails, alpha) * b))


@njit
def evaluate(tails: TailCounts, alpha: np.ndarray) -> Derivatives:
    """Compute l(alpha), equation (1) without multinomial coefficients, and its derivatives, for alpha > 0 (K,)."""
    gradient = np.zeros(len(alpha))
    curvature = np.zeros(len(alpha))
    value = 0.0
    for k in range(len(alpha)):
        log_ratio = 0.0
        below = 0.0
        for i in range(tails.start[k], tails.start[k + 1]):
            a = alpha[k] + below
            gap = tails.counts[i] - below
            tail = tails.tail[i]
            gain, first, second = rising(a, gap)
            log_ratio += tail * gain
            gradient[k] += tail * first
            curvature[k] += tail * second
            below = tails.counts[i]
        value += tails.copies[k] * log_ratio
    s = total(tails, alpha)
    b = 0.0
    z = 0.0
    below = 0.0
    longer = total_of(tails.number)
    for k in range(len(tails.lengths)):
        log_ratio, first, second = rising(s + below, tails.lengths[k] - below)
        value -= longer * log_ratio
        b += longer * first
        z += longer * second
        below = tails.lengths[k]
        longer -= tails.number[k]
    return _point(value, tails, alpha, gradient, curvature, b, z)


@njit
def evaluate_leave_one_out(tails: TailCounts, alpha: np.ndarray) -> Derivatives:
    r"""Compute Minka's leave-one-out log-likelihood and its derivatives, for integer counts.

    \sum_d \sum_w x_dw log[(x_dw - 1 + \alpha_w) / (n_d - 1 + s)]
    """
    gradient = np.zeros(len(alpha))
    curvature = np.zeros(len(alpha))
    value = 0.0
    for k in range(len(alpha)):
        for i in range(tails.start[k], tails.start[k + 1]):
            above = tails.tail[i + 1] if i + 1 < tails.start[k + 1] else 0.0
            a = tails.counts[i] - 1.0 + alpha[k]
            tokens = (tails.tail[i] - above) * tails.counts[i]
            value += tails.copies[k] * tokens * np.log(a)
            gradient[k] += tokens / a
            curvature[k] += tokens / (a * a)
    rest = tails.lengths - 1.0 + total(tails, alpha)
    mass = tails.number * tails.lengths
    value -= (mass * np.log(rest)).sum()
    return _point(value, tails, alpha, gradient, curvature, (mass / rest).sum(), (mass / (rest * rest)).sum())


@njit
def fixed_point_step(tails: TailCounts, alpha: np.ndarray, point: Derivatives, damping: float) -> np.ndarray:
    """Compute Minka's fixed-point update alpha_w a_w / b (his equations 55 and 65); it never decreases the objective.

    ``damping`` is not used.
    """
    return alpha * point.word_gradient / point.length_gradient


@njit(error_model="numpy")
def newton_step(tails: TailCounts, alpha: np.ndarray, point: Derivatives, damping: float) -> np.ndarray:
    """Compute Newton's update with the Hessian diag(a') + z 1 1^T inverted in O(K) (Minka's equations 60 to 64).

    No parameter decreases to less than a tenth, so all stay positive.  ``damping`` is the fraction of the full step.
    """
    g = point.word_gradient - point.length_gradient
    weight = tails.copies / point.word_curvature
    shift = (weight * g).sum() / (weight.sum() - 1.0 / point.length_curvature)
    return np.maximum(alpha + damping * (g - shift) / point.word_curvature, 0.1 * alpha)


@njit(error_model="numpy")
def solve_sum(P: float, Q: float, s: float, lengths: np.ndarray, number: np.ndarray) -> float:
    """Solve b(s) = P / (s + Q), see `reciprocal_step`, starting from ``s`` > 0, by Newton's method on log s.

    log s changes by at most `LARGEST_SHIFT`; if the root is farther away, the result is clipped to that limit.
    """
    t = 0.0
    for _ in range(MAX_INNER):
        trial = s * np.exp(t)
        b, z = length_derivatives(trial, lengths, number)
        residual = np.log(P / ((trial + Q) * b))
        # Where the right side decreases faster than b, no maximum is nearby; the step then only sets a direction.
        gradient = trial / (trial + Q) - trial * z / b
        step = residual / gradient if gradient > 0.0 else np.sign(residual)
        moved = min(max(t + step, -LARGEST_SHIFT), LARGEST_SHIFT) - t
        t += moved
        if abs(moved) <= 1e-6:
            break
    return s * np.exp(t)


@njit
def start_alpha(tails: TailCounts) -> np.ndarray:
    r"""Compute \alpha_w = T_w1 / b(s), with s their sum: the maximum if no word were repeated (EDCM, equation 4)."""
    alpha = taken(tails.tail, tails.start[:-1])
    words = total(tails, alpha)
    s = solve_sum(words, 0.0, words / total_of(tails.number), tails.lengths, tails.number)
    for k in range(len(alpha)):
        alpha[k] *= s / words
    return alpha


@njit(error_model="numpy")
def reciprocal_step(tails: TailCounts, alpha: np.ndarray, point: Derivatives, damping: float) -> np.ndarray:
    r"""Compute Newton's update of the reciprocals 1/a_w at fixed b(s); ``damping`` is the fraction of the full step.

    At the maximum all a_w(\alpha_w) equal a common value \lambda = b(s).  1/a_w is nearly proportional to \alpha_w
    (exactly so for a word that is never repeated), so that to second order the root of a_w = \lambda is
    \alpha_w + (a_w / -a_w') (a_w / \lambda - 1), and the sum of the roots is s = P / \lambda - Q.  One
    equation over the histogram of lengths remains, b(s) = P / (s + Q).  T_w1 / \lambda (times x_1 for a first count
    below 1) bounds each root from below and keeps it positive.
    """
    P = 0.0
    Q = 0.0
    for k in range(len(alpha)):
        scale = point.word_gradient[k] / point.word_curvature[k]
        P += tails.copies[k] * scale * point.word_gradient[k]
        Q += tails.copies[k] * (scale - alpha[k])
    inverse = (solve_sum(P, Q, total(tails, alpha), tails.lengths, tails.number) + Q) / P
    result = np.empty(len(alpha))
    for k in range(len(alpha)):
        first = tails.start[k]
        bound = tails.tail[first] * min(tails.counts[first], 1.0) * inverse
        root = alpha[k] + point.word_gradient[k] / point.word_curvature[k] * (point.word_gradient[k] * inverse - 1.0)
        result[k] = alpha[k] + damping * (max(root, bound) - alpha[k])
    return result


@njit
def fill_table(words: np.ndarray, alpha: np.ndarray, starts: np.ndarray, added: np.ndarray, table: np.ndarray) -> None:
    """Set ``table[w, c]``, float64 (V, C), to ``added[c]``, plus alpha where the word occurs in the class.

    ``words`` and ``alpha``, (n,), are grouped by class: the words of class c, ``starts[c]:starts[c + 1]``, increase.
    """
    place = starts[:-1].copy()
    for first in range(0, len(table), BLOCK):
        last = min(first + BLOCK, len(table))
        for w in range(first, last):
            copy_into(table[w], added)
        for c in range(len(place)):
            k = place[c]
            while k < starts[c + 1] and words[k] < last:
                table[words[k], c] += alpha[k]
                k += 1
            place[c] = k


@njit
def _digits(least: float, most: float) -> np.ndarray:
    r"""Bound the change of a product's binary exponent by x factors \alpha + j, for x = 0 .. PRODUCT, float64."""
    digits = np.zeros(PRODUCT + 1)
    for j in range(PRODUCT):
        digits[j + 1] = digits[j] + max(abs(np.log2(least + j)), abs(np.log2(most + j)))
    return digits


@njit
def _take_logarithm(product: np.ndarray, score: np.ndarray) -> None:
    """Add the logarithms of running products, float64 (C,), to the scores (C,) and reset the products to 1."""
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
    r"""Add \sum_w [log \Gamma(x_dw + \alpha_wc) - log \Gamma(\alpha_wc)], equation (1), to ``score[d, c]``; return n_d.

    A count x contributes the factors \alpha + j, j < x.  They are multiplied, and the logarithm of the product is
    computed before the product can leave the range of a double: about once every fifty factors.  ``alpha`` is float64
    (V, C); ``bounds`` contains its smallest positive and its largest entry; n_d is float64 (N,).
    """
    n_classes = score.shape[1]
    digits = _digits(*bounds)
    product = np.ones(n_classes)
    length = np.zeros(len(indptr) - 1)
    for d in range(len(length)):
        used = 0.0
        n = 0.0
        for i in range(indptr[d], indptr[d + 1]):
            prefetch_row(alpha, indices, i)
            x = data[i]
            w = indices[i]
            n += x
            if x <= PRODUCT and x == np.floor(x) and digits[np.int64(x)] <= SAFE:
                used += digits[np.int64(x)]
                if used > SAFE:
                    _take_logarithm(product, score[d])
                    used = digits[np.int64(x)]
                # The first two factors are branch-free, since the branch would be mispredicted for every fifth nonzero.
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
