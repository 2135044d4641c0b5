"""The plan: which data sets, experiments, measures, tables and figures one run consists of; made and checked here."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reproduction.flow.alternatives import Readings, load_readings
from reproduction.flow.availability import available_roles, reach
from reproduction.flow.papers import (
    check_references,
    file_name,
    load_papers,
    outside,
    paper_folders,
    read_datasets,
    read_methods,
    with_roles,
)
from reproduction.flow.results import LEFT_OUT
from textmix.core.config import load_yaml_strict, validate
from textmix.core.errors import ConfigError, suggest
from textmix.data.registry import DatasetEntry
from textmix.experiment.methods import Method

#: Key of an experiment or a measure on which no printed number rests: it is made by the full run alone.
EXPENSIVE = "expensive"
_TRUTH = {"true": True, "false": False}
#: The keys that are true or false.
_SWITCHES = ("strict", "full")


@dataclass(frozen=True)
class Fit:
    """One fit job: an experiment of a paper on one data set, by one method (all trials)."""

    paper: str
    experiment: str
    dataset: str
    method: str


# One plan lives as long as the process; it is compared by identity, for its mappings have no hash.
@dataclass(frozen=True, eq=False)
class Plan:
    """Everything that one run consists of, made and checked by `make_plan`.

    Parameters
    ----------
    root : the folder with ``config/`` and ``workflow/``.
    settings : the keys of config.yaml.
    registry, methods : name -> entry of config/datasets.yaml and of config/methods.yaml.
    papers : name -> content of its paper.yaml, in the order of the papers' ``place``.
    folders : name -> folder of configuration of each paper.
    wanted : the roles as the configuration has them; those of ``settings`` name the data sets within reach.
    readings : paper -> its declared readings, and its paper.yaml with the entries of all readings.
    """

    root: Path
    settings: Mapping[str, Any]
    registry: Mapping[str, DatasetEntry]
    methods: Mapping[str, Method]
    papers: Mapping[str, Mapping[str, Any]]
    folders: Mapping[str, Path]
    wanted: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    readings: Mapping[str, Readings] = field(default_factory=dict)

    @functools.cached_property
    def features(self) -> dict[str, Any]:
        """Name -> how words are counted, of all papers and readings."""
        return self._shared("features")

    @functools.cached_property
    def splits(self) -> dict[str, Any]:
        """Name -> how documents are split, of all papers and readings."""
        return self._shared("splits")

    def _shared(self, kind: str) -> dict[str, Any]:
        """Return the entries of all papers by name; ConfigError for two meanings: papers share results by name."""
        found: dict[str, Any] = {}
        for name, one in self.readings.items():
            for key, spec in one.spec[kind].items():
                if found.setdefault(key, spec) != spec:
                    raise ConfigError(f"{self.source(name)}: {kind}.{key} differs from another paper's; rename it")
        return found

    def source(self, paper: str) -> str:
        """Return how messages name the paper.yaml of a paper."""
        return file_name(self.root, self.folders[paper] / "paper.yaml")

    # --- what the configuration asks for ---

    def chosen(self) -> list[str]:
        """Return the papers that the configuration asks for, in order."""
        asked = self.settings["papers"]
        return [name for name in self.papers if asked is None or name in asked]

    def entry(self, paper: str, kind: str, name: str) -> Mapping[str, Any]:
        """Return an entry of a paper.yaml or of a reading, without the key that decides whether it is made."""
        found: Mapping[str, Any] = self.readings[paper].spec[kind][name]
        return {key: value for key, value in found.items() if key != EXPENSIVE}

    def is_dear(self, paper: str, kind: str, name: str) -> bool:
        """Return whether this run leaves an experiment or a measure to the full run."""
        return bool(self.papers[paper][kind][name].get(EXPENSIVE)) and not self.settings.get("full")

    def left_out(self, paper: str) -> dict[str, str]:
        """Return why each experiment and measure of a paper is left out, by ``<kind>/<name>``; none in the full run."""
        why = f"{LEFT_OUT}: no printed number rests on it, and it takes long"
        return {
            f"{kind}/{name}": why
            for kind in ("experiments", "measures")
            for name in self.papers[paper][kind]
            if self.is_dear(paper, kind, name)
        }

    # --- data sets ---

    def dataset(self, role: str) -> str | None:
        """Return the data set that stands for a role, or None."""
        value: str | None = self.settings["roles"][role]["dataset"]
        return value

    def substitutes(self, dataset: str) -> list[str]:
        """Return the data sets of which the first available one is read where a download fails; none where several
        roles name the data set, since its results serve them all.
        """
        entries = [entry for entry in self.settings["roles"].values() if entry["dataset"] == dataset]
        return [one["dataset"] for one in entries[0].get("substitutes", ())] if len(entries) == 1 else []

    def roles(self, paper: str) -> dict[str, dict[str, Any]]:
        """Return the configuration's entries of the roles that a paper names."""
        return {role: dict(self.settings["roles"][role]) for role in self.papers[paper]["roles"]}

    def out_of_reach(self, papers: Collection[str]) -> dict[str, str]:
        """Return role -> the reason why none of its data sets is within reach, of some papers."""
        roles = {role for paper in papers for role in self.papers[paper]["roles"]}
        lost = {role for role in roles if self.wanted[role]["dataset"] and self.dataset(role) is None}
        return {role: self.settings["roles"][role]["note"] for role in sorted(lost)}

    def datasets(self, paper: str) -> list[str]:
        """Return the data sets that stand for the roles of a paper, sorted."""
        found = [self.dataset(role) for role in self.papers[paper]["roles"]]
        return sorted({name for name in found if name is not None})

    # --- fits and measures ---

    def fits(self, paper: str) -> Iterator[Fit]:
        """Yield the fit jobs of a paper in this run."""
        for key, experiment in self.papers[paper]["experiments"].items():
            if not self.is_dear(paper, "experiments", key):
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
        """Return the experiment's entry of the method of a fit job: ``use``, ``params``, ``grid``, ``tune``."""
        entry: dict[str, Any] = self.entry(fit.paper, "experiments", fit.experiment)["methods"][fit.method]
        return entry

    def measures(self, paper: str) -> list[str]:
        """Return the measures of a paper in this run: those with a data set at hand, and those that need none."""
        return [
            key
            for key, entry in self.papers[paper]["measures"].items()
            if not self.is_dear(paper, "measures", key) and (self.measure_data(paper, key) or not entry["roles"])
        ]

    def measure_data(self, paper: str, measure: str) -> dict[str, tuple[str, str, str, str | None]]:
        """Return role -> (data set, features, split, further features or None) of a measure, for roles with data."""
        entry = self.entry(paper, "measures", measure)
        return {
            role: (dataset, entry["features"], split, entry.get("extra_features"))
            for role, split in entry["roles"].items()
            if (dataset := self.dataset(role)) is not None
        }

    def measure_fits(self, paper: str, measure: str) -> Iterator[tuple[str, Fit]]:
        """Yield role and fit job of the predictions that a measure reads: every method of its ``experiments``."""
        for key in self.entry(paper, "measures", measure).get("experiments", ()):
            known = self.entry(paper, "experiments", key)["roles"]
            for role in self.measure_data(paper, measure):
                if role in known:
                    yield from ((role, fit) for fit in self.fits_of(paper, key, [role]))

    def feature_sets(self, paper: str) -> list[tuple[str, str]]:
        """Return the (data set, features) pairs that a paper needs, for its statistics as well as its fits."""
        pairs = {(fit.dataset, self.fit_inputs(fit)[0]) for fit in self.fits(paper)}
        for measure in self.measures(paper):
            for dataset, features, _, beside in self.measure_data(paper, measure).values():
                pairs |= {(dataset, features), *([(dataset, beside)] if beside else [])}
        return sorted(pairs)

    def drawable(self, paper: str) -> list[str]:
        """Return the names of a paper's figures; none where the paper's status is ``planned``."""
        spec = self.papers[paper]
        return list(spec["figures"]) if spec["status"] == "built" else []


