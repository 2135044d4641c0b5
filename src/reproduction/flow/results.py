"""Results of one paper, accessed by the names that the paper uses for its data.

A paper refers to its data by roles (``newsgroups``, ``yahoo_arts``), which the configuration maps to data sets.
`Results` locates a file by role and verifies it against its record, which contains the digests of the files or the
reason why the result is missing.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reproduction.flow.folders import RESULTS
from textmix.core import io
from textmix.core.errors import ConfigError, MissingResult

#: Prefix of the reason for results that only the full run computes.
LEFT_OUT = "left to the full run"


def is_skipped_result(reason: str) -> bool:
    """Check whether a reason indicates a result that only the full run computes."""
    return reason.startswith(LEFT_OUT)


#: Key of the record of a measure: the roles of its entry without data.
UNREAD_ROLES = "unread_roles"


class NotRun(MissingResult):
    """Raised if no job of this run has computed the result; the reason is one sentence."""


@dataclass(frozen=True)
class RoleEntry:
    """The data set of a role.

    Parameters
    ----------
    dataset : str or None
        Name in the registry, None if no data set is available.
    comparable : {"fully", "nearly", "not"}, default="fully"
        ``fully`` for the paper's data, ``nearly`` for another version of the same collection.
    note : str, default=""
        Clause with the difference from the paper's data, or the reason why no data set is available.
    substitutes : sequence of mapping, default=()
        Data set, comparability and note of each substitute for an unavailable ``dataset``, in order of preference.
    read : str or None, default=None
        Substitute that was read instead of ``dataset``; None if unused or unknown (see `as_read`).
    """

    dataset: str | None
    comparable: str = "fully"
    note: str = ""
    substitutes: Sequence[Mapping[str, str]] = ()
    read: str | None = None

    @property
    def data(self) -> str | None:
        """The data set that was read; results are stored under the name of ``dataset`` in any case."""
        return self.read or self.dataset


def role_entries(roles: Mapping[str, Mapping[str, Any]]) -> dict[str, RoleEntry]:
    """Convert the key ``roles`` of the configuration to role -> `RoleEntry`."""
    return {role: RoleEntry(**entry) for role, entry in roles.items()}


def as_read(entries: Mapping[str, RoleEntry], datasets: Path) -> dict[str, RoleEntry]:
    """Update comparability and note of the roles for which a substitute was read."""
    return {role: _as_read(entry, datasets) for role, entry in entries.items()}


def _as_read(entry: RoleEntry, datasets: Path) -> RoleEntry:
    """Update an entry if a substitute was read."""
    described = datasets / str(entry.dataset) / "corpus.json"
    if not entry.substitutes or not described.is_file():
        return entry
    name = io.read_json(described)["name"]
    for substitute in reversed(entry.substitutes):
        if substitute["dataset"] == name:
            return replace(entry, comparable=substitute["comparable"], note=substitute["note"], read=name)
    return entry


@dataclass(frozen=True)
class MeasuredValue:
    """One value of a measure.

    Parameters
    ----------
    value : float
        Value, or mean of the repetitions.
    standard_deviation : float or None, default=None
        Sample standard deviation.
    repetitions : sequence of float, default=()
        Values of the repetitions, if any.
    test_ratio : float, default=0.0
        n_test / n_train of the splits of the repetitions, 0 for initializations and seeds.
    """

    value: float
    standard_deviation: float | None = None
    repetitions: Sequence[float] = ()
    test_ratio: float = 0.0


class Results:
    """Results of one paper, accessed by role.

    Every method verifies the file that it reads.  It raises `NotRun` if the file does not exist, `MissingResult` if the
    file records a missing result, and `IntegrityError` if the file was edited manually.

    Parameters
    ----------
    root : Path
        Results folder.
    paper : str
        Name of the paper.
    roles : mapping
        Role -> `RoleEntry`.
    settings : mapping or None, default=None
        Content of ``paper.yaml``; if set, unknown names raise `ConfigError`.
    tests : mapping or None, default=None
        Test, such as ``models/test_dcm.py::test_gradient`` -> ``passed`` or ``failed``.
    skipped_results : mapping or None, default=None
        Skipped result -> reason (`reproduction.flow.plan.Plan.skipped_results`); access raises `NotRun`, even if
        an earlier run has computed the result.
    """

    def __init__(
        self,
        root: Path,
        paper: str,
        roles: Mapping[str, RoleEntry],
        settings: Mapping[str, Any] | None = None,
        *,
        tests: Mapping[str, str] | None = None,
        skipped_results: Mapping[str, str] | None = None,
    ) -> None:
        self.tests = tests or {}
        self.skipped_results = skipped_results or {}
        self.root, self.paper, self.roles, self.settings = Path(root), paper, roles, settings or {}
        self._checked: dict[Path, MissingResult | None] = {}
        self._asked: set[Path] = set()
        #: Label of a `reading` block -> paths of the results that were accessed in it.
        self.read: dict[str, list[str]] = {}

    @contextmanager
    def reading(self, name: str) -> Iterator[None]:
        """Record in ``read``, under a label, which results are accessed in a ``with`` block."""
        self._asked = set()
        try:
            yield
        finally:
            self.read[name] = sorted(f"{RESULTS}/{path.relative_to(self.root).as_posix()}" for path in self._asked)

    def dataset(self, role: str) -> str:
        entry = self.roles.get(role)
        if entry is None or entry.dataset is None:
            note = entry.note if entry and entry.note else "the configuration names none for it"
            raise MissingResult(f"no data set for '{role}': {note}")
        return entry.dataset

    def statistics(self, role: str, features: str | None = None) -> dict[str, Any]:
        """Return `textmix.data.corpus.Corpus.statistics` of a role's feature set, or of its parsed data set."""
        if features is not None:
            self._require("features", features)
        dataset = self.dataset(role)
        folder = self.root / "datasets" / dataset if features is None else self.root / "features" / dataset / features
        self._check(folder)
        statistics: dict[str, Any] = io.read_json(folder / "corpus.json")["statistics"]
        return statistics

    def scores(self, experiment: str, role: str, method: str, metric: str) -> dict[str, list[float]]:
        """Return variant -> metric value in each trial, in stored units; empty if the metric is missing."""
        groups: dict[str, list[float]] = {}
        for row in self._rows("scores", experiment, role, method):
            if row["metric"] == metric:
                groups.setdefault(row["variant"], []).append(float(row["value"]))
        return groups

    def count_trials(self, experiment: str, role: str, method: str) -> int:
        return len({row["trial"] for row in self._rows("scores", experiment, role, method)})

    def seconds(self, experiment: str, role: str, method: str, kind: str = "fit_seconds") -> list[float]:
        """Return a column of the timing file for a method's first variant, one value per trial."""
        rows = self._rows("timings", experiment, role, method)
        first = rows[0].get("variant", "") if rows else ""
        of_first_variant = [row for row in rows if row.get("variant", "") == first]
        return [float(entry_of(row, kind, f"time of {method}")) for row in of_first_variant]

    def unconverged(self, experiment: str, role: str, method: str, variant: str) -> int:
        """Return the number of fits of a variant that did not converge; 0 if no fit is stored."""
        path = self.root / "predictions" / self.paper / experiment / self.dataset(role) / method / "fits.csv"
        if not path.is_file():
            return 0
        self._asked.add(path.parent)
        io.check_file(path)
        rows = io.read_csv(path)
        return sum(row["variant"] == variant and row["converged"] == "False" for row in rows)

    def measure(self, measure: str) -> dict[str, MeasuredValue]:
        rows = self.measure_table(measure, "values")
        repeated: dict[str, list[dict[str, str]]] = {}
        if (self._measure_folder(measure) / "repeated.csv").is_file():
            for row in self.measure_table(measure, "repeated"):
                repeated.setdefault(row["key"], []).append(row)
        return {row["key"]: _measured_value(row, repeated.get(row["key"], [])) for row in rows}

    def _measure_folder(self, measure: str) -> Path:
        return self.root / "papers" / self.paper / "measures" / measure

    def measure_table(self, measure: str, table: str) -> list[dict[str, str]]:
        """Return the rows of ``<table>.csv`` of a measure."""
        self._require("measures", measure)
        folder = self._measure_folder(measure)
        roles = self.measure_roles(measure)
        if roles and all(role not in self.roles or self.roles[role].dataset is None for role in roles):
            self.dataset(roles[0])  # raises the missing result with its reason
        self._check(folder, f"measures/{measure}")
        if not (folder / f"{table}.csv").is_file():
            raise ConfigError(f"measure {measure} of {self.paper} has no table {table}.csv; name one that it writes")
        return io.read_csv(folder / f"{table}.csv")

    def unread_roles(self, measure: str) -> list[str]:
        """Return the roles without data when a measure was computed, whose values it therefore lacks."""
        return list(io.read_meta(self._measure_folder(measure)).get(UNREAD_ROLES, ()))

    def measure_roles(self, measure: str) -> list[str]:
        return list(self.settings.get("measures", {}).get(measure, {}).get("roles", ()))

    def _rows(self, stage: str, experiment: str, role: str, method: str) -> list[dict[str, str]]:
        """Return the rows of a method's scores or timings."""
        self._require("experiments", experiment, "methods", method)
        self._require("experiments", experiment, "roles", role)
        dataset = self.dataset(role)
        path = self.root / stage / self.paper / experiment / dataset / f"{method}.csv"
        self._check(path, f"experiments/{experiment}")
        return io.read_csv(path)

    def _require(self, *keys: str) -> None:
        """Raise an error if these nested keys are missing in ``paper.yaml``, even without data."""
        value: Any = self.settings
        for depth, key in enumerate(keys if self.settings else ()):
            value = entry_of(value, key, f"paper.yaml of {self.paper}: {'.'.join(keys[:depth])}")

    def _check(self, path: Path, name: str = "") -> None:
        """Verify a result against its record, once per path, and its name against ``skipped_results``."""
        if name in self.skipped_results:
            raise NotRun(self.skipped_results[name])
        self._asked.add(path)
        if path not in self._checked:
            if not path.exists():
                raise NotRun(f"this run has made no {path.relative_to(self.root).parts[0]} for it")
            try:
                io.check_result(path)
                self._checked[path] = None
            except MissingResult as error:
                self._checked[path] = error
        problem = self._checked[path]
        if problem is not None:
            raise problem


