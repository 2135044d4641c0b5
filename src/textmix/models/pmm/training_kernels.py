r"""Training of Parametric Mixture Models: one EM step over counts gathered by label set (PMM paper, section 3).

A page with label set y draws its words from \phi(y) = \sum_l c_l(y) \theta_l with

    c_l(y) = (2 / |y|^2) \sum_{m in y} \alpha_lm,    \sum_l c_l(y) = 1,

which is equation (4) of PMM2 with its double sum done, and PMM1's h_l = 1 / |y| where all \alpha are 1/2.  \phi depends
on a page through its label set only, so pages of the same set are added up before the first step; a set of one label
gives its counts to that label whatever \theta is.  What is left is a plan (`Plan`) whose parameters are the pairs of
word and label that occur together; all other words of a label share one value, the prior's.

Symbols: label l, m; word i; label set s; x_si counts; V words, L labels, K parameters; \xi, \zeta prior exponents.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from textmix.core.jit import njit

#: So many probabilities are multiplied at once and one logarithm is taken of the product.  A smoothed probability is
#: above 1e-38 (xi - 1 is at least 1e-16 and the words fewer than 1e22), so that the product does not underflow.
CHUNK = 8
#: Products of chunks stay above this.
SMALL = 1e-300


class Plan(NamedTuple):
    """What an EM step reads.  Members are the labels of the sets, one set after the other.

    Parameters
    ----------
    start : int64 (S + 1,); the words of label set s are ``start[s]:start[s + 1]`` of ``x``.
    x : float64; counts x_si of a set's words, rising.
    member_start : int64 (S + 1,); the members of set s are ``member_start[s]:member_start[s + 1]``.
    label : int32 (M,); label of each member.
    slot_start : int64 (M + 1,); the parameters of a member, one a word, are ``slot_start[j]:slot_start[j + 1]``.
    slot : int32; parameter of each member and word.
    support : int64 (L + 1,); the parameters of label l are ``support[l]:support[l + 1]``.
    weight : float64 (K,); counts of pages with that label alone plus xi - 1, rising within a label.
    fixed : float64 (L,); what does not change of the normaliser of a label: words of pages with it alone + V (xi - 1).
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
def place_slots(plan: Plan, words: np.ndarray, parameter_words: np.ndarray, n_words: int) -> None:
    """Fill ``plan.slot``: where each word of a member's label set is among the parameters of its label.

    Parameters
    ----------
    plan : all but ``slot`` filled.
    words : int32; word of each entry of ``plan.x``.
    parameter_words : int32 (K,); word of each parameter.
    n_words : V.
    """
    place = np.empty((len(plan.fixed), n_words), dtype=np.int32)
    for label in range(len(plan.fixed)):
        for k in range(plan.support[label], plan.support[label + 1]):
            place[label, parameter_words[k]] = k
    for s in range(len(plan.start) - 1):
        for j in range(plan.member_start[s], plan.member_start[s + 1]):
            for i in range(plan.start[s + 1] - plan.start[s]):
                plan.slot[plan.slot_start[j] + i] = place[plan.label[j], words[plan.start[s] + i]]


@njit
def label_weights(plan: Plan, alpha: np.ndarray) -> np.ndarray:
    r"""Return c_l(y) = (2 / |y|^2) \sum_{m in y} \alpha_lm of every member, float64 (M,)."""
    c = np.empty(len(plan.label))
    for s in range(len(plan.start) - 1):
        first, last = plan.member_start[s], plan.member_start[s + 1]
        for j in range(first, last):
            total = 0.0
            for m in range(first, last):
                total += alpha[plan.label[j], plan.label[m]]
            c[j] = 2.0 * total / ((last - first) * (last - first))
    return c


@njit
def chunk_product(values: np.ndarray, weights: np.ndarray, start: int) -> tuple[float, int]:
    """Return the product of up to `CHUNK` values of equal weight from ``start`` on, and where it ends."""
    end = min(start + CHUNK, len(values))
    if end == start + CHUNK and weights[end - 1] == weights[start]:
        # Two chains of products, since one would wait for each result; the weights rise, so all eight are equal.
        even, odd = values[start], values[start + 1]
        for k in range(start + 2, end, 2):
            even *= values[k]
            odd *= values[k + 1]
        return even * odd, end
    product, k = values[start], start + 1
    while k < end and weights[k] == weights[start]:
        product *= values[k]
        k += 1
    return product, k


@njit
def weighted_log_sum(values: np.ndarray, weights: np.ndarray) -> float:
    """Return sum_i weights_i log(values_i) for rising weights, with a logarithm only where a product gets small."""
    total, product, weight, i = 0.0, 1.0, 0.0, 0
    while i < len(values):
        following = weights[i]
        factor, i = chunk_product(values, weights, i)
        if following != weight or product * factor < SMALL:
            total += weight * np.log(product)
            product, weight = factor, following
        else:
            product *= factor
    return total + weight * np.log(product)


