"""The part that all jobs of the workflow share: threads, log, provenance record, missing results and errors."""

from __future__ import annotations

import logging
import os
import platform
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

logger = logging.getLogger("textmix")

#: Packages whose version can change a number; they enter every record.
RECORDED = ("numpy", "scipy", "numba", "scikit-learn", "pandas", "matplotlib")


@dataclass
class Job:
    """One running job of the workflow.

    Parameters
    ----------
    record : content of ``meta.json`` of its results: rule, wildcards, inputs with digests, code, seed, versions.
    outputs : paths of the declared outputs; `job` writes them as missing results if the script raises `MissingResult`.
    """

    record: dict[str, Any] = field(default_factory=dict)
    outputs: list[str] = field(default_factory=list)


def set_up_log(path: str | Path | None) -> None:
    """Log to the terminal and to a file, which is overwritten: textmix's messages from INFO, any other from WARNING.

    Parameters
    ----------
    path : the rule's log file; None logs to the terminal alone.
    """
    handlers: list[logging.Handler] = [logging.StreamHandler(sys.stderr)]
    if path:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        handlers.append(logging.FileHandler(path, mode="w", encoding="utf-8"))
    logging.basicConfig(level=logging.WARNING, format="%(message)s", handlers=handlers, force=True)
    logger.setLevel(logging.INFO)


def versions() -> dict[str, str]:
    """Return the versions of Python, of textmix and of the packages in `RECORDED`."""
    return {"python": platform.python_version(), **{name: version(name) for name in ("textmix", *RECORDED)}}


def machine() -> dict[str, str]:
    """Return the facts about the machine on which times depend, as text: processor, cores, memory (GiB), system."""
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.is_file():
        lines = info.read_text(encoding="utf-8", errors="replace").splitlines()
        cpu = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), cpu)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "processor": cpu,
        "cores": str(os.cpu_count()),
        "memory": f"{memory:.0f} GiB",
        "system": f"{platform.system()} {platform.machine()}",
    }


def seconds_spent(benchmarks: Path, files: Iterable[Path]) -> dict[str, str]:
    """Return the wall-clock time of the jobs of each stage, such as ``{"train": "12.3 s"}``.

    Parameters
    ----------
    benchmarks : the folder of Snakemake's benchmark files; its subfolders are named by the stages.
    files : benchmark files below it.  A job that ended before Snakemake measured it has an empty file, which adds
        nothing.
    """
    spent: dict[str, float] = {}
    for path in sorted(files):
        stage = path.relative_to(benchmarks).parts[0]
        head, *rows = path.read_text(encoding="utf-8").splitlines() or [""]
        if not rows:
            continue
        column = head.split("\t").index("s")
        spent[stage] = spent.get(stage, 0.0) + sum(float(row.split("\t")[column]) for row in rows)
    return {stage: f"{seconds:.1f} s" for stage, seconds in spent.items()}


def _record(snakemake: Any) -> dict[str, Any]:
    """Return the provenance record of a Snakemake job.

    It holds no time and no absolute path, so that it is the same in every run.
    """
    from textmix.core import digests, io

    params = {name: value for name, value in snakemake.params.items() if name != "code"}
    return {
        "rule": snakemake.rule,
        "wildcards": dict(sorted(snakemake.wildcards.items())),
        "inputs": {str(path): io.result_digest(path) for path in sorted(set(snakemake.input))},
        "parameters": digests.sha256_bytes(io.canonical_json(_as_json(params)).encode()),
        "code": snakemake.params.get("code"),
        "seed": snakemake.config["seed"],
        "versions": versions(),
    }


def _as_json(value: Any) -> Any:
    """Return a value with every mapping as a dict with text keys and every iterable but text as a list."""
    if isinstance(value, Mapping):
        return {str(key): _as_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)) or (hasattr(value, "__iter__") and not isinstance(value, str)):
        return [_as_json(item) for item in value]
    return value


@contextmanager
def job(snakemake: Any, tolerate_missing: bool = False) -> Iterator[Job]:
    """Surround a workflow script in a ``with`` block: set up threads, log and record, and handle the script's errors.

    A `MissingResult` is no failure: every output is written as a missing result, and the job ends well.

    Parameters
    ----------
    snakemake : the object Snakemake gives its scripts.
    tolerate_missing : whether the script handles missing inputs itself (comparison, report); a `MissingResult` that
        leaves the block is then raised again and no output is written.

    Yields
    ------
    the `Job`, whose record the script writes with its results.

    Raises
    ------
    SystemExit : exit code 1, after the script raised another `TextmixError`, whose message is logged.
    BaseException : any other error of the script, after it was logged.
    """
    from textmix.core import io
    from textmix.core.determinism import one_thread
    from textmix.core.errors import MissingResult, TextmixError

    one_thread()
    set_up_log(snakemake.log[0] if snakemake.log else None)
    running = Job(outputs=[str(path) for path in snakemake.output])
    try:
        running.record = _record(snakemake)
        yield running
    except MissingResult as missing:
        if tolerate_missing:
            raise
        logger.warning("left out: %s", missing.reason)
        for path in running.outputs:
            io.write_missing(path, missing, running.record)
    except TextmixError as error:
        logger.error("%s: %s", type(error).__name__, error)
        raise SystemExit(1) from error
    except MemoryError as error:
        logger.error("out of memory in rule %s: %s; give it more or use a smaller data set", snakemake.rule, error)
        raise
    except BaseException:
        logger.exception("rule %s failed; the cause is in the last line", snakemake.rule)
        raise


def progress(what: str, total: int | None = None) -> Callable[[int, float | None], None]:
    """Return a function that logs the progress of an iterative computation, at most every two seconds.

    Parameters
    ----------
    what : name of the computation, for the log.
    total : number of iterations; None if it is not known.

    Returns
    -------
    function of the number of iterations done and of the objective (None: not logged).
    """
    import time

    start = last = time.monotonic()

    def report(iteration: int, objective: float | None = None) -> None:
        """Log iteration, objective and time left, unless the last message is less than two seconds old."""
        nonlocal last
        now = time.monotonic()
        if now - last < 2.0:
            return
        last = now
        left = f", {(now - start) / iteration * (total - iteration):.0f} s left" if total and iteration else ""
        of = f" of {total}" if total else ""
        value = f", objective {objective:.6g}" if objective is not None else ""
        logger.info("%s: iteration %d%s%s%s", what, iteration, of, value, left)

    return report
