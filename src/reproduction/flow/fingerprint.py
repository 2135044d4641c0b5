"""What a result depends on besides its inputs: the code that its job reaches, and the settings of the job.

Both are parameters of the rule, so that Snakemake makes a result again after an edit.  The record beside each result
repeats them for the pages, for ``snakemake verify`` and for the comparison with the recorded run.
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

#: Modules of this room that surround a job and can change no number, so that an edit of them re-runs none.
NEUTRAL = tuple(f"reproduction.flow.{name}" for name in ("job_context", "fingerprint"))
#: The module that says by which instructions NumPy and its libraries compute; the workflow sets them for each job.
INSTRUCTIONS = "reproduction.flow.cpu_features"
#: The folder with both packages, and that with the scripts.
SOURCE = Path(__file__).resolve().parents[2]
SCRIPTS = SOURCE.parent / "workflow/scripts"


@dataclass(frozen=True)
class Code:
    """Where the code of a job starts.

    Parameters
    ----------
    script : name of the script, without its ending.
    modules : modules that the script imports by names that are known only when it runs; a library's are allowed.
    data : patterns of the data files below ``src`` that the code reads, such as templates.
    here : whether the job runs in this environment, whose versions then count; Snakemake compares one that it makes.
    """

    script: str
    modules: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    here: bool = True

    def state(self) -> tuple[dict[str, str], dict[str, str]]:
        """Return name -> digest of all code that is reached, and distribution -> version of all that it imports."""
        found = reachable((*self.modules, INSTRUCTIONS), [SCRIPTS / f"{self.script}.py"], NEUTRAL)
        paths = sorted(path for pattern in self.data for path in SOURCE.glob(pattern))
        files = {f"{path.parent.name}/{path.name}": sha256_file(path)[:SHORT] for path in paths}
        return {**found.short(), **files}, environment(found.packages) if self.here else {}

    def parameter(self) -> dict[str, Any]:
        """Return the parameter ``code`` of a rule: a digest of all code, and where it starts."""
        return {"digest": digest_of(self.state())[:SHORT], **asdict(self)}


def check_code(parameter: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the state of a job's code after a check that it is what the parameter of its rule says."""
    state = Code(*(parameter[field.name] for field in fields(Code))).state()
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
    """Return the part of a result's record that says what made it, without times and absolute paths."""
    return {
        "script": script,
        "wildcards": dict(sorted(wildcards.items())),
        "settings": {name: digest_of(value)[:SHORT] for name, value in sorted(settings.items())},
        "code": dict(state[0]),
        "environment": dict(state[1]),
        "inputs": dict(sorted(inputs.items())),
        "processor": processor(),
    }


def input_digest(path: str | Path) -> str:
    """Return the digest of an input today; empty where it is gone."""
    try:
        return io.result_digest(path)
    except OSError:
        return ""


def is_of_today(path: Path, settings: Mapping[str, Any], code: Code) -> bool:
    """Return whether a result was made with these settings, by this code and from its inputs as they are now."""
    record = io.read_meta(path)
    inputs = {name: input_digest(name) for name in record["inputs"]}
    now = record_of(record["script"], record["wildcards"], settings, code.state(), inputs)
    return all(record[key] == now[key] for key in ("settings", "code", "environment", "inputs"))
