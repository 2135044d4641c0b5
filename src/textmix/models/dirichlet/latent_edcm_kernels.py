r"""Steps of the latent-topic EDCM; the derivation is in `textmix.models.dirichlet.latent_edcm`.

Symbols: \theta_dk proportion of topic k in document d, \beta_wk parameters of topic k, s_k their sum, n_d document
length, M_d number of distinct words, r_dwk = \theta_dk \beta_wk / \sum_j \theta_dj \beta_wj, R_dk = \sum_w r_dwk.
"""

from __future__ import annotations

import math

import numpy as np

from textmix.models.common.special_kernels import log_rising, polygamma_rise, trigamma
from textmix.numerics.basic_kernels import copy_into
from textmix.numerics.jit import njit

#: A running product of probabilities is replaced by its logarithm when it falls below this value.
SMALL = 1e-250
#: Parameters below this are set to 0, which is their limit: arithmetic with denormal numbers is slow.
VANISHED = 1e-100
#: A topic with less than this fraction of a document's words is treated as empty.
WORDLESS = 1e-12
#: Maximum number of Newton steps of `_mix`.
MAX_NEWTON = 100
#: A natural gradient step is halved only while it is longer than this fraction of the full step.
SHORTEST = 1e-4


@njit
def sweep(
    indptr: np.ndarray,
    indices: np.ndarray,
    weight: np.ndarray,
    beta: np.ndarray,
    share: np.ndarray,
    table: np.ndarray,
) -> float:
    r"""Set share[d, k] = R_dk and table[w, k] = \sum_d r_dwk; return \sum_d \sum_w log \sum_k weight_dk beta_wk.

    ``weight``, float64 (N, K), is \theta, or in its place exp(E log \theta); ``beta`` is float64 (V, K).
    """
    # r_dwk is never formed: beta_wk / total is accumulated in ``share`` and weight_dk / total in ``table``.  The
    # missing factors are multiplied in at the end.  The four running sums are independent of each other.
    table[:] = 0.0
    n_topics = beta.shape[1]
    fours = n_topics // 4 * 4
    mixed = np.empty(n_topics)
    row = np.empty(n_topics)
    value = 0.0
    for d in range(len(indptr) - 1):
        product = 1.0
        copy_into(mixed, weight[d])
        row[:] = 0.0
        for i in range(indptr[d], indptr[d + 1]):
            w = indices[i]
            a = 0.0
            b = 0.0
            c = 0.0
            e = 0.0
            for k in range(0, fours, 4):
                a += mixed[k] * beta[w, k]
                b += mixed[k + 1] * beta[w, k + 1]
                c += mixed[k + 2] * beta[w, k + 2]
                e += mixed[k + 3] * beta[w, k + 3]
            for k in range(fours, n_topics):
                a += mixed[k] * beta[w, k]
            total = (a + b) + (c + e)
            product *= total
            if product < SMALL:
                value += np.log(product)
                product = 1.0
            inverse = 1.0 / total
            for k in range(n_topics):
                row[k] += inverse * beta[w, k]
            for k in range(n_topics):
                table[w, k] += inverse * mixed[k]
        value += np.log(product)
        for k in range(n_topics):
            share[d, k] = row[k] * mixed[k]
    table *= beta
    return value


@njit
def length_terms(concentration: np.ndarray, lengths: np.ndarray, gradient: np.ndarray) -> float:
    r"""Set gradient[d] = \Psi(s_d + n_d) - \Psi(s_d); return \sum_d log \Gamma(s_d) - log \Gamma(s_d + n_d)."""
    value = 0.0
    for d in range(len(lengths)):
        gradient[d] = polygamma_rise(concentration[d], lengths[d])[0]
        value -= log_rising(concentration[d], lengths[d])
    return value


@njit
def _below(share: float, cost: float, shift: float) -> float:
    r"""Compute \lambda + cost_k, at least R_k; return R_k if it is lost to rounding next to a much larger cost."""
    below = shift + cost
    return below if below > 0.0 else share


@njit
def _mix(share: np.ndarray, cost: np.ndarray, mixture: np.ndarray) -> None:
    r"""Set the mixture that maximises \sum_k R_k log \theta_k - \sum_k \theta_k cost_k on the simplex.

    \theta_k = R_k / (\lambda + cost_k), where \lambda makes their sum h(\lambda) = 1, is found by Newton's method on
    1 / h, which is concave and nearly linear, so that steps from the left do not overshoot the root.
    \lambda is at least -cost_k for each empty topic.  Where that bound is active, the cheapest empty topic receives the
    remaining proportion.
    """
    total = share.sum()
    dearest = cost[0]
    if total == 0:
        return
    for k in range(1, len(cost)):
        dearest = max(dearest, cost[k])
    floor = -np.inf
    idle = -1
    shift = total - dearest
    for k in range(len(share)):
        if share[k] > WORDLESS * total:
            shift = max(shift, share[k] - cost[k])
        elif -cost[k] > floor:
            floor = -cost[k]
            idle = k
    for _ in range(MAX_NEWTON):
        value = 0.0
        curvature = 0.0
        for k in range(len(share)):
            if share[k] > WORDLESS * total:
                below = _below(share[k], cost[k], shift)
                value += share[k] / below
                curvature += share[k] / (below * below)
        step = value * (value - 1.0) / curvature
        shift += step
        if step <= 1e-14 * (abs(shift) + 1.0):
            break
    shift = max(shift, floor)
    rest = 1.0
    for k in range(len(share)):
        mixture[k] = share[k] / _below(share[k], cost[k], shift) if share[k] > WORDLESS * total else 0.0
        rest -= mixture[k]
    if shift == floor:
        mixture[idle] = max(rest, 0.0)
    mixture /= mixture.sum()


