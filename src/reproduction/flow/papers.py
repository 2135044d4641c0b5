"""Read and check the configuration of papers: one folder per paper.

The folder of a paper is in ``config/papers/``, or in a folder outside the repository that is listed in ``papers_from``.
Such a folder has one subfolder per paper, with its configuration and code.  The folder of a paper, and a folder in
``papers_from``, may contain ``datasets.yaml``, ``methods.yaml`` and ``roles.yaml`` with additional entries.

``role_lists`` of a ``paper.yaml`` defines groups of roles.  They are expanded on reading; other code sees only roles.
"""

from __future__ import annotations

import csv
import functools
import importlib
import inspect
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from reproduction.flow.code_digests import found_by_all, is_found, reachable
from reproduction.flow.folders import CODE, package_of
from reproduction.flow.locators import RoleLists
from textmix.core.cache import Store
from textmix.core.config import load_yaml_strict, validate
from textmix.core.digests import digest_of
from textmix.core.environment import environment
from textmix.core.errors import ConfigError, suggest
from textmix.data.registry import DatasetEntry, load_registry
from textmix.experiment.methods import Method, load_methods, variants
from textmix.metrics.registry import check_metrics, metrics_for

FOLDER = "config/papers"
#: Name of the mapping from figures to functions in a paper's ``figures.py``.
FIGURES = "FIGURES"
PAPER_SCHEMA = "workflow/schemas/paper.schema.yaml"
_METHODS_SCHEMA = "workflow/schemas/methods.schema.yaml"
_DATASETS_SCHEMA = "workflow/schemas/datasets.schema.yaml"
#: A message lists all allowed names up to this number, else only the closest one.
_MAX_NAMES_IN_MESSAGE = 100
#: Defaults of the optional sections of a paper.yaml.
_DEFAULTS: Mapping[str, Any] = {section: {} for section in ("experiments", "measures", "tables", "figures")}
#: Type of a reference -> section of a paper.yaml that defines its targets.
_SECTIONS = {"role": "roles", "features": "features", "split": "splits"}
#: What the plan knows of modules without importing them, by the digest of their code: imports take seconds.
_FACTS = Store("facts")


def outside(config: Mapping[str, Any]) -> list[Path]:
    """Return the absolute paths of the folders in ``papers_from``, which are relative to the working directory."""
    names = config.get("papers_from") or []
    if not isinstance(names, (list, tuple)):
        raise ConfigError(f"configuration: papers_from: {names!r} is not a list; write [{names}]")
    folders = [Path(str(name)).expanduser().absolute() for name in names]
    for folder in folders:
        if not folder.is_dir():
            raise ConfigError(f"configuration: papers_from: the folder {folder} does not exist; correct the path")
    return folders


def paper_folders(root: Path, external: Iterable[Path] = ()) -> dict[str, Path]:
    """Return name -> folder of every paper, in ``config/papers`` and in folders outside the repository, sorted."""
    folders = {path.name: path for path in (root / FOLDER).iterdir() if path.is_dir()}
    for folder in external:
        for path in sorted(file.parent for file in folder.glob("*/paper.yaml")):
            if not re.fullmatch(r"[a-z][a-z0-9_]*", path.name):
                raise ConfigError(f"{path}: '{path.name}' is not a valid name of a paper; use only a-z, 0-9 and _")
            if path.name in folders or (CODE / path.name).is_dir():
                raise ConfigError(f"{path}: another paper has the name '{path.name}'; rename one of the folders")
            folders[path.name] = path
    return dict(sorted(folders.items()))


def file_name(root: Path, path: Path) -> str:
    """Return a file name for messages: relative to the root if possible, else absolute."""
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


def code_of(root: Path, folder: Path) -> Path:
    """Return the folder with the code of a paper."""
    return CODE / folder.name if folder.parent == root / FOLDER else folder


def make_importable(folders: Iterable[Path]) -> None:
    """Append folders to the module search path of this process and its jobs."""
    for folder in map(str, folders):
        if folder not in sys.path:
            sys.path.append(folder)
        entries = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        search_path = [path for path in entries if path]
        if folder not in search_path:
            os.environ["PYTHONPATH"] = os.pathsep.join([*search_path, folder])


def registries(root: Path, external: Iterable[Path] = ()) -> list[Path]:
    """Return the ``datasets.yaml`` of the repository, of folders outside it, and of papers."""
    return [root / "config/datasets.yaml", *extra_files(root, external, "datasets.yaml")]


