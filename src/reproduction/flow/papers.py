"""The papers, one folder each, read and checked; adding a folder adds a paper, and no list names them.

A paper lies in ``config/papers/`` or in a folder outside the repository that ``papers_from`` names.  That one holds a
folder a paper, with its configuration and its code, and may hold ``datasets.yaml``, ``methods.yaml`` and
``roles.yaml``: further entries, in the form of the files of ``config/``.

``role_lists`` of a ``paper.yaml`` gives one name to several roles, wherever the files of the paper name roles.  The
lists are expanded when a file is read; the rest of the code sees roles only.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import os
import re
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from reproduction.flow.code_digests import found_by_all, is_found
from reproduction.flow.folders import CODE, package_of
from reproduction.flow.locators import RoleLists
from textmix.core.config import load_yaml_strict, validate
from textmix.core.errors import ConfigError, suggest
from textmix.data.registry import DatasetEntry, load_registry
from textmix.experiment.methods import Method, load_methods, variants
from textmix.metrics.registry import check_metrics, metrics_for

FOLDER = "config/papers"
#: Name that `figures.py` of a paper gives to its mapping of names to functions.
FIGURES = "FIGURES"
PAPER_SCHEMA = "workflow/schemas/paper.schema.yaml"
_METHODS, _DATASETS = "workflow/schemas/methods.schema.yaml", "workflow/schemas/datasets.schema.yaml"
#: Most names that a message lists beside the nearest one.
_LISTED = 100
#: The parts of a paper.yaml that it may leave out.
_EMPTY: Mapping[str, Any] = {part: {} for part in ("experiments", "measures", "tables", "figures")}
#: Kind of what an entry names -> the part of a paper.yaml that has it.
_PARTS = {"role": "roles", "features": "features", "split": "splits"}


def outside(config: Mapping[str, Any]) -> list[Path]:
    """Return the folders of papers outside the repository, absolute; relative ones start where the workflow runs."""
    named = config.get("papers_from") or []
    if not isinstance(named, (list, tuple)):
        raise ConfigError(f"configuration: papers_from: {named!r} is no list; write [{named}]")
    found = [Path(str(name)).expanduser().absolute() for name in named]
    for folder in found:
        if not folder.is_dir():
            raise ConfigError(f"configuration: papers_from: there is no folder {folder}; correct the path")
    return found


def paper_folders(root: Path, further: Iterable[Path] = ()) -> dict[str, Path]:
    """Return name -> folder of every paper, sorted: those of ``config/papers``, and those of the further folders."""
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
        _add(found, load_registry(path, root / _DATASETS, found), path)
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
    return [path for folder in further if (path := folder / name).is_file()]


def _add(known: dict[str, Any], added: Mapping[str, Any], path: Path) -> None:
    """Add entries to those that there are; refuse a name that stands already."""
    for name in added:
        if name in known:
            raise ConfigError(f"{path}: {name}: another entry has this name already; rename it")
    known.update(added)


def load_papers(
    root: Path, methods: Mapping[str, Method], folders: Mapping[str, Path] | None = None
) -> dict[str, dict[str, Any]]:
    """Return name -> content of every ``paper.yaml``, checked, in the order of ``place``, then of names."""
    found = paper_folders(root) if folders is None else folders
    papers = {name: _paper(root, folder, methods) for name, folder in found.items()}
    return dict(sorted(papers.items(), key=lambda item: item[1]["order"]))


def _paper(root: Path, folder: Path, methods: Mapping[str, Method]) -> dict[str, Any]:
    path, code = folder / "paper.yaml", code_of(root, folder)
    source = file_name(root, path)
    paper: dict[str, Any] = load_yaml_strict(path)
    validate(paper, root / PAPER_SCHEMA, source)
    paper = expand_paper(paper, source)
    for key, experiment in paper["experiments"].items():
        _check_experiment(f"{source}: experiments.{key}", experiment, methods)
    for key, figure in paper["figures"].items():
        _check_figure(f"{source}: figures.{key}", figure, paper)
    for key, measure in paper["measures"].items():
        _check_measure(f"{source}: measures.{key}", measure, paper, methods)
        _check_function(f"{source}: measures.{key}.function", code, measure["function"])
    _check_drawn(source, code, [name for name, one in paper["figures"].items() if "template" not in one])
    return paper


def expand_paper(paper: Mapping[str, Any], source: str) -> dict[str, Any]:
    """Return a ``paper.yaml`` with all its parts, and with every role list in it replaced by its roles in order."""
    paper = {**_EMPTY, **paper}
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
    """Return an entry with the lists in its ``roles`` expanded; each role of a list gets the split of the list."""
    if "roles" not in entry:
        return dict(entry)
    roles = _expand_roles(entry["roles"], lists, place)
    if not isinstance(entry["roles"], Mapping):
        return {**entry, "roles": roles}
    splits = [split for name, split in entry["roles"].items() for _ in lists.get(name, [name])]
    return {**entry, "roles": dict(zip(roles, splits, strict=True))}


def _expand_roles(names: Iterable[str], lists: RoleLists, place: str) -> list[str]:
    roles = [role for name in names for role in lists.get(name, [name])]
    for role, count in Counter(roles).items():
        if count > 1:
            raise ConfigError(f"{place}: the role '{role}' stands twice; name it once, by itself or by one list")
    return roles


def check_entries(
    where: str,
    changed: Mapping[str, Mapping[str, Any]],
    paper: Mapping[str, Any],
    methods: Mapping[str, Method],
    schema: Path,
) -> None:
    """Check entries, by part and name, that could stand in the place of a paper's own; ``where`` is for messages."""
    validate({**paper, **changed, "tables": {}, "figures": {}}, schema, where)
    for key, experiment in changed["experiments"].items():
        _check_experiment(f"{where}: experiments.{key}", experiment, methods)
    for key, measure in changed["measures"].items():
        _check_measure(f"{where}: measures.{key}", measure, paper, methods)
    for place, kind, name in _references({**changed, "roles": ()}):
        check_name(kind, name, paper[_PARTS[kind]], f"{where}: {place}")


