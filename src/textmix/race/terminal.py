"""The display of a running race: a table that is written over on a terminal, and a line for each news elsewhere."""

from __future__ import annotations

import logging
import shutil
import time
from collections.abc import Callable
from typing import IO

from textmix.race.state import Row, State
from textmix.serve.terminal import visible

logger = logging.getLogger("textmix")

#: Most methods in the table, and seconds between two tables.
ROWS, PACE = 10, 0.5


class Table:
    """The live table: method, representation and parameters, validation score, folds, time; and the time left.

    Parameters
    ----------
    head : first line of the table.
    terminal : where it is written over; None to log a line for each new best method.
    clock : seconds from any start.
    """

    def __init__(self, head: str, terminal: IO[str] | None, clock: Callable[[], float] = time.monotonic) -> None:
        self.head, self.terminal, self.clock = head, terminal, clock
        self.shown, self.lines, self.told = -PACE, 0, ("", "")

    def __call__(self, state: State) -> None:
        """Show a state, if the last table is old enough, or if there is news."""
        if self.terminal is None:
            self._log(state)
        elif self.clock() - self.shown >= PACE:
            self.shown = self.clock()
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
        """Log a new stage, and a new best method that was validated on folds."""
        best = next((row for row in state.rows if row.folds), None)
        news = state.stage, f"{best.method} {best.arm} {best.value:.4f}" if best else ""
        if news == self.told:
            return
        said = f"; best so far: {best.method} ({words_of(best.arm)}), {best.value:.3f} {best.where}" if best else ""
        logger.info("%s%s; %s left", state.stage, said, left_of(state.left))
        self.told = news


def table_lines(head: str, state: State, width: int) -> list[str]:
    """Return the lines of the table.

    Parameters
    ----------
    head, state : see `Table`.
    width : of the terminal, characters; longer lines are cut.
    """
    lines = [
        f"{head}: {state.stage}, {left_of(state.left)} left",
        f"{'method':<28} {'validation':>10} {'folds':>5} {'time':>7}",
    ]
    lines += [_line(row) for row in state.rows[:ROWS]]
    if len(state.rows) > ROWS:
        lines.append(f"and {len(state.rows) - ROWS} more")
    return [visible(line)[: width - 1] for line in lines]


def _line(row: Row) -> str:
    """Return the line of a method; a try on a part of the documents has no folds."""
    folds = (f"{row.times}x{row.folds}" if row.times > 1 else str(row.folds)) if row.folds else "try"
    return f"{row.method:<28} {row.value:>10.3f} {folds:>5} {row.seconds:>6.1f}s  {words_of(row.arm)}"


def words_of(arm: str) -> str:
    """Return view, weighting and parameters of an arm in words: "words, tfidf, C=1.0"."""
    return ", ".join(part.removeprefix("view=").removeprefix("weighting=") for part in arm.split(";"))


def left_of(seconds: float) -> str:
    """Return a time as minutes and seconds, 1:05."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"
