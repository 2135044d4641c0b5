"""The state of a run, read from the folder in which it runs: which results are done, started or missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from reproduction.plan.snakemake_private import seconds_spent, unfinished


@dataclass(frozen=True)
class Stage:
    """One stage of the run, a rule of the workflow.

    Parameters
    ----------
    done, started, missing : numbers of its jobs.  A started job runs, or was interrupted.
    seconds : estimate of the time of its started and missing jobs on one core; None where no job of the stage has run
        here before and none was expected.
    """

    done: int
    started: int
    missing: int
    seconds: float | None


def status(results: Mapping[str, Iterable[str]], folder: Path, expected: Mapping[str, float]) -> dict[str, Stage]:
    """Return the state of every stage.

    Parameters
    ----------
    results : rule -> a path for each of its jobs, relative to the folder.
    folder : the folder in which the workflow runs.
    expected : path -> seconds of its job, where no job has made it in this folder before.
    """
    started, known = unfinished(folder), {**expected, **seconds_spent(folder)}
    return {rule: _stage(list(paths), folder, started, known) for rule, paths in results.items()}


def _stage(paths: list[str], folder: Path, started: set[str], seconds: Mapping[str, float]) -> Stage:
    """Return the state of one stage; a job of unknown seconds is expected to take the mean of its stage."""
    running = [path for path in paths if path in started]
    missing = [path for path in paths if path not in started and not (folder / path).exists()]
    known = [seconds[path] for path in paths if path in seconds]
    left = sum(seconds.get(path, mean(known)) for path in running + missing) if known else None
    return Stage(len(paths) - len(running) - len(missing), len(running), len(missing), left)


def in_words(stages: Mapping[str, Stage], cores: int) -> str:
    """Return the state of a run as a table in plain text, with the time that the rest takes on a number of cores."""
    lines = [f"{'stage':<10}{'done':>7}{'started':>9}{'missing':>9}  time left on one core"]
    for rule, stage in stages.items():
        left = duration(stage.seconds) if stage.seconds is not None else "unknown: nothing like it was measured"
        counts = f"{rule:<10}{stage.done:>7}{stage.started:>9}{stage.missing:>9}"
        lines.append(f"{counts}  {left}" if stage.started + stage.missing else counts)
    return "\n".join([*lines, _rest([stage for stage in stages.values() if stage.started + stage.missing], cores)])


def _rest(open_: list[Stage], cores: int) -> str:
    """Return the last line of the table, on the stages that are not done."""
    known = [stage.seconds for stage in open_ if stage.seconds is not None]
    if not open_:
        return "Every result is there; snakemake -n says which an edit made old."
    if not known:
        return "The time of the rest is not known: nothing like it was measured."
    least = "at least " if len(known) < len(open_) else ""
    return f"The rest takes {least}about {duration(sum(known) / cores)} on {cores} cores."


def duration(seconds: float) -> str:
    """Return a time in words: ``45 s``, ``12 min`` or ``3 h 5 min``."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
