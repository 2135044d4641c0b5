"""An interrupt from the keyboard ends a run and its jobs in one sentence, without a traceback."""

from __future__ import annotations

import signal
import sys
import time
from types import FrameType, TracebackType

#: The last words of a run, and of a job.
RUN_ENDS = "Interrupted: the same command continues, and what is done stays."
JOB_ENDS = "interrupted; the same command makes this result"
#: Seconds after an interrupt in which further ones change nothing: the run ends its jobs, and would break off there.
_SAME = 5.0


class Interrupts:
    """Whether this process was interrupted from the keyboard since it began to watch."""

    def __init__(self) -> None:
        self.noted = False
        self._since = 0.0

    def watch(self) -> None:
        """Note interrupts from now on; they end the process as before.  One that is ignored stays so.

        A terminal and a program that started the run may both send it one, and a person presses the keys twice.
        """
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._note)

    def _note(self, _number: int, _frame: FrameType | None) -> None:
        now = time.monotonic()
        if self.noted and now - self._since < _SAME:
            return
        self.noted, self._since = True, now
        raise KeyboardInterrupt


def end_quietly(sentence: str) -> None:
    """Have this process print a sentence in place of the traceback of an interrupt that nothing caught."""
    before = sys.excepthook

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """Print the sentence, or any other error as before."""
        if issubclass(kind, KeyboardInterrupt):
            sys.stderr.write(f"{sentence}\n")
        else:
            before(kind, error, trace)

    sys.excepthook = hook
