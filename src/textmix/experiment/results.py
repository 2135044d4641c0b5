"""Locators: from the short name of a rebuilt value to the value in the results folder.

``published.csv`` and the checks name a value by its locator, e.g. ``score:table1/newsgroups/dcm/accuracy``.  There are
three outcomes: the value; `Hole`, where it cannot be had (a data set is missing); and `NotRun`, where nothing has made
it yet.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from textmix.core import io
from textmix.core.errors import ConfigError, Hole
from textmix.plan.methods import point_of

#: Locator kinds that name a role -> which of their parts it is.
_ROLE_PART = {"data": 0, "features": 0, "score": 1, "time": 1}
_PARTS = {"data": (2, 2), "features": (3, 3), "score": (4, 5), "time": (4, 4), "measure": (2, 2), "setting": (1, 1)}
_GRAMMAR = {
    "data": "data:<role>/<statistic>",
    "features": "features:<role>/<features>/<statistic>",
    "score": "score:<experiment>/<role>/<method>/<metric>[/<variant>]",
    "time": "time:<experiment>/<role>/<method>/<fit_seconds|predict_seconds>",
    "measure": "measure:<measure>/<key>",
    "setting": "setting:<dotted path in paper.yaml>",
}


class NotRun(Hole):
    """Nothing has made the value yet; the reason is one sentence."""


@dataclass(frozen=True)
class RoleEntry:
    """What a configuration maps a role (a data set as a paper names it) to.

    Parameters
    ----------
    dataset : identifier in the registry, or None where no data set is at hand.
    comparable : ``fully`` (the paper's data), ``nearly`` (the same collection in another form) or ``not``.
    note : one clause: what differs from the paper's data, or why there is none.
    """

    dataset: str | None
    comparable: str = "fully"
    note: str = ""


def role_entries(roles: Mapping[str, Mapping[str, Any]]) -> dict[str, RoleEntry]:
    """Return a configuration's ``data`` (role -> dataset, comparable, note) as entries."""
    return {role: RoleEntry(**entry) for role, entry in roles.items()}


@dataclass(frozen=True)
class Value:
    """A rebuilt value.

    Parameters
    ----------
    value : a number in stored units (scores and shares as fractions, times in seconds), or a setting's text.
    spread : sample standard deviation over the trials (ddof = 1), or None.
    n : number of trials behind ``value``, or None where it is not a mean over trials.
    variants : mean of the same metric for every variant of the method; empty where there are none.
    unconverged : number of fits behind it that stopped before they converged.
    trials : the values that ``value`` is the mean of, in the order of the trials; empty where it is no such mean.
    """

    value: float | str
    spread: float | None = None
    n: int | None = None
    variants: Mapping[str, float] = field(default_factory=dict)
    unconverged: int = 0
    trials: Sequence[float] = ()


@dataclass(frozen=True)
class Score:
    """One row of a score file: ``value`` of ``metric`` (a fraction) for one variant in one trial."""

    variant: str
    trial: int
    metric: str
    value: float


class Results:
    """The results of one paper, read by role instead of by path.

    Parameters
    ----------
    root : the results folder.
    paper : the paper.
    roles : role -> entry, as the configuration maps them.
    settings : the paper's ``paper.yaml``, for ``setting:`` locators.
    """

    def __init__(
        self, root: Path, paper: str, roles: Mapping[str, RoleEntry], settings: Mapping[str, Any] | None = None
    ) -> None:
        self.root, self.paper, self.roles, self.settings = Path(root), paper, roles, settings or {}
        self._checked: dict[Path, Hole | None] = {}

    def role_names(self, locator: str) -> list[str]:
        """Return the roles whose data a value rests on; for a measure, those that ``paper.yaml`` gives it."""
        kind, parts = split_locator(locator)
        if kind == "measure":
            return self._measure_roles(parts[0])
        return [parts[_ROLE_PART[kind]]] if kind in _ROLE_PART else []

    def _measure_roles(self, measure: str) -> list[str]:
        """Return the roles that ``paper.yaml`` gives a measure."""
        return list(self.settings.get("measures", {}).get(measure, {}).get("roles", ()))

    def dataset(self, role: str) -> str:
        """Return the data set mapped to a role.

        Raises
        ------
        Hole : no data set is mapped to it.
        """
        entry = self.roles.get(role)
        if entry is None or entry.dataset is None:
            note = entry.note if entry and entry.note else "the configuration names none for it"
            raise Hole(f"no data set for '{role}': {note}")
        return entry.dataset

    def locate(self, locator: str) -> Value:
        """Return the value a locator names.

        Raises
        ------
        Hole : it cannot be had, with the reason.
        NotRun : nothing has made it yet.
        ConfigError : the locator does not follow the grammar or names something a result does not hold.
        IntegrityError : the result was changed by hand.
        """
        kind, parts = split_locator(locator)
        if kind == "data":
            return Value(_pick(self.statistics(parts[0]), parts[1], locator))
        if kind == "features":
            return Value(_pick(self.statistics(parts[0], parts[1]), parts[2], locator))
        if kind == "score":
            return self._score(parts, locator)
        if kind == "time":
            seconds = self.seconds(*parts)
            return Value(statistics.median(seconds), _spread(seconds), len(seconds))
        if kind == "measure":
            return _pick(self.measure(parts[0]), parts[1], locator)
        return Value(_setting(self.settings, parts[0], locator))

    def statistics(self, role: str, features: str | None = None) -> dict[str, Any]:
        """Return `Corpus.statistics` of a role's parsed data set, or of one of its feature sets."""
        if features is not None:
            self._built("features", features)
        dataset = self.dataset(role)
        folder = self.root / "datasets" / dataset if features is None else self.root / "features" / dataset / features
        self._open(folder)
        found: dict[str, Any] = io.read_json(folder / "corpus.json")["statistics"]
        return found

    def scores(self, experiment: str, role: str, method: str) -> list[Score]:
        """Return the rows of a method's score file."""
        rows = self._rows("scores", experiment, role, method)
        return [Score(row["variant"], int(row["trial"]), row["metric"], float(row["value"])) for row in rows]

    def seconds(self, experiment: str, role: str, method: str, kind: str = "fit_seconds") -> list[float]:
        """Return a method's fit or predict times in seconds, one a trial (of the first variant)."""
        rows = self._rows("timings", experiment, role, method)
        first = rows[0].get("variant", "") if rows else ""
        return [float(_pick(row, kind, f"time of {method}")) for row in rows if row.get("variant", "") == first]

    def measure(self, measure: str) -> dict[str, Value]:
        """Return the values of a measure by key."""
        return {
            row["key"]: Value(float(row["value"]), float(row["spread"]) if row["spread"] else None)
            for row in self.measure_table(measure, "values")
        }

    def measure_table(self, measure: str, table: str) -> list[dict[str, str]]:
        """Return the rows of ``<table>.csv`` of a measure."""
        self._built("measures", measure)
        folder = self.root / "papers" / self.paper / "measures" / measure
        roles = self._measure_roles(measure)
        if roles and all(role not in self.roles or self.roles[role].dataset is None for role in roles):
            self.dataset(roles[0])
        self._open(folder)
        if not (folder / f"{table}.csv").is_file():
            raise ConfigError(f"measure {measure} of {self.paper} has no table {table}.csv; name one that it writes")
        return io.read_csv(folder / f"{table}.csv")

    def _score(self, parts: Sequence[str], where: str) -> Value:
        """Return mean, spread and number of trials of one metric for one variant, with the means of all variants."""
        experiment, role, method, metric = parts[:4]
        groups = _by_variant(self.scores(experiment, role, method), metric)
        variant = _variant(groups, parts[4] if len(parts) > 4 else None, where)
        means = {name: statistics.fmean(values) for name, values in groups.items()}
        trials = groups[variant]
        stopped = self._unconverged(experiment, role, method, variant)
        return Value(means[variant], _spread(trials), len(trials), means if len(means) > 1 else {}, stopped, trials)

    def _unconverged(self, experiment: str, role: str, method: str, variant: str) -> int:
        """Return how many fits of a variant say that they did not converge."""
        path = self.root / "predictions" / self.paper / experiment / self.dataset(role) / method / "fits.csv"
        rows = io.read_csv(path) if path.is_file() else []
        return sum(row["variant"] == variant and row["converged"] == "False" for row in rows)

    def _rows(self, stage: str, experiment: str, role: str, method: str) -> list[dict[str, str]]:
        """Return the rows of the score or timing file of a method."""
        self._built("experiments", experiment, "methods", method)
        self._built("experiments", experiment, "roles", role)
        path = self.root / stage / self.paper / experiment / self.dataset(role) / f"{method}.csv"
        self._open(path)
        return io.read_csv(path)

    def _built(self, *keys: str) -> None:
        """Raise `NotRun` where ``paper.yaml`` does not have what a locator names, whatever data there are."""
        found: Any = self.settings
        for place, key in enumerate(keys if self.settings else ()):
            if key not in found:
                raise NotRun(f"this version has no {keys[place - 1].removesuffix('s')} '{key}' yet")
            found = found[key]

    def _open(self, path: Path) -> None:
        """Check a result once; raise `NotRun` where it is absent and its `Hole` where it is one."""
        if path not in self._checked:
            if not path.exists():
                raise NotRun(f"this run has made no {path.relative_to(self.root).parts[0]} for it")
            try:
                io.check_result(path)
                self._checked[path] = None
            except Hole as hole:
                self._checked[path] = hole
        hole_found = self._checked[path]
        if hole_found is not None:
            raise hole_found


@dataclass(frozen=True)
class FigureData:
    """What a figure may draw.

    Parameters
    ----------
    results : the results of its paper.
    published : id -> printed number.
    options : the figure's entry in ``paper.yaml``: caption, and what its function names.
    """

    results: Results
    published: Mapping[str, float]
    options: Mapping[str, Any]

    def option(self, name: str) -> Any:
        """Return an option that the figure needs.

        Raises
        ------
        ConfigError : paper.yaml does not give it.
        """
        return _pick(self.options, name, f"{self.results.paper}: figure in paper.yaml")

    def trials(self, role: str, method: str, metric: str) -> list[float]:
        """Return a metric of a method in every trial of the figure's experiment, of the variant the options name."""
        groups = self._groups(role, method, metric)
        where = f"{self.results.paper}: figure in paper.yaml, method {method}, metric {metric}"
        return groups[_variant(groups, self.options.get("variants", {}).get(method), where)]

    def grid(self, role: str, method: str, metric: str, parameter: str) -> dict[float, list[float]]:
        """Return a metric in every trial against a parameter of the method's grid, in rising order."""
        points = {}
        for variant, values in self._groups(role, method, metric).items():
            chosen = point_of(variant)
            points[float(_pick(chosen, parameter, f"variant '{variant}' of {method}"))] = values
        return dict(sorted(points.items()))

    def _groups(self, role: str, method: str, metric: str) -> dict[str, list[float]]:
        """Return a metric in every trial of the figure's experiment, by variant."""
        return _by_variant(self.results.scores(self.option("experiment"), role, method), metric)

    def seconds(self, role: str, method: str) -> list[float]:
        """Return the seconds of training of a method in every trial of the figure's experiment."""
        return self.results.seconds(self.option("experiment"), role, method)

    def published_of(self, name: str) -> float | None:
        """Return the published number that the options give a method or a role, or None where none is printed."""
        return self.published.get(self.options.get("published", {}).get(name, ""))


def split_locator(locator: str) -> tuple[str, Sequence[str]]:
    """Return kind and parts of a locator.

    Raises
    ------
    ConfigError : it does not follow the grammar.
    """
    kind, _, rest = locator.partition(":")
    if kind not in _GRAMMAR:
        raise ConfigError(f"locator '{locator}': unknown kind; allowed: {', '.join(_GRAMMAR.values())}")
    low, high = _PARTS[kind]
    parts = rest.split("/", high - 1)
    if len(parts) < low or not all(parts):
        raise ConfigError(f"locator '{locator}' is incomplete; write {_GRAMMAR[kind]}")
    return kind, parts


def _by_variant(scores: Sequence[Score], metric: str) -> dict[str, list[float]]:
    """Return one metric's values of all trials, by variant."""
    groups: dict[str, list[float]] = {}
    for score in scores:
        if score.metric == metric:
            groups.setdefault(score.variant, []).append(score.value)
    return groups


def _variant(groups: Mapping[str, Any], variant: str | None, where: str) -> str:
    """Return the variant that is meant; where none is named, the unnamed or only one."""
    if variant is None:
        if len(groups) > 1 and "" not in groups:
            raise ConfigError(f"{where} must name a variant; there are {', '.join(sorted(groups))}")
        variant = next(iter(groups)) if len(groups) == 1 else ""
    _pick(groups, variant, where)
    return variant


def _spread(values: Sequence[float]) -> float | None:
    """Return the sample standard deviation, or None of fewer than two values."""
    return statistics.stdev(values) if len(values) > 1 else None


def _pick(mapping: Mapping[str, Any], key: str, where: str) -> Any:
    """Return ``mapping[key]``, or say which keys there are."""
    if key not in mapping:
        raise ConfigError(f"{where}: there is no '{key}'; there are {', '.join(sorted(map(str, mapping))) or 'none'}")
    return mapping[key]


def _setting(settings: Mapping[str, Any], path: str, locator: str) -> float | str:
    """Return a setting of paper.yaml by its dotted path; a list becomes its parts joined by commas."""
    found: Any = settings
    for key in path.split("."):
        if not isinstance(found, Mapping) or key not in found:
            raise ConfigError(f"locator '{locator}': paper.yaml has no '{path}'; correct the path (stopped at '{key}')")
        found = found[key]
    if isinstance(found, (bool, str)):
        return str(found)
    return float(found) if isinstance(found, (int, float)) else ", ".join(map(str, found))
