"""The search directions of L-BFGS for many problems at once.

Source: D. C. Liu and J. Nocedal, Mathematical Programming 45, 1989 (two-loop recursion).
"""

from __future__ import annotations

import numpy as np

from textmix.numerics.jit import njit

#: Products up to this are taken for 0: they have lost digits, and their inverse may be infinite.
LEAST = 1e-290


@njit
def column_dots(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Return the inner product of each column of A with the same column of B, float64 (n,), for A and B (P, n)."""
    total = np.zeros(A.shape[1])
    for j in range(A.shape[0]):
        for b in range(A.shape[1]):
            total[b] += A[j, b] * B[j, b]
    return total


@njit
def lbfgs_direction(  # noqa: PLR0912 - the two loops
    gradient: np.ndarray, steps: np.ndarray, changes: np.ndarray, order: np.ndarray, inverse: np.ndarray
) -> np.ndarray:
    """Return the L-BFGS direction -H g of every problem, float64 (P, B), by the two-loop recursion.

    ``steps`` and ``changes``, float64 (m, P, B), are the last steps s and changes of the gradient y; ``order`` has the
    places in use from the oldest pair to the newest.  A problem skips a pair with s'y <= `LEAST`.  ``inverse``, float64
    (P, B), positive, is the diagonal D of the inverse Hessian that the recursion starts from; each problem scales it by
    s'y / y'Dy of its newest pair, where both are larger than `LEAST`.
    """
    size, count = gradient.shape[1], len(order)
    q = gradient.copy()
    rho, alpha = np.zeros((count, size)), np.zeros((count, size))
    scale = np.ones(size)
    for place in range(count - 1, -1, -1):
        s, y = steps[order[place]], changes[order[place]]
        product = column_dots(s, y)
        dot = column_dots(s, q)
        for b in range(size):
            if product[b] > LEAST:
                rho[place, b] = 1.0 / product[b]
                alpha[place, b] = rho[place, b] * dot[b]
        for j in range(q.shape[0]):
            for b in range(size):
                q[j, b] -= alpha[place, b] * y[j, b]
        if place == count - 1:
            norm = np.zeros(size)
            for j in range(q.shape[0]):
                for b in range(size):
                    norm[b] += y[j, b] * inverse[j, b] * y[j, b]
            for b in range(size):
                if product[b] > LEAST and norm[b] > LEAST:
                    scale[b] = product[b] / norm[b]
    for j in range(q.shape[0]):
        for b in range(size):
            q[j, b] *= scale[b] * inverse[j, b]
    for place in range(count):
        s, y = steps[order[place]], changes[order[place]]
        dot = column_dots(y, q)
        for j in range(q.shape[0]):
            for b in range(size):
                q[j, b] += (alpha[place, b] - rho[place, b] * dot[b]) * s[j, b]
    return -q