def _check_experiment(where: str, experiment: Mapping[str, Any], methods: Mapping[str, Method]) -> None:
    """Check that an experiment's methods, their parameters and its metrics exist and suit each other."""
    for name, entry in experiment["methods"].items():
        place = f"{where}.methods.{name}"
        check_name("method", entry["use"], methods, place)
        _check_module(place, methods[entry["use"]])
        tune = entry.get("tune", {})
        _check_parameters(f"{place}.params", methods[entry["use"]], _each(entry.get("params", {})))
        for key, grid in (("grid", entry.get("grid", {})), ("tune.grid", tune.get("grid", {}))):
            _check_parameters(f"{place}.{key}", methods[entry["use"]], grid)
        if tune:
            check_metrics([tune["metric"]], metrics_for(methods[entry["use"]].task), f"{place}.tune.metric")
    for task in {methods[entry["use"]].task for entry in experiment["methods"].values()}:
        check_metrics(experiment["metrics"], metrics_for(task), f"{where}.metrics")


def _check_module(where: str, method: Method) -> None:
    """Check that the jobs find the module of a method, which the plan then finds too and digests."""
    if not is_found(method.module):
        raise ConfigError(
            f"{where}: no job finds {method.module}, the module of the method {method.name}; correct the name in "
            "methods.yaml, or name the folder of the module in PYTHONPATH"
        )


def _each(params: Mapping[str, Any]) -> dict[str, list[Any]]:
    return {name: [value] for name, value in params.items()}


def _check_parameters(where: str, method: Method, grid: Mapping[str, Iterable[Any]]) -> None:
    """Check that the estimator of a method has the parameters that an entry names, and takes their values."""
    # Here, for the workflow asks for the papers while it is parsed.
    from textmix.models.common.sklearn_private import check_values

    for name, values in grid.items():
        check_name("parameter", name, parameters_of(method.estimator), where)
        for value in values:
            try:
                check_values(_class_of(method.estimator), {name: value})
            except ValueError as error:
                raise ConfigError(f"{where}: {error}") from error


@functools.cache
def parameters_of(estimator: str) -> list[str]:
    """Return the parameters of an estimator, given as ``module:class``, sorted."""
    return sorted(inspect.signature(_class_of(estimator)).parameters)


@functools.cache
def _class_of(estimator: str) -> type:
    """Return the class of an estimator, given as ``module:class``."""
    module, _, name = estimator.partition(":")
    found = _imported(module, "methods.yaml")
    check_name("class", name, sorted(vars(found)), f"methods.yaml: {estimator}")
    cls: type = getattr(found, name)
    return cls


def _check_measure(
    where: str, measure: Mapping[str, Any], paper: Mapping[str, Any], methods: Mapping[str, Method]
) -> None:
    """Check that the methods, their parameters and the experiments of a measure exist."""
    for name, params in measure.get("methods", {}).items():
        check_name("method", name, methods, f"{where}.methods")
        _check_module(f"{where}.methods.{name}", methods[name])
        _check_parameters(f"{where}.methods.{name}", methods[name], _each(params))
    for name in measure.get("experiments", ()):
        check_name("experiment", name, paper["experiments"], f"{where}.experiments")


