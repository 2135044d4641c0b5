"""Registered alternatives to choices that a paper leaves open: ``alternatives`` in ``choices.yaml``.

An alternative is the ``paper.yaml`` of a paper with other values of some keys.  A changed entry gets a new name that
contains a digest of its content.  The jobs of an alternative therefore use the same rules as the jobs of the paper,
alternatives reuse common results, and the choice of the table is computed once.  The module is imported while Snakemake
parses the workflow, so it must not import anything heavy.
"""

from __future__ import annotations

import copy
import itertools
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from reproduction.flow.locators import (
    FeaturesLocator,
    Locator,
    MeasureLocator,
    ScoreLocator,
    locators_behind,
)
from reproduction.flow.papers import PAPER_SCHEMA, check_entries, check_name, file_name
from reproduction.flow.published_table import read_cells
from textmix.core.config import load_yaml_strict, validate
from textmix.core.digests import digest_of
from textmix.core.errors import ConfigError
from textmix.experiment.methods import Method

#: Limit on the specifications of a row: the choice of the table, and a random sample of the others.
MAX_SPECIFICATIONS = 32
#: Value of ``design`` in choices.yaml: the choice of the table, and each other level with the rest unchanged.
ONE_AT_A_TIME = "one_at_a_time"
#: Key of an entry that is added to the seed of config.yaml.
SEED = "seed"
_FILE = "choices.yaml"
_SCHEMA = "workflow/schemas/choices.schema.yaml"
#: Digits of the digest in a name.
_DIGEST_DIGITS = 8
#: Sections of paper.yaml that alternatives can change; entries refer only to earlier sections.
_KINDS = ("features", "splits", "experiments", "measures")


@dataclass(frozen=True)
class GridPoint:
    """A specification: one level of each factor.

    Parameters
    ----------
    levels : mapping
        Factor -> level.
    names : mapping, default={}
        ``<section>.<name>`` of a changed entry of paper.yaml -> its new name.
    keys : mapping, default={}
        ``<measure>/<key>`` of a value -> the key to read instead.
    """

    levels: Mapping[str, str]
    names: Mapping[str, str] = field(default_factory=dict)
    keys: Mapping[str, str] = field(default_factory=dict)

    def redirect(self, locator: Locator) -> Locator:
        """Return the locator of the same value under this specification."""
        match locator:
            case FeaturesLocator(features=name):
                return replace(locator, features=self.names.get(f"features.{name}", name))
            case ScoreLocator(experiment=name):
                return replace(locator, experiment=self.names.get(f"experiments.{name}", name))
            case MeasureLocator(measure=name, key=key):
                measure = self.names.get(f"measures.{name}", name)
                return replace(locator, measure=measure, key=self.keys.get(f"{name}/{key}", key))
        return locator


@dataclass(frozen=True)
class SpecificationGrid:
    """All combinations of levels that are registered for some rows.

    Parameters
    ----------
    name : str
        Name in choices.yaml.
    rows : tuple of str
        Ids of rows of published.csv.
    factors : mapping
        Factor -> level -> reason why the paper allows it.
    points : tuple of GridPoint
        The specifications that are run; the first is the choice of the table.
    product : int
        Number of all specifications of the design: all combinations of levels, or ``len(points)`` if one factor is
        varied at a time.
    """

    name: str
    rows: tuple[str, ...]
    factors: Mapping[str, Mapping[str, str]]
    points: tuple[GridPoint, ...]
    product: int


@dataclass(frozen=True)
class PaperAlternatives:
    """All registered alternatives of a paper.

    Parameters
    ----------
    spec : mapping
        The paper.yaml extended by the entries of all alternatives.
    grids : tuple of SpecificationGrid, default=()
        In the order of choices.yaml.
    sources : mapping, default={}
        Id of a row -> locators of the values that it depends on.
    bases : mapping, default={}
        ``<section>.<name>`` of an added entry -> name of the entry that it was derived from.
    """

    spec: Mapping[str, Any]
    grids: tuple[SpecificationGrid, ...] = ()
    sources: Mapping[str, tuple[Locator, ...]] = field(default_factory=dict)
    bases: Mapping[str, str] = field(default_factory=dict)

    def select(self, names: Sequence[str] | None) -> tuple[SpecificationGrid, ...]:
        """Return the grids with these names, or all."""
        return tuple(grid for grid in self.grids if names is None or grid.name in names)

    def locators(self, names: Sequence[str] | None = None) -> Iterator[Locator]:
        """Yield the distinct locators of all values that some alternatives depend on, by default all."""
        locators = (
            point.redirect(locator)
            for grid in self.select(names)
            for row, point in itertools.product(grid.rows, grid.points)
            for locator in self.sources[row]
        )
        yield from dict.fromkeys(locators)


