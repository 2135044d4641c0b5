r"""Training of Parametric Mixture Models: one EM step over counts gathered by label set (PMM paper, section 3).

A page with label set y draws its words from \phi(y) = \sum_l c_l(y) \theta_l with

    c_l(y) = (2 / |y|^2) \sum_{m in y} \alpha_lm,    \sum_l c_l(y) = 1,

which is equation (4) of PMM2 with its double sum done, and PMM1's h_l = 1 / |y| where all \alpha are 1/2.  \phi depends
on a page through its label set only, so pages of the same set are added up before the first step.  A set of one label
gives its counts to that label whatever \theta is.  The sets of several labels form a `SetLayout`.  A parameter
\theta_li is stored for each pair of label l and word i that occur on one page.  All other words of a label have one
common value, which the prior gives.

Symbols: label l, m; word i; label set s; x_si counts; V words, L labels, S label sets of several labels, M members of
these sets, K stored parameters; \xi, \zeta prior exponents.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from textmix.numerics.jit import njit

#: Number of probabilities that are multiplied before one logarithm is taken of the product.  A smoothed probability is
#: above 1e-38 (xi - 1 is at least 1e-16 and the words fewer than 1e22), so the product does not underflow.
CHUNK = 8
#: A running product that would fall below this is replaced by its logarithm.
SMALL = 1e-300


class SetLayout(NamedTuple):
    """The counts of S label sets of several labels each, as an EM step reads them.

    The M members are the labels of all sets, one set after the other; a label is a member once in each of its sets.

    Parameters
    ----------
    start : int64 (S + 1,); the words of label set s are ``start[s]:start[s + 1]`` of ``x``.
    x : float64 (start[S],); counts x_si, increasing within a set.
    member_start : int64 (S + 1,); the members of set s are ``member_start[s]:member_start[s + 1]``.
    label : int32 (M,); label of each member.
    slot_start : int64 (M + 1,); the parameters of member j, one for each word of its set, are
        ``slot[slot_start[j]:slot_start[j + 1]]``.
    slot : int32 (slot_start[M],); index of the parameter of each member and word.
    support : int64 (L + 1,); the parameters of label l are ``support[l]:support[l + 1]``.
    weight : float64 (K,); the word's count on pages that have the label alone, plus xi - 1; increasing within a label.
    fixed : float64 (L,); the constant part of a label's normaliser: words of the pages with it alone + V (xi - 1).
    """

    start: np.ndarray
    x: np.ndarray
    member_start: np.ndarray
    label: np.ndarray
    slot_start: np.ndarray
    slot: np.ndarray
    support: np.ndarray
    weight: np.ndarray
    fixed: np.ndarray


@njit
def place_slots(layout: SetLayout, words: np.ndarray, parameter_words: np.ndarray, n_words: int) -> None:
    """Fill ``layout.slot``, the parameter of every word of each member.

    ``words``, int32 (start[S],), are those of ``layout.x``, ``parameter_words``, int32 (K,), those of the parameters.
    """
    place = np.empty((len(layout.fixed), n_words), dtype=np.int32)
    for label in range(len(layout.fixed)):
        for k in range(layout.support[label], layout.support[label + 1]):
            place[label, parameter_words[k]] = k
    for s in range(len(layout.start) - 1):
        for j in range(layout.member_start[s], layout.member_start[s + 1]):
            for i in range(layout.start[s + 1] - layout.start[s]):
                layout.slot[layout.slot_start[j] + i] = place[layout.label[j], words[layout.start[s] + i]]


@njit
def label_weights(layout: SetLayout, alpha: np.ndarray) -> np.ndarray:
    r"""Return c_l(y) = (2 / |y|^2) \sum_{m in y} \alpha_lm of every member, float64 (M,)."""
    c = np.empty(len(layout.label))
    for s in range(len(layout.start) - 1):
        first = layout.member_start[s]
        last = layout.member_start[s + 1]
        for j in range(first, last):
            total = 0.0
            for m in range(first, last):
                total += alpha[layout.label[j], layout.label[m]]
            c[j] = 2.0 * total / ((last - first) * (last - first))
    return c


@njit
def chunk_product(values: np.ndarray, weights: np.ndarray, start: int) -> tuple[float, int]:
    """Return the product of up to `CHUNK` values of equal weight from index ``start`` on, and the index after them."""
    end = min(start + CHUNK, len(values))
    if end == start + CHUNK and weights[end - 1] == weights[start]:
        # Two chains of products, since one would wait for each result; the weights increase, so all eight are equal.
        even = values[start]
        odd = values[start + 1]
        for k in range(start + 2, end, 2):
            even *= values[k]
            odd *= values[k + 1]
        return even * odd, end
    product = values[start]
    k = start + 1
    while k < end and weights[k] == weights[start]:
        product *= values[k]
        k += 1
    return product, k


@njit
def weighted_log_sum(values: np.ndarray, weights: np.ndarray) -> float:
    """Return sum_i weights_i log(values_i); values of equal weight are multiplied before one logarithm is taken.

    The values are positive, the weights in non-decreasing order, float64 (n,) each.
    """
    total = 0.0
    product = 1.0
    weight = 0.0
    i = 0
    while i < len(values):
        following = weights[i]
        factor, i = chunk_product(values, weights, i)
        if following != weight or product * factor < SMALL:
            total += weight * np.log(product)
            product = factor
            weight = following
        else:
            product *= factor
    return total + weight * np.log(product)


@njit
def parameter_log_sum(layout: SetLayout, theta: np.ndarray) -> float:
    """Return sum_k weight_k log theta_k: the part of J that comes from the prior and from pages of one label."""
    total = 0.0
    for label in range(len(layout.fixed)):
        own = slice(layout.support[label], layout.support[label + 1])
        total += weighted_log_sum(theta[own], layout.weight[own])
    return total


@njit
def _add_share(slot: np.ndarray, c: float, theta: np.ndarray, phi: np.ndarray) -> None:
    """Add c theta_i, the part of one label in phi_i, to ``phi`` for every word i of a set."""
    for i in range(len(slot)):
        phi[i] += c * theta[slot[i]]


@njit
def _collect(slot: np.ndarray, c: float, theta: np.ndarray, ratio: np.ndarray, gain: np.ndarray) -> float:
    """Add c x_i / phi_i to ``gain`` at one label's parameters; return sum_i theta_i times ``ratio``, x_i / phi_i."""
    mass = 0.0
    for i in range(len(slot)):
        gain[slot[i]] += c * ratio[i]
        mass += theta[slot[i]] * ratio[i]
    return mass