@njit
def mix_documents(share: np.ndarray, gradient: np.ndarray, concentration: np.ndarray, mixture: np.ndarray) -> None:
    r"""Update \theta of every document, ``mixture`` (N, K), with cost_k = b_d s_k (`_mix`), except empty documents.

    ``share`` (N, K) is R_dk, ``gradient`` (N,) b_d, ``concentration`` (K,) s_k, all float64.
    """
    for d in range(len(share)):
        _mix(share[d], gradient[d] * concentration, mixture[d])


@njit
def _bound(gamma: np.ndarray, share: np.ndarray, prior: float, concentration: np.ndarray, length: float) -> float:
    """Compute the contribution of one document's Dirichlet distribution to the lower bound, see `latent_edcm`."""
    total = gamma.sum()
    mean = 0.0
    value = 0.0
    for k in range(len(gamma)):
        expected_log = -polygamma_rise(gamma[k], total - gamma[k])[0]
        value += (share[k] + prior - gamma[k]) * expected_log + math.lgamma(gamma[k])
        mean += gamma[k] * concentration[k] / total
    return value - math.lgamma(total) - log_rising(mean, length)


@njit
def natural_steps(
    gamma: np.ndarray, share: np.ndarray, prior: float, concentration: np.ndarray, lengths: np.ndarray
) -> int:
    r"""Update ``gamma`` (N, K) along its natural gradient without decreasing the bound of any document.

    The full step leads to \eta + R - b_d F^{-1} (s - E s) / \gamma_0, with the Fisher information matrix F =
    diag(\Psi'(\gamma)) - \Psi'(\gamma_0) 1 1^T.  It is halved until the bound does not decrease, and no \gamma_k
    decreases to less than a tenth of its value.  ``share`` (N, K) is R_dk, ``concentration`` (K,) s_k.  Return the
    number of documents for which the step was halved or skipped.
    """
    shortened = 0
    n_topics = gamma.shape[1]
    if n_topics == 1:
        # With a single topic the proportion is always 1, so any gamma yields the same model.
        for d in range(len(gamma)):
            gamma[d, 0] = prior + share[d, 0]
        return 0
    push = np.empty(n_topics)
    candidate = np.empty(n_topics)
    for d in range(len(gamma)):
        total = gamma[d].sum()
        mean = (gamma[d] * concentration).sum() / total
        gradient = polygamma_rise(mean, lengths[d])[0]
        across = 0.0
        inverse_trace = 0.0
        for k in range(n_topics):
            inverse = 1.0 / trigamma(gamma[d, k])
            push[k] = inverse * (concentration[k] - mean) / total
            across += push[k]
            inverse_trace += inverse
        correction = across * trigamma(total) / (1.0 - trigamma(total) * inverse_trace)
        old = _bound(gamma[d], share[d], prior, concentration, lengths[d])
        length = 1.0
        moved = False
        while length > SHORTEST and not moved:
            for k in range(n_topics):
                goal = prior + share[d, k] - gradient * (push[k] + correction / trigamma(gamma[d, k]))
                candidate[k] = max(gamma[d, k] + length * (goal - gamma[d, k]), 0.1 * gamma[d, k])
            moved = _bound(candidate, share[d], prior, concentration, lengths[d]) >= old
            length *= 0.5
        if moved:
            copy_into(gamma[d], candidate)
        shortened += length < 0.5
    return shortened


@njit
def expected_weights(gamma: np.ndarray, weight: np.ndarray) -> None:
    r"""Set weight[d, k] = exp(E log \theta_dk) of documents with Dirichlet parameters gamma[d], (N, K)."""
    for d in range(len(gamma)):
        total = gamma[d].sum()
        for k in range(gamma.shape[1]):
            weight[d, k] = np.exp(-polygamma_rise(gamma[d, k], total - gamma[d, k])[0])


@njit
def divergence(gamma: np.ndarray, prior: float) -> float:
    """Compute the sum over the documents of KL(Dirichlet(gamma_d) || Dirichlet(prior, ..., prior))."""
    n_topics = gamma.shape[1]
    value = len(gamma) * (n_topics * math.lgamma(prior) - math.lgamma(n_topics * prior))
    for d in range(len(gamma)):
        total = gamma[d].sum()
        value += math.lgamma(total)
        for k in range(n_topics):
            expected_log = -polygamma_rise(gamma[d, k], total - gamma[d, k])[0]
            value += (gamma[d, k] - prior) * expected_log - math.lgamma(gamma[d, k])
    return value
