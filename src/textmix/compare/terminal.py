"""Progress of a search: a live table on a terminal, and otherwise a line for each stage or new best method."""

from __future__ import annotations

import logging
import shutil
import time
from typing import TextIO

from textmix.compare.candidates import method_title
from textmix.compare.choice import LeaderboardRow
from textmix.compare.search import PROGRESS_SECONDS, Progress
from textmix.serve.terminal import escape_control_characters

logger = logging.getLogger("textmix")

MAX_ROWS = 10
SECONDS_PER_MINUTE = 60
#: Size of a terminal that does not report its own.
DEFAULT_TERMINAL_SIZE = (100, 24)
#: ASCII replacements of characters that a terminal may not be able to show.
ASCII_REPLACEMENTS = str.maketrans({"·": "-", "–": "-", "…": "...", "“": '"', "”": '"'})


class LiveTable:
    """Live table of the best methods.

    Parameters
    ----------
    name : str
        Name of the data.
    terminal : text stream or None
        Terminal on which the table is redrawn; None logs a line for each stage or new best method.

    Attributes
    ----------
    has_scores : bool
        Whether a method has a score.
    """

    def __init__(self, name: str, terminal: TextIO | None) -> None:
        self.name = name
        self.terminal = terminal
        self.has_scores = False
        self._drawn_at = -PROGRESS_SECONDS
        self._n_drawn_lines = 0
        self._logged = ("", "")

    def __call__(self, progress: Progress) -> None:
        """Show the progress, unless the table was just drawn or nothing is new."""
        self.has_scores = self.has_scores or bool(progress.leaderboard)
        if self.terminal is None:
            self._log(progress)
        elif time.monotonic() - self._drawn_at >= PROGRESS_SECONDS:
            self._drawn_at = time.monotonic()
            width = shutil.get_terminal_size(DEFAULT_TERMINAL_SIZE).columns
            self._draw(self.terminal, table_lines(self.name, progress, width))

    def close(self) -> None:
        """Erase the table."""
        if self.terminal is not None:
            self._draw(self.terminal, [])

    def _draw(self, terminal: TextIO, lines: list[str]) -> None:
        """Write lines over those before."""
        cursor_up = f"\x1b[{self._n_drawn_lines}F" if self._n_drawn_lines else ""
        text = "".join(f"{encodable(line, terminal)}\n" for line in lines)
        terminal.write(f"{cursor_up}\x1b[J{text}")
        terminal.flush()
        self._n_drawn_lines = len(lines)

    def _log(self, progress: Progress) -> None:
        """Log a new stage, or a new best method."""
        best = progress.leaderboard[0] if progress.leaderboard else None
        state = progress.stage, f"{best.method} {best.value:.4f}" if best else ""
        if state != self._logged:
            logger.info("%s", progress_line(progress))
            self._logged = state


def progress_line(progress: Progress) -> str:
    """Describe the progress in one line: stage, best method with its score, and time left."""
    items = [progress.stage]
    if progress.leaderboard:
        best = progress.leaderboard[0]
        items.append(
            f"best: {method_title(best.method)} ({best.description}), {progress.metric} {best.value:.3f}"
            f"{_fold_note(best)}"
        )
    if progress.seconds_left is not None:
        items.append(f"{format_time(progress.seconds_left)} left")
    return " · ".join(items)


def _fold_note(row: LeaderboardRow) -> str:
    """Return a note on the number of folds of a score that does not have all of them."""
    return "" if row.folds.is_complete else f" on {row.folds}"


def table_lines(name: str, progress: Progress, width: int) -> list[str]:
    """Return the lines of the table, cut at the width of the terminal.

    Parameters
    ----------
    name : str
        Name of the data.
    progress : Progress
        Progress of the search.
    width : int
        Width of the terminal, in characters.

    Returns
    -------
    list of str
    """
    time_left = "" if progress.seconds_left is None else f" · {format_time(progress.seconds_left)} left"
    lines = [
        f"{name}: {progress.stage}{time_left}",
        f"{'method':<28} {'CV ' + progress.metric:>20} {'folds':>5} {'CPU':>7}",
    ]
    lines += [_row_line(row) for row in progress.leaderboard[:MAX_ROWS]]
    n_more = len(progress.leaderboard) - MAX_ROWS
    if n_more > 0:
        lines.append(f"and {n_more} more")
    return [escape_control_characters(line)[: width - 1] for line in lines]


def _row_line(row: LeaderboardRow) -> str:
    """Return the line of a method; the baseline has an asterisk."""
    title = method_title(row.method) + (" *" if row.is_baseline else "")
    return f"{title:<28} {row.value:>20.3f} {row.folds.n_folds:>5} {row.seconds:>5.1f} s  {row.description}"


def format_time(seconds: float) -> str:
    """Format a time as minutes and seconds, such as 1:05."""
    minutes, seconds_over = divmod(int(seconds), SECONDS_PER_MINUTE)
    return f"{minutes}:{seconds_over:02}"


def encodable(text: str, stream: TextIO) -> str:
    """Replace characters that a stream cannot encode, first by similar ASCII characters."""
    encoding = stream.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(ASCII_REPLACEMENTS).encode(encoding, "backslashreplace").decode(encoding)
    return text
