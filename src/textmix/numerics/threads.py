"""Ranges of rows side by side, in as many threads as Numba has; every number of threads gives the same bytes.

The functions given here call kernels that release the interpreter lock.  The results of the ranges are joined in their
order, so that no sum depends on the number of threads.
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

#: Ranges a thread of `by_rows`: equal numbers of cells are not equal work; a thread that is done takes the next range.
SHARES = 8
_ASKED: ContextVar[int] = ContextVar("_ASKED", default=0)


def number() -> int:
    """Return the number of threads: that of `using`, else as many as Numba has."""
    return _ASKED.get() or int(numba.get_num_threads())


@contextmanager
def using(threads: int) -> Iterator[None]:
    """Use a number of threads, at least 1, inside the ``with`` block."""
    before = _ASKED.set(threads)
    try:
        yield
    finally:
        _ASKED.reset(before)


def side_by_side(function: Callable[..., Any], arguments: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
    """Yield the results of a function for each tuple of arguments, in order; run `number` threads."""
    if number() == 1:
        yield from itertools.starmap(function, arguments)
        return
    with ThreadPoolExecutor(number()) as pool:
        yield from pool.map(lambda each: function(*each), arguments)


def ranges(offsets: np.ndarray, n_parts: int) -> list[tuple[int, int]]:
    """Return ``n_parts`` consecutive ranges of rows, (first, last + 1), with about equal numbers of cells.

    ``offsets`` is integer (N + 1,), the first cell of each row and the end.
    """
    inner = np.searchsorted(offsets, offsets[-1] * np.arange(1, n_parts) / n_parts)
    ends = [0, *np.minimum(inner, len(offsets) - 1).tolist(), len(offsets) - 1]
    return list(itertools.pairwise(ends))


def by_rows(function: Callable[[int, int], tuple[np.ndarray, ...]], offsets: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return the arrays that a function gives for ranges of rows, joined in the order of the rows."""
    n_parts = 1 if number() == 1 else SHARES * number()
    parts = list(side_by_side(function, ranges(offsets, n_parts)))
    return parts[0] if len(parts) == 1 else tuple(np.concatenate(arrays) for arrays in zip(*parts, strict=True))
