"""One line of the log where compilation takes more than a second, so that no first fit waits without a word."""

from __future__ import annotations

import functools
import logging
import time
from typing import Any

from numba.core import event

logger = logging.getLogger("textmix")
#: Seconds of compilation in a process before it is told.
PATIENCE = 1.0


class CompilationTold(event.Listener):  # type: ignore[misc]
    """Tells once a process that kernels are compiled, when this has taken `PATIENCE`; counts the seconds.

    A kernel compiles the kernels that it calls, so that events lie in each other; the outermost ones are counted.
    """

    def __init__(self) -> None:
        self.seconds, self.told = 0.0, False
        self._depth, self._start = 0, 0.0

    def on_start(self, event: Any) -> None:
        """Begin to count at an outermost kernel; tell of it while the kernels that it calls are compiled."""
        if not self._depth:
            self._start = time.perf_counter()
        self._depth += 1
        self._tell(self.seconds + time.perf_counter() - self._start)

    def on_end(self, event: Any) -> None:
        """Add the seconds of an outermost kernel."""
        self._depth -= 1
        if not self._depth:
            self.seconds += time.perf_counter() - self._start
            self._tell(self.seconds)

    def _tell(self, seconds: float) -> None:
        """Write the line where it is time for it."""
        if seconds > PATIENCE and not self.told:
            self.told = True
            logger.warning(
                "kernels are compiled for this machine, once a version; later processes find them in the cache "
                "(`textmix warm` compiles all kernels ahead)"
            )


@functools.cache
def listen() -> CompilationTold:
    """Return the listener of this process, which listens from the first call on."""
    listener = CompilationTold()
    event.register("numba:compile", listener)
    return listener
