"""The display of a search that runs: a table that is written over on a terminal, and a line for each news elsewhere."""

from __future__ import annotations

import logging
import shutil
import time
from typing import IO

from textmix.compare.search import PACE, Row, State
from textmix.serve.terminal import visible

logger = logging.getLogger("textmix")

#: Most rows in the table.
ROWS = 10


class LiveTable:
    """The live table: method, validation, folds, processor seconds, view and parameters; and the time left.  It is
    written over at the ``terminal``; None logs a line for each new best method.
    """

    def __init__(self, head: str, terminal: IO[str] | None) -> None:
        self.head, self.terminal = head, terminal
        self.shown, self.lines, self.news = -PACE, 0, ("", "")
        #: Whether a method has a score.
        self.scored = False

    def __call__(self, state: State) -> None:
        """Show a state, if the last table is old enough, or if there is news."""
        self.scored = self.scored or bool(state.rows)
        if self.terminal is None:
            self._log(state)
        elif time.monotonic() - self.shown >= PACE:
            self.shown = time.monotonic()
            self._draw(self.terminal, table_lines(self.head, state, shutil.get_terminal_size((100, 24)).columns))

    def close(self) -> None:
        """Take the table away."""
        if self.terminal is not None:
            self._draw(self.terminal, [])

    def _draw(self, terminal: IO[str], lines: list[str]) -> None:
        """Write lines in place of those before."""
        back = f"\x1b[{self.lines}F" if self.lines else ""
        terminal.write(back + "\x1b[J" + "".join(f"{line}\n" for line in lines))
        terminal.flush()
        self.lines = len(lines)

    def _log(self, state: State) -> None:
        """Log a new stage, and a new best method."""
        best = state.rows[0] if state.rows else None
        news = state.stage, f"{best.method} {best.value:.4f}" if best else ""
        if news == self.news:
            return
        best_so_far = f"; best so far: {best.method} ({best.words}), {best.value:.3f}" if best else ""
        left = f"; {left_of(state.left)} left" if state.left is not None else ""
        logger.info("%s%s%s", state.stage, best_so_far, left)
        self.news = news


def table_lines(head: str, state: State, width: int) -> list[str]:
    """Return the lines of the table; longer ones are cut at the width of the terminal, characters."""
    left = f", {left_of(state.left)} left" if state.left is not None else ""
    lines = [f"{head}: {state.stage}{left}", f"{'method':<24} {'validation':>10} {'folds':>5} {'time':>7}"]
    lines += [_line(row) for row in state.rows[:ROWS]]
    if len(state.rows) > ROWS:
        lines.append(f"and {len(state.rows) - ROWS} more")
    return [visible(line)[: width - 1] for line in lines]


def _line(row: Row) -> str:
    """Return the line of a method; the pipeline by hand has a star."""
    star = "*" if row.pipeline else " "
    return f"{row.method:<23}{star} {row.value:>10.3f} {row.folds:>5} {row.seconds:>6.1f}s  {row.words}"


def left_of(seconds: float) -> str:
    """Return a time as minutes and seconds, 1:05."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"
