"""Validate the options common to the command line and the Python interface."""

from __future__ import annotations

import os
import re
from contextlib import suppress

from textmix.core.errors import ConfigError

#: Seconds of each unit of time.
UNIT_SECONDS = {
    "": 1,
    "s": 1,
    "sec": 1,
    "second": 1,
    "seconds": 1,
    "m": 60,
    "min": 60,
    "minute": 60,
    "minutes": 60,
    "h": 3600,
}
_TIME = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([a-zA-Z]*)\s*")


def parse_time(time: float | str) -> float:
    """Convert a number of seconds, or a text such as "90", "10 min" or "1.5 h", to seconds.

    Raises
    ------
    ConfigError
        If the text is not a time.
    """
    match = _TIME.fullmatch(str(time))
    if match is None or match[2].lower() not in UNIT_SECONDS:
        raise ConfigError(f"time: {time!r} is not a time; give a number with s, min or h, such as 10min")
    return float(match[1]) * UNIT_SECONDS[match[2].lower()]


def check_time(time: float | str | None) -> float | None:
    """Convert a time budget to seconds; None means no limit.

    Raises
    ------
    ConfigError
        If it is not a positive time.
    """
    if time is None:
        return None
    seconds = parse_time(time)
    if seconds <= 0:
        raise ConfigError(f"time: {time!r} is not a positive time; give seconds, such as 60, or 10min")
    return seconds


def check_workers(n_workers: int | None) -> int:
    """Return the number of threads, by default the number of available cores.

    Raises
    ------
    ConfigError
        If it is below 1.
    """
    if n_workers is not None and n_workers < 1:
        raise ConfigError(f"workers: {n_workers} is not a valid number of threads; give 1 or more")
    return n_workers or n_available_cores()


def n_available_cores() -> int:
    """Return the number of cores that this process may use."""
    with suppress(AttributeError):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
