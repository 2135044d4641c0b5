"""The papers: one folder of ``config/papers/`` each.  Adding a folder adds a paper; no list names them.

``role_lists`` of a ``paper.yaml`` gives one name to several roles.  It may stand wherever the files of the paper name
roles: in ``roles`` of the paper, of an experiment, of a measure or of a figure, and as the role of a locator in
``checks.yaml``.  The lists are expanded when a file is read; the rest of the code sees roles only.

The module is imported while Snakemake parses the workflow, so it imports nothing heavier than a YAML and a JSON schema
library.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from reproduction.plan.locators import RoleLists
from textmix.core.config import load_yaml_strict, validate
from textmix.core.errors import ConfigError, suggest
from textmix.experiment.methods import Method
from textmix.metrics.table import check_metrics, metrics_for

FOLDER = "config/papers"
_SCHEMA = "workflow/schemas/paper.schema.yaml"


def source_of(paper: str) -> str:
    """Return the path of a paper's paper.yaml from the folder with ``config/``."""
    return f"{FOLDER}/{paper}/paper.yaml"


def load_papers(root: Path, methods: Mapping[str, Method]) -> dict[str, dict[str, Any]]:
    """Read and check every ``paper.yaml``.

    Parameters
    ----------
    root : the folder with ``config/`` and ``workflow/``.
    methods : the registry of methods.

    Returns
    -------
    name of the folder -> its paper.yaml, in the order of ``place``, then of names.

    Raises
    ------
    ConfigError : a file is missing or wrong, or names a method or metric that does not exist.
    """
    names = sorted(path.name for path in (root / FOLDER).iterdir() if path.is_dir())
    papers = {name: _paper(root, name, methods) for name in names}
    return dict(sorted(papers.items(), key=lambda item: item[1]["place"]))


def _paper(root: Path, name: str, methods: Mapping[str, Method]) -> dict[str, Any]:
    """Read and check one paper.yaml."""
    source = source_of(name)
    paper: dict[str, Any] = load_yaml_strict(root / source)
    validate(paper, root / _SCHEMA, source)
    paper = expand_paper(paper, source)
    for key, experiment in paper["experiments"].items():
        _check_experiment(f"{source}: experiments.{key}", experiment, methods)
    for key, measure in paper["measures"].items():
        for method in measure.get("methods", ()):
            if method not in methods:
                raise ConfigError(f"{source}: measures.{key}.methods: no method '{method}'; {suggest(method, methods)}")
    return paper


def expand_paper(paper: Mapping[str, Any], source: str) -> dict[str, Any]:
    """Return a ``paper.yaml`` without ``role_lists``, every list in it replaced by its roles in order.

    Parameters
    ----------
    paper : the content of the file, which follows its schema.
    source : the path of the file, for messages.

    Raises
    ------
    ConfigError : a list has the name of a role, or a role stands twice in one entry.
    """
    expanded = {key: value for key, value in paper.items() if key != "role_lists"}
    lists: RoleLists = paper.get("role_lists", {})
    expanded["roles"] = _expand_roles(paper["roles"], lists, f"{source}: roles")
    for name in lists:
        if name in expanded["roles"]:
            raise ConfigError(f"{source}: role_lists.{name}: '{name}' is a role too; rename the list")
    for kind in ("experiments", "measures", "figures"):
        expanded[kind] = {
            key: _expand_entry(entry, lists, f"{source}: {kind}.{key}.roles") for key, entry in paper[kind].items()
        }
    return expanded


def _expand_entry(entry: Mapping[str, Any], lists: RoleLists, place: str) -> dict[str, Any]:
    """Return an experiment, measure or figure with the lists in its ``roles`` expanded.

    An experiment or measure maps roles to splits: each role of a list gets the split of the list.
    """
    if "roles" not in entry:
        return dict(entry)
    roles = _expand_roles(entry["roles"], lists, place)
    if not isinstance(entry["roles"], Mapping):
        return {**entry, "roles": roles}
    splits = [split for name, split in entry["roles"].items() for _ in lists.get(name, [name])]
    return {**entry, "roles": dict(zip(roles, splits, strict=True))}


def _expand_roles(names: Iterable[str], lists: RoleLists, place: str) -> list[str]:
    """Return names of roles and of lists as roles in order."""
    roles = [role for name in names for role in lists.get(name, [name])]
    for role, count in Counter(roles).items():
        if count > 1:
            raise ConfigError(f"{place}: the role '{role}' stands twice; name it once, by itself or by one list")
    return roles


def _check_experiment(where: str, experiment: Mapping[str, Any], methods: Mapping[str, Method]) -> None:
    """Check that an experiment's methods exist and that its metrics are for the tasks of these methods."""
    for name, entry in experiment["methods"].items():
        if entry["use"] not in methods:
            raise ConfigError(f"{where}.methods.{name}: no method '{entry['use']}'; {suggest(entry['use'], methods)}")
    for task in {methods[entry["use"]].task for entry in experiment["methods"].values()}:
        check_metrics(experiment["metrics"], metrics_for(task), f"{where}.metrics")


def check_references(name: str, paper: Mapping[str, Any], roles: Collection[str]) -> None:
    """Check that a paper names roles, features and splits that exist.

    Parameters
    ----------
    name, paper : the paper and its paper.yaml.
    roles : the roles of the configuration.

    Raises
    ------
    ConfigError : a name does not exist; the message names the file and the place in it.
    """
    for where, role, features, split in _references(paper):
        for kind, key, known in (
            ("role", role, roles if where == "roles" else paper["roles"]),
            ("features", features, paper["features"]),
            ("split", split, paper["splits"]),
        ):
            if key is not None and key not in known:
                raise ConfigError(f"{source_of(name)}: {where}: no {kind} '{key}'; {suggest(key, known)}")


def _references(paper: Mapping[str, Any]) -> Iterator[tuple[str, str, str | None, str | None]]:
    """Yield (place, role, features, split) of every entry of a paper.yaml that refers to another entry."""
    for role in paper["roles"]:
        yield "roles", role, None, None
    for kind in ("experiments", "measures"):
        for key, entry in paper[kind].items():
            for role, split in entry["roles"].items():
                yield f"{kind}.{key}", role, entry["features"], split
                if "beside" in entry:
                    yield f"{kind}.{key}", role, entry["beside"], None