def make_plan(config: Mapping[str, Any], root: Path, resources: Path | None = None, mirror: Path | None = None) -> Plan:
    """Return the plan of a merged configuration; without ``resources`` every data set counts as within reach."""
    further = outside(config)
    folders = paper_folders(root, further)
    methods, registry = read_methods(root, further), read_datasets(root, further)
    asked = read_settings(with_roles(config, further), root / "workflow/schemas")
    papers = load_papers(root, methods, folders)
    for name, paper in papers.items():
        check_references(file_name(root, folders[name] / "paper.yaml"), paper, asked["roles"])
    settings = {**asked, "roles": _available_roles(asked, registry, resources, mirror)}
    readings = load_readings(root, papers, folders, methods, settings["seed"])
    plan = Plan(root, settings, registry, methods, papers, folders, asked["roles"], readings)
    for check in (_check_papers, _check_roles, _check_doubles, _check_dear):
        check(plan)
    _ = plan.features, plan.splits
    return plan


def read_settings(config: Mapping[str, Any], schemas: Path) -> dict[str, Any]:
    """Return the merged configuration as plain mappings, checked against its schema."""
    settings: dict[str, Any] = _plain(config)
    settings |= {key: _TRUTH.get(str(settings[key]).lower(), settings[key]) for key in _SWITCHES if key in settings}
    validate(settings, schemas / "config.schema.yaml", "configuration")
    return settings


