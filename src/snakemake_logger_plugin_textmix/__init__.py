"""The lines of a run on the terminal: one for each job that ends, and the time that is left by the measured costs.

Snakemake finds this handler by the name of the package, and ``profiles/default`` asks for it (``logger: textmix``).
Snakemake's own log of the run, in ``.snakemake/log``, has every record, and ``--verbose`` shows them all here too.  The
package imports nothing of textmix: Snakemake loads it before it reads the workflow, whichever folder that lies in.
"""

from __future__ import annotations

import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from logging import WARNING, LogRecord
from typing import Any

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

#: Records of Snakemake that tell no person anything about the run.
_NOISE = re.compile(
    r"Select jobs to execute|Execute \d+ jobs|Building DAG|Using (shell|workflow specific profile)|Rules claiming more"
    r"|Config file \S+ is extended|Assuming unrestricted|(Conda|Singularity) \w+: ignored|Reasons:|\s*$"
)
#: Records that the line of a job stands for.
_QUIET = {
    *(LogEvent.WORKFLOW_STARTED, LogEvent.RESOURCES_INFO, LogEvent.GROUP_INFO),
    *(LogEvent.JOB_STARTED, LogEvent.SHELLCMD, LogEvent.PROGRESS),
}
#: How Snakemake begins its sentence on a run without jobs; it calls no hook of the workflow then.
_NOTHING = "Nothing to be done"
#: How Snakemake begins its sentence on an interrupt from the keyboard, which every job that runs got too.
_INTERRUPT = "Terminating processes on user request"
#: Records about the jobs that an interrupt ended, and about the run that they did not let end.
_ENDED_TOO = re.compile(r"(RuleException|CalledProcessError|WorkflowError|At least one job)\b")
#: Seconds of a job of unknown cost: little more than a start.
_UNKNOWN = 2.0
#: Share of the expected time after which the time left is told, for the speed of this machine is then known.
_ENOUGH = 0.02