def _check_function(where: str, code: Path, function: str) -> None:
    module, _, name = function.partition(".")
    check_name("module", module, sorted(path.stem for path in code.glob("*.py")), where)
    check_name("function", name, sorted(vars(_module(code, module))), where)


def _check_drawn(source: str, code: Path, figures: Collection[str]) -> None:
    module = code / "figures.py"
    if figures and not module.is_file():
        raise ConfigError(f"{source}: figures: there is no {module}, which draws them; write it or remove the figures")
    for name in figures:
        check_name("figure", name, getattr(_module(code, module.stem), FIGURES), f"{source}: figures")


def _module(code: Path, name: str) -> Any:
    if code.parent != CODE:
        make_importable([code.parent])
    return _imported(f"{package_of(code.name)}.{name}", str(code / f"{name}.py"))


def _imported(module: str, where: str) -> Any:
    """Return a module, imported as a job imports it."""
    with found_by_all():
        try:
            return importlib.import_module(module)
        except ModuleNotFoundError as error:
            raise ConfigError(
                f"{where}: the import of {module} ends at {error.name}, which no job finds; correct the name, install "
                "the package, or name the folder of the module in PYTHONPATH"
            ) from error


def _check_figure(where: str, figure: Mapping[str, Any], paper: Mapping[str, Any]) -> None:
    """Check what a figure names; methods of a figure without an experiment are names of its function's own."""
    experiments = paper["experiments"]
    name = figure.get("experiment")
    if name is not None:
        check_name("experiment", name, experiments, f"{where}.experiment")
    for key in ("role", "roles"):
        for role in _listed(figure.get(key, ())):
            check_name("role", role, paper["roles"] if name is None else experiments[name]["roles"], f"{where}.{key}")
    methods = {} if name is None else experiments[name]["methods"]
    for key in ("method", "methods", "level", "variants") if methods else ():
        for method in _listed(figure.get(key, ())):
            check_name("method", method, methods, f"{where}.{key}")
    for method, variant in figure.get("variants", {}).items() if methods else ():
        check_name("variant", variant, variants_of(methods[method]), f"{where}.variants.{method}")
    if methods and "parameter" in figure:
        curves = [*_listed(figure.get("method", ())), *figure.get("methods", ())]
        known = {parameter for method in curves for parameter in methods[method].get("grid", ())}
        check_name("parameter", figure["parameter"], sorted(known), f"{where}.parameter")


def _listed(names: str | Iterable[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def variants_of(entry: Mapping[str, Any]) -> list[str]:
    """Return the names of the variants of an experiment's entry of a method."""
    return [name for name, _ in variants({}, entry.get("grid", {}))]


def check_name(kind: str, name: str, known: Iterable[str], where: str) -> None:
    """Raise ConfigError, which gives the nearest known name, if a name is not known."""
    if name not in (allowed := list(known)):
        nearest, _, rest = (suggest(name, allowed) or f"there is no {kind} at all").partition("? ")
        remedy = f"{nearest}?" if rest and len(allowed) > _LISTED else f"{nearest}? {rest}" if rest else nearest
        raise ConfigError(f"{where}: no {kind} '{name}'; {remedy}")


def check_references(source: str, paper: Mapping[str, Any], roles: Collection[str]) -> None:
    """Check that a paper names roles, features and splits that exist; else ConfigError names file and place."""
    for place, kind, key in _references(paper):
        known = roles if place == "roles" else paper[_PARTS[kind]]
        check_name(kind, key, known, f"{source}: {place}")


def _references(paper: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield (place, kind, name) of every name in a paper.yaml that refers to a role, features or a split."""
    yield from (("roles", "role", role) for role in paper["roles"])
    for part in ("experiments", "measures"):
        for key, entry in paper[part].items():
            place = f"{part}.{key}"
            yield from ((place, "features", entry[name]) for name in ("features", "extra_features") if name in entry)
            for role, split in entry["roles"].items():
                yield place, "role", role
                yield place, "split", split


def given_by_causes(folder: Path) -> list[str]:
    """Return the locators of the results that the causes in a paper's folder name (``gives`` in its choices.yaml)."""
    path = folder / "choices.yaml"
    entries = (load_yaml_strict(path) or []) if path.is_file() else []
    return [text for one in entries for cause in one.get("explains", ()) for text in cause.get("gives", ())]
