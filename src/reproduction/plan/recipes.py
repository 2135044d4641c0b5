"""The recipes of all jobs of a plan, and the results that are not what their recipes would make today.

Snakemake asks for a recipe as the one parameter of a job.  It compares the parameter with nothing: our own records say
what made a result, also after ``.snakemake`` was deleted.  A result whose record differs is made again.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from reproduction.flow.recipe import Code, Recipe, differences, lasting
from reproduction.plan.stages import ACCEPT, PAGE
from reproduction.plan.storage import Here
from textmix.core import io
from textmix.core.digests import known_sha256
from textmix.core.errors import OUT_OF_TIME, IntegrityError
from textmix.data.registry import RECORD


@dataclass
class Recipes:
    """The recipes of a workflow, by the names of the scripts.

    Parameters
    ----------
    scripts : folder of the scripts.
    again : has Snakemake make the given files again.
    say : tells the user a sentence.
    here : whether jobs run in the environment of this process, not in environments that Snakemake makes.
    retry : whether a job that the time budget left no time is tried again.
    store : where the results lie.
    """

    scripts: Path
    again: Callable[[Iterable[str]], None]
    say: Callable[[str], None]
    here: bool = True
    retry: bool = True
    store: Here = field(default_factory=Here)
    _known: dict[str, Callable[[Any], Recipe]] = field(default_factory=dict)
    _said: set[str] = field(default_factory=set)
    #: Path of each result of this run -> its recipe and the inputs of its job.
    _asked: dict[str, tuple[Recipe, list[str]]] = field(default_factory=dict)

    def of(
        self, script: str, *, modules: Any = (), data: Sequence[Path] = (), **settings: Any
    ) -> Callable[[Any, Any, Any], Recipe]:
        """Return the parameter of a rule: a function of a job's wildcards, input and output that gives its recipe.

        The function also has stale results of the job made again.

        Parameters
        ----------
        script : name of the rule's script, without its ending.
        modules : modules that the script imports by name, or a function of the wildcards that gives them.
        data : data files that the code reads.
        settings : the parts of the configuration that the job reads, each a value or a function of the wildcards.
        """

        def make(wildcards: Any) -> Recipe:
            """Return the recipe of the job with these wildcards."""
            code = Code(self.scripts / f"{script}.py", tuple(_asked(modules, wildcards)), tuple(data))
            found = {name: _asked(value, wildcards) for name, value in settings.items()}
            digests, installed = _state(code)
            environment = installed if self.here else {}
            return Recipe(script, dict(wildcards.items()), found, digests, environment, code, self.store.folder)

        return self._parameter(script, make)

    def of_fetch(self, entry: Callable[[Any], Any], state: Callable[[Any], Any]) -> Callable[[Any, Any, Any], Recipe]:
        """Return the parameter of the rule that fetches: a file is the same, whatever code fetched it.

        Parameters
        ----------
        entry, state : functions of the wildcards, see `reproduction.plan.jobs.Jobs`.
        """

        def make(wildcards: Any) -> Recipe:
            """Return the recipe of the fetch of one data set."""
            settings = {"entry": entry(wildcards), "state": state(wildcards)}
            return Recipe("fetch", dict(wildcards.items()), settings, folder=self.store.folder)

        return self._parameter("fetch", make)

    def _parameter(self, script: str, make: Callable[[Any], Recipe]) -> Callable[[Any, Any, Any], Recipe]:
        """Remember how the recipes of a script are made; return the function that Snakemake asks."""
        self._known[script] = make

        def ask(wildcards: Any, input: Sequence[str], output: Sequence[str]) -> Recipe:
            """Return the recipe of a job; have its results made again where their records differ."""
            recipe, made = make(wildcards), list(map(self.store.name, output))
            read = list(map(self.store.name, lasting(input)))
            self._asked |= {path: (recipe, read) for path in made}
            for path in made:
                why = self._stale(path, recipe, read)
                if why or (self.retry and _out_of_time(self.store.place(path))):
                    self.again(output)
                    self._tell(script, why)
                    break
            return recipe

        return ask

    def _tell(self, script: str, why: str) -> None:
        """Tell once for each script and reason why results are made again."""
        sentence = (
            f"{script}: made again, for the {why} changed" if why else f"{script}: tried again, for there is time"
        )
        if sentence not in self._said:
            self._said.add(sentence)
            self.say(sentence)

    def _stale(self, path: str, recipe: Recipe, inputs: Sequence[str]) -> str:
        """Return `stale` of a result, by the records where they lie."""
        return stale(path, recipe, inputs, self.store.place)

    def is_of_run(self, path: str) -> bool:
        """Return whether a result is one of this run."""
        return path in self._asked

    def unfounded(self, results: Path) -> list[str]:
        """Return the results that rest on one that this run was to make and has not made, directly or not.

        Their numbers are old ones, which nothing on them tells.

        Parameters
        ----------
        results : the folder.
        """
        place = self.store.place
        lost = {path for path, asked in self._asked.items() if not place(path).exists() or self._stale(path, *asked)}
        inputs = {self.store.name(path): set(_inputs(path)) for path in _results(place(results))}
        found = set[str]()
        while more := {path for path in inputs.keys() - found if inputs[path] & (lost | found)}:
            found |= more
        return sorted(found)

    def of_job(self, script: str, **names: str) -> Recipe:
        """Return the recipe of the job of a script with the given names in its output paths."""
        return self._known[script](_Wildcards(names))

    def is_fresh(self, script: str, path: str, **names: str) -> bool:
        """Return whether there is a result, and its job would make it so today.

        Parameters
        ----------
        script, names : as for `of_job`.
        path : of the result.
        """
        return Path(path).exists() and not stale(path, self.of_job(script, **names), _inputs(Path(path)))

    def stale_below(
        self,
        results: Path,
        resources: Path,
        leaves_out: Callable[[str, Mapping[str, str]], bool] = lambda script, names: False,
    ) -> list[str]:
        """Return a sentence for each result and fetched data set that its job would not make so today.

        A result that no job of this configuration makes is passed over: another configuration may.

        Parameters
        ----------
        results, resources : the folders.
        leaves_out : whether the run leaves out the job of a script with these wildcards.
        """
        sentences = []
        for path in sorted([*_results(results), *resources.glob(f"*/{RECORD}")]):
            try:
                record = _record(path)
                recipe = self._known[record["script"]](_Wildcards(record["wildcards"]))
                if leaves_out(recipe.script, record["wildcards"]):
                    continue
                why = self._stale(str(path), recipe, list(record.get("inputs", {})))
            except (KeyError, AttributeError, TypeError, IntegrityError):
                continue
            if why:
                # The pages of one paper are made by its own target alone.
                paper = recipe.wildcards.get("paper") if recipe.script in (PAGE.name, ACCEPT.name) else None
                remedy = f"run snakemake {paper} again" if paper else "run the workflow again"
                sentences.append(f"{path}: is stale, for the {why} changed; {remedy}")
        return sentences


class _Wildcards(SimpleNamespace):
    """Wildcards as a job's record has them, in the form in which Snakemake gives them."""

    def __init__(self, values: Mapping[str, str]) -> None:
        super().__init__(**values)

    def items(self) -> Iterable[tuple[str, str]]:
        """Return names and values."""
        return vars(self).items()


