"""The plan of a run: its data sets, experiments, measures, tables and figures."""

from __future__ import annotations

import functools
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from reproduction.flow.alternatives import PaperAlternatives, load_alternatives
from reproduction.flow.availability import available_roles, reach
from reproduction.flow.papers import (
    check_name,
    check_references,
    extra_files,
    file_name,
    load_papers,
    outside,
    paper_folders,
    read_datasets,
    read_methods,
    with_roles,
)
from reproduction.flow.results import LEFT_OUT
from textmix.core.config import load_yaml_strict, locate_key, validate
from textmix.core.errors import ConfigError, suggest
from textmix.data.registry import DatasetEntry
from textmix.experiment.methods import Method

#: Key of an experiment or a measure that only the full run computes, because it takes hours.
EXPENSIVE = "expensive"
_BOOLEANS = {"true": True, "false": False}
#: Keys with a boolean value.
_BOOLEAN_KEYS = ("strict", "full", "rehearsal")


@dataclass(frozen=True)
class Fit:
    """A fit job: one method of an experiment on one data set, for all trials."""

    paper: str
    experiment: str
    dataset: str
    method: str


# Compared by identity, because mappings have no hash.
@dataclass(frozen=True, eq=False)
class Plan:
    """The jobs of a run; see `make_plan`.

    Parameters
    ----------
    root : Path
        Folder with ``config/`` and ``workflow/``.
    settings : mapping
        The keys of config.yaml; its ``roles`` refer only to available data sets.
    registry : mapping
        Name -> entry of config/datasets.yaml.
    methods : mapping
        Name -> entry of config/methods.yaml.
    papers : mapping
        Name -> content of the paper.yaml, sorted by ``order``.
    folders : mapping
        Name -> folder with the configuration of the paper.
    wanted : mapping, default={}
        The roles of config.yaml, before unavailable data sets were replaced.
    alternatives : mapping, default={}
        Paper -> its registered alternatives.
    """

    root: Path
    settings: Mapping[str, Any]
    registry: Mapping[str, DatasetEntry]
    methods: Mapping[str, Method]
    papers: Mapping[str, Mapping[str, Any]]
    folders: Mapping[str, Path]
    wanted: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    alternatives: Mapping[str, PaperAlternatives] = field(default_factory=dict)

    @functools.cached_property
    def features(self) -> dict[str, Any]:
        """Name -> features, of all papers and alternatives."""
        return self._shared("features")

    @functools.cached_property
    def splits(self) -> dict[str, Any]:
        """Name -> splits, of all papers and alternatives."""
        return self._shared("splits")

    def _shared(self, section: str) -> dict[str, Any]:
        """Merge the entries of all papers; raise ConfigError for conflicting names, as results are stored by name."""
        entries: dict[str, Any] = {}
        for paper, alternatives in self.alternatives.items():
            for key, spec in alternatives.spec[section].items():
                if entries.setdefault(key, spec) != spec:
                    raise ConfigError(f"{self.source(paper)}: {section}.{key} differs from another paper's; rename it")
        return entries

    def source(self, paper: str) -> str:
        """Return the name of a paper's paper.yaml for messages."""
        return file_name(self.root, self.folders[paper] / "paper.yaml")

    # --- selected papers and entries ---

    def chosen(self) -> list[str]:
        """Return the papers that the configuration selects, sorted by ``order``."""
        selected = self.settings["papers"]
        return [name for name in self.papers if selected is None or name in selected]

    def entry(self, paper: str, section: str, name: str) -> Mapping[str, Any]:
        """Return an entry of a paper.yaml or of an alternative, without the key that decides whether it runs."""
        entry: Mapping[str, Any] = self.alternatives[paper].spec[section][name]
        return {key: value for key, value in entry.items() if key != EXPENSIVE}

    def is_skipped(self, paper: str, section: str, name: str) -> bool:
        """Return whether only the full run computes an experiment or a measure."""
        return bool(self.papers[paper][section][name].get(EXPENSIVE)) and not self.settings.get("full")

    def skipped_results(self, paper: str) -> dict[str, str]:
        """Return ``<section>/<name>`` -> reason for the experiments and measures that this run skips."""
        reason = f"{LEFT_OUT}: expensive; run by make full"
        reasons = {}
        for section in ("experiments", "measures"):
            for name in self.papers[paper][section]:
                if self.is_skipped(paper, section, name):
                    reasons[f"{section}/{name}"] = reason
        return reasons

    # --- data sets ---

    def dataset(self, role: str) -> str | None:
        """Return the data set of a role, or None."""
        name: str | None = self.settings["roles"][role]["dataset"]
        return name

    def substitutes(self, dataset: str) -> list[str]:
        """Return the substitutes of a data set if its download fails, in order of preference.

        A data set of several roles has no substitutes, because its results serve all of them.
        """
        entries = [entry for entry in self.settings["roles"].values() if entry["dataset"] == dataset]
        if len(entries) != 1:
            return []
        return [substitute["dataset"] for substitute in entries[0].get("substitutes", ())]

    def roles(self, paper: str) -> dict[str, dict[str, Any]]:
        """Return the configured entries of the roles of a paper."""
        return {role: dict(self.settings["roles"][role]) for role in self.papers[paper]["roles"]}

    def out_of_reach(self, papers: Collection[str]) -> dict[str, str]:
        """Return role -> reason, for the roles of some papers without an available data set."""
        entries = self.settings["roles"]
        roles = {role for paper in papers for role in self.papers[paper]["roles"]}
        missing = {role for role in roles if self.wanted[role]["dataset"] and self.dataset(role) is None}
        return {role: entries[role]["note"] for role in sorted(missing)}

    def datasets(self, paper: str) -> list[str]:
        """Return the data sets of the roles of a paper, sorted."""
        names = [self.dataset(role) for role in self.papers[paper]["roles"]]
        return sorted({name for name in names if name is not None})

    # --- fits and measures ---

    def fits(self, paper: str) -> Iterator[Fit]:
        """Yield the fit jobs of a paper in this run."""
        for key, experiment in self.papers[paper]["experiments"].items():
            if not self.is_skipped(paper, "experiments", key):
                yield from self.fits_of(paper, key, experiment["roles"])

    def fits_of(self, paper: str, experiment: str, roles: Collection[str]) -> Iterator[Fit]:
        """Yield the fit jobs of an experiment on the data sets of some roles."""
        for dataset in filter(None, map(self.dataset, roles)):
            for method in self.entry(paper, "experiments", experiment)["methods"]:
                yield Fit(paper, experiment, dataset, method)

    def fit_inputs(self, fit: Fit) -> tuple[str, str]:
        """Return the names of the features and of the split of a fit job."""
        experiment = self.entry(fit.paper, "experiments", fit.experiment)
        split = next(split for role, split in experiment["roles"].items() if self.dataset(role) == fit.dataset)
        return experiment["features"], split

    def fit_entry(self, fit: Fit) -> dict[str, Any]:
        """Return the experiment's entry of a method: ``use``, ``params``, ``grid``, ``tune``."""
        entry: dict[str, Any] = self.entry(fit.paper, "experiments", fit.experiment)["methods"][fit.method]
        return entry

    def entries_of_fit(self, fit: Fit) -> dict[str, dict[str, Any]]:
        """Return method -> entry for all methods of the experiment with the same fit as a method, in their order.

        They have the same ``use`` and the same parameters, except for those that only the prediction reads.  The job of
        the first one also predicts for the others.
        """
        own = self.fit_entry(fit)
        if set(own) - {"use", "params"}:
            return {fit.method: own}
        methods = self.entry(fit.paper, "experiments", fit.experiment)["methods"]
        return {
            name: entry for name, entry in methods.items() if self._fitted_params(entry) == self._fitted_params(own)
        }

    def _fitted_params(self, entry: Mapping[str, Any]) -> dict[str, Any]:
        """Return the keys of an experiment's entry that its fit reads; ``params`` without those of the prediction."""
        predicted = self.methods[entry["use"]].prediction_params
        params = {key: value for key, value in entry.get("params", {}).items() if key not in predicted}
        return {**entry, "params": params}

    def shared_fit(self, fit: Fit) -> Fit | None:
        """Return the fit job that also predicts for a method, or None if the method has a fit job of its own."""
        first = next(iter(self.entries_of_fit(fit)))
        return None if first == fit.method else replace(fit, method=first)

    def measures(self, paper: str) -> list[str]:
        """Return the measures of a paper in this run, which have available data or need none."""
        names = []
        for name, entry in self.papers[paper]["measures"].items():
            if self.is_skipped(paper, "measures", name):
                continue
            if self.measure_data(paper, name) or not entry["roles"]:
                names.append(name)
        return names

    def measure_data(self, paper: str, measure: str) -> dict[str, tuple[str, str, str, str | None]]:
        """Return role -> (data set, features, split, extra features or None) of a measure, for roles with data."""
        entry = self.entry(paper, "measures", measure)
        features = entry["features"]
        extra_features = entry.get("extra_features")
        data = {}
        for role, split in entry["roles"].items():
            dataset = self.dataset(role)
            if dataset is not None:
                data[role] = (dataset, features, split, extra_features)
        return data

    def measure_fits(self, paper: str, measure: str) -> Iterator[tuple[str, Fit]]:
        """Yield role and fit of the predictions that a measure reads: all methods of its ``experiments``."""
        for key in self.entry(paper, "measures", measure).get("experiments", ()):
            roles = self.entry(paper, "experiments", key)["roles"]
            for role in self.measure_data(paper, measure):
                if role in roles:
                    yield from ((role, fit) for fit in self.fits_of(paper, key, [role]))

    def feature_sets(self, paper: str) -> list[tuple[str, str]]:
        """Return the (data set, features) pairs that the fits and measures of a paper read."""
        pairs = {(fit.dataset, self.fit_inputs(fit)[0]) for fit in self.fits(paper)}
        for measure in self.measures(paper):
            for dataset, features, _, extra_features in self.measure_data(paper, measure).values():
                pairs.add((dataset, features))
                if extra_features:
                    pairs.add((dataset, extra_features))
        return sorted(pairs)

    def drawable(self, paper: str) -> list[str]:
        """Return the names of a paper's figures; none if the status of the paper is ``planned``."""
        spec = self.papers[paper]
        return list(spec["figures"]) if spec["status"] == "built" else []


