"""The machine's limit for a line of the bench: bytes by the measured bandwidth, operations by the measured peak.

Source: S. Williams, A. Waterman and D. Patterson, Roofline: an insightful visual performance model, CACM 2009.  The
limit of a call is the longer one of two times: that in which one core reads the bytes that the call must move at least
once, and that in which it does the operations on floating-point numbers that the method needs.  A share near 1 says
that no other program could be much faster.  A small share says that the time goes elsewhere: branches, waits for memory
at random places, functions that are dear.  Data that a cache holds from one round to the next may give more than 1.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

#: Numbers of the array that is read, more than any cache holds, and rows of the square matrices that are multiplied.
READ, ROWS = 2**25, 768
#: Times that each is measured; the shortest counts.
TIMES = 5


class Work(NamedTuple):
    """What a call must do at least: bytes to move, and operations on floating-point numbers."""

    bytes: float = 0.0
    operations: float = 0.0


class Limits(NamedTuple):
    """What one core of the machine does a second: bytes read, and operations on floating-point numbers."""

    bandwidth: float
    peak: float


@functools.cache
def measured_limits() -> Limits:
    """Return the limits of one core, measured once a process: a sum of an array, and a product of matrices."""
    values, square = np.ones(READ), np.ones((ROWS, ROWS))
    with threadpool_limits(1):
        read, multiply = _shortest(values.sum), _shortest(lambda: square @ square)
    return Limits(values.nbytes / read, 2.0 * ROWS**3 / multiply)


def _shortest(call: Callable[[], object]) -> float:
    """Return the shortest time of a few calls, seconds."""
    seconds = []
    for _ in range(TIMES):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def bytes_of(*parts: Any) -> float:
    """Return the bytes of arrays and of CSR matrices."""
    return float(
        sum(
            part.data.nbytes + part.indices.nbytes + part.indptr.nbytes if sparse.issparse(part) else part.nbytes
            for part in parts
        )
    )


def with_limits(
    rows: Sequence[Mapping[str, Any]], work: Mapping[str, Work], limits: Limits | None = None
) -> list[dict[str, Any]]:
    """Add to the rows of judged times the share of the machine's limit, and what the limit is.

    Parameters
    ----------
    rows : of `reproduction.bench.timing.judge`.
    work : candidate -> what it must do; the rows of other candidates, and those on memory, stay as they are.
    limits : of the machine; None for `measured_limits`.
    """
    found = limits or measured_limits()
    return [
        {**row, **_share(row["median_seconds"], work[row["candidate"]], found)}
        if row["candidate"] in work and row["quantity"] == "time" and row["median_seconds"]
        else dict(row)
        for row in rows
    ]


def _share(seconds: float, work: Work, limits: Limits) -> dict[str, Any]:
    """Return the columns of one row."""
    moving, computing = work.bytes / limits.bandwidth, work.operations / limits.peak
    told = (
        f"{work.bytes / 1e6:.1f} MB at {limits.bandwidth / 1e9:.1f} GB/s"
        if moving >= computing
        else f"{work.operations / 1e9:.3f} Gflop at {limits.peak / 1e9:.1f} Gflop/s"
    )
    return {"limit_share": max(moving, computing) / seconds, "limit": told}