def _asked(value: Any, wildcards: Any) -> Any:
    """Return a value, or what it gives for the wildcards if it is a function."""
    return value(wildcards) if callable(value) else value


@functools.cache
def _state(code: Code) -> tuple[dict[str, str], dict[str, str]]:
    """Return `Code.state`, which one plan sees in one state."""
    return code.state()


def stale(name: str | Path, recipe: Recipe, inputs: Sequence[str], place: Callable[[str | Path], Path] = Path) -> str:
    """Return why an existing result is not what its job would make today; empty if it is, or if there is none.

    Parameters
    ----------
    name : path of the result.
    recipe : of its job.
    inputs : paths of the inputs of its job.
    place : path of a result or an input -> where its record is read.
    """
    path = place(name)
    if not path.exists():
        return ""
    try:
        record = _record(path)
    except IntegrityError:
        return "record"
    if not io.is_of_path(record, path):
        return "place"
    if path.name == RECORD:
        changed = [name for name, digest in _raw(path, record) if known_sha256(path.with_name(name)) != digest]
        if changed:
            return f"content of {changed[0]}"
    return differences(record, recipe, lambda name: _digest(place(name)), inputs)


def _out_of_time(path: Path) -> bool:
    """Return whether a result is missing because the time of the run before was up."""
    if not path.exists():
        return False
    try:
        reason: str = _record(path).get("missing", {}).get("reason", "")
    except IntegrityError:
        return False
    return reason.startswith(OUT_OF_TIME)


def _raw(path: Path, record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield name and sha256 of the raw files beside their record that are still there."""
    for file in record.get("files", {}).values():
        if path.with_name(file["name"]).is_file():
            yield file["name"], file["sha256"]


def _record(path: Path) -> dict[str, Any]:
    """Return the record of a result or of raw files.

    Raises
    ------
    IntegrityError : it is missing or damaged.
    """
    if path.name != RECORD:
        return io.read_meta(path)
    try:
        return dict(io.read_json(path))
    except (OSError, ValueError, TypeError) as error:
        raise IntegrityError(f"{path}: is damaged; delete it and run again") from error


def _inputs(path: Path) -> list[str]:
    """Return the inputs that the record of a result names; none where it cannot be read."""
    try:
        return list(_record(path).get("inputs", {}))
    except (IntegrityError, TypeError, ValueError):
        return []


def _digest(path: Path) -> str:
    """Return the digest of an input; empty where it is not there or cannot be read."""
    try:
        return io.result_digest(path)
    except (OSError, IntegrityError):
        return ""


def _results(folder: Path) -> Iterator[Path]:
    """Yield the results below a folder, found by their records."""
    for record in folder.rglob(f"*{io.META}"):
        if record.name == io.META:
            yield record.parent
        elif record.name.endswith(f".{io.META}"):
            yield record.with_name(record.name.removesuffix(f".{io.META}"))