@njit
def expectation(layout: SetLayout, c: np.ndarray, theta: np.ndarray, gain: np.ndarray, mass: np.ndarray) -> float:
    r"""E-step: return the log-likelihood \sum_s \sum_i x_si log \phi_si of the pages of several labels, equation (16).

    ``c``, float64 (M,), are the weights of `label_weights`.  ``gain``, (K,), is overwritten by \sum_s c_sl x_si /
    \phi_si, which times \theta_li is the expected count; ``mass``, (M,), by R_sl = \sum_i x_si \theta_li / \phi_si.
    """
    gain[:] = 0.0
    total = 0.0
    longest = 0
    for s in range(len(layout.start) - 1):
        longest = max(longest, layout.start[s + 1] - layout.start[s])
    room = np.empty(longest)
    for s in range(len(layout.start) - 1):
        x = layout.x[layout.start[s] : layout.start[s + 1]]
        phi = room[: len(x)]
        phi[:] = 0.0
        for j in range(layout.member_start[s], layout.member_start[s + 1]):
            _add_share(layout.slot[layout.slot_start[j] : layout.slot_start[j + 1]], c[j], theta, phi)
        total += weighted_log_sum(phi, x)
        for i in range(len(x)):
            phi[i] = x[i] / phi[i]
        for j in range(layout.member_start[s], layout.member_start[s + 1]):
            mass[j] = _collect(layout.slot[layout.slot_start[j] : layout.slot_start[j + 1]], c[j], theta, phi, gain)
    return total


@njit
def update_theta(layout: SetLayout, c: np.ndarray, gain: np.ndarray, mass: np.ndarray, theta: np.ndarray) -> np.ndarray:
    r"""M-step, equations (16) and (21): \theta_li <- [expected count + \xi - 1] / [sum of the counts + V (\xi - 1)].

    ``c``, ``gain`` and ``mass`` as of `expectation`; ``theta``, (K,), is changed.  The result, (L,), is 1 / the
    normaliser of each label; theta of a word that is not stored is (\xi - 1) times it.
    """
    normaliser = layout.fixed.copy()
    for j in range(len(layout.label)):
        normaliser[layout.label[j]] += c[j] * mass[j]
    scale = 1.0 / normaliser
    for label in range(len(scale)):
        for k in range(layout.support[label], layout.support[label + 1]):
            theta[k] = (layout.weight[k] + theta[k] * gain[k]) * scale[label]
    return scale


@njit
def update_alpha(layout: SetLayout, mass: np.ndarray, zeta: float, alpha: np.ndarray) -> None:
    r"""M-step, equation (17), in place off the diagonal of alpha; two labels that never occur together get 1/2.

    With B_lm = \alpha_lm \sum_s R_sl / |s|^2 over the sets s that hold l and m, ``mass`` R_sl of `expectation`, the
    update is \alpha_lm <- [B_lm + (\zeta - 1) / 2] / [B_lm + B_ml + \zeta - 1].
    """
    n_labels = len(alpha)
    shared = np.zeros((n_labels, n_labels))
    for s in range(len(layout.start) - 1):
        first = layout.member_start[s]
        last = layout.member_start[s + 1]
        for j in range(first, last):
            for m in range(first, last):
                shared[layout.label[j], layout.label[m]] += mass[j] / ((last - first) * (last - first))
    for row in range(n_labels):
        for column in range(row):
            one = alpha[row, column] * shared[row, column] + 0.5 * (zeta - 1.0)
            other = alpha[column, row] * shared[column, row] + 0.5 * (zeta - 1.0)
            alpha[row, column] = one / (one + other)
            alpha[column, row] = other / (one + other)
