"""A user's terminal: control characters of files as their codes, and the progress on a long file."""

from __future__ import annotations

import io
import logging
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator
from typing import IO, TypeVar

logger = logging.getLogger("textmix")

#: Seconds between two lines on a terminal, and elsewhere.
ON_TERMINAL, IN_LOG = 0.5, 60.0
Item = TypeVar("Item")
#: Control characters, halves of surrogate pairs, further ends of lines, and marks that turn the direction of writing.
_HIDDEN = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069\\ud800-\\udfff]")


def visible(text: str) -> str:
    """Return one line of text with each control character as its code in Python."""
    return _HIDDEN.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


class Visible(logging.Formatter):
    """Writes each message as one line, see `visible`."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        return visible(super().format(record))


class VisibleStream(io.TextIOWrapper):
    """A text stream to a terminal: lines end and cells are apart as ever; see `visible` for the rest."""

    def write(self, text: str) -> int:
        """Write text."""
        return super().write("".join(part if part in "\t\n" else visible(part) for part in re.split("([\t\n])", text)))

    def writelines(self, lines: object) -> None:
        """Write texts one after the other."""
        for line in lines:  # type: ignore[attr-defined]
            self.write(line)


def size_of(stream: IO[bytes]) -> int | None:
    """Return the size of a file, bytes; None for a pipe."""
    size = os.fstat(stream.fileno()).st_size
    return size if stream.seekable() and size else None


def watched(
    items: Iterable[Item],
    source: IO[bytes],
    size: int | None,
    terminal: IO[str] | None,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Item]:
    """Yield the items unchanged and tell now and then how many there were and how long the rest takes.  ``size`` is
    that of ``source`` in bytes; a line of the terminal is written over, or one a minute is logged without it.
    """
    start = printed = clock()
    count, shown = 0, False
    for item in items:
        yield item
        count += 1
        now = clock()
        if now - printed < (ON_TERMINAL if terminal else IN_LOG):
            continue
        printed, shown = now, True
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