def read_methods(root: Path, external: Iterable[Path] = ()) -> dict[str, Method]:
    """Return the registry of methods, including entries of papers and of folders outside the repository."""
    methods = load_methods(root / "config/methods.yaml", root / _METHODS_SCHEMA)
    for path in extra_files(root, external, "methods.yaml"):
        _add_entries(methods, load_methods(path, root / _METHODS_SCHEMA), path)
    return methods


def read_datasets(root: Path, external: Iterable[Path] = ()) -> dict[str, DatasetEntry]:
    """Return the registry of data sets, including entries of papers and of folders outside the repository."""
    main, *additional = registries(root, external)
    datasets = load_registry(main)
    for path in additional:
        _add_entries(datasets, load_registry(path, root / _DATASETS_SCHEMA, datasets), path)
    return datasets


def with_roles(config: Mapping[str, Any], root: Path, external: Iterable[Path] = ()) -> dict[str, Any]:
    """Return a configuration extended by the roles of papers and of folders outside the repository."""
    files = extra_files(root, external, "roles.yaml")
    if not files:
        return dict(config)
    roles = dict(config.get("roles") or {})
    for path in files:
        added = load_yaml_strict(path)
        if not isinstance(added, Mapping):
            raise ConfigError(
                f"{path}: not a mapping; write lines <role>: {{dataset: ..., comparable: ..., note: ...}}"
            )
        _add_entries(roles, added, path)
    return {**config, "roles": roles}


def extra_files(root: Path, external: Iterable[Path], name: str) -> list[Path]:
    """Return the files with a name in the folders outside the repository and in the folders of papers."""
    external = list(external)
    folders = [*external, *paper_folders(root, external).values()]
    return [path for folder in folders if (path := folder / name).is_file()]


def _add_entries(entries: dict[str, Any], added: Mapping[str, Any], path: Path) -> None:
    """Add entries in place; raise ConfigError for a duplicate name."""
    for name in added:
        if name in entries:
            raise ConfigError(f"{path}: {name}: another entry has this name; rename it")
    entries.update(added)


def load_papers(
    root: Path, methods: Mapping[str, Method], folders: Mapping[str, Path] | None = None
) -> dict[str, dict[str, Any]]:
    """Return name -> content of every ``paper.yaml``, checked and sorted by ``order`` and name."""
    folders = paper_folders(root) if folders is None else folders
    _state_of.cache_clear()
    papers = {name: _load_paper(root, folder, methods) for name, folder in folders.items()}
    return dict(sorted(papers.items(), key=lambda item: item[1]["order"]))


def _load_paper(root: Path, folder: Path, methods: Mapping[str, Method]) -> dict[str, Any]:
    path = folder / "paper.yaml"
    code = code_of(root, folder)
    source = file_name(root, path)
    paper: dict[str, Any] = load_yaml_strict(path)
    validate(paper, root / PAPER_SCHEMA, source, [path])
    paper = expand_paper(paper, source)
    for key, experiment in paper["experiments"].items():
        _check_experiment(f"{source}: experiments.{key}", experiment, methods)
    for key, figure in paper["figures"].items():
        _check_figure(f"{source}: figures.{key}", figure, paper)
    paper["measures"] = resolve_published(paper["measures"], folder, source)
    without_template = [name for name, figure in paper["figures"].items() if "template" not in figure]
    if (paper["measures"] or without_template) and not code.is_dir():
        raise ConfigError(
            f"{source}: the folder {file_name(root, code)} with the code of this paper is missing; restore it, "
            f"or give it and {file_name(root, folder)} the same name"
        )
    for key, measure in paper["measures"].items():
        _check_measure(f"{source}: measures.{key}", measure, paper, methods)
        _check_function(f"{source}: measures.{key}.function", code, measure["function"])
    _check_figure_functions(source, code, without_template)
    return paper


