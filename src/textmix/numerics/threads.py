"""Process ranges of rows in parallel with Numba's number of threads; results are bitwise independent of that number.

The functions passed to this module call kernels that release the interpreter lock. The results of the ranges are
concatenated in order, so that no sum depends on the number of threads.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numba
import numpy as np

#: Ranges per thread in `by_rows`: equal numbers of nonzeros are not equal work, so idle threads take the next range.
SHARES = 8
_ASKED: ContextVar[int] = ContextVar("_ASKED", default=0)


def number() -> int:
    """Return the number of threads set by `using`; the default is Numba's number of threads."""
    return _ASKED.get() or int(numba.get_num_threads())


@contextmanager
def using(threads: int) -> Iterator[None]:
    """Set the number of threads, at least 1, inside the ``with`` block."""
    before = _ASKED.set(threads)
    try:
        yield
    finally:
        _ASKED.reset(before)


def side_by_side(function: Callable[..., Any], arguments: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
    """Apply a function to each tuple of arguments in `number` threads; yield the results in order."""
    if number() == 1:
        yield from itertools.starmap(function, arguments)
        return
    with ThreadPoolExecutor(number()) as pool:
        yield from pool.map(lambda each: function(*each), arguments)


def ranges(offsets: np.ndarray, n_parts: int) -> list[tuple[int, int]]:
    """Split rows into ``n_parts`` consecutive ranges, (first, last + 1), with similar numbers of nonzeros.

    ``offsets``, integer (N + 1,), is the CSR index pointer.
    """
    inner = np.searchsorted(offsets, offsets[-1] * np.arange(1, n_parts) / n_parts)
    ends = [0, *np.minimum(inner, len(offsets) - 1).tolist(), len(offsets) - 1]
    return list(itertools.pairwise(ends))


def by_rows(function: Callable[[int, int], tuple[np.ndarray, ...]], offsets: np.ndarray) -> tuple[np.ndarray, ...]:
    """Apply a function to ranges of rows in parallel and concatenate the results in order."""
    n_parts = 1 if number() == 1 else SHARES * number()
    parts = list(side_by_side(function, ranges(offsets, n_parts)))
    return parts[0] if len(parts) == 1 else tuple(np.concatenate(arrays) for arrays in zip(*parts, strict=True))