class Progress:
    """How far a run is, by the expected seconds of its jobs and the seconds of those that ended.

    Parameters
    ----------
    expected : job -> its expected seconds on one core.
    cores : jobs that run at once.
    clock : seconds of a clock that never goes back.
    """

    def __init__(self, expected: Mapping[int, float], cores: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.open = dict(expected)
        self.total = sum(expected.values())
        self.number = len(expected)
        self.cores = max(1, cores)
        self.clock = clock
        self.begun: dict[int, float] = {}
        self.ended = 0
        self._expected = self._spent = 0.0

    def begin(self, job: int) -> None:
        """Note that a job starts."""
        self.begun[job] = self.clock()
        if job not in self.open:
            self.open[job] = _UNKNOWN
            self.total += _UNKNOWN
            self.number += 1

    def end(self, job: int) -> float:
        """Note that a job ended; return its seconds by the clock."""
        spent = self.clock() - self.begun.pop(job, self.clock())
        self._expected += self.open.pop(job, 0.0)
        self._spent += spent
        self.ended += 1
        return spent

    @property
    def share(self) -> float:
        """The share of the expected time that ended jobs stand for, 0 to 1."""
        return self._expected / self.total if self.total else 1.0

    def left(self) -> float | None:
        """Return the seconds until the end; None while too little has ended to know this machine's speed."""
        if self.share < _ENOUGH:
            return None
        now, pace = self.clock(), self._spent / self._expected
        rest = {job: pace * seconds for job, seconds in self.open.items()}
        for job, since in self.begun.items():
            rest[job] = max(0.0, rest.get(job, 0.0) - (now - since))
        return max(sum(rest.values()) / self.cores, max(rest.values(), default=0.0))


#: Of the run of this process: job -> expected seconds, and cores, which the workflow states when its run starts, and
#: what it says where it has nothing to do.
_RUN: dict[str, Any] = {"expected": {}, "cores": 1, "nothing": lambda: ""}


def expect(seconds: Mapping[int, float | None], cores: int) -> None:
    """State the expected seconds of the jobs of this process's run, None where unknown, and how many run at once."""
    _RUN.update(expected={job: _UNKNOWN if known is None else known for job, known in seconds.items()}, cores=cores)


def nothing_to_do(said: Callable[[], str]) -> None:
    """State what the run of this process says where it has nothing to do; the workflow does so while it is read."""
    _RUN.update(nothing=said)


def time_in_words(seconds: float) -> str:
    """Return a time, such as 8 s, 14 min or 2 h 05."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d}"


def reasons_in_words(rule: str, reasons: list[str]) -> str:
    """Return one line on the jobs of a stage that a run would make: how many, and how many for which first reason.

    Parameters
    ----------
    rule : name of the stage.
    reasons : of each job, Snakemake's reasons with their files, the weightiest first.
    """
    kinds = Counter(reason.partition(":")[0].strip() for reason in reasons)
    told = ", ".join(f"{number} {kind[:1].lower()}{kind[1:]}" for kind, number in kinds.most_common())
    return f"{rule}: {len(reasons)} {'job' if len(reasons) == 1 else 'jobs'} ({told})"


class LogHandler(LogHandlerBase):
    """The handler that Snakemake asks for by the name ``textmix``."""

    writes_to_stream = True
    writes_to_file = False
    has_filter = False
    has_formatter = False
    needs_rulegraph = False

    def __post_init__(self) -> None:
        """Set up before the first record."""
        self.stream = sys.stdout if self.common_settings.stdout else sys.stderr
        self.dry = self.common_settings.dryrun
        self.progress: Progress | None = None
        self.interrupted = False
        self.messages: dict[int, str] = {}
        self.planned: dict[str, list[str]] = {}

    def emit(self, record: LogRecord) -> None:
        """Write what a record says to a person; nothing for most of them."""
        try:
            line = self.line_of(record)
            if line is not None:
                self.stream.write(f"{line}\n")
                self.stream.flush()
        except Exception:  # a log that fails must not end the run
            self.handleError(record)

    def line_of(self, record: LogRecord) -> str | None:
        """Return what a record says to a person, or None."""
        event = getattr(record, "event", None)
        if self.common_settings.verbose:
            return self.format(record)
        if event in _QUIET or self._of_an_interrupt(record):
            return None
        if record.levelno < WARNING and event == LogEvent.JOB_INFO:
            note = self._planned if self.dry else self._begun
            note(record)
            return None
        if record.levelno < WARNING and event == LogEvent.JOB_FINISHED:
            return self._ended(record)
        return self._told(record, event)

    def _told(self, record: LogRecord, event: LogEvent | None) -> str | None:
        """Return what a record that is on no single job says, or None."""
        said = record.getMessage()
        if record.levelno < WARNING and event == LogEvent.RUN_INFO:
            return self._stats(record)
        if event is None and said.startswith(_NOTHING):
            return "\n".join(filter(None, (self.format(record), _RUN["nothing"]())))
        noise = record.levelno < WARNING and event is None and _NOISE.match(said)
        return None if noise else self.format(record)

    def _of_an_interrupt(self, record: LogRecord) -> bool:
        """Return whether a record only says that a job, or the run, did not end for the interrupt told before."""
        said = record.getMessage()
        self.interrupted |= said.startswith(_INTERRUPT)
        ended = getattr(record, "event", None) == LogEvent.JOB_ERROR or _ENDED_TOO.match(said)
        return self.interrupted and bool(ended)

    def _planned(self, record: Any) -> None:
        """Note a job that a dry run would make."""
        self.planned.setdefault(record.rule_name, []).append(record.reason)

    def _begun(self, record: Any) -> None:
        """Note a job that starts; a rule without a message makes nothing."""
        if record.rule_msg:
            self.messages[record.jobid] = record.rule_msg
            self._run().begin(record.jobid)

    def _ended(self, record: Any) -> str | None:
        """Return the line of a job that ended."""
        if record.job_id not in self.messages:
            return None
        run = self._run()
        spent = run.end(record.job_id)
        left = run.left()
        rest = f"{time_in_words(left)} left" if left is not None else ""
        place = f"{run.ended}/{run.number}".rjust(2 * len(str(run.number)) + 1)
        message = self.messages.pop(record.job_id)
        return f"{place} {100 * run.share:3.0f} %  {rest:>12}  {message} ({time_in_words(spent)})"

    def _stats(self, record: LogRecord) -> str:
        """Return the table of the jobs of the run; in a dry run a line for each stage stands before the last one."""
        lines = [reasons_in_words(rule, reasons) for rule, reasons in self.planned.items()]
        self.planned = {}
        return "\n".join([*lines, self.format(record)])

    def _run(self) -> Progress:
        """Return the progress of the run, from the first job on."""
        if self.progress is None:
            self.progress = Progress(_RUN["expected"], _RUN["cores"])
        return self.progress