def resolve_published(measures: Mapping[str, Any], folder: Path, source: str) -> dict[str, Any]:
    """Replace the ids in ``settings.published`` of measures by published values.

    Parameters
    ----------
    measures : mapping
        Name -> entry of paper.yaml; ``settings.published`` maps a name to the id of a row of published.csv.
    folder : Path
        Folder of the paper.
    source : str
        Name of the file, for messages.

    Returns
    -------
    dict
        The measures, with [value, half a unit of its last digit] for each id; percentages are converted to fractions.
    """
    resolved = dict(measures)
    for key, measure in measures.items():
        settings = measure.get("settings", {})
        ids = settings.get("published")
        if ids:
            where = f"{source}: measures.{key}"
            values = {name: _published_value(row, folder, where) for name, row in ids.items()}
            resolved[key] = {**measure, "settings": {**settings, "published": values}}
    return resolved


def _published_value(row: str, folder: Path, where: str) -> list[float]:
    """Return a published value in stored units, and half a unit of its last digit."""
    with open(folder / "published.csv", encoding="utf-8", newline="") as handle:
        rows = {row_cells["id"]: row_cells for row_cells in csv.DictReader(handle)}
    check_name("published row", row, rows, f"{where}.settings.published")
    cells = rows[row]
    text = cells["value"]
    # Decimal arithmetic keeps the published digits.
    scale = Decimal("0.01") if cells["unit"] == "percent" else Decimal(1)
    n_decimals = len(text.partition(".")[2])
    half_unit = Decimal(5).scaleb(-n_decimals - 1)
    return [float(Decimal(text) * scale), float(half_unit * scale)]


def expand_paper(paper: Mapping[str, Any], source: str) -> dict[str, Any]:
    """Return a ``paper.yaml`` with default sections, and with its role lists expanded."""
    paper = {**_DEFAULTS, **paper}
    expanded = {key: value for key, value in paper.items() if key != "role_lists"}
    lists: RoleLists = paper.get("role_lists", {})
    expanded["roles"] = _expand_roles(paper["roles"], lists, f"{source}: roles")
    for name in lists:
        if name in expanded["roles"]:
            raise ConfigError(f"{source}: role_lists.{name}: '{name}' is also a role; rename the list")
    for section in ("experiments", "measures", "figures"):
        entries = {}
        for key, entry in paper[section].items():
            entries[key] = _expand_entry(entry, lists, f"{source}: {section}.{key}.roles")
        expanded[section] = entries
    return expanded


def _expand_entry(entry: Mapping[str, Any], lists: RoleLists, where: str) -> dict[str, Any]:
    """Expand the role lists in the ``roles`` of an entry; each role of a list gets the split of the list."""
    if "roles" not in entry:
        return dict(entry)
    roles = _expand_roles(entry["roles"], lists, where)
    if not isinstance(entry["roles"], Mapping):
        return {**entry, "roles": roles}
    splits = [split for name, split in entry["roles"].items() for _ in lists.get(name, [name])]
    return {**entry, "roles": dict(zip(roles, splits, strict=True))}


def _expand_roles(names: Iterable[str], lists: RoleLists, where: str) -> list[str]:
    roles = [role for name in names for role in lists.get(name, [name])]
    for role, count in Counter(roles).items():
        if count > 1:
            raise ConfigError(f"{where}: the role '{role}' is repeated; name it once, directly or by one list")
    return roles


def check_entries(
    where: str,
    changed: Mapping[str, Mapping[str, Any]],
    paper: Mapping[str, Any],
    methods: Mapping[str, Method],
    schema: Path,
) -> None:
    """Check entries that would replace entries of a paper.

    Parameters
    ----------
    where : str
        Location for messages.
    changed : mapping
        Section -> name -> new entry.
    paper : mapping
        Content of the ``paper.yaml``.
    methods : mapping
        Registry of methods.
    schema : Path
        Schema of ``paper.yaml``.

    Raises
    ------
    ConfigError
        If an entry is invalid or refers to an unknown name.
    """
    validate({**paper, **changed, "tables": {}, "figures": {}}, schema, where)
    for key, experiment in changed["experiments"].items():
        _check_experiment(f"{where}: experiments.{key}", experiment, methods)
    for key, measure in changed["measures"].items():
        _check_measure(f"{where}: measures.{key}", measure, paper, methods)
    for location, target, name in _references({**changed, "roles": ()}):
        check_name(target, name, paper[_SECTIONS[target]], f"{where}: {location}")


def _check_experiment(where: str, experiment: Mapping[str, Any], methods: Mapping[str, Method]) -> None:
    """Check that the methods, parameters and metrics of an experiment exist and are compatible."""
    tasks = set()
    for name, entry in experiment["methods"].items():
        check_name("method", entry["use"], methods, f"{where}.methods.{name}")
        method = methods[entry["use"]]
        _check_method_entry(f"{where}.methods.{name}", entry, method)
        tasks.add(method.task)
    for task in tasks:
        check_metrics(experiment["metrics"], metrics_for(task), f"{where}.metrics")


