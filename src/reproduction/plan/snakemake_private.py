"""All that this code takes from Snakemake beyond what its documentation promises, in one place.

pyproject.toml bounds Snakemake for these parts, and a workflow on GitHub tries the newest release each week.  The rules
use of the object ``workflow`` only what is documented, see ``tests/plan/test_snakemake_private.py``.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from base64 import urlsafe_b64decode
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: Snakemake's limit of new jobs a second where the command line names none.
_LIMIT = 100
#: Folder in which Snakemake keeps its own files, below the one in which the workflow runs.
_FOLDER = Path(".snakemake")
#: Folder of the records of results that lie in a bucket.
RECORDS = _FOLDER / "records"


class _GivesWay(str):
    """A rule's name that is the default target until another rule is added: for Snakemake, an empty name is none."""

    def __bool__(self) -> bool:
        """Say that there is no name."""
        return False


@dataclass(frozen=True)
class Snakemake:
    """The run that Snakemake makes of a Snakefile.

    Parameters
    ----------
    workflow : Snakemake's object of the same name in a Snakefile.
    """

    workflow: Any

    def configuration_files(self) -> list[Path]:
        """Return the configuration files of the command line; asked before the Snakefile names its own."""
        return [Path(path) for path in self.workflow.configfiles]

    def runs_here(self) -> bool:
        """Return whether jobs run in the environment of this process, not in environments that Snakemake makes."""
        return not self.workflow.deployment_settings.deployment_method

    def make_again(self, files: Iterable[str]) -> None:
        """Have results made again, in the way in which Snakemake makes unfinished ones again."""
        self.workflow.dag.forcefiles.update(files)

    def start_jobs_at_once(self) -> None:
        """Lift the limit of 100 new jobs a second, which is never reached here; one of the command line stays.

        With it, each job that ends starts a timer that looks at all ready jobs once a second until the run ends.
        """
        limit = self.workflow.scheduling_settings.max_jobs_per_timespan
        if limit and limit.max_jobs == _LIMIT:
            self.workflow.scheduler.job_rate_limiter = None

    def jobs_to_run(self) -> dict[int, tuple[str, dict[str, str]]]:
        """Return number of each job that this run makes -> its rule and wildcards; asked when the run starts.

        A rule without a script stands for its inputs and makes nothing.
        """
        dag = self.workflow.dag
        jobs = (job for job in dag.needrun_jobs() if not job.rule.norun)
        return {dag.jobid(job): (job.rule.name, dict(job.wildcards_dict)) for job in jobs}

    def cores(self) -> int:
        """Return how many jobs of one thread run at once."""
        given = self.workflow.resource_settings
        return int(given.nodes or given.cores or 1)

    def make_default(self, rule: str) -> None:
        """Make a rule the default target; of a module only where the workflow that uses it has no rule of its own."""
        name, modifier = self.workflow.modifier.modify_rulename(rule), self.workflow.modifier
        own = {made.name for made in modifier.rules}
        if modifier.is_main_snakefile():
            self.workflow.default_target = name
        elif self.workflow.default_target in {None, *own} and self.workflow.is_rule(name):
            self.workflow.default_target = _GivesWay(name)

    def describe(self, rule: str, sentence: str) -> None:
        """Set the description of a rule in ``snakemake --list-target-rules``."""
        # Another workflow that uses this one as a module may give its rules a prefix.
        name = self.workflow.modifier.modify_rulename(rule)
        if self.workflow.is_rule(name):
            self.workflow.get_rule(name).docstring = sentence

    def target_rules(self) -> list[str]:
        """Return the names of the rules that can be named as targets."""
        return [rule.name for rule in self.workflow.rules if not rule.wildcard_names]

    def wildcards_of(self, path: str) -> dict[str, str] | None:
        """Return the wildcards with which the first rule that can make a path makes it; None where no rule can."""
        makers = [rule for rule in self.workflow.rules if rule.is_producer(path)]
        return dict(makers[0].get_wildcards(path)) if makers else None

    def doubtful_targets(self, root: Path) -> list[str]:
        """Return the targets of the command line that are neither rules nor files at hand.

        Snakemake tells a Snakefile no targets, so that its own parser reads the command line again; that takes a second
        and happens only where a word of it may be such a target.

        Parameters
        ----------
        root : the folder of the workflow; where another workflow uses it as a module, targets are not its own.
        """
        words = [word for word in sys.argv[1:] if not re.search("^-|^[0-9]+$|=", word)]
        ours = Path(self.workflow.main_snakefile).parent in (root, root / "workflow") and self.workflow.is_main_process
        if not ours or not any(map(self._is_doubtful, words)):
            return []
        from snakemake.cli import parse_args

        return list(filter(self._is_doubtful, parse_args(sys.argv[1:])[1].targets))

    def _is_doubtful(self, word: str) -> bool:
        """Return whether a word is neither a rule nor a file at hand."""
        return not self.workflow.is_rule(word) and not Path(word).exists()


def forget_backup(result: str) -> None:
    """Delete the copy of a result that a killed run left: Snakemake would stumble over it; not while a run goes on."""
    if not any((_FOLDER / "locks").glob("*")):
        shutil.rmtree(_FOLDER / "backups" / result, ignore_errors=True)


def unfinished(folder: Path) -> set[str]:
    """Return the paths of the outputs that a job is making, or was making when it was interrupted.

    Parameters
    ----------
    folder : the folder in which the workflow runs.
    """
    return {path for path, _ in _files(folder / _FOLDER / "incomplete")}


def seconds_spent(folder: Path) -> dict[str, float]:
    """Return path of an output -> seconds of the job that made it.

    Parameters
    ----------
    folder : the folder in which the workflow runs.
    """
    found = {path: _seconds(file) for path, file in _files(folder / _FOLDER / "metadata")}
    return {path: seconds for path, seconds in found.items() if seconds is not None}


def _files(folder: Path) -> list[tuple[str, Path]]:
    """Return the paths of outputs with Snakemake's files about them; a file has its output's path in base64 as name."""
    files = [path for path in folder.rglob("*") if path.is_file()] if folder.is_dir() else []
    return [(_output_of(path.relative_to(folder)), path) for path in files]


def _output_of(name: Path) -> str:
    """Return the path of the output that a file of Snakemake is about; all parts but the last begin with @."""
    return urlsafe_b64decode("".join(part.removeprefix("@") for part in name.parts)).decode()


def _seconds(record: Path) -> float | None:
    """Return the seconds of the job of a record; None where a record is half written or lacks its times."""
    try:
        content = json.loads(record.read_text(encoding="utf-8"))
        return float(content["endtime"]) - float(content["starttime"])
    except (ValueError, KeyError, TypeError):
        return None
