r"""Logarithm of the rising factorial and its first two derivatives: the gamma function in DCM and EDCM.

Both models contain the gamma function only as the ratio \Gamma(a + x) / \Gamma(a) (EDCM paper, equations 1 to 4):

    log_rising(a, x)      log \Gamma(a + x) - log \Gamma(a)
    polygamma_rise(a, x)  its first derivative in a,       \Psi(a + x) - \Psi(a)   = \sum_j 1 / (a + j)    for whole x
                          minus its second derivative,     \Psi'(a) - \Psi'(a + x) = \sum_j 1 / (a + j)^2
    rising(a, x)          all three, faster than the two functions together

The sums run over j = 0, ..., x - 1.  The difference is taken term by term, which avoids the cancellation of
\Psi(s + n) - \Psi(s) for large s.  For small whole x it is the finite sum.  Else the recurrence raises both arguments
above `LIFT`, and the asymptotic series (Abramowitz & Stegun 6.1.40, 6.3.18, 6.4.12) are subtracted term by term.
Relative error below 1e-13; for `log_rising` it is relative to the larger of 1 and the value, which has a zero.
"""

from __future__ import annotations

import numpy as np

from textmix.numerics.jit import njit

#: Above this argument seven terms of the asymptotic series are exact to double precision.
LIFT = 10.0
#: Whole x up to this are summed directly.
DIRECT = 16.0
#: Below this argument the direct product of `DIRECT` factors cannot overflow.
HUGE = 1e18


@njit
def _log_gamma_tail(z: float) -> float:
    """Return the tail of log Gamma(z) = (z - 1/2) log z - z + log(2 pi)/2 + tail, for z >= LIFT."""
    t = 1.0 / (z * z)
    t6 = t * (-691.0 / 360360.0 + t / 156.0)
    return (1.0 / 12.0 + t * (-1.0 / 360.0 + t * (1.0 / 1260.0 + t * (-1.0 / 1680.0 + t * (1.0 / 1188.0 + t6))))) / z


@njit
def _digamma_tail(z: float) -> float:
    """Return the tail of Psi(z) = log z - 1/(2z) - tail, for z >= LIFT."""
    t = 1.0 / (z * z)
    t6 = t * (-691.0 / 32760.0 + t / 12.0)
    return t * (1.0 / 12.0 + t * (-1.0 / 120.0 + t * (1.0 / 252.0 + t * (-1.0 / 240.0 + t * (1.0 / 132.0 + t6)))))


@njit
def digamma(z: float) -> float:
    """Return Psi(z) for z > 0; the error is below 1e-14, relative to the larger of 1 and the value."""
    lifted = 0.0
    while z < LIFT:
        lifted += 1.0 / z
        z += 1.0
    return np.log(z) - 0.5 / z - _digamma_tail(z) - lifted


@njit
def _trigamma_tail(z: float) -> float:
    """Return the tail of Psi'(z) = 1/z + 1/(2 z^2) + tail, for z >= LIFT."""
    t = 1.0 / (z * z)
    t6 = t * (-691.0 / 2730.0 + t * 7.0 / 6.0)
    series = 1.0 / 6.0 + t * (-1.0 / 30.0 + t * (1.0 / 42.0 + t * (-1.0 / 30.0 + t * (5.0 / 66.0 + t6))))
    return t * series / z


@njit
def log_rising(a: float, x: float) -> float:
    """Return log Gamma(a + x) - log Gamma(a) for a > 0, x >= 0."""
    if x <= DIRECT and a < HUGE and x == np.floor(x):
        product = 1.0
        for j in range(np.int64(x)):
            product *= a + j
        return np.log(product)
    ratio = 1.0
    while a < LIFT:
        ratio *= 1.0 + x / a
        a += 1.0
    b = a + x
    return (
        (a - 0.5) * np.log1p(x / a) + x * (np.log(b) - 1.0) + (_log_gamma_tail(b) - _log_gamma_tail(a)) - np.log(ratio)
    )


@njit
def polygamma_rise(a: float, x: float) -> tuple[float, float]:
    """Return Psi(a + x) - Psi(a) and Psi'(a) - Psi'(a + x) for a > 0, x >= 0."""
    first = 0.0
    second = 0.0
    if x <= DIRECT and x == np.floor(x):
        for j in range(np.int64(x)):
            term = 1.0 / (a + j)
            first += term
            second += term * term
        return first, second
    while a < LIFT:
        b = a + x
        term = x / (a * b)
        first += term
        second += term * (1.0 / a + 1.0 / b)
        a += 1.0
    b = a + x
    term = x / (a * b)
    first += np.log1p(x / a) + 0.5 * term + (_digamma_tail(a) - _digamma_tail(b))
    half = 0.5 * term * (1.0 / a + 1.0 / b)
    second += term + half + (_trigamma_tail(a) - _trigamma_tail(b))
    return first, second


@njit
def rising(a: float, x: float) -> tuple[float, float, float]:
    """Return `log_rising` and both numbers of `polygamma_rise` for a > 0, x >= 0, with one division for each term."""
    product = 1.0
    first = 0.0
    second = 0.0
    if x <= DIRECT and a < HUGE and x == np.floor(x):
        for j in range(np.int64(x)):
            term = 1.0 / (a + j)
            product *= a + j
            first += term
            second += term * term
        return np.log(product), first, second
    while a < LIFT:
        b = a + x
        inverse = 1.0 / (a * b)
        product *= a * (a * inverse)
        first += x * inverse
        second += x * inverse * ((a + b) * inverse)
        a += 1.0
    b = a + x
    inverse = 1.0 / (a * b)
    term = x * inverse
    half = 0.5 * term * ((a + b) * inverse)
    rise = np.log1p(x / a)
    value = (a - 0.5) * rise + x * (np.log(b) - 1.0) + (_log_gamma_tail(b) - _log_gamma_tail(a)) + np.log(product)
    first += rise + 0.5 * term + (_digamma_tail(a) - _digamma_tail(b))
    second += term + half + (_trigamma_tail(a) - _trigamma_tail(b))
    return value, first, second


@njit
def trigamma(a: float) -> float:
    """Return Psi'(a) for a > 0."""
    value = 0.0
    while a < LIFT:
        value += 1.0 / (a * a)
        a += 1.0
    return value + 1.0 / a + 0.5 / (a * a) + _trigamma_tail(a)


@njit
def log_rising_table(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return log_rising(a[c], x[k]) for a (C,) and x (K,), float64 (K, C): the length terms of a set of classes."""
    table = np.empty((len(x), len(a)))
    for k in range(len(x)):
        for c in range(len(a)):
            table[k, c] = log_rising(a[c], x[k])
    return table