def _check_method_entry(where: str, entry: Mapping[str, Any], method: Method) -> None:
    """Check the module, the parameters and the tuning of a method in an experiment."""
    _check_module(where, method)
    _check_parameters(f"{where}.params", method, _as_grid(entry.get("params", {})))
    _check_parameters(f"{where}.grid", method, entry.get("grid", {}))
    tune = entry.get("tune", {})
    _check_parameters(f"{where}.tune.grid", method, tune.get("grid", {}))
    if tune:
        check_metrics([tune["metric"]], metrics_for(method.task), f"{where}.tune.metric")


def _check_module(where: str, method: Method) -> None:
    """Check that jobs can import the module of a method."""
    if not is_found(method.module):
        raise ConfigError(
            f"{where}: {method.module}, the module of the method {method.name}, cannot be imported by jobs; correct "
            "its name in methods.yaml, or add its folder to PYTHONPATH"
        )


def _as_grid(params: Mapping[str, Any]) -> dict[str, list[Any]]:
    return {name: [value] for name, value in params.items()}


def _check_parameters(where: str, method: Method, grid: Mapping[str, Iterable[Any]]) -> None:
    """Check that the estimator of a method has these parameters and accepts their values."""
    for name, values in grid.items():
        check_name("parameter", name, parameters_of(method.estimator), where)
        for value in values:
            error = _error_of(method.estimator, name, value)
            if error:
                raise ConfigError(f"{where}: {error}")


def parameters_of(estimator: str) -> list[str]:
    """Return the sorted parameters of an estimator ``module:class``."""
    names: list[str] = _fact(
        estimator.partition(":")[0],
        f"parameters of {estimator}",
        lambda: sorted(inspect.signature(_class_of(estimator)).parameters),
    )
    return names


def _error_of(estimator: str, name: str, value: Any) -> str:
    """Return why an estimator rejects the value of a parameter; "" if it accepts it."""

    def find() -> str:
        # Imported here, because it takes seconds.
        from textmix.models.common.sklearn_private import check_values

        try:
            check_values(_class_of(estimator), {name: value})
        except ValueError as error:
            return str(error)
        return ""

    return str(_fact(estimator.partition(":")[0], f"{estimator} with {name}={value!r}", find))


def _fact(module: str, question: str, find: Callable[[], Any]) -> Any:
    """Return a fact about the code of a module, a JSON value, which is found only once for each state of the code."""
    return _FACTS.get(f"{_state_of(module)} {question}", find)


@functools.cache
def _state_of(module: str) -> str:
    """Return a digest of all code that a module reaches, and of the versions of the packages that it imports."""
    reached = reachable([module, "textmix.models.common.sklearn_private"])
    return digest_of((reached.digests, environment(reached.packages)))


def _class_of(estimator: str) -> type:
    """Import the class of an estimator ``module:class``."""
    module_name, _, name = estimator.partition(":")
    module = _import_module(module_name, "methods.yaml")
    check_name("class", name, sorted(vars(module)), f"methods.yaml: {estimator}")
    estimator_class: type = getattr(module, name)
    return estimator_class


def _check_measure(
    where: str, measure: Mapping[str, Any], paper: Mapping[str, Any], methods: Mapping[str, Method]
) -> None:
    """Check that the methods, their parameters and the experiments of a measure exist."""
    for name, params in measure.get("methods", {}).items():
        check_name("method", name, methods, f"{where}.methods")
        _check_module(f"{where}.methods.{name}", methods[name])
        _check_parameters(f"{where}.methods.{name}", methods[name], _as_grid(params))
    for name in measure.get("experiments", ()):
        check_name("experiment", name, paper["experiments"], f"{where}.experiments")


def _check_function(where: str, code: Path, function: str) -> None:
    module, _, name = function.partition(".")
    check_name("module", module, sorted(path.stem for path in code.glob("*.py")), where)
    check_name("function", name, _names_in(code, module), where)


def _check_figure_functions(source: str, code: Path, figures: Collection[str]) -> None:
    module = code / "figures.py"
    if figures and not module.is_file():
        raise ConfigError(f"{source}: figures: {module} is missing; write it or remove the figures")
    for name in figures:
        check_name("figure", name, _names_in(code, module.stem, FIGURES), f"{source}: figures")


