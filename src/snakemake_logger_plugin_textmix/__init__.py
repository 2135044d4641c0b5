"""The lines of a run on the terminal: one for each job that ends, with share, time since the start and what runs.

Snakemake finds this handler by the name of the package; ``profiles/default`` asks for it (``logger: textmix``).
Snakemake's log in ``.snakemake/log`` has every record, and ``--verbose`` shows them all here too.
"""

from __future__ import annotations

import re
import sys
import time
from logging import WARNING, LogRecord
from typing import Any

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

#: Records of Snakemake that tell no person anything about the run.
_NOISE = re.compile(
    r"Select jobs to execute|Execute \d+ jobs|Building DAG|Using (shell|workflow specific profile)|Rules claiming more"
    r"|Config file \S+ is extended|Assuming unrestricted|(Conda|Singularity) \w+: ignored|\s*$"
)
#: Records that the line of a job stands for.
_QUIET = {
    *(LogEvent.WORKFLOW_STARTED, LogEvent.RESOURCES_INFO, LogEvent.GROUP_INFO),
    *(LogEvent.JOB_STARTED, LogEvent.SHELLCMD),
}


def time_in_words(seconds: float) -> str:
    """Return a time, such as 8 s, 14 min or 2 h 05."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d}"


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
        self.started = time.monotonic()
        #: Number of each job that runs -> its message and its start; sentences of those whose end is not told yet.
        self.running: dict[int, tuple[str, float]] = {}
        self.ended: list[str] = []

    def emit(self, record: LogRecord) -> None:
        """Write what a record says to a person; nothing for most of them."""
        try:
            line = self.line_of(record)
            if line:
                self.stream.write(f"{line}\n")
                self.stream.flush()
        except Exception:  # a log that fails must not end the run
            self.handleError(record)

    def line_of(self, record: Any) -> str:
        """Return what a record says to a person; empty for nothing."""
        event = getattr(record, "event", None)
        if self.common_settings.verbose or self.common_settings.dryrun or record.levelno >= WARNING:
            return self.format(record)
        if event == LogEvent.JOB_INFO:
            # A rule without a message makes nothing.
            if record.rule_msg:
                self.running[record.jobid] = (record.rule_msg, time.monotonic())
        elif event == LogEvent.JOB_FINISHED:
            if record.job_id in self.running:
                message, begun = self.running.pop(record.job_id)
                self.ended.append(f"{message} ({time_in_words(time.monotonic() - begun)})")
        elif event == LogEvent.PROGRESS:
            return self._report(record.done, record.total)
        elif event not in _QUIET and not (event is None and _NOISE.match(record.getMessage())):
            return self.format(record)
        return ""

    def _report(self, done: int, total: int) -> str:
        """Return a line for each job that ended, after share, time and the number of the jobs that run."""
        spent = time_in_words(time.monotonic() - self.started)
        head = f"{done:{len(str(total))}}/{total} {100 * done / total:3.0f} %  {spent:>8}, {len(self.running)} running"
        lines, self.ended = [f"{head}  {one}" for one in self.ended], []
        return "\n".join(lines)
