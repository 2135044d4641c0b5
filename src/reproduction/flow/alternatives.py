"""The readings that a document leaves open: ``readings`` in ``config/papers/<paper>/choices.yaml``.

A reading is the paper's ``paper.yaml`` with other values at some of its keys.  An entry that becomes another one gets a
name of its own, which holds a digest of its content.  So the jobs of a reading are jobs of the paper by the same rules,
readings share what they have in common, and the choice of the table is not made twice.  The module is imported while
Snakemake parses the workflow, so it imports nothing heavy.
"""

from __future__ import annotations

import copy
import csv
import itertools
import math
import re
from collections.abc import Iterable, Iterator, Mapping
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
from textmix.core.config import load_yaml_strict, validate
from textmix.core.digests import digest_of
from textmix.core.errors import ConfigError
from textmix.experiment.methods import Method

#: Most readings of a row: the choice of the table, and a draw of the others.
MOST = 32
#: Key of an entry that is added to the seed of config.yaml.
SEED = "seed"
_FILE = "choices.yaml"
_SCHEMA = "workflow/schemas/choices.schema.yaml"
#: Digits of the digest in a name.
_SHORT = 8
#: The parts of paper.yaml of which a reading may have other entries, each behind those that it reads.
_KINDS = ("features", "splits", "experiments", "measures")


@dataclass(frozen=True)
class DeclaredReading:
    """One reading of a row; what is read as the table reads it is not named.

    Parameters
    ----------
    levels : factor -> its level.
    names : ``<kind>.<name>`` of an entry of paper.yaml -> the name under which it stands as this point reads it.
    keys : ``<measure>/<key>`` of a value -> its key as this point reads it, where the key tells a setting.
    """

    levels: Mapping[str, str]
    names: Mapping[str, str] = field(default_factory=dict)
    keys: Mapping[str, str] = field(default_factory=dict)

    def read(self, locator: Locator) -> Locator:
        """Return a locator that names the same value as this point reads it."""
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
class Specification:
    """The readings of some rows (ids of published.csv).  ``factors`` maps factor -> level -> why the source allows it;
    ``points`` are run, first the choice of the table; ``product`` is the number of all readings.
    """

    name: str
    rows: tuple[str, ...]
    factors: Mapping[str, Mapping[str, str]]
    points: tuple[DeclaredReading, ...]
    product: int


@dataclass(frozen=True)
class Readings:
    """All readings of a paper.

    Parameters
    ----------
    spec : its paper.yaml with the entries of all readings.
    specifications : in the order of the file; none where the paper has no such file.
    sources : id of a row -> the locators of the values that it rests on.
    bases : ``<kind>.<name>`` of an entry of a reading -> the entry of paper.yaml that it comes from.
    """

    spec: Mapping[str, Any]
    specifications: tuple[Specification, ...] = ()
    sources: Mapping[str, tuple[Locator, ...]] = field(default_factory=dict)
    bases: Mapping[str, str] = field(default_factory=dict)

    def locators(self) -> Iterator[Locator]:
        """Yield the locators of all values that all readings rest on, each once."""
        found = (
            point.read(locator)
            for one in self.specifications
            for row, point in itertools.product(one.rows, one.points)
            for locator in self.sources[row]
        )
        yield from dict.fromkeys(found)


def load_readings(
    root: Path,
    papers: Mapping[str, Mapping[str, Any]],
    folders: Mapping[str, Path],
    methods: Mapping[str, Method],
    seed: int,
) -> dict[str, Readings]:
    """Return the readings of every paper; ``seed`` draws the points, and lists of roles in ``papers`` are expanded."""
    return {name: _readings(root, folders[name], paper, methods, seed) for name, paper in papers.items()}


def _readings(root: Path, folder: Path, paper: Mapping[str, Any], methods: Mapping[str, Method], seed: int) -> Readings:
    path = folder / _FILE
    if not path.is_file():
        return Readings(paper)
    source, choices = file_name(root, path), load_yaml_strict(path)
    validate(choices, root / _SCHEMA, source)
    raw = _declared(source, choices)
    rows = [row for entry in raw.values() for row in entry["rows"]]
    found = _Expansion(paper, _sources(folder, rows, source))
    specifications = []
    for key, entry in raw.items():
        place = f"{source}: {key}"
        _check_levels(place, entry, found, methods, root / PAPER_SCHEMA)
        levels = _drawn(entry["factors"], [seed, folder.name, key])
        points = [
            DeclaredReading(
                chosen,
                found.add(_merged(place, entry, chosen, "set"), entry["rows"]),
                _merged(place, entry, chosen, "reads"),
            )
            for chosen in levels
        ]
        why = {
            factor: {level: one["reason"] for level, one in each.items()} for factor, each in entry["factors"].items()
        }
        size = math.prod(map(len, entry["factors"].values()))
        specifications.append(Specification(key, tuple(entry["rows"]), why, tuple(points), size))
    return Readings(found.spec, tuple(specifications), found.sources, found.bases)