def _names_in(code: Path, name: str, mapping: str = "") -> list[str]:
    """Return the names that a module of a paper defines, or the keys of one of its mappings."""
    if code.parent != CODE:
        make_importable([code.parent])
    module = f"{package_of(code.name)}.{name}"

    def find() -> list[str]:
        imported = _import_module(module, str(code / f"{name}.py"))
        return sorted(getattr(imported, mapping) if mapping else vars(imported))

    names: list[str] = _fact(module, f"names in {module} {mapping}", find)
    return names


def _import_module(module: str, where: str) -> Any:
    """Import a module as a job would."""
    with found_by_all():
        try:
            return importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name and f"{module}.".startswith(f"{error.name}."):
                raise ConfigError(
                    f"{where}: module {error.name} not found; create or restore the file, or correct its name"
                ) from error
            raise ConfigError(
                f"{where}: importing {module} fails, because jobs cannot import {error.name}; correct the name, "
                "install the package, or add its folder to PYTHONPATH"
            ) from error


def _check_figure(where: str, figure: Mapping[str, Any], paper: Mapping[str, Any]) -> None:
    """Check the references of a figure; without an experiment, its function defines the method names."""
    experiments = paper["experiments"]
    name = figure.get("experiment")
    if name is not None:
        check_name("experiment", name, experiments, f"{where}.experiment")
    for key in ("role", "roles"):
        roles = paper["roles"] if name is None else experiments[name]["roles"]
        for role in _as_list(figure.get(key, ())):
            check_name("role", role, roles, f"{where}.{key}")
    methods = {} if name is None else experiments[name]["methods"]
    for key in ("method", "methods", "level", "variants") if methods else ():
        for method in _as_list(figure.get(key, ())):
            check_name("method", method, methods, f"{where}.{key}")
    for method, variant in figure.get("variants", {}).items() if methods else ():
        check_name("variant", variant, variants_of(methods[method]), f"{where}.variants.{method}")
    if methods and "parameter" in figure:
        curves = [*_as_list(figure.get("method", ())), *figure.get("methods", ())]
        parameters = {parameter for method in curves for parameter in methods[method].get("grid", ())}
        check_name("parameter", figure["parameter"], sorted(parameters), f"{where}.parameter")


def _as_list(names: str | Iterable[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def variants_of(entry: Mapping[str, Any]) -> list[str]:
    """Return the names of the variants of a method in an experiment."""
    return [name for name, _ in variants({}, entry.get("grid", {}))]


def check_name(entity: str, name: str, allowed: Iterable[str], where: str) -> None:
    """Raise ConfigError that suggests the closest allowed name if a name is not allowed."""
    names = list(allowed)
    if name in names:
        return
    suggestion = suggest(name, names) or f"no {entity} is defined"
    closest, _, all_names = suggestion.partition("? ")
    if all_names and len(names) > _MAX_NAMES_IN_MESSAGE:
        suggestion = f"{closest}?"
    raise ConfigError(f"{where}: unknown {entity} '{name}'; {suggestion}")


def check_references(source: str, paper: Mapping[str, Any], roles: Collection[str]) -> None:
    """Check that a paper refers only to existing roles, features and splits."""
    for location, target, name in _references(paper):
        allowed = roles if location == "roles" else paper[_SECTIONS[target]]
        check_name(target, name, allowed, f"{source}: {location}")


def _references(paper: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield (location, type, name) of every reference to a role, features or a split in a paper.yaml."""
    yield from (("roles", "role", role) for role in paper["roles"])
    for section in ("experiments", "measures"):
        for key, entry in paper[section].items():
            location = f"{section}.{key}"
            for name in ("features", "extra_features"):
                if name in entry:
                    yield location, "features", entry[name]
            for role, split in entry["roles"].items():
                yield location, "role", role
                yield location, "split", split


def values_in_causes(folder: Path) -> list[str]:
    """Return the locators of the results that the causes of a paper refer to (``values`` in its choices.yaml)."""
    path = folder / "choices.yaml"
    choices = (load_yaml_strict(path) or []) if path.is_file() else []
    causes = [cause for choice in choices for cause in choice.get("explains", ())]
    return [locator for cause in causes for locator in cause.get("values", ())]
