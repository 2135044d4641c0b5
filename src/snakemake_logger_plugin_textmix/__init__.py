"""Snakemake logger plugin: one line on the terminal for each job that ends.

Snakemake finds the plugin by the name of the package; ``profiles/default`` enables it (``logger: textmix``).  The log
in ``.snakemake/log`` is complete, and ``--verbose`` prints every record.
"""

from __future__ import annotations

import re
import sys
import time
from logging import WARNING, LogRecord
from typing import Any

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

#: Records of Snakemake that say nothing about the run.
_NOISE = re.compile(
    r"Select jobs to execute|Execute \d+ jobs|Building DAG|Using (shell|workflow specific profile)|Rules claiming more"
    r"|Config file \S+ is extended|Assuming unrestricted|(Conda|Singularity) \w+: ignored|\s*$"
)
#: Events that the line of a job replaces.
_SILENT_EVENTS = {
    LogEvent.WORKFLOW_STARTED,
    LogEvent.RESOURCES_INFO,
    LogEvent.GROUP_INFO,
    LogEvent.JOB_STARTED,
    LogEvent.SHELLCMD,
}


def format_duration(seconds: float) -> str:
    """Format a duration, such as 8 s, 14 min or 2 h 05."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60:02d}"


class LogHandler(LogHandlerBase):
    """Print one line for each job that ends: progress, elapsed time, message and duration."""

    writes_to_stream = True
    writes_to_file = False
    has_filter = False
    has_formatter = False
    needs_rulegraph = False

    def __post_init__(self) -> None:
        """Initialise the state before the first record."""
        self.stream = sys.stdout if self.common_settings.stdout else sys.stderr
        self.start_time = time.monotonic()
        #: Job id -> message and start time of the jobs that run.
        self.running: dict[int, tuple[str, float]] = {}
        #: Messages of the jobs that ended since the last line.
        self.ended: list[str] = []

    def emit(self, record: LogRecord) -> None:
        """Print the line of a record, if any."""
        try:
            line = self.line_of(record)
            if line:
                self.stream.write(f"{line}\n")
                self.stream.flush()
        except Exception:  # a log that fails must not end the run
            self.handleError(record)

    def line_of(self, record: Any) -> str:
        """Return the line of a record; empty for most records."""
        event = getattr(record, "event", None)
        if self.common_settings.verbose or self.common_settings.dryrun or record.levelno >= WARNING:
            return self.format(record)
        if event == LogEvent.JOB_INFO:
            # Rules without a message only collect results.
            if record.rule_msg:
                self.running[record.jobid] = (record.rule_msg, time.monotonic())
        elif event == LogEvent.JOB_FINISHED:
            if record.job_id in self.running:
                message, start_time = self.running.pop(record.job_id)
                self.ended.append(f"{message} ({format_duration(time.monotonic() - start_time)})")
        elif event == LogEvent.PROGRESS:
            return self._progress_lines(record.done, record.total)
        elif event not in _SILENT_EVENTS and not (event is None and _NOISE.match(record.getMessage())):
            return self.format(record)
        return ""

    def _progress_lines(self, done: int, total: int) -> str:
        """Return a line for each job that ended since the last call."""
        elapsed = format_duration(time.monotonic() - self.start_time)
        # Rounded down: 100 % means that all jobs have ended.
        prefix = f"{done:{len(str(total))}}/{total} {100 * done // total:3d} %  {elapsed:>8}"
        lines = [f"{prefix}  {message}" for message in self.ended]
        self.ended = []
        return "\n".join(lines)
