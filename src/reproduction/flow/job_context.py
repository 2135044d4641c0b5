"""Context of all jobs of the workflow: threads, log, provenance record, missing results and errors."""

from __future__ import annotations

import ctypes
import logging
import os
import platform
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace, TracebackType
from typing import Any

from reproduction.flow.code_digests import found_by_all
from reproduction.flow.cpu_features import processor
from reproduction.flow.fingerprint import check_code, record_of
from reproduction.flow.lazy_imports import enable_lazy_imports
from textmix.core import io
from textmix.core.errors import IntegrityError, MissingResult, StorageError, TextmixError
from textmix.core.progress import Paced

#: Parameters of glibc's mallopt (malloc.h): maximum number of mmap blocks, and threshold for trimming the heap.
M_MMAP_MAX = -4
M_TRIM_THRESHOLD = -1
#: Last message of a job that is interrupted from the keyboard.
INTERRUPTED = "interrupted; the same command makes this result"
#: First line of the log of a job with an unexpected error.
FAILED = "rule %s failed; the cause is in the last line"
logger = logging.getLogger("textmix")


def _end_quietly(error_type: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Exception hook that replaces the traceback of an uncaught KeyboardInterrupt with a sentence."""
    if issubclass(error_type, KeyboardInterrupt):
        sys.stderr.write(f"{INTERRUPTED}\n")
    else:
        sys.__excepthook__(error_type, error, trace)


def _keep_freed_memory() -> None:
    """Make glibc keep freed memory: fits allocate large arrays repeatedly, and page faults are expensive."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_MMAP_MAX, 0)
        mallopt(M_TRIM_THRESHOLD, 2**31 - 1)


# At import time and not in `job`, because scripts import this module before they import a model.
enable_lazy_imports()
sys.excepthook = _end_quietly


@dataclass(frozen=True)
class Job:
    """A running job.

    Parameters
    ----------
    wildcards : mapping
        Wildcards of the rule.
    parameters : mapping
        Parameters of the rule.
    inputs : mapping
        Path -> digest at the start of the job.
    """

    wildcards: Mapping[str, str]
    parameters: Mapping[str, Any]
    inputs: Mapping[str, str]

    @property
    def settings(self) -> SimpleNamespace:
        """The part of the configuration that the job reads, as attributes; may be empty."""
        return SimpleNamespace(**self.parameters.get("settings", {}))

    @property
    def record(self) -> dict[str, Any]:
        """The record of the results, after checking that code, packages and inputs have not changed."""
        state = check_code(self.parameters["code"])
        changed = [path for path, digest in self.inputs.items() if io.result_digest(path) != digest]
        if changed:
            raise IntegrityError(f"{changed[0]} changed while it was used; run the same command again")
        settings = self.parameters.get("settings", {})
        script = self.parameters["code"]["script"]
        return record_of(script, self.wildcards, settings, state, self.inputs)


class _LogFile(logging.FileHandler):
    """Log file that stays incomplete on a full disk: errors also go to the terminal."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - name of the base class
        if not isinstance(sys.exc_info()[1], OSError):
            super().handleError(record)


def set_up_log(path: str | Path | None) -> None:
    """Log to the terminal and to a file, if any; warnings go only to the file, and progress is throttled."""
    terminal = logging.StreamHandler(sys.stderr)
    terminal.addFilter(Paced(2.0 if sys.stderr.isatty() else 60.0))
    handlers: list[logging.Handler] = [terminal]
    if path:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        file = _LogFile(path, mode="w", encoding="utf-8")
        file.addFilter(Paced(60.0))
        handlers.append(file)
        terminal.addFilter(lambda record: record.levelno != logging.WARNING)
    logging.basicConfig(level=logging.WARNING, format="%(message)s", handlers=handlers, force=True)
    logging.captureWarnings(True)
    logger.setLevel(logging.INFO)


def machine() -> dict[str, str]:
    """Return the properties of the machine that affect times, as text: processor, cores, memory (GiB), system."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        **processor(),
        "cores": str(os.cpu_count()),
        "memory": f"{memory:.0f} GiB",
        "system": f"{platform.system()} {platform.machine()}",
    }


def _start_job(snakemake: Any) -> Job:
    """Return the job that Snakemake started, after checking that its code matches its parameter, if it has one."""
    parameters = dict(snakemake.params.items())
    inputs: dict[str, str] = {}
    if "code" in parameters:
        check_code(parameters["code"])
        # Copied files are identified by their content: a new comment is not a reason for a new copy.
        copied = set(map(str, getattr(snakemake.input, "source", ())))
        paths = set(map(str, snakemake.input)) - copied
        inputs = {path: io.result_digest(path) for path in sorted(paths)}
    return Job(dict(snakemake.wildcards.items()), parameters, inputs)


def _as_storage_error(error: OSError, outputs: Sequence[str]) -> StorageError | None:
    """Convert an error of a full disk, or of outputs that cannot be written; return None for other errors."""
    output = _output_at(str(error.filename or ""), outputs)
    if io.is_full(error):
        return StorageError(io.storage_message(output or error.filename or "the disk", is_full=True))
    if io.is_not_permitted(error) and output:
        return StorageError(io.storage_message(output, is_full=False))
    return None


def _output_at(path: str, outputs: Sequence[str]) -> str:
    """Return the output whose folder contains a path or lies below it; "" if there is none."""
    if not path:
        return ""
    written = os.path.realpath(path)
    for output in outputs:
        target = os.path.realpath(output)
        if written.startswith(f"{os.path.dirname(target)}/") or target.startswith(f"{written}/"):
            return output
    return ""


@contextmanager
def job(snakemake: Any, tolerate_missing: bool = False, threads: int = 1) -> Iterator[Job]:
    """Context manager for workflow scripts: set up threads, log and record, and handle errors.

    On `MissingResult`, every output is written as a missing result and the job succeeds.  Any other `TextmixError`, a
    full disk, and a change of code, environment or input, end the process with exit code 1; an interrupt with exit code
    130.  Imports in the block use the search path of the plan (`reproduction.flow.code_digests.search_path`).

    Parameters
    ----------
    snakemake : Snakemake object of the script
    tolerate_missing : bool, default=False
        Reraise `MissingResult`, for scripts that handle missing inputs themselves (comparison, report).
    threads : int, default=1
        Number of threads; see `textmix.numerics.threads`.
    """
    from textmix.numerics.seeding import limit_threads

    limit_threads(threads)
    _keep_freed_memory()
    set_up_log(snakemake.log[0] if snakemake.log else None)
    try:
        running = _start_job(snakemake)
        try:
            with found_by_all():
                yield running
        except MissingResult as missing:
            if tolerate_missing:
                raise
            logger.warning("left out: %s", missing.reason)
            for path in map(str, snakemake.output):
                io.write_missing(path, missing, running.record)
    except MissingResult:
        raise
    except TextmixError as error:
        logger.error("%s: %s", type(error).__name__, error)
        raise SystemExit(1) from error
    except OSError as error:
        storage_error = _as_storage_error(error, list(map(str, snakemake.output)))
        if storage_error is None:
            logger.exception(FAILED, snakemake.rule)
            raise
        logger.error("%s: %s", type(storage_error).__name__, storage_error)
        raise SystemExit(1) from error
    except KeyboardInterrupt:
        logger.error(INTERRUPTED)
        raise SystemExit(128 + signal.SIGINT) from None
    except MemoryError as error:
        logger.error("out of memory in rule %s: %s; give it more or use a smaller data set", snakemake.rule, error)
        raise
    except BaseException:
        logger.exception(FAILED, snakemake.rule)
        raise
