"""Where the processor's time of a run went: the start of Python and imports, checks, compilation, the jobs' own work.

Each job that ends well ends its log with a line of its seconds; the target ``spent`` adds them up by rule.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, astuple, dataclass, fields
from pathlib import Path

from textmix.core.io import write_text

#: Name of the row of Snakemake's own process, whose log the workflow writes when it ends.
WORKFLOW = "snakemake"
_NUMBER = r"(\d+\.\d+) s"
_LINE = re.compile(
    rf"^processor: {_NUMBER} start, {_NUMBER} checks, {_NUMBER} compilation, {_NUMBER} work$", re.MULTILINE
)
#: Kind of work -> the rules; the work of a further rule is that of pages.
KINDS = {
    "reading": ("fetch", "parse", "own"),
    "features": ("features", "split"),
    "fits": ("fit", "part", "model"),
    "measures": ("measure", "score", "readings"),
    "Snakemake's process": (WORKFLOW,),
}
PAGES = "pages"


@dataclass(frozen=True)
class Spent:
    """Seconds of the processor of one process, or of all of a rule.

    Parameters
    ----------
    start : until the job began: Python and its imports.
    checks : digests of code and inputs, before the job's own code and at its end.
    compilation : of kernels that no cache held.
    work : the rest.
    """

    start: float = 0.0
    checks: float = 0.0
    compilation: float = 0.0
    work: float = 0.0

    def __str__(self) -> str:
        return "processor: " + ", ".join(f"{seconds:.2f} s {name}" for name, seconds in asdict(self).items())

    def __add__(self, other: Spent) -> Spent:
        return Spent(*(one + another for one, another in zip(astuple(self), astuple(other), strict=True)))

    @property
    def total(self) -> float:
        """All seconds."""
        return float(sum(astuple(self)))


def spent_by_rule(logs: Path) -> dict[str, tuple[int, Spent]]:
    """Return rule -> number of its jobs and their seconds, of the last run of each job.

    Parameters
    ----------
    logs : the folder of logs, a folder or a file for each rule; a log without a line of seconds is passed over.
    """
    found: dict[str, tuple[int, Spent]] = {}
    for rule, one in _lines(logs):
        number, before = found.get(rule, (0, Spent()))
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
    write_text(logs / f"{WORKFLOW}.log", f"{Spent(work=time.process_time())}\n")


def seconds_by_kind(found: Mapping[str, tuple[int, Spent]]) -> dict[str, float]:
    """Return what the processor did -> seconds: start, checks, compilation, and the work of the rules by `KINDS`.

    Parameters
    ----------
    found : of `spent_by_rule`.
    """
    kind_of = {rule: kind for kind, rules in KINDS.items() for rule in rules}
    before = dict.fromkeys(("start", "checks", "compilation"), 0.0)
    work = dict.fromkeys([*list(KINDS)[:-1], PAGES, list(KINDS)[-1]], 0.0)
    for rule, (_, one) in found.items():
        work[kind_of.get(rule, PAGES)] += one.work
        before = {name: seconds + getattr(one, name) for name, seconds in before.items()}
    return {**before, **work}


def in_words(found: Mapping[str, tuple[int, Spent]]) -> str:
    """Return the seconds by kind and by rule as tables in plain text, of the rules the dearest first."""
    if not found:
        return "No job of this folder has told its seconds yet; run the workflow first."
    rows = sorted(found.items(), key=lambda item: -item[1][1].total)
    everything = sum((one for _, one in found.values()), Spent())
    whole = everything.total or 1.0
    lines = [_row(kind, f"{one:.1f}", f"{one / whole:.0%}") for kind, one in seconds_by_kind(found).items()]
    lines += ["", _row("rule", "jobs", *(part.name for part in fields(Spent)), "all", "share")]
    for rule, (number, one) in [*rows, ("together", (sum(number for number, _ in found.values()), everything))]:
        cells = (f"{seconds:.1f}" for seconds in (*astuple(one), one.total))
        lines.append(_row(rule, str(number), *cells, f"{one.total / whole:.0%}"))
    return "\n".join(["Seconds of the processor", *lines])


def _row(first: str, *cells: str) -> str:
    """Return one line of the table."""
    return f"{first:<22}" + "".join(_right(cells))


def _right(cells: Iterable[str]) -> Iterator[str]:
    """Yield cells of one width."""
    return (f"{cell:>13}" for cell in cells)