def with_defaults(config: Mapping[str, Any], main: Path) -> dict[str, Any]:
    """Return a configuration with the values of the main file where it has none; a module names some keys alone."""
    return _over(load_yaml_strict(main), _plain(config))


def _over(defaults: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return both mappings in one, also where they are nested; the given values count."""
    nested = {key for key in given if isinstance(defaults.get(key), Mapping) and isinstance(given[key], Mapping)}
    return {**defaults, **given, **{key: _over(defaults[key], given[key]) for key in nested}}


def _plain(value: Any) -> Any:
    """Return a copy with nested mappings as plain dicts, as the schema validator wants them."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def _available_roles(
    settings: Mapping[str, Any], registry: Mapping[str, DatasetEntry], resources: Path | None, mirror: Path | None
) -> dict[str, dict[str, Any]]:
    """Return the roles of the settings, each with a data set within reach; a folder that is None tells of none."""
    roles: Mapping[str, Mapping[str, Any]] = settings["roles"]
    if resources is None:
        return available_roles(roles, lambda _: "")
    names = [one["dataset"] for entry in roles.values() for one in (entry, *entry.get("substitutes", ()))]
    entries = [registry[name] for name in {*names} if name in registry]  # _check_roles refuses further names
    return available_roles(roles, reach(entries, resources, mirror))


def _check_papers(plan: Plan) -> None:
    for place, name in enumerate(plan.settings["papers"] or ()):
        if name not in plan.papers:
            remedy = suggest(name, plan.papers)
            raise ConfigError(f"configuration: papers.{place}: {name!r} is not allowed; {remedy}")


def _check_roles(plan: Plan) -> None:
    for role, entry in plan.wanted.items():
        for name in (one["dataset"] for one in (entry, *entry.get("substitutes", ()))):
            if name is not None and name not in plan.registry:
                remedy = suggest(name, sorted(plan.registry))
                raise ConfigError(f"configuration: roles.{role}: no data set '{name}'; {remedy}")


def _check_doubles(plan: Plan) -> None:
    """Check that no experiment splits one data set in two ways: the second result would overwrite the first."""
    for name, paper in plan.papers.items():
        for key, experiment in paper["experiments"].items():
            found: dict[str, str] = {}
            for role, split in experiment["roles"].items():
                dataset = plan.dataset(role)
                if dataset is not None and found.setdefault(dataset, split) != split:
                    raise ConfigError(
                        f"configuration: roles.{role}: '{dataset}' stands for two roles of {name}'s {key}, "
                        "which splits them differently; map one of them to another data set or to null"
                    )


def _check_dear(plan: Plan) -> None:
    """Check that no measure of the default run reads an experiment of the full run."""
    for name, paper in plan.papers.items():
        for key, measure in paper["measures"].items():
            for read in measure.get("experiments", ()):
                if paper["experiments"][read].get(EXPENSIVE) and not measure.get(EXPENSIVE):
                    raise ConfigError(
                        f"{plan.source(name)}: measures.{key}: reads {read}, which is {EXPENSIVE}; mark both"
                    )
