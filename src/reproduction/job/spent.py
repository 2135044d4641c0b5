"""Where the processor's time of a run went: the start of Python, imports and checks, compilation, the jobs' own work.

Each job that ends well ends its log with a line of its seconds; the target ``spent`` adds them up by rule.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from textmix.core.io import write_text

#: Name of the row of Snakemake's own process, whose log the workflow writes when it ends.
WORKFLOW = "snakemake"
_NUMBER = r"(\d+\.\d+) s"
_LINE = re.compile(rf"^processor: {_NUMBER} start, {_NUMBER} compilation, {_NUMBER} work$", re.MULTILINE)


@dataclass(frozen=True)
class Spent:
    """Seconds of the processor of one process, or of all of a rule.

    Parameters
    ----------
    start : until the job's own code ran: Python, imports, digests of code and inputs.
    compilation : of kernels that no cache held.
    work : the rest.
    """

    start: float
    compilation: float
    work: float

    def __str__(self) -> str:
        return f"processor: {self.start:.2f} s start, {self.compilation:.2f} s compilation, {self.work:.2f} s work"

    def __add__(self, other: Spent) -> Spent:
        return Spent(self.start + other.start, self.compilation + other.compilation, self.work + other.work)

    @property
    def total(self) -> float:
        """All seconds."""
        return self.start + self.compilation + self.work


def spent_by_rule(logs: Path) -> dict[str, tuple[int, Spent]]:
    """Return rule -> number of its jobs and their seconds, of the last run of each job.

    Parameters
    ----------
    logs : the folder of logs, a folder or a file for each rule; a log without a line of seconds is passed over.
    """
    found: dict[str, tuple[int, Spent]] = {}
    for rule, one in _lines(logs):
        number, before = found.get(rule, (0, Spent(0.0, 0.0, 0.0)))
        found[rule] = (number + 1, before + one)
    return found


def read_spent(log: Path) -> Spent | None:
    """Return the seconds in the log of a job, of its last line of them; None for a log without one, or no log."""
    if not log.is_file():
        return None
    lines = _LINE.findall(log.read_text(encoding="utf-8", errors="replace"))
    return Spent(*map(float, lines[-1])) if lines else None


def _lines(logs: Path) -> Iterator[tuple[str, Spent]]:
    """Yield rule and seconds of each log with a line of them."""
    for path in sorted(logs.rglob("*.log")):
        found = read_spent(path)
        if found is not None:
            yield path.relative_to(logs).parts[0].removesuffix(".log"), found


def write_own_seconds(logs: Path) -> None:
    """Write the seconds of this process, which is Snakemake's, as the log of the row ``WORKFLOW``."""
    write_text(logs / f"{WORKFLOW}.log", f"{Spent(0.0, 0.0, time.process_time())}\n")


def in_words(found: Mapping[str, tuple[int, Spent]]) -> str:
    """Return the seconds by rule as a table in plain text, the dearest rule first, with the share of each column."""
    if not found:
        return "No job of this folder has told its seconds yet; run the workflow first."
    rows = sorted(found.items(), key=lambda item: -item[1][1].total)
    everything = sum((one for _, one in found.values()), Spent(0.0, 0.0, 0.0))
    lines = [_row("rule", "jobs", "start", "compilation", "work", "all", "share")]
    for rule, (number, one) in [*rows, ("together", (sum(number for number, _ in found.values()), everything))]:
        cells = (f"{seconds:.1f}" for seconds in (one.start, one.compilation, one.work, one.total))
        lines.append(_row(rule, str(number), *cells, f"{one.total / (everything.total or 1.0):.0%}"))
    shares = (everything.start, everything.compilation, everything.work)
    lines.append(_row("share", "", *(f"{each / (everything.total or 1.0):.0%}" for each in shares), "", ""))
    return "\n".join(["Seconds of the processor", *lines])


def _row(first: str, *cells: str) -> str:
    """Return one line of the table."""
    return f"{first:<22}" + "".join(_right(cells))


def _right(cells: Iterable[str]) -> Iterator[str]:
    """Yield cells of one width."""
    return (f"{cell:>13}" for cell in cells)