@njit
def parameter_log_sum(plan: Plan, theta: np.ndarray) -> float:
    """Return sum_k weight_k log theta_k: the part of J of the prior and of the pages of one label."""
    total = 0.0
    for label in range(len(plan.fixed)):
        own = slice(plan.support[label], plan.support[label + 1])
        total += weighted_log_sum(theta[own], plan.weight[own])
    return total


@njit
def _add_share(slot: np.ndarray, c: float, theta: np.ndarray, phi: np.ndarray) -> None:
    """Add one label's part c theta_i to phi_i."""
    for i in range(len(slot)):
        phi[i] += c * theta[slot[i]]


@njit
def _collect(slot: np.ndarray, c: float, theta: np.ndarray, ratio: np.ndarray, gain: np.ndarray) -> float:
    """Add c x_i / phi_i to the gain of one label's parameters and return sum_i theta_i x_i / phi_i."""
    mass = 0.0
    for i in range(len(slot)):
        gain[slot[i]] += c * ratio[i]
        mass += theta[slot[i]] * ratio[i]
    return mass


@njit
def expectation(plan: Plan, c: np.ndarray, theta: np.ndarray, gain: np.ndarray, mass: np.ndarray) -> float:
    r"""E-step: the expected counts of equation (16) over theta, and the log-likelihood of the pages of several labels.

    Parameters
    ----------
    plan, c : the pages and their label weights.
    theta : float64 (K,).
    gain : float64 (K,), overwritten by \sum_s c_sl x_si / \phi_si; times \theta_li it is the expected count.
    mass : float64 (M,), overwritten by R_sl = \sum_i x_si \theta_li / \phi_si.
    """
    gain[:] = 0.0
    total = 0.0
    longest = 0
    for s in range(len(plan.start) - 1):
        longest = max(longest, plan.start[s + 1] - plan.start[s])
    room = np.empty(longest)
    for s in range(len(plan.start) - 1):
        x = plan.x[plan.start[s] : plan.start[s + 1]]
        phi = room[: len(x)]
        phi[:] = 0.0
        for j in range(plan.member_start[s], plan.member_start[s + 1]):
            _add_share(plan.slot[plan.slot_start[j] : plan.slot_start[j + 1]], c[j], theta, phi)
        total += weighted_log_sum(phi, x)
        for i in range(len(x)):
            phi[i] = x[i] / phi[i]
        for j in range(plan.member_start[s], plan.member_start[s + 1]):
            mass[j] = _collect(plan.slot[plan.slot_start[j] : plan.slot_start[j + 1]], c[j], theta, phi, gain)
    return total


@njit
def update_theta(plan: Plan, c: np.ndarray, gain: np.ndarray, mass: np.ndarray, theta: np.ndarray) -> np.ndarray:
    r"""M-step, equations (16) and (21): \theta_li <- [expected count + \xi - 1] / [their sum + V (\xi - 1)], in place.

    Returns
    -------
    scale : float64 (L,); 1 / the normaliser, so that the words outside a label's support have (xi - 1) scale_l.
    """
    normaliser = plan.fixed.copy()
    for j in range(len(plan.label)):
        normaliser[plan.label[j]] += c[j] * mass[j]
    scale = 1.0 / normaliser
    for label in range(len(scale)):
        for k in range(plan.support[label], plan.support[label + 1]):
            theta[k] = (plan.weight[k] + theta[k] * gain[k]) * scale[label]
    return scale


@njit
def update_alpha(plan: Plan, mass: np.ndarray, zeta: float, alpha: np.ndarray) -> None:
    r"""M-step, equation (17), in place; pairs that never occur together keep 1/2.

    With B_lm = \alpha_lm \sum_s R_sl / |s|^2 the update is [B_lm + (\zeta - 1) / 2] / [B_lm + B_ml + \zeta - 1].
    """
    n_labels = len(alpha)
    shared = np.zeros((n_labels, n_labels))
    for s in range(len(plan.start) - 1):
        first, last = plan.member_start[s], plan.member_start[s + 1]
        for j in range(first, last):
            for m in range(first, last):
                shared[plan.label[j], plan.label[m]] += mass[j] / ((last - first) * (last - first))
    for row in range(n_labels):
        for column in range(row):
            one = alpha[row, column] * shared[row, column] + 0.5 * (zeta - 1.0)
            other = alpha[column, row] * shared[column, row] + 0.5 * (zeta - 1.0)
            alpha[row, column] = one / (one + other)
            alpha[column, row] = other / (one + other)