def load_alternatives(
    root: Path,
    papers: Mapping[str, Mapping[str, Any]],
    folders: Mapping[str, Path],
    methods: Mapping[str, Method],
    seed: int,
) -> dict[str, PaperAlternatives]:
    """Read the alternatives of all papers.

    Parameters
    ----------
    root : Path
        Folder with ``config/`` and ``workflow/``.
    papers : mapping
        Name -> content of the paper.yaml with expanded role lists.
    folders : mapping
        Name -> folder of the paper.
    methods : mapping
        Registry of methods.
    seed : int
        Random seed for the sample of specifications.

    Returns
    -------
    dict of str to PaperAlternatives

    Raises
    ------
    ConfigError
        If an alternative is invalid or changes nothing.
    """
    return {name: _load_paper(root, folders[name], paper, methods, seed) for name, paper in papers.items()}


def _load_paper(
    root: Path, folder: Path, paper: Mapping[str, Any], methods: Mapping[str, Method], seed: int
) -> PaperAlternatives:
    path = folder / _FILE
    if not path.is_file():
        return PaperAlternatives(paper)
    source = file_name(root, path)
    choices = load_yaml_strict(path)
    validate(choices, root / _SCHEMA, source)
    entries = _collect_entries(source, choices)
    rows = [row for entry in entries.values() for row in entry["rows"]]
    expansion = _Expansion(paper, _sources(folder, rows, source))
    grids = []
    for key, entry in entries.items():
        where = f"{source}: {key}"
        _check_levels(where, entry, expansion, methods, root / PAPER_SCHEMA)
        points = []
        for levels in _list_levels(entry, [seed, folder.name, key]):
            changes = _merge_changes(where, entry, levels, "set")
            reads = _merge_changes(where, entry, levels, "reads")
            names = expansion.add(changes, entry["rows"])
            points.append(GridPoint(levels, names, reads))
        reasons = {}
        for factor, factor_levels in entry["factors"].items():
            reasons[factor] = {name: level["reason"] for name, level in factor_levels.items()}
        n_combinations = math.prod(map(len, entry["factors"].values()))
        product = len(points) if entry.get("design") == ONE_AT_A_TIME else n_combinations
        grids.append(SpecificationGrid(key, tuple(entry["rows"]), reasons, tuple(points), product))
    return PaperAlternatives(expansion.spec, tuple(grids), expansion.sources, expansion.bases)


