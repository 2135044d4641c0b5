"""Progress on a long file: a line that is written over on a terminal, a line a minute elsewhere."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterable, Iterator
from typing import IO, Protocol, TypeVar

logger = logging.getLogger("textmix")

#: Seconds between two lines on a terminal, and elsewhere.
ON_TERMINAL, IN_LOG = 0.5, 60.0
Item = TypeVar("Item")


class Placed(Protocol):
    """A binary stream that knows its place."""

    def tell(self) -> int:
        """Return the number of bytes read so far."""


def size_of(stream: IO[bytes]) -> int | None:
    """Return the size of a file, bytes; None for a pipe."""
    size = os.fstat(stream.fileno()).st_size
    return size if stream.seekable() and size else None


def watched(
    items: Iterable[Item],
    source: Placed,
    size: int | None,
    terminal: IO[str] | None,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Item]:
    """Yield the items unchanged and tell now and then how many there were and how long the rest takes.

    Parameters
    ----------
    items : read from ``source``.
    source, size : the file and its size in bytes; None where it is not known.
    terminal : where a line is written over; None to log a line a minute.
    clock : seconds from any start.
    """
    start = told = clock()
    count, shown = 0, False
    for item in items:
        yield item
        count += 1
        now = clock()
        if now - told < (ON_TERMINAL if terminal else IN_LOG):
            continue
        told, shown = now, True
        line = _line(count, source.tell() / size if size else None, now - start)
        if terminal:
            terminal.write(f"\r{line:<60}")
            terminal.flush()
        else:
            logger.info("%s", line)
    if shown and terminal:
        terminal.write("\r" + " " * 60 + "\r")


def _line(count: int, share: float | None, seconds: float) -> str:
    """Return what is told: texts read, share of the file (0 to 1) and time left, where the share is known."""
    if not share:
        return f"{count:,} texts read"
    left = int(seconds * (1.0 - share) / share)
    return f"{count:,} texts read, {share:.0%}, {left // 3600}:{left // 60 % 60:02}:{left % 60:02} left"
