"""Dependencies of a result other than its inputs: the code that its job reaches, and the settings of the job.

Both are parameters of the rule, so that Snakemake recomputes a result after an edit.  The record of each result repeats
them for the reports, for ``snakemake verify`` and for the comparison with the recorded run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from reproduction.flow.code_digests import SHORT, reachable
from reproduction.flow.cpu_features import processor
from textmix.core import io
from textmix.core.digests import digest_of, sha256_file
from textmix.core.environment import environment
from textmix.core.errors import IntegrityError

#: Modules of this package that cannot change a number; editing them does not trigger a rerun.
NEUTRAL = tuple(f"reproduction.flow.{name}" for name in ("job_context", "fingerprint"))
#: Module that selects the instruction sets of NumPy and its libraries; the workflow calls it for each job.
INSTRUCTIONS = "reproduction.flow.cpu_features"
#: Folder of both packages, and folder of the scripts.
SOURCE = Path(__file__).resolve().parents[2]
SCRIPTS = SOURCE.parent / "workflow/scripts"


@dataclass(frozen=True)
class Code:
    """Entry points of the code of a job.

    Parameters
    ----------
    script : str
        Name of the script, without extension.
    modules : tuple of str, default=()
        Modules that the script imports dynamically; modules of libraries are allowed.
    data : tuple of str, default=()
        Patterns of the data files that the code reads, such as templates, below ``src``.
    here : bool, default=True
        Whether the job runs in this environment and its package versions count; Snakemake tracks environments that
        it deploys.
    """

    script: str
    modules: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    here: bool = True

    def state(self) -> tuple[dict[str, str], dict[str, str]]:
        """Return name -> digest of all reached code, and distribution -> version of all imported packages."""
        script = SCRIPTS / f"{self.script}.py"
        reached = reachable((*self.modules, INSTRUCTIONS), [script], NEUTRAL)
        paths = sorted(path for pattern in self.data for path in SOURCE.glob(pattern))
        digests = reached.short()
        for path in paths:
            digests[f"{path.parent.name}/{path.name}"] = sha256_file(path)[:SHORT]
        versions = environment(reached.packages) if self.here else {}
        return digests, versions

    def parameter(self) -> dict[str, Any]:
        """Return the parameter ``code`` of a rule: a digest of all code, and its entry points."""
        return {"digest": digest_of(self.state())[:SHORT], **asdict(self)}


def check_code(parameter: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the state of a job's code after checking that it matches the parameter of its rule."""
    entry_points = {field.name: parameter[field.name] for field in fields(Code)}
    state = Code(**entry_points).state()
    if digest_of(state)[:SHORT] != parameter["digest"]:
        raise IntegrityError("the code of this job changed since the run began; run the same command again")
    return state


def record_of(
    script: str,
    wildcards: Mapping[str, str],
    settings: Mapping[str, Any],
    state: tuple[Mapping[str, str], Mapping[str, str]],
    inputs: Mapping[str, str],
) -> dict[str, Any]:
    """Return the reproducible part of a result's record, without times and absolute paths."""
    code, versions = state
    digests = {name: digest_of(value)[:SHORT] for name, value in sorted(settings.items())}
    return {
        "script": script,
        "wildcards": dict(sorted(wildcards.items())),
        "settings": digests,
        "code": dict(code),
        "environment": dict(versions),
        "inputs": dict(sorted(inputs.items())),
        "processor": processor(),
    }


def input_digest(path: str | Path) -> str:
    """Return the current digest of an input; "" if it no longer exists."""
    try:
        return io.result_digest(path)
    except OSError:
        return ""


def is_of_today(path: Path, settings: Mapping[str, Any], code: Code) -> bool:
    """Check whether a result is up to date with its settings, code and inputs."""
    record = io.read_meta(path)
    inputs = {name: input_digest(name) for name in record["inputs"]}
    now = record_of(record["script"], record["wildcards"], settings, code.state(), inputs)
    return all(record[key] == now[key] for key in ("settings", "code", "environment", "inputs"))
