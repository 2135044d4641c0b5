"""Terminal output: escaped control characters, and progress on long files."""

from __future__ import annotations

import io
import logging
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import IO, TypeVar

logger = logging.getLogger("textmix")

#: Seconds between two progress lines on a terminal, and in a log.
TERMINAL_INTERVAL_SECONDS = 0.5
LOG_INTERVAL_SECONDS = 60.0
PROGRESS_LINE_CHARACTERS = 60
Item = TypeVar("Item")
#: Control characters, lone surrogates, Unicode line separators and bidirectional formatting characters.
_CONTROL_CHARACTERS = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069\\ud800-\\udfff]")


def escape_control_characters(text: str) -> str:
    """Replace each control character by its Python escape."""
    return _CONTROL_CHARACTERS.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


class EscapingFormatter(logging.Formatter):
    """Log formatter that writes each message on one line (`escape_control_characters`)."""

    def format(self, record: logging.LogRecord) -> str:
        """Format a record."""
        return escape_control_characters(super().format(record))


class EscapingStream(io.TextIOWrapper):
    """Text stream to a terminal that escapes control characters except for tabs and line feeds."""

    def write(self, text: str) -> int:
        """Write text."""
        pieces = re.split("([\t\n])", text)
        return super().write(
            "".join(piece if piece in "\t\n" else escape_control_characters(piece) for piece in pieces)
        )

    def writelines(self, lines: object) -> None:
        """Write several texts."""
        for line in lines:  # type: ignore[attr-defined]
            self.write(line)


def replace_unencodable(*streams: object) -> None:
    """Configure text streams to escape characters outside their encoding, for example with ``LC_ALL=C``."""
    for stream in streams:
        if isinstance(stream, io.TextIOWrapper):
            # The position of a stream that is redirected to a file cannot always be read; it then stays as it is.
            with suppress(OSError, ValueError):
                stream.reconfigure(errors="backslashreplace")


def file_size(stream: IO[bytes]) -> int | None:
    """Return the size of a file in bytes; None for a pipe."""
    size = os.fstat(stream.fileno()).st_size
    return size if stream.seekable() and size else None


def report_progress(
    items: Iterable[Item],
    source: IO[bytes],
    size: int | None,
    terminal: IO[str] | None,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Item]:
    """Yield items unchanged and report their number and the estimated time left.

    Parameters
    ----------
    items : iterable
        Items that are read from ``source``.
    source : binary stream
        Its position determines the proportion of the file read so far.
    size : int or None
        Size of the source in bytes, if known.
    terminal : text stream or None
        Terminal on which one line is updated; without it, a line per minute is logged.
    clock : callable, default=time.monotonic
        Time source in seconds.
    """
    start = clock()
    last_report = start
    interval = TERMINAL_INTERVAL_SECONDS if terminal else LOG_INTERVAL_SECONDS
    n_items = 0
    for item in items:
        yield item
        n_items += 1
        now = clock()
        if now - last_report < interval:
            continue
        last_report = now
        line = _progress_line(n_items, source.tell() / size if size else None, now - start)
        if terminal:
            terminal.write(f"\r{line:<{PROGRESS_LINE_CHARACTERS}}")
            terminal.flush()
        else:
            logger.info("%s", line)
    if terminal and last_report > start:
        terminal.write(f"\r{' ' * PROGRESS_LINE_CHARACTERS}\r")


def _progress_line(n_texts: int, proportion: float | None, seconds: float) -> str:
    """Format the number of texts and, if the proportion of the file is known, the time left."""
    if not proportion:
        return f"{n_texts:,} texts"
    seconds_left = int(seconds * (1.0 - proportion) / proportion)
    minutes, seconds_over = divmod(seconds_left, 60)
    clock = f"{minutes // 60}:{minutes % 60:02}:{seconds_over:02}"
    return f"{n_texts:,} texts, {proportion:.0%}, {clock} left"
