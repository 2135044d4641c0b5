"""Where papers lie: the folders of ``config/papers/``, and those of the folders that ``papers_from`` names.

A folder outside the repository holds a folder a paper, with its configuration and its code, and may hold
``datasets.yaml``, ``methods.yaml`` and ``roles.yaml``: further entries, in the form of the files of ``config/``.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from reproduction.flow.folders import CODE
from textmix.core.config import load_yaml_strict
from textmix.core.errors import ConfigError
from textmix.data.registry import DatasetEntry, load_registry
from textmix.experiment.methods import Method, load_methods

FOLDER = "config/papers"
_METHODS, _DATASETS = "workflow/schemas/methods.schema.yaml", "workflow/schemas/datasets.schema.yaml"


def outside(config: Mapping[str, Any]) -> list[Path]:
    """Return the folders of papers outside the repository, absolute.

    Parameters
    ----------
    config : the merged configuration; relative paths start where the workflow runs.

    Raises
    ------
    ConfigError : ``papers_from`` is no list of folders.
    """
    named = config.get("papers_from") or []
    if not isinstance(named, (list, tuple)):
        raise ConfigError(f"configuration: papers_from: {named!r} is no list; write [{named}]")
    found = [Path(str(name)).expanduser().absolute() for name in named]
    for folder in found:
        if not folder.is_dir():
            raise ConfigError(f"configuration: papers_from: there is no folder {folder}; correct the path")
    return found


def paper_folders(root: Path, further: Iterable[Path] = ()) -> dict[str, Path]:
    """Return name -> folder of every paper, which is each folder with a ``paper.yaml``, sorted by name.

    Parameters
    ----------
    root : the folder with ``config/``; each folder of its ``config/papers`` counts.
    further : the folders of papers outside the repository.

    Raises
    ------
    ConfigError : two papers have one name, or a name holds other characters than a-z, 0-9 and _.
    """
    found = {path.name: path for path in (root / FOLDER).iterdir() if path.is_dir()}
    for folder in further:
        for path in sorted(file.parent for file in folder.glob("*/paper.yaml")):
            if not re.fullmatch(r"[a-z][a-z0-9_]*", path.name):
                raise ConfigError(f"{path}: '{path.name}' is no name of a paper; use a-z, 0-9 and _ alone")
            if path.name in found or (CODE / path.name).is_dir():
                raise ConfigError(f"{path}: another paper has the name '{path.name}'; rename one of the folders")
            found[path.name] = path
    return dict(sorted(found.items()))


def file_name(root: Path, path: Path) -> str:
    """Return how messages name a file: from the root on, or by its whole path where it lies elsewhere."""
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


def code_of(root: Path, folder: Path) -> Path:
    """Return the folder with the code of a paper: beside its configuration, or in the package of this repository."""
    return CODE / folder.name if folder.parent == root / FOLDER else folder


def make_importable(folders: Iterable[Path]) -> None:
    """Let this process and its jobs import the code of papers outside the repository, after all other code."""
    for folder in map(str, folders):
        if folder not in sys.path:
            sys.path.append(folder)
        known = [part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part]
        if folder not in known:
            os.environ["PYTHONPATH"] = os.pathsep.join([*known, folder])


def registries(root: Path, further: Iterable[Path] = ()) -> list[Path]:
    """Return the files with data sets: that of the repository, and those of the folders outside it."""
    return [root / "config/datasets.yaml", *_files(further, "datasets.yaml")]


def read_methods(root: Path, further: Iterable[Path] = ()) -> dict[str, Method]:
    """Return the registry of methods, with the entries of the folders outside the repository."""
    found = load_methods(root / "config/methods.yaml", root / _METHODS)
    for path in _files(further, "methods.yaml"):
        _add(found, load_methods(path, root / _METHODS), path)
    return found


def read_datasets(root: Path, further: Iterable[Path] = ()) -> dict[str, DatasetEntry]:
    """Return the registry of data sets, with the entries of the folders outside the repository."""
    first, *added = registries(root, further)
    found = load_registry(first)
    for path in added:
        _add(found, load_registry(path, root / _DATASETS), path)
    return found


def with_roles(config: Mapping[str, Any], further: Iterable[Path] = ()) -> dict[str, Any]:
    """Return a configuration with the roles of the folders outside the repository, which are checked with its own."""
    files = _files(further, "roles.yaml")
    if not files:
        return dict(config)
    roles = dict(config.get("roles") or {})
    for path in files:
        added = load_yaml_strict(path)
        if not isinstance(added, Mapping):
            raise ConfigError(
                f"{path}: is no mapping; write a line <role>: {{dataset: ..., comparable: ..., note: ...}}"
            )
        _add(roles, added, path)
    return {**config, "roles": roles}


def _files(further: Iterable[Path], name: str) -> list[Path]:
    """Return the files of a name in the folders outside the repository."""
    return [path for folder in further if (path := folder / name).is_file()]


def _add(known: dict[str, Any], added: Mapping[str, Any], path: Path) -> None:
    """Add entries to those that there are; refuse a name that stands already."""
    for name in added:
        if name in known:
            raise ConfigError(f"{path}: {name}: another entry has this name already; rename it")
    known.update(added)
