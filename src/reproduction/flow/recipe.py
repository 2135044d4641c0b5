"""The recipe of a job: all that its results depend on besides its inputs, by name.

The plan writes the recipe.  The job follows it, and refuses to go on where the code or the environment is another by
then.  The record of each result keeps it.  `differences` says what of a record no longer fits: the plan then has the
result made again, and ``snakemake verify`` names it.  Time stamps decide nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from textmix.core.digests import digest_of, sha256_file
from textmix.core.environment import environment
from textmix.core.errors import IntegrityError
from textmix.core.processor import processor
from textmix.core.provenance import SHORT, Reached, reachable

#: Modules of this room that surround a job and can change no number, so that an edit of them re-runs none.
NEUTRAL = ("reproduction.job.held", "reproduction.flow.recipe", "reproduction.flow.job")
#: The module that says by which instructions NumPy and its libraries compute.
INSTRUCTIONS = "textmix.core.processor"
#: Most names in one sentence on what changed.
_NAMED = 3


def lasting(inputs: Iterable[str]) -> list[str]:
    """Return the inputs of a job that the record of its result names, each once.

    It names neither the input ``parts`` of a job that joins single fits, which Snakemake deletes and which have the
    recipe of that job, nor the input ``source`` of a job that copies it: a comment is no reason for a new copy.
    """
    unnamed = {str(path) for name in ("parts", "source") for path in getattr(inputs, name, ())}
    return [path for path in dict.fromkeys(map(str, inputs)) if path not in unnamed]


@dataclass(frozen=True)
class Code:
    """Where the code of a job starts.

    Parameters
    ----------
    script : its file.
    modules : modules that the script imports by names that are known only when it runs; a library's are allowed.
    data : data files of the package that the code reads, such as templates.
    """

    script: Path
    modules: tuple[str, ...] = ()
    data: tuple[Path, ...] = ()

    def files(self) -> list[Path]:
        """Return the files of all code that is reached."""
        return [*self._reached().files, *self.data]

    def state(self) -> tuple[dict[str, str], dict[str, str]]:
        """Return name -> digest of all code that is reached, and distribution -> version of all that it imports."""
        found = self._reached()
        files = {f"{path.parent.name}/{path.name}": sha256_file(path)[:SHORT] for path in self.data}
        return {**found.short(), **files}, environment(found.packages)

    def _reached(self) -> Reached:
        """Return the code that is reached; the workflow sets the instructions of each job."""
        return reachable((*self.modules, INSTRUCTIONS), [self.script], NEUTRAL)


@dataclass(frozen=True)
class Recipe:
    """All that a job's results depend on besides its inputs.

    Parameters
    ----------
    script : name of the script, without its ending.
    wildcards : name -> value of the names in the job's output paths.
    settings : name -> the part of the configuration that the job reads.
    code : as `Code.state` gives it.
    environment : as `Code.state` gives it; empty where the job runs in an environment of its own, which Snakemake
        makes and compares.
    origin : where the code starts; None for a job whose results do not depend on code, a fetch.
    folder : in which the job works; empty for the one in which the workflow runs.
    """

    script: str
    wildcards: Mapping[str, str]
    settings: Mapping[str, Any]
    code: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    origin: Code | None = None
    folder: str = ""

    def record(self, inputs: Mapping[str, str]) -> dict[str, Any]:
        """Return the part of a result's record that says what made it, without times and absolute paths.

        Parameters
        ----------
        inputs : path -> digest of the inputs.
        """
        return {
            "script": self.script,
            "wildcards": dict(sorted(self.wildcards.items())),
            "settings": {name: digest_of(value)[:SHORT] for name, value in sorted(self.settings.items())},
            "code": dict(self.code),
            "environment": dict(self.environment),
            "inputs": dict(sorted(inputs.items())),
            "processor": processor(),
        }

    def check(self) -> None:
        """Check that code and environment are those of the plan.

        Raises
        ------
        IntegrityError : they are not; a result would have another origin than its record says.
        """
        if self.origin is None:
            return
        code, installed = self.origin.state()
        changed = _changes("code of", self.code, code)
        if not changed and self.environment:
            changed = _changes("version of", self.environment, installed)
        if changed:
            raise IntegrityError(f"the {changed} changed since this run began; run the same command again")


def differences(record: Mapping[str, Any], recipe: Recipe, digest: Callable[[str], str], inputs: Sequence[str]) -> str:
    """Return what of a record no longer fits, in a few words; empty if the result is what its job would make today.

    Parameters
    ----------
    record : of the result.
    recipe : of its job.
    digest : path of an input -> its digest today; empty if it is not there.
    inputs : paths of the job's inputs.
    """
    now = recipe.record({path: digest(path) for path in inputs})
    for key, what in (
        ("script", "job"),
        ("wildcards", "name"),
        ("settings", "configuration:"),
        ("code", "code of"),
        ("environment", "version of"),
        ("inputs", "content of"),
    ):
        found = _changes(what, record.get(key, {}), now[key])
        if found:
            return found
    return ""


def _changes(what: str, before: Any, after: Any) -> str:
    """Return the names whose values differ, after the words that say what they name; empty if none do."""
    if before == after:
        return ""
    if not isinstance(before, Mapping) or not isinstance(after, Mapping):
        return what
    names = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{what} {', '.join(names[:_NAMED])}{more}"
