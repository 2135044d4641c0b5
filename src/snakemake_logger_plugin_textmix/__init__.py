"""Snakemake logger plugin: one line on the terminal for each job that ends.

Snakemake finds the plugin by the name of the package; ``profiles/default`` enables it (``logger: textmix``).  The log
in ``.snakemake/log`` is complete, and ``--verbose`` prints every record.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Mapping
from logging import WARNING, LogRecord
from pathlib import Path
from typing import Any

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from snakemake_logger_plugin_textmix.profiles import check_executor

# Snakemake imports its plugins before it reads profiles.
if Path(sys.argv[0]).stem in ("snakemake", "__main__"):
    check_executor(sys.argv[1:])

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


#: Finished jobs must have been expected to take this long before their actual durations correct the forecast.
MIN_EXPECTED_SECONDS = 60.0


class _Forecast:
    """Expected durations of the jobs of a run, in seconds by job id, and of the run."""

    jobs: Mapping[int, float] = {}
    total = 0.0


def expect(jobs: Mapping[int, float], total: float) -> None:
    """Set the expected durations of the jobs by id, and of the run; progress lines then show the remaining time."""
    _Forecast.jobs = dict(jobs)
    _Forecast.total = total


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
        #: Ids of the jobs that ended, and expected and actual seconds of those with a message.
        self.finished: set[int] = set()
        self.expected_seconds = 0.0
        self.actual_seconds = 0.0

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
            self.finished.add(record.job_id)
            if record.job_id in self.running:
                message, start_time = self.running.pop(record.job_id)
                seconds = time.monotonic() - start_time
                self.ended.append(f"{message} ({format_duration(seconds)})")
                if record.job_id in _Forecast.jobs:
                    self.expected_seconds += _Forecast.jobs[record.job_id]
                    self.actual_seconds += seconds
        elif event == LogEvent.PROGRESS:
            return self._progress_lines(record.done, record.total)
        elif event not in _SILENT_EVENTS and not (event is None and _NOISE.match(record.getMessage())):
            return self.format(record)
        return ""

    def _progress_lines(self, done: int, total: int) -> str:
        """Return a line for each job that ended since the last call."""
        elapsed = format_duration(time.monotonic() - self.start_time)
        # Rounded down: 100 % means that all jobs have ended.
        prefix = f"{done:{len(str(total))}}/{total} {100 * done // total:3d} %  {elapsed:>8}{self._remaining()}"
        lines = [f"{prefix}  {message}" for message in self.ended]
        self.ended = []
        return "\n".join(lines)

    def _remaining(self) -> str:
        """Return the remaining time, at the speed of the finished jobs; "" without expected durations."""
        if not _Forecast.total:
            return ""
        all_seconds = sum(_Forecast.jobs.values())
        open_seconds = sum(seconds for number, seconds in _Forecast.jobs.items() if number not in self.finished)
        now = time.monotonic()
        for number, (_, start_time) in self.running.items():
            open_seconds -= min(now - start_time, _Forecast.jobs.get(number, 0.0))
        slowdown = 1.0
        if self.expected_seconds >= MIN_EXPECTED_SECONDS:
            slowdown = self.actual_seconds / self.expected_seconds
        remaining = format_duration(_Forecast.total * slowdown * max(open_seconds, 0.0) / max(all_seconds, 1.0))
        return f"  {f'{remaining} left':>13}"
