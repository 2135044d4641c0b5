"""Progress of iterative computations in the log, at a pace that suits the reader."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

logger = logging.getLogger("textmix")


class Paced(logging.Filter):
    """Let a message of progress pass ``seconds`` after its computation's start or last message; others always pass.

    A message of progress names its computation and when it began (``extra``), as those of `progress` do.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds = seconds
        self.last: dict[tuple[str, float], float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a message passes."""
        if not hasattr(record, "computation"):
            return True
        now, since = time.monotonic(), self.last.get(record.computation, record.computation[1])
        if now - since >= self.seconds:
            self.last[record.computation] = now
        return now - since >= self.seconds


def progress(what: str, total: int | None = None) -> Callable[[int, float | None], None]:
    """Return a function that logs the iterations done, and the objective (None: not logged), of a computation."""
    start = time.monotonic()

    def report(iteration: int, objective: float | None = None) -> None:
        """Log iteration, objective and time left."""
        spent = time.monotonic() - start
        left = f", {spent / iteration * (total - iteration):.0f} s left" if total and iteration else ""
        of = f" of {total}" if total else ""
        value = f", objective {objective:.6g}" if objective is not None else ""
        logger.info("%s: iteration %d%s%s%s", what, iteration, of, value, left, extra={"computation": (what, start)})

    return report