def make_plan(
    config: Mapping[str, Any],
    root: Path,
    resources: Path | None = None,
    mirror: Path | None = None,
    files: Sequence[Path] = (),
) -> Plan:
    """Make the plan of a run and check it.

    Parameters
    ----------
    config : mapping
        The merged configuration.
    root : Path
        Folder with ``config/`` and ``workflow/``.
    resources : Path, default=None
        Folder of fetched files; None means that every data set is available.
    mirror : Path, default=None
        Folder with raw data.
    files : sequence of Path, default=()
        Files that ``config`` was merged from, for messages.

    Raises
    ------
    ConfigError
        If a configuration file is invalid or refers to an unknown name.
    """
    external = outside(config)
    folders = paper_folders(root, external)
    methods = read_methods(root, external)
    registry = read_datasets(root, external)
    config = with_roles(config, root, external)
    settings = read_settings(config, root / "workflow/schemas", files)
    roles = settings["roles"]
    papers = load_papers(root, methods, folders)
    for name, paper in papers.items():
        source = file_name(root, folders[name] / "paper.yaml")
        check_references(source, paper, roles)
    settings = {**settings, "roles": _available_roles(settings, registry, resources, mirror)}
    alternatives = load_alternatives(root, papers, folders, methods, settings["seed"])
    plan = Plan(root, settings, registry, methods, papers, folders, roles, alternatives)
    _check_selected_papers(plan, files)
    _check_selected_specifications(plan)
    _check_roles(plan, files, extra_files(root, external, "roles.yaml"))
    _check_conflicting_splits(plan)
    _check_expensive(plan)
    _ = plan.features, plan.splits  # check for conflicting names
    return plan


