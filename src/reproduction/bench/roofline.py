"""The machine's limit for a line of the bench: bytes by the measured bandwidth, operations by the measured peak.

Source: S. Williams, A. Waterman and D. Patterson, Roofline: an insightful visual performance model, CACM 2009.  The
limit of a call is the longer one of two times: that in which one core moves the bytes that the call must move at least
once, and that in which it does the operations on floating-point numbers that the method needs.  A share near 1 says
that no other program could be much faster.  A small share says that the time goes elsewhere: branches, waits for memory
at random places, functions that are dear, or steps of an iteration, of which only the first is counted.

Each suite counts its least work from the shapes of its arrays and the numbers of their stored cells:

- what reads texts or files moves their bytes once;
- a fit reads its counts once, and a fit with prediction twice (`reading`); linear scores of C classes take a
  multiplication and an addition for each stored cell and class, a gradient twice as many;
- cosines of sparse documents take both for each pair of documents and each word that they share (`products`);
- where a method says how often it repeats (sweeps, epochs, states, coordinates), each repetition counts;
- numbers of single precision count half, for a core does twice as many a second.

The bandwidth is that of an array as large as what is moved, so that data which a cache holds are judged by the cache.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

#: Smallest and largest array that is moved, as powers of 2 in bytes; rows of the square matrices that are multiplied.
SMALLEST, LARGEST, ROWS = 17, 28, 768
#: Text in place of a limit where there is none.
NOT_TIMED, OF_MEMORY = "not timed", "a ratio of memory, not of time"
#: Times that each is measured; the shortest counts.
TIMES = 5


class Work(NamedTuple):
    """The least work of a call: bytes to move, and operations on floating-point numbers."""

    bytes: float = 0.0
    operations: float = 0.0


#: Work, or the reason why it is not known.
Known = Work | str


class Limits(NamedTuple):
    """The speed of one core of the machine, a second: bytes moved, and operations on floating-point numbers."""

    bandwidth: float
    peak: float


def measured_limits(moved: float) -> Limits:
    """Return the limits of one core for a call that moves some bytes; each is measured once a process."""
    return Limits(_bandwidth(min(max(int(moved).bit_length() - 1, SMALLEST), LARGEST)), _peak())


@functools.cache
def _bandwidth(power: int) -> float:
    """Return the bytes a second of an array of 2**power bytes: those read by a dot product, or moved by a copy."""
    values, times = np.ones(2**power // 8), max(1, 2 ** (22 - power))
    other = values.copy()

    def read() -> None:
        """Read the array."""
        for _ in range(times):
            values @ values

    def copy() -> None:
        """Read the array and write another one."""
        for _ in range(times):
            np.copyto(other, values)

    with threadpool_limits(1):
        return times * max(values.nbytes / _shortest(read), 2 * values.nbytes / _shortest(copy))


@functools.cache
def _peak() -> float:
    """Return the operations a second of a product of matrices."""
    square = np.ones((ROWS, ROWS))
    with threadpool_limits(1):
        return 2.0 * ROWS**3 / _shortest(lambda: square @ square)


def _shortest(call: Callable[[], object]) -> float:
    """Return the shortest time of a few calls, seconds of this thread: other processes do not lengthen it."""
    seconds = []
    for _ in range(TIMES):
        start = time.thread_time()
        call()
        seconds.append(time.thread_time() - start)
    return min(seconds)


def bytes_of(*parts: Any) -> float:
    """Return the bytes of arrays and of CSR matrices."""
    return float(
        sum(
            part.data.nbytes + part.indices.nbytes + part.indptr.nbytes if sparse.issparse(part) else part.nbytes
            for part in parts
        )
    )


def reading(*parts: Any, times: float = 1.0, operations: float = 0.0) -> Work:
    """Return the work of reading arrays and CSR matrices some times, with a number of operations."""
    return Work(times * bytes_of(*parts), operations)


def products(X: sparse.csr_array, queries: sparse.csr_array) -> float:
    """Return the operations of all inner products of documents (N, V) and queries (Q, V), both sparse."""
    counts = [np.bincount(part.indices, minlength=X.shape[1]).astype(np.float64) for part in (X, queries)]
    return 2.0 * float(counts[0] @ counts[1])


def with_limits(
    rows: Sequence[Mapping[str, Any]], work: Known | Mapping[str, Known], limits: Limits | None = None
) -> list[dict[str, Any]]:
    """Set in rows the share of the machine's limit, and what the limit is, or why there is none.

    Parameters
    ----------
    rows : with ``candidate``, ``quantity`` and ``median_seconds``.
    work : what each candidate must do, or the reason why that is not known; one for all, or candidate -> its own.
    limits : of the machine; None for `measured_limits`.

    Raises
    ------
    KeyError : a candidate with a time has no work.
    """
    limited = []
    for row in rows:
        columns: dict[str, Any] = {"limit_share": None, "limit": NOT_TIMED}
        if row["median_seconds"]:
            known = work[row["candidate"]] if isinstance(work, Mapping) else work
            columns["limit"] = known
            if isinstance(known, Work):
                columns = _share(row["median_seconds"], known, limits or measured_limits(known.bytes))
        limited.append({**row, **columns})
    return limited


def _share(seconds: float, work: Work, limits: Limits) -> dict[str, Any]:
    """Return the columns of one row."""
    moving, computing = work.bytes / limits.bandwidth, work.operations / limits.peak
    told = (
        f"{work.bytes / 1e6:.1f} MB at {limits.bandwidth / 1e9:.1f} GB/s"
        if moving >= computing
        else f"{work.operations / 1e9:.3f} Gflop at {limits.peak / 1e9:.1f} Gflop/s"
    )
    return {"limit_share": max(moving, computing) / seconds, "limit": told}
