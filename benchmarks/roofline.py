"""The machine's limit for a call: bytes by the measured bandwidth, operations by the measured peak of one core.

Source: S. Williams, A. Waterman and D. Patterson, Roofline, CACM 2009.  The limit is the longer one of two times: that
in which one core moves the bytes that the call must move at least once, and that in which it does the operations on
floating-point numbers that the method needs.  A share near 1 says that no other program could be much faster.  A small
share says that the time goes elsewhere: branches, waits for memory at random places, or steps of an iteration, of which
only the first is counted.  Numbers of single precision count half.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

#: Smallest and largest array that is moved, as powers of 2 in bytes; rows of the matrices that are multiplied.
SMALLEST, LARGEST, ROWS = 17, 28, 768


class Work(NamedTuple):
    """The least work of a call: bytes to move, and operations on floating-point numbers."""

    bytes: float = 0.0
    operations: float = 0.0


def reading(*parts: Any, times: float = 1.0, operations: float = 0.0) -> Work:
    """Return the work of reading arrays, CSR matrices and lists of texts some times, with a number of operations."""
    return Work(times * sum(map(_bytes, parts)), operations)


def _bytes(part: Any) -> float:
    """Return the bytes of an array, a CSR matrix or a list of texts."""
    if isinstance(part, list):
        return float(sum(len(text.encode()) for text in part))
    arrays = (part.data, part.indices, part.indptr) if sparse.issparse(part) else (part,)
    return float(sum(array.nbytes for array in arrays))


def products(X: sparse.csr_array, queries: sparse.csr_array) -> float:
    """Return the operations of all inner products of documents (N, V) and queries (Q, V), both sparse."""
    cells = [np.bincount(part.indices, minlength=X.shape[1]).astype(np.float64) for part in (X, queries)]
    return 2.0 * float(cells[0] @ cells[1])


@functools.cache
def bandwidth(power: int) -> float:
    """Return the bytes a second of an array of 2**power bytes, read by a dot product or moved by a copy."""
    values, times = np.ones(2**power // 8), max(1, 2 ** (22 - power))
    other = values.copy()
    read = _shortest(lambda: [values @ values for _ in range(times)])
    copy = _shortest(lambda: [np.copyto(other, values) for _ in range(times)])
    return times * max(values.nbytes / read, 2 * values.nbytes / copy)


@functools.cache
def peak() -> float:
    """Return the operations a second of a product of matrices."""
    square = np.ones((ROWS, ROWS))
    return 2.0 * ROWS**3 / _shortest(lambda: square @ square)


def _shortest(call: Callable[[], object]) -> float:
    """Return the shortest time of five calls, seconds of this thread."""
    seconds = []
    for _ in range(5):
        start = time.thread_time()
        call()
        seconds.append(time.thread_time() - start)
    return min(seconds)


def limit_seconds(work: Work) -> float:
    """Return the least seconds of one core; data that a cache holds are judged by the cache."""
    power = min(max(int(work.bytes).bit_length() - 1, SMALLEST), LARGEST)
    return max(work.bytes / bandwidth(power), work.operations / peak())