def _measured_value(row: Mapping[str, str], repeated: Sequence[Mapping[str, str]]) -> MeasuredValue:
    """Build a value of a measure from its row in values.csv and its rows in repeated.csv."""
    numbers = [float(repetition["value"]) for repetition in repeated]
    ratio = float(repeated[0]["test_ratio"]) if repeated else 0.0
    deviation = float(row["spread"]) if row["spread"] else None
    return MeasuredValue(float(row["value"]), deviation, numbers, ratio)


def choose_variant(groups: Mapping[str, Any], variant: str | None, place: str) -> str:
    """Return the key of ``groups`` for a variant; None selects the only one, or else the unnamed one."""
    if variant is None:
        if len(groups) > 1 and "" not in groups:
            raise ConfigError(f"{place} must name a variant; there are {', '.join(sorted(groups))}")
        variant = next(iter(groups)) if len(groups) == 1 else ""
    entry_of(groups, variant, place)
    return variant


def standard_deviation(values: list[float]) -> float | None:
    """Return the sample standard deviation (ddof=1), or None for fewer than two values."""
    return statistics.stdev(values) if len(values) > 1 else None


def rounded(value: Any) -> Any:
    """Round a float to ten significant digits, as the last ones depend on the machine; return other values as is."""
    return float(f"{value:.10g}") if isinstance(value, float) else value


def entry_of(mapping: Mapping[str, Any], key: str, place: str) -> Any:
    """Return ``mapping[key]``."""
    if key not in mapping:
        raise ConfigError(f"{place}: there is no '{key}'; there are {', '.join(sorted(map(str, mapping))) or 'none'}")
    return mapping[key]