def check_writable(folder: Path) -> None:
    """Check that Snakemake can write to the folder of a run; its own error would be a traceback."""
    state = folder / ".snakemake"
    if not os.access(state if state.exists() else folder, os.W_OK):
        raise ConfigError(
            f"the folder {folder.resolve()} is not writable; change its permissions, or run in another folder: "
            "snakemake --directory FOLDER"
        )


def check_cores(cores: int | None) -> None:
    """Reject ``--cores 0``, with which Snakemake waits forever."""
    if cores == 0:
        raise ConfigError("--cores: 0 cores cannot run a job; use --cores all, or a positive number")


def read_settings(config: Mapping[str, Any], schemas: Path, files: Sequence[Path] = ()) -> dict[str, Any]:
    """Return the merged configuration as plain dicts, checked against its schema."""
    settings: dict[str, Any] = _plain(config)
    for key in _BOOLEAN_KEYS:
        if key in settings:
            settings[key] = _BOOLEANS.get(str(settings[key]).lower(), settings[key])
    validate(settings, schemas / "config.schema.yaml", "configuration", files)
    return settings


def with_defaults(config: Mapping[str, Any], main: Path) -> dict[str, Any]:
    """Return a configuration with defaults from the main file, because users of a module set only some keys."""
    return _merge(load_yaml_strict(main), _plain(config))


