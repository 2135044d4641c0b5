"""Roofline model: lower bound of a call from its memory traffic and operations, and the machine's measured limits.

Source: S. Williams, A. Waterman and D. Patterson, Roofline, CACM 2009.  The bound is the maximum of two times of one
core: to move the bytes that the call must move at least once, and to execute the floating-point operations that the
method requires.  A fraction near 1 means that no implementation can be much faster.  A small fraction means that time
is spent elsewhere: on branches, random memory access, or iterations after the first one, which do not count.
Single-precision numbers count half.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

#: Smallest and largest array for bandwidth, as log2 of bytes; number of rows of the multiplied matrices.
SMALLEST, LARGEST, ROWS = 17, 28, 768


class Work(NamedTuple):
    """Minimum work of a call: bytes to move, and floating-point operations."""

    bytes: float = 0.0
    operations: float = 0.0


def reading(*parts: Any, times: float = 1.0, operations: float = 0.0) -> Work:
    """Return the work of reading arrays, CSR matrices and lists of texts ``times`` times, plus some operations."""
    return Work(times * sum(map(_bytes, parts)), operations)


def _bytes(part: Any) -> float:
    """Return the size of an array, a CSR matrix or a list of texts in bytes."""
    if isinstance(part, list):
        return float(sum(len(text.encode()) for text in part))
    arrays = (part.data, part.indices, part.indptr) if sparse.issparse(part) else (part,)
    return float(sum(array.nbytes for array in arrays))


def products(X: sparse.csr_array, queries: sparse.csr_array) -> float:
    """Count the operations of all inner products of sparse documents (N, V) and queries (Q, V)."""
    cells = [np.bincount(part.indices, minlength=X.shape[1]).astype(np.float64) for part in (X, queries)]
    return 2.0 * float(cells[0] @ cells[1])


@functools.cache
def bandwidth(power: int) -> float:
    """Measure the bandwidth in bytes per second for arrays of 2**power bytes, by dot product and copy."""
    values, times = np.ones(2**power // 8), max(1, 2 ** (22 - power))
    other = values.copy()
    read = _shortest(lambda: [values @ values for _ in range(times)])
    copy = _shortest(lambda: [np.copyto(other, values) for _ in range(times)])
    return times * max(values.nbytes / read, 2 * values.nbytes / copy)


@functools.cache
def peak() -> float:
    """Measure the floating-point operations per second of a matrix product."""
    square = np.ones((ROWS, ROWS))
    return 2.0 * ROWS**3 / _shortest(lambda: square @ square)


def _shortest(call: Callable[[], object]) -> float:
    """Return the minimum time of five calls, in seconds of this thread."""
    seconds = []
    for _ in range(5):
        start = time.thread_time()
        call()
        seconds.append(time.thread_time() - start)
    return min(seconds)


def limit_seconds(work: Work) -> float:
    """Return the lower bound in seconds for one core, with the bandwidth of the cache level that fits the data."""
    power = min(max(int(work.bytes).bit_length() - 1, SMALLEST), LARGEST)
    return max(work.bytes / bandwidth(power), work.operations / peak())