def _collect_entries(source: str, choices: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return name -> rows and factors of the alternatives of all choices."""
    entries: dict[str, Any] = {}
    entry_of_row: dict[str, str] = {}
    for choice in choices:
        for name, entry in choice.get("alternatives", {}).items():
            where = f"{source}: {choice['id']}.alternatives.{name}"
            if name in entries:
                raise ConfigError(f"{where}: duplicate name; rename one of them")
            entries[name] = entry
            # Each row has a single curve.
            for row in entry["rows"]:
                other = entry_of_row.setdefault(row, name)
                if other != name:
                    raise ConfigError(f"{where}: '{row}' is also a row of {other}; combine their factors")
    return entries


def _sources(folder: Path, rows: Iterable[str], source: str) -> dict[str, tuple[Locator, ...]]:
    """Return row -> locators of the values that it (or its check) depends on."""
    value_of = {cells["id"]: cells["source"] for _, cells in read_cells(folder / "published.csv")}
    for row in rows:
        check_name("published row", row, [name for name, text in value_of.items() if text], f"{source}: rows")
    return locators_behind(folder, {row: value_of[row] for row in rows}, source)


def _list_levels(entry: Mapping[str, Any], axes: list[Any]) -> list[dict[str, str]]:
    """Return the levels of the specifications to run; the choice of the table comes first."""
    factors = entry["factors"]
    of_table = {
        factor: next(name for name, level in levels.items() if _is_of_table(level))
        for factor, levels in factors.items()
    }
    if entry.get("design") == ONE_AT_A_TIME:
        deviations = [
            {**of_table, factor: level}
            for factor, levels in factors.items()
            for level in levels
            if level != of_table[factor]
        ]
    else:
        deviations = _sample_combinations(factors, of_table, axes)
    return [of_table, *deviations]


def _sample_combinations(
    factors: Mapping[str, Mapping[str, Any]], of_table: Mapping[str, str], axes: list[Any]
) -> list[dict[str, str]]:
    """Return the combinations of levels other than that of the table, or a random sample if there are too many.

    The sample has the smallest hashes of axes and levels, so that an additional level changes few specifications.
    """
    combinations = (dict(zip(factors, levels, strict=True)) for levels in itertools.product(*factors.values()))
    deviations = [levels for levels in combinations if levels != of_table]
    sample = sorted(deviations, key=lambda levels: digest_of([*axes, levels]))[: MAX_SPECIFICATIONS - 1]
    return [levels for levels in deviations if levels in sample]


def _is_of_table(level: Mapping[str, Any]) -> bool:
    """Return whether a level is the choice of the table, that is, changes nothing."""
    return not {"set", "reads"} & set(level)


def _merge_changes(where: str, entry: Mapping[str, Any], levels: Mapping[str, str], key: str) -> dict[str, Any]:
    """Merge the changes under a key, ``set`` or ``reads``, of all levels."""
    changes: dict[str, Any] = {}
    for factor, level in levels.items():
        for path, value in entry["factors"][factor][level].get(key, {}).items():
            if path in changes:
                raise ConfigError(f"{where}: two factors set {path}; combine them into one factor")
            changes[path] = value
    return changes


def _check_levels(
    source: str, entry: Mapping[str, Any], expansion: _Expansion, methods: Mapping[str, Method], schema: Path
) -> None:
    """Check that each factor has one choice of the table, and that every other level is valid and has an effect."""
    values = _measure_values(locator for row in entry["rows"] for locator in expansion.sources[row])
    for factor, levels in entry["factors"].items():
        if sum(map(_is_of_table, levels.values())) != 1:
            raise ConfigError(
                f"{source}.factors.{factor}: exactly one level, the choice of the table, has neither set nor reads; "
                "state what each other level changes"
            )
        for name, level in levels.items():
            where = f"{source}.factors.{factor}.{name}"
            changed = _changed(expansion.paper, level.get("set", {}), where)
            for entries in changed.values():
                for changed_entry in entries.values():
                    changed_entry.pop(SEED, None)  # the only key that paper.yaml does not allow
            check_entries(where, changed, expansion.paper, methods, schema)
            for value in level.get("reads", {}):
                check_name("value", value, values, f"{where}.reads")
            # A level without effect on a row would look like another specification.
            for row in entry["rows"]:
                if not _is_of_table(level) and not expansion.is_changed(row, level):
                    raise ConfigError(
                        f"{where}: has no effect on '{row}'; remove the level, or give the row alternatives of its own"
                    )


def _measure_values(locators: Iterable[Locator]) -> dict[str, str]:
    """Return ``<measure>/<key>`` -> key of the values of measures among some locators."""
    measures = (locator for locator in locators if isinstance(locator, MeasureLocator))
    return {f"{locator.measure}/{locator.key}": locator.key for locator in measures}


def _can_affect(path: str, sources: Iterable[Locator]) -> bool:
    """Return whether a change of a path of paper.yaml can affect a row: settings of other methods cannot."""
    section, experiment, subsection, *keys = path.split(".")
    if section != "experiments" or subsection != "methods":
        return True
    methods = {
        locator.method for locator in sources if isinstance(locator, ScoreLocator) and locator.experiment == experiment
    }
    # A measure reads all methods of an experiment.
    return not methods or keys[0] in methods


def base_of(name: str) -> str:
    """Return the name of the entry that an alternative was derived from, which seeds its random numbers."""
    return re.sub(r"_r[0-9a-f]{8}$", "", name)


def _changed(paper: Mapping[str, Any], changes: Mapping[str, Any], where: str) -> dict[str, dict[str, Any]]:
    """Apply changes to copies of entries of paper.yaml; return section -> name -> changed entry."""
    entries: dict[str, dict[str, Any]] = {section: {} for section in _KINDS}
    for path, value in changes.items():
        section, name, *keys = path.split(".")
        check_name(section, name, paper[section], f"{where}: {path}")
        inner = entries[section].setdefault(name, copy.deepcopy(dict(paper[section][name])))
        for depth, key in enumerate(keys[:-1]):
            # The only mapping that paper.yaml may omit.
            if key == "params":
                inner.setdefault(key, {})
            check_name("key", key, inner, f"{where}: {'.'.join((section, name, *keys[:depth]))}")
            inner = inner[key]
        inner[keys[-1]] = value
    return entries


class _Expansion:
    """A paper.yaml extended by the entries of alternatives.

    Parameters
    ----------
    paper : mapping
        Content of the paper.yaml.
    sources : mapping
        Row -> locators of the values that it depends on.
    """

    def __init__(self, paper: Mapping[str, Any], sources: Mapping[str, tuple[Locator, ...]]) -> None:
        self.paper = paper
        self.sources = sources
        self.spec = dict(paper)
        for section in _KINDS:
            self.spec[section] = dict(paper[section])
        self.bases: dict[str, str] = {}

    def is_changed(self, row: str, level: Mapping[str, Any]) -> bool:
        """Return whether a level changes an entry that a row depends on, or reads another value."""
        sources = self.sources[row]
        reads = level.get("reads", {})
        changes = {path: value for path, value in level.get("set", {}).items() if _can_affect(path, sources)}
        reads_other_value = any(reads.get(name, key) != key for name, key in _measure_values(sources).items())
        return reads_other_value or bool(_Expansion(self.paper, self.sources).add(changes, [row]))

    def add(self, changes: Mapping[str, Any], rows: Iterable[str]) -> dict[str, str]:
        """Add the changed entries that some rows need; return ``<section>.<name>`` -> new name."""
        names: dict[str, str] = {}
        changed = _changed(self.paper, changes, "")
        for section, name in self._needed(rows):
            entry = self._renamed(section, changed[section].get(name, self.paper[section][name]), names)
            if entry != self.paper[section][name]:
                if section == "splits" and entry["kind"] == "random":
                    entry.setdefault("order", name)  # another random order would be another alternative
                # The location of a function does not change what it measures.
                content = {key: value for key, value in entry.items() if key != "function"}
                new_name = f"{name}_r{digest_of(content)[:_DIGEST_DIGITS]}"
                names[f"{section}.{name}"] = new_name
                self.spec[section][new_name] = entry
                self.bases[f"{section}.{new_name}"] = name
        return names

    def _needed(self, rows: Iterable[str]) -> list[tuple[str, str]]:
        """Return section and name of the entries that rows depend on; dependencies come first."""
        queue = [entry for row in rows for locator in self.sources[row] if (entry := _entry_of(locator))]
        needed: dict[tuple[str, str], None] = {}
        while queue:
            entry = queue.pop(0)
            if entry in needed:
                continue
            needed[entry] = None
            section, name = entry
            if section in ("experiments", "measures"):
                queue += _read_by(self.paper[section][name])
        return sorted(needed, key=lambda entry: _KINDS.index(entry[0]))

    def _renamed(self, section: str, entry: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
        """Copy an entry, replacing references to renamed entries."""
        renamed = dict(entry)
        if section in ("features", "splits"):
            return renamed
        for key in ("features", "extra_features"):
            if key in renamed:
                renamed[key] = names.get(f"features.{renamed[key]}", renamed[key])
        renamed["roles"] = {role: names.get(f"splits.{split}", split) for role, split in entry["roles"].items()}
        if "experiments" in renamed:
            renamed["experiments"] = [names.get(f"experiments.{name}", name) for name in renamed["experiments"]]
        return renamed


def _read_by(entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield section and name of the entries that an experiment or a measure reads."""
    yield from (("features", entry[key]) for key in ("features", "extra_features") if key in entry)
    yield from (("splits", split) for split in entry["roles"].values())
    yield from (("experiments", name) for name in entry.get("experiments", ()))


def _entry_of(locator: Locator) -> tuple[str, str] | None:
    """Return section and name of the entry of paper.yaml that computes a value, or None."""
    match locator:
        case FeaturesLocator(features=name):
            return "features", name
        case ScoreLocator(experiment=name):
            return "experiments", name
        case MeasureLocator(measure=name):
            return "measures", name
    return None
