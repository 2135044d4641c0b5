"""The part that all jobs of the workflow share: threads, log, provenance record, missing results and errors."""

from __future__ import annotations

import logging
import os
import platform
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from reproduction.flow.interrupt import JOB_ENDS, end_quietly
from reproduction.flow.recipe import Recipe, lasting
from reproduction.job.held import check_held, watch_imports
from reproduction.job.spent import Spent
from textmix.core import io
from textmix.core.errors import IntegrityError, MissingResult, TextmixError
from textmix.core.late import load_late
from textmix.core.processor import processor
from textmix.core.progress import Paced

# Here and not in `job`: a script imports this module before it imports a model.
load_late()
watch_imports()
end_quietly(JOB_ENDS)
logger = logging.getLogger("textmix")


@dataclass
class Job:
    """One running job of the workflow.

    Parameters
    ----------
    recipe : what the plan says that the job depends on; None for a job that makes no result.
    inputs : path -> digest of its inputs when the job began.
    outputs : paths of the declared outputs; `job` writes them as missing results if the script raises `MissingResult`.
    names : path of an input -> the path by which records know it, where this is another.
    checking : seconds of the processor that the checks of code, environment and inputs have taken.
    """

    recipe: Recipe | None
    inputs: dict[str, str]
    outputs: list[str]
    names: Mapping[str, str] = field(default_factory=dict)
    checking: float = 0.0

    @property
    def settings(self) -> SimpleNamespace:
        """The part of the configuration that the job reads, as attributes; empty without a recipe."""
        return SimpleNamespace(**(self.recipe.settings if self.recipe else {}))

    @property
    def record(self) -> dict[str, Any]:
        """The record of the results of the job (`reproduction.flow.recipe.Recipe.record`); empty without a recipe.

        The record is true when it is given, so that no result is written with a false one.

        Raises
        ------
        IntegrityError : code, environment or an input are not those that the job began with.
        """
        if self.recipe is None:
            return {}
        begun = _processor_seconds()
        self.recipe.check()
        check_held(self.recipe.origin.files() if self.recipe.origin else (), _started_at())
        changed = [path for path, digest in self.inputs.items() if io.result_digest(path) != digest]
        if changed:
            raise IntegrityError(f"{changed[0]} changed while it was used; run the same command again")
        self.checking += _processor_seconds() - begun
        return self.recipe.record({self.names.get(path, path): digest for path, digest in self.inputs.items()})


def set_up_log(path: str | Path | None) -> None:
    """Log to the terminal and to a file, which is overwritten: textmix's messages from INFO, any other from WARNING.

    Progress is told every two seconds on a terminal, and once a minute in the file and where no person looks on.

    Parameters
    ----------
    path : the rule's log file; None logs to the terminal alone.
    """
    handlers: list[logging.Handler] = [logging.StreamHandler(sys.stderr)]
    handlers[0].addFilter(Paced(2.0 if sys.stderr.isatty() else 60.0))
    if path:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        handlers.append(logging.FileHandler(path, mode="w", encoding="utf-8"))
        handlers[1].addFilter(Paced(60.0))
    logging.basicConfig(level=logging.WARNING, format="%(message)s", handlers=handlers, force=True)
    logger.setLevel(logging.INFO)