def _declared(source: str, choices: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return name -> the rows and factors of the readings of all choices."""
    found: dict[str, Any] = {}
    for choice in choices:
        for name, entry in choice.get("alternatives", {}).items():
            if name in found:
                raise ConfigError(f"{source}: {choice['id']}.alternatives.{name}: stands twice; rename one of them")
            found[name] = entry
    return found


def _sources(folder: Path, rows: Iterable[str], source: str) -> dict[str, tuple[Locator, ...]]:
    """Return row -> the locators of the values that it, or its check, rests on."""
    with open(folder / "published.csv", encoding="utf-8", newline="") as handle:
        value_of = {row["id"]: row["source"] for row in csv.DictReader(handle)}
    for row in rows:
        check_name("published row", row, [name for name, text in value_of.items() if text], f"{source}: rows")
    return locators_behind(folder, {row: value_of[row] for row in rows}, source)


def _drawn(factors: Mapping[str, Mapping[str, Any]], axes: list[Any]) -> list[dict[str, str]]:
    """Return the points that are run: first the choice of the table, then a draw without replacement of the others.  A
    hash of the axes and of the levels seeds the draw, so that a further level moves few points.
    """
    chosen = {factor: next(name for name, one in each.items() if _is_of_table(one)) for factor, each in factors.items()}
    points = (dict(zip(factors, levels, strict=True)) for levels in itertools.product(*factors.values()))
    others = [levels for levels in points if levels != chosen]
    drawn = sorted(others, key=lambda levels: digest_of([*axes, levels]))[: MOST - 1]
    return [chosen, *(levels for levels in others if levels in drawn)]


def _is_of_table(level: Mapping[str, Any]) -> bool:
    """Return whether a level is the choice of the table, which changes nothing."""
    return not {"set", "reads"} & set(level)


def _merged(place: str, entry: Mapping[str, Any], levels: Mapping[str, str], part: str) -> dict[str, Any]:
    """Return ``set`` or ``reads`` of all levels of a point in one."""
    changes: dict[str, Any] = {}
    for factor, level in levels.items():
        for path, value in entry["factors"][factor][level].get(part, {}).items():
            if path in changes:
                raise ConfigError(f"{place}: two factors set {path}; make one factor of both")
            changes[path] = value
    return changes


def _check_levels(
    place: str, entry: Mapping[str, Any], expansion: _Expansion, methods: Mapping[str, Method], schema: Path
) -> None:
    """Check that each factor has one choice of the table, and that each other level could be run and is a reading."""
    known = _values_behind(one for row in entry["rows"] for one in expansion.sources[row])
    for factor, levels in entry["factors"].items():
        if sum(map(_is_of_table, levels.values())) != 1:
            raise ConfigError(
                f"{place}.factors.{factor}: exactly one level, the choice of the table, has neither set nor reads; "
                "say what each other one changes"
            )
        for name, level in levels.items():
            where = f"{place}.factors.{factor}.{name}"
            changed = _changed(expansion.paper, level.get("set", {}), where)
            for entries in changed.values():
                for one in entries.values():
                    one.pop(SEED, None)  # the one key that no paper.yaml has
            check_entries(where, changed, expansion.paper, methods, schema)
            for value in level.get("reads", {}):
                check_name("value", value, known, f"{where}.reads")
            # A level that changes nothing that a row rests on would look like a further reading.
            for row in entry["rows"]:
                if not _is_of_table(level) and not expansion.is_changed(row, level):
                    raise ConfigError(
                        f"{where}: changes nothing that '{row}' rests on; remove the level, or give the row readings "
                        "of its own"
                    )


def _values_behind(sources: Iterable[Locator]) -> dict[str, str]:
    """Return ``<measure>/<key>`` -> key of the values of measures among the locators that rows rest on."""
    return {f"{one.measure}/{one.key}": one.key for one in sources if isinstance(one, MeasureLocator)}


def _reaches(path: str, sources: Iterable[Locator]) -> bool:
    """Return whether a path of paper.yaml is none of another method than those that a row rests on."""
    kind, experiment, part, *keys = path.split(".")
    if kind != "experiments" or part != "methods":
        return True
    scores = [one for one in sources if isinstance(one, ScoreLocator) and one.experiment == experiment]
    # An experiment that a measure reads counts as a whole.
    return not scores or keys[0] in {one.method for one in scores}


def base_of(name: str) -> str:
    """Return the name of the entry of paper.yaml that a reading changed, by which its random numbers are drawn."""
    return re.sub(r"_r[0-9a-f]{8}$", "", name)


def _changed(paper: Mapping[str, Any], changes: Mapping[str, Any], where: str) -> dict[str, dict[str, Any]]:
    """Return kind -> name -> the entry of paper.yaml with other values, of the entries in which a value is set."""
    found: dict[str, dict[str, Any]] = {kind: {} for kind in _KINDS}
    for path, value in changes.items():
        kind, name, *keys = path.split(".")
        check_name(kind, name, paper[kind], f"{where}: {path}")
        inner = found[kind].setdefault(name, copy.deepcopy(dict(paper[kind][name])))
        for depth, key in enumerate(keys[:-1]):
            # The one part of an entry that paper.yaml may leave out where it is empty.
            if key == "params":
                inner.setdefault(key, {})
            check_name("key", key, inner, f"{where}: {'.'.join((kind, name, *keys[:depth]))}")
            inner = inner[key]
        inner[keys[-1]] = value
    return found


class _Expansion:
    """A paper.yaml to which readings add entries; ``sources`` maps row -> locators of the values that it rests on."""

    def __init__(self, paper: Mapping[str, Any], sources: Mapping[str, tuple[Locator, ...]]) -> None:
        self.paper, self.sources = paper, sources
        self.spec = {**paper, **{kind: dict(paper[kind]) for kind in _KINDS}}
        self.bases: dict[str, str] = {}

    def is_changed(self, row: str, level: Mapping[str, Any]) -> bool:
        """Return whether a level gives another value to an entry on which a row rests, or reads another value."""
        sources, reads = self.sources[row], level.get("reads", {})
        changes = {path: value for path, value in level.get("set", {}).items() if _reaches(path, sources)}
        elsewhere = any(reads.get(name, key) != key for name, key in _values_behind(sources).items())
        return elsewhere or bool(_Expansion(self.paper, self.sources).add(changes, [row]))

    def add(self, changes: Mapping[str, Any], rows: Iterable[str]) -> dict[str, str]:
        """Add the entries of a reading that some rows need; return ``<kind>.<name>`` -> their names."""
        names: dict[str, str] = {}
        changed = _changed(self.paper, changes, "")
        for kind, name in self._needed(rows):
            entry = self._referring(kind, changed[kind].get(name, self.paper[kind][name]), names)
            if entry != self.paper[kind][name]:
                if kind == "splits" and entry["kind"] == "random":
                    entry.setdefault("order", name)  # a random order of its own would be another reading
                # The place of a function is no part of what it measures.
                content = {key: value for key, value in entry.items() if key != "function"}
                given = names[f"{kind}.{name}"] = f"{name}_r{digest_of(content)[:_SHORT]}"
                self.spec[kind][given] = entry
                self.bases[f"{kind}.{given}"] = name
        return names

    def _needed(self, rows: Iterable[str]) -> list[tuple[str, str]]:
        """Return kind and name of the entries on which rows rest, each behind those that it reads."""
        queue = [made for row in rows for locator in self.sources[row] if (made := _entry_of(locator))]
        found: dict[tuple[str, str], None] = {}
        while queue:
            kind, name = made = queue.pop(0)
            if made not in found:
                found[made] = None
                queue += _read_by(self.paper[kind][name]) if kind in _KINDS[2:] else []
        return sorted(found, key=lambda one: _KINDS.index(one[0]))

    def _referring(self, kind: str, entry: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
        """Return an entry in which the names of other entries are those of the reading."""
        if kind in _KINDS[:2]:
            return dict(entry)
        found = dict(entry)
        for key in ("features", "extra_features"):
            if key in found:
                found[key] = names.get(f"features.{found[key]}", found[key])
        found["roles"] = {role: names.get(f"splits.{split}", split) for role, split in entry["roles"].items()}
        if "experiments" in found:
            found["experiments"] = [names.get(f"experiments.{one}", one) for one in found["experiments"]]
        return found


def _read_by(entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield kind and name of the entries that an experiment or a measure reads."""
    yield from (("features", entry[key]) for key in ("features", "extra_features") if key in entry)
    yield from (("splits", split) for split in entry["roles"].values())
    yield from (("experiments", name) for name in entry.get("experiments", ()))


def _entry_of(locator: Locator) -> tuple[str, str] | None:
    """Return kind and name of the entry of paper.yaml that makes a value; None where none does."""
    match locator:
        case FeaturesLocator(features=name):
            return "features", name
        case ScoreLocator(experiment=name):
            return "experiments", name
        case MeasureLocator(measure=name):
            return "measures", name
    return None