def _merge(defaults: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Merge nested mappings; values override defaults."""
    merged = {**defaults, **values}
    for key, value in values.items():
        if isinstance(defaults.get(key), Mapping) and isinstance(value, Mapping):
            merged[key] = _merge(defaults[key], value)
    return merged


def _plain(value: Any) -> Any:
    """Convert nested mappings to dicts, which the schema validator requires."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def _available_roles(
    settings: Mapping[str, Any], registry: Mapping[str, DatasetEntry], resources: Path | None, mirror: Path | None
) -> dict[str, dict[str, Any]]:
    """Return the roles, each with an available data set or None; without ``resources`` all data sets are available."""
    roles: Mapping[str, Mapping[str, Any]] = settings["roles"]
    if resources is None:
        return available_roles(roles, lambda _: "")
    names = {name for entry in roles.values() for name in _named_datasets(entry)}
    entries = [
        registry[name] for name in names if name is not None and name in registry
    ]  # _check_roles rejects other names
    return available_roles(roles, reach(entries, resources, mirror))


def _named_datasets(entry: Mapping[str, Any]) -> list[str | None]:
    """Return the data set of an entry of ``roles``, and its substitutes."""
    substitutes = [substitute["dataset"] for substitute in entry.get("substitutes", ())]
    return [entry["dataset"], *substitutes]


def _check_selected_specifications(plan: Plan) -> None:
    """Reject a selected specification that no choices.yaml registers."""
    registered = [grid.name for alternatives in plan.alternatives.values() for grid in alternatives.grids]
    for name in plan.settings.get("specifications", ()):
        check_name("specification", name, registered, "configuration: specifications")


def _check_selected_papers(plan: Plan, files: Sequence[Path]) -> None:
    for index, name in enumerate(plan.settings["papers"] or ()):
        if name not in plan.papers:
            remedy = suggest(name, plan.papers)
            where = locate_key(files, ["papers", index], "configuration")
            raise ConfigError(f"{where}: papers.{index}: unknown paper {name!r}; {remedy}")


def _check_roles(plan: Plan, files: Sequence[Path], role_files: Sequence[Path]) -> None:
    for role, entry in plan.wanted.items():
        for name in _named_datasets(entry):
            if name is not None and name not in plan.registry:
                remedy = suggest(name, sorted(plan.registry))
                where = locate_key(files, ["roles", role, "dataset"], "configuration")
                where = locate_key(role_files, [role, "dataset"], where)
                raise ConfigError(f"{where}: roles.{role}: unknown data set '{name}'; {remedy}")


def _check_conflicting_splits(plan: Plan) -> None:
    """Check that no experiment splits a data set in two ways, because the results would overwrite each other."""
    for name, paper in plan.papers.items():
        for key, experiment in paper["experiments"].items():
            split_of: dict[str, str] = {}
            for role, split in experiment["roles"].items():
                dataset = plan.dataset(role)
                if dataset is not None and split_of.setdefault(dataset, split) != split:
                    raise ConfigError(
                        f"configuration: roles.{role}: '{dataset}' stands for two roles of {name}'s {key}, "
                        "which splits them differently; map one of them to another data set or to null"
                    )


def _check_expensive(plan: Plan) -> None:
    """Check that no measure of the default run reads an expensive experiment."""
    for name, paper in plan.papers.items():
        for key, measure in paper["measures"].items():
            for experiment in measure.get("experiments", ()):
                if paper["experiments"][experiment].get(EXPENSIVE) and not measure.get(EXPENSIVE):
                    where = f"{plan.source(name)}: measures.{key}"
                    raise ConfigError(f"{where}: reads {experiment}, which is {EXPENSIVE}; mark both")