def machine() -> dict[str, str]:
    """Return the facts about the machine on which times depend, as text: processor, cores, memory (GiB), system."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        **processor(),
        "cores": str(os.cpu_count()),
        "memory": f"{memory:.0f} GiB",
        "system": f"{platform.system()} {platform.machine()}",
    }


def _started(snakemake: Any) -> Job:
    """Return the job that Snakemake started, after a check that its code is that of the plan."""
    recipe = snakemake.params.get("recipe")
    names = _work_in(recipe.folder, snakemake) if recipe and recipe.folder else {}
    inputs = {str(path): io.result_digest(path) for path in sorted(lasting(snakemake.input))} if recipe else {}
    if recipe is not None:
        recipe.check()
        _check_imports(recipe)
    return Job(recipe, inputs, [str(path) for path in snakemake.output], names)


def _work_in(folder: str, snakemake: Any) -> dict[str, str]:
    """Work in the folder to which Snakemake copies the results of a bucket; name them from there, as records do.

    Returns
    -------
    path -> name of each further input, such as a file of the configuration, which now has an absolute path.
    """
    names: dict[str, str] = {}

    def seen_from_there(path: str) -> str:
        """Return a path that leads to the same file from the folder."""
        if Path(path).is_relative_to(folder):
            return os.path.relpath(path, folder)
        names[os.path.abspath(path)] = str(path)
        return os.path.abspath(path)

    sys.argv[0] = os.path.abspath(sys.argv[0])
    for part in ("input", "output", "log"):
        files = getattr(snakemake, part)
        setattr(snakemake, part, type(files)(toclone=files, custom_map=seen_from_there))
    os.chdir(folder)
    return names


def _check_imports(recipe: Recipe) -> None:
    """Check that no code changed between the start of this process and now, while the script imported it.

    Code that was edited and restored in between has the digest of the plan again, but the process holds the edited
    code.  What is imported later is compared when a record is asked for (`reproduction.job.held`).

    Raises
    ------
    IntegrityError : the entry of a file changed since.
    """
    started, now = _started_at(), time.time_ns()
    for path in recipe.origin.files() if recipe.origin else ():
        if started < path.stat().st_ctime_ns <= now:
            raise IntegrityError(f"{path.name} was written while this job imported it; run the same command again")


def _started_at() -> int:
    """Return when this process started, nanoseconds: Snakemake writes the file that Python runs just before."""
    return os.stat(sys.argv[0]).st_ctime_ns


@contextmanager
def job(snakemake: Any, tolerate_missing: bool = False, threads: int = 1) -> Iterator[Job]:
    """Surround a workflow script in a ``with`` block: set up threads, log and record, and handle the script's errors.

    A `MissingResult` is no failure: every output is written as a missing result, and the job ends well.

    Parameters
    ----------
    snakemake : the object Snakemake gives its scripts.
    tolerate_missing : whether the script handles missing inputs itself (comparison, report); a `MissingResult` that
        leaves the block is then raised again and no output is written.
    threads : how many its kernels may take, see `textmix.numerics.threads`.

    Yields
    ------
    the `Job`, whose record the script writes with its results.

    Raises
    ------
    SystemExit : exit code 1, after the script raised another `TextmixError`, whose message is logged, or after code,
        environment or an input changed while the job ran; exit code 130 after an interrupt from the keyboard.
    BaseException : any other error of the script, after it was logged.
    """
    from textmix.numerics.determinism import limit_threads

    limit_threads(threads)
    set_up_log(snakemake.log[0] if snakemake.log else None)
    begun = Spent(start=_processor_seconds(), compilation=_compilation_seconds())
    try:
        running = _started(snakemake)
        running.checking = _processor_seconds() - begun.start
        try:
            yield running
        except MissingResult as missing:
            if tolerate_missing:
                raise
            logger.warning("left out: %s", missing.reason)
            for path in running.outputs:
                io.write_missing(path, missing, running.record)
        # Code may have changed after the last result was written, but before a module was imported late.
        _ = running.record
        _tell_seconds(snakemake, replace(begun, checks=running.checking))
    except MissingResult:
        raise
    except TextmixError as error:
        logger.error("%s: %s", type(error).__name__, error)
        raise SystemExit(1) from error
    except KeyboardInterrupt:
        logger.error(JOB_ENDS)
        raise SystemExit(128 + signal.SIGINT) from None
    except MemoryError as error:
        logger.error("out of memory in rule %s: %s; give it more or use a smaller data set", snakemake.rule, error)
        raise
    except BaseException:
        logger.exception("rule %s failed; the cause is in the last line", snakemake.rule)
        raise


def _processor_seconds() -> float:
    """Return the seconds of the processor of this process and of its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _compilation_seconds() -> float:
    """Return the seconds for which this process has compiled kernels."""
    jit = sys.modules.get("textmix.numerics.jit")
    return float(jit.listen().seconds) if jit else 0.0


def _tell_seconds(snakemake: Any, begun: Spent) -> None:
    """Write as the last line of a job's log, not on the terminal, where its seconds of the processor went."""
    compilation = _compilation_seconds() - begun.compilation
    work = max(0.0, _processor_seconds() - begun.start - begun.checks - compilation)
    if snakemake.log:
        with open(snakemake.log[0], "a", encoding="utf-8") as log:
            log.write(f"{replace(begun, compilation=compilation, work=work)}\n")
