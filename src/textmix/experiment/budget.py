"""The time of a comparison of methods, or of each of its methods: one that does not end in time leaves its reason.

The budget decides whether a method has a result, never what the result is.
"""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from textmix.core.errors import OUT_OF_TIME, ConfigError, MissingResult

#: Budget where the user gives none: seconds for each document, and the smallest budget in seconds.
A_DOCUMENT, LEAST = 0.06, 300.0
#: Seconds between two signals that end a block whose time is up.
AGAIN = 1.0
#: Part of the time left of the run that one method may take, so that a costly one leaves time to those after it, and
#: seconds left below which none is tried.
A_METHOD, LAST = 0.5, 5.0
#: A search whose pace predicts more than this multiple of its time limit is stopped early, once it has used a tenth of
#: the limit.
HOPELESS, FIRST_LOOK = 3.0, 0.1
#: Part of the budget that a method of low cost may take in any case.
A_CHEAP = 0.25


#: A time as a user writes it, and seconds of its units.
_TIME = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([a-zA-Z]*)\s*")
UNITS = {"s": 1, "sec": 1, "second": 1, "seconds": 1, "min": 60, "m": 60, "minute": 60, "minutes": 60}
UNITS |= {"h": 3600, "hour": 3600, "hours": 3600, "": 1}


def seconds_of(time: float | str) -> float:
    """Return a time in seconds: of a number, which is seconds, or of a text such as "90", "10 min", "10min" or "1.5 h".

    Raises
    ------
    ConfigError : it is no such text.
    """
    found = _TIME.fullmatch(str(time))
    if found is None or found[2].lower() not in UNITS:
        raise ConfigError(f"{time!r} is no time; write a number and s, min or h, such as 10 min")
    return float(found[1]) * UNITS[found[2].lower()]


def seconds_left(started: float, budget: float, documents: int, cheap: bool = False) -> float | None:
    """Return the seconds that a method may take: the share `A_METHOD` of the time left; None without a limit.

    Parameters
    ----------
    started : when the run began, seconds since the epoch; 0 where the time of the method begins now.
    budget : seconds that the run, or the method, may take; 0 for `A_DOCUMENT` each document and at least `LEAST` of the
        run, and for no limit of the method.
    documents : number of documents.
    cheap : whether the method is of low cost, so that it has `A_CHEAP` of the budget in any case.
    """
    if not started:
        return budget or None
    whole = allowed(budget, documents)
    remaining = started + whole - time.time()
    share = A_METHOD * remaining if remaining > LAST else 0.0
    return max(share, A_CHEAP * whole) if cheap else share


def allowed(budget: float, documents: int) -> float:
    """Return the seconds of a run; the parameters are those of `seconds_left`."""
    return budget or max(LEAST, A_DOCUMENT * documents)


#: Name, beginning (of the monotonic clock) and seconds of the block of `time_limit` in the time of a run; else empty.
_limits: list[tuple[str, float, float]] = []


def check_pace(done: int, total: int) -> None:
    """Stop a method whose search cannot end in time; without a limit nothing happens.

    Parameters
    ----------
    done, total : steps of the search so far, and in all.

    Raises
    ------
    MissingResult : at the pace so far the search takes more than `HOPELESS` times the time of its method.
    """
    if not _limits:
        return
    name, started, seconds = _limits[-1]
    spent = time.monotonic() - started
    needed = spent * total / done
    if spent > FIRST_LOOK * seconds and needed > HOPELESS * seconds:
        raise MissingResult(
            f"{OUT_OF_TIME}{name} was stopped after {spent:.0f} s, for its search alone takes some {needed:.0f} s, "
            f"and its share of the time budget is {seconds:.0f} s; give budget: more"
        )


@contextmanager
def time_limit(seconds: float | None, name: str, *, of_run: bool = True) -> Iterator[None]:
    """Stop the block after some seconds, between two steps of Python; None sets no limit.

    The time of a run is that of the clock, for which its user waits.  The time of a method is that of the processor, so
    that jobs beside it do not decide which methods have a result.

    Parameters
    ----------
    seconds : left of the time.
    name : of the method.
    of_run : whether the time is that of the run, so that the next run tries the method again, or that of the method.

    Raises
    ------
    MissingResult : the time is up, before the block or within it.
    """
    if seconds is None:
        yield
        return
    remedy = "run the same command again to go on with what was not tried, or give budget: more"
    if seconds <= 0:
        raise MissingResult(f"{OUT_OF_TIME}{name} was not tried, for the time budget was used up; {remedy}")

    stopped = f"{OUT_OF_TIME}{name} was stopped after {seconds:.0f} s, its share of the time budget; {remedy}"
    long = f"{name} takes more than {seconds:.0f} s of the processor (matrix_seconds)"
    ends: list[MissingResult] = []

    def stop(number: int, frame: FrameType | None) -> NoReturn:
        """End the block."""
        ends.append(MissingResult(stopped if of_run else long))
        raise ends[-1]

    timer, sent = (signal.ITIMER_REAL, signal.SIGALRM) if of_run else (signal.ITIMER_PROF, signal.SIGPROF)
    before = signal.signal(sent, stop)
    shares, _limits[:] = _limits[:], [(name, time.monotonic(), seconds)] if of_run else []
    try:
        # Compiled code that calls Python may drop an error; then the next signal ends the block.
        signal.setitimer(timer, seconds, AGAIN)
        yield
    except Exception as error:
        signal.setitimer(timer, 0)
        # Such code may also raise another error in its place.
        if ends and error is not ends[-1]:
            raise ends[-1] from error
        raise
    finally:
        signal.setitimer(timer, 0)
        _limits[:] = shares
        signal.signal(sent, before)
