"""Rate-limited progress messages of iterative computations in the log."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

logger = logging.getLogger("textmix")


class Paced(logging.Filter):
    """Filter that passes a progress message ``seconds`` after the start or the last message of its computation.

    Progress messages identify their computation and its start time by ``extra``, as `progress` does; all other messages
    pass.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds = seconds
        self.last: dict[tuple[str, float], float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a record passes."""
        if not hasattr(record, "computation"):
            return True
        now = time.monotonic()
        since = self.last.get(record.computation, record.computation[1])
        if now - since >= self.seconds:
            self.last[record.computation] = now
        return now - since >= self.seconds


def progress(what: str, total: int | None = None) -> Callable[[int, float | None], None]:
    """Return a function that logs the number of iterations and the objective (not logged if None)."""
    start = time.monotonic()

    def report(iteration: int, objective: float | None = None) -> None:
        """Log iteration, objective and remaining time."""
        spent = time.monotonic() - start
        left = f", {spent / iteration * (total - iteration):.0f} s left" if total and iteration else ""
        of = f" of {total}" if total else ""
        value = f", objective {objective:.6g}" if objective is not None else ""
        logger.info("%s: iteration %d%s%s%s", what, iteration, of, value, left, extra={"computation": (what, start)})

    return report
