"""Published values and claims of a paper, the checks of its claims, and the choices made in the reproduction.

Each paper has up to three files in ``config/papers/<paper>/``, or in its folder outside the repository:

- ``published.csv``: one row per number, claim, figure or equation;
- ``checks.yaml``: the claims as comparisons of reproduced values; optional;
- ``choices.yaml``: passages that the paper leaves open or prints illegibly, and the choice made; optional.

An error in one of these files raises `ConfigError` with file, line, column and remedy.  The module does not import
NumPy, so that the files can be checked while the workflow is parsed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reproduction.flow.locators import (
    CheckLocator,
    Locator,
    RoleLists,
    ScoreLocator,
    TestLocator,
    expand_locators,
    parse_locator,
    read_role_lists,
)
from reproduction.flow.published_table import read_cells
from textmix.core.config import load_yaml_strict, validate
from textmix.core.errors import ConfigError, suggest
from textmix.metrics.registry import METRICS

#: Kind of a row -> its meaning.
KINDS: Mapping[str, str] = {
    "number": "a measured value as published",
    "phrase": "a count in the texts as published: of a phrase, of skip-grams, or of the words of a vocabulary",
    "fact": "a fact about a data file, such as its number of documents: whether the data are the paper's",
    "claim": "a statement on measured values",
    "setting": "a setting of the experiment, such as a number of trials",
    "derived": "a value or claim derived from other rows, or published a second time",
    "equation": "a formula or property of a model, judged by a test",
    "context": "a fact that no experiment can reproduce, or that is not in the paper",
    "beyond": "a number or claim of a later work on the same data, for comparison with a current method",
    "runtime": "a claim on running times, which here are those of our own code",
    "cited": "a value that the paper cites from another work",
    "identity": "a claim without power: it holds by arithmetic, or for random words too",
}
NUMBER = "number"
CLAIM = "claim"
PHRASE = "phrase"
FACT = "fact"
IDENTITY = "identity"
#: Kinds of rows that are included in the counts of verdicts.
COUNTED = (NUMBER, CLAIM, PHRASE)
#: Units of counts, which are shown unchanged.
COUNT_UNITS = (
    "classes",
    "counts",
    "data sets",
    "documents",
    "evaluations",
    "features",
    "label sets",
    "labels",
    "occurrences",
    "pages",
    "problems",
    "reviews",
    "splits",
    "trials",
    "units",
    "vectors",
    "words",
)
#: Unit -> how a stored value is converted for display; extended by ``units`` of a paper.yaml.
UNITS: Mapping[str, str] = {
    "": "no unit, as for a claim",
    "percent": "a proportion, multiplied by 100",
    "fraction": "a proportion as it is stored, from 0 to 1",
    "seconds": "a time as it is stored",
    "minutes": "a time, divided by 60",
    "times": "a ratio",
    **dict.fromkeys(COUNT_UNITS, "a number of them"),
    **dict.fromkeys(("GHz", "open interval", "share for training", "version"), "a setting as it is published"),
}
TOLERANCES = ("exact", "near", "range", "order", "test", "open")
#: Type of check -> required and optional keys, in addition to ``text`` and ``kind``.
CHECK_KINDS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "above": (("left", "right"), ("exceptions", "factor", "average", "fixed_data_sets")),
    "near": (("left", "right", "margin"), ("average", "fixed_data_sets")),
    "largest": (("left", "right"), ()),
    "rising": (("left",), ()),
    "falling": (("left",), ()),
    "at_least": (("left", "bound"), ()),
    "at_most": (("left", "bound"), ()),
    "positive": (("left",), ()),
    "negative": (("left",), ()),
    "holds": (("left",), ()),
    "significant": (("left", "right"), ("exceptions", "factor", "average", "fixed_data_sets")),
}

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+, -]*[A-Za-z0-9]")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
#: Unit of a proportion -> its maximum.
MAX_OF_UNIT = {"percent": 100.0, "fraction": 1.0}


@dataclass(frozen=True)
class Published:
    """One row of ``published.csv``: a number, claim, figure or equation as published.

    Parameters
    ----------
    id : str
        Identifier; components of a composite value are called ``<id>.<component>``.
    artefact : str
        Table, figure or passage that contains it.
    kind, tolerance : str
        One of `KINDS`, and one of `TOLERANCES`.
    dataset, method : str
        Role of the data set and published name of the method; may be empty.
    metric : str
        Name of the metric, or text of a claim; may be empty.
    unit : str
        Unit of value and spread, and of a margin of ``near`` without ``%``.  Reproduced values are stored as fractions
        and seconds, and are multiplied by 100 for ``percent`` and divided by 60 for ``minutes`` before the comparison.
    value : str
        Value with its published digits, which determine the meaning of ``exact``; a number unless the tolerance is
        ``open`` or ``order``; "" if no value is published.
    spread : str
        Published standard deviation, or "".
    trials : str
        Number of independent values averaged in the published mean; 1 for a single run of a stochastic method; "" if
        unknown, or if the method is deterministic.
    where : str
        Document and line or equation, ``derived`` or ``public``.
    margin : str
        For ``near``, the largest accepted difference, in the unit of the row or (such as ``5%``) relative to the value.
    source : str
        Locator of the reproduced value or of a check, or "".
    note : str
        Uncertainty of the row, and justification of its margin.
    line : int
        Line number in the file, for messages.
    """

    id: str
    artefact: str
    kind: str
    dataset: str
    method: str
    metric: str
    unit: str
    value: str
    spread: str
    trials: str
    where: str
    tolerance: str
    margin: str
    source: str
    note: str
    line: int

    @property
    def locator(self) -> Locator | None:
        """Locator of the reproduced value or of the check for this row, or None."""
        return parse_locator(self.source, self.id) if self.source else None

    @property
    def check(self) -> str | None:
        """Name of the check for this row, or None."""
        locator = self.locator
        return locator.check if isinstance(locator, CheckLocator) else None


#: An entry of ``checks.yaml``: ``text``, ``kind``, ``left`` and the keys of `CHECK_KINDS`; documented in
#: ``checks.schema.yaml``.
Check = Mapping[str, Any]


@dataclass(frozen=True)
class Choice:
    """One entry of ``choices.yaml``: a missing or unclear passage of the paper, and the choice made.

    Parameters
    ----------
    id : str
        Identifier.
    where, source_says : str
        Place in the paper, or ``unsaid``, and content of the passage.
    we_do, why : str
        The choice and its justification.
    effect : str, default=""
        Effect of the choice on the results, if available; results are inserted by reference, see
        `reproduction.verdict.quoted_values`.
    explains : sequence of mapping, default=()
        Published rows that are not reproduced for this reason, see `reproduction.verdict.causes`.
    alternatives : mapping, default={}
        Registered alternatives, see `reproduction.flow.alternatives`.
    """

    id: str
    where: str
    source_says: str
    we_do: str
    why: str
    effect: str = ""
    explains: Sequence[Mapping[str, Any]] = ()
    alternatives: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Record:
    """All published values of one paper, and the choices made, in the order of the files.

    All checks referenced by rows exist; locators in checks contain only roles, no role lists.
    """

    rows: tuple[Published, ...]
    checks: Mapping[str, Check]
    choices: tuple[Choice, ...]


def read_record(folder: str | Path, schemas: str | Path) -> Record:
    """Read the three files of a paper from its configuration folder; ``schemas`` is the folder of the schemas."""
    rows, checks = read_claims(folder, schemas)
    return Record(rows, checks, read_choices(Path(folder) / "choices.yaml", schemas))


def read_claims(folder: str | Path, schemas: str | Path) -> tuple[tuple[Published, ...], dict[str, Check]]:
    """Read only the published rows and the checks of a paper, which determine the verdicts."""
    folder = Path(folder)
    rows = read_published(folder / "published.csv")
    checks = read_checks(folder / "checks.yaml", schemas, read_role_lists(folder / "paper.yaml"))
    for row in rows:
        if row.check is not None and row.check not in checks:
            remedy = suggest(row.check, checks) or "write it in checks.yaml"
            raise _error(folder / "published.csv", row.line, "source", f"unknown check '{row.check}'; {remedy}")
    return rows, checks


def read_published(path: str | Path) -> tuple[Published, ...]:
    """Read ``published.csv``; raise ConfigError for an invalid cell or a duplicate id."""
    path = Path(path)
    rows = tuple(_row(path, line, cells) for line, cells in read_cells(path))
    first: dict[str, int] = {}
    for row in rows:
        if first.setdefault(row.id, row.line) != row.line:
            raise _error(
                path, row.line, "id", f"duplicate id '{row.id}', first on line {first[row.id]}; rename one of them"
            )
    return rows


def _row(path: Path, line: int, cells: Mapping[str, str]) -> Published:
    """Validate the cells of one line and return its row."""
    for column, cell in cells.items():
        if cell != cell.strip():
            raise _error(path, line, column, f"{cell!r} leading or trailing space; remove it")
    for column, allowed in (("kind", KINDS), ("tolerance", TOLERANCES)):
        if cells[column] not in allowed:
            raise _error(path, line, column, f"'{cells[column]}' is unknown; {suggest(cells[column], allowed)}")
    if not _ID.fullmatch(cells["id"]):
        raise _error(path, line, "id", f"'{cells['id']}' invalid id; write one like edcm.t1.industry.c1")
    if not cells["where"] or not cells["where"].isprintable():
        problem = "is not a location in the paper; write one such as Table 2, page 7, derived or public"
        raise _error(path, line, "where", f"{cells['where']!r} {problem}")
    _check_numbers(path, line, cells)
    if cells["source"]:
        locator = parse_locator(cells["source"], f"{path}, line {line}, column source")
        for kind, tolerance in ((CheckLocator, "order"), (TestLocator, "test")):
            if isinstance(locator, kind) != (cells["tolerance"] == tolerance):
                problem = f"a {kind.kind} requires tolerance {tolerance} and vice versa; use both or neither"
                raise _error(path, line, "source", problem)
    return Published(**cells, line=line)


def _check_numbers(path: Path, line: int, cells: Mapping[str, str]) -> None:
    """Reject a value, standard deviation or margin that is inconsistent with the tolerance."""
    tolerance = cells["tolerance"]
    value = cells["value"]
    margin = cells["margin"]
    is_judged = tolerance in ("exact", "near", "range")
    if is_judged and not value:
        raise _error(path, line, "value", f"empty, but tolerance {tolerance} requires a number; write it or use open")
    if cells["trials"] and not re.fullmatch(r"[1-9][0-9]*", cells["trials"]):
        raise _error(
            path, line, "trials", f"'{cells['trials']}' is not a positive integer; write one or leave it empty"
        )
    if cells["trials"] == "1" and cells["spread"]:
        raise _error(
            path,
            line,
            "spread",
            "a single trial has no standard deviation; leave the cell empty, or correct the number of trials",
        )
    for column, text in (("value", value if is_judged else ""), ("spread", cells["spread"])):
        if text and not _is_number(text):
            raise _error(path, line, column, f"'{text}' is not a number; write digits with a decimal point")
    maximum = MAX_OF_UNIT.get(cells["unit"])
    if is_judged and maximum is not None and not 0 <= float(value) <= maximum:
        raise _error(path, line, "value", f"'{value}' is not between 0 and {maximum:g}; correct the number or its unit")
    if cells["spread"] and float(cells["spread"]) < 0:
        raise _error(path, line, "spread", f"'{cells['spread']}' negative standard deviation; correct it")
    if margin and tolerance != "near":
        raise _error(path, line, "margin", f"tolerance {tolerance} does not accept a margin; leave the cell empty")
    size = margin.removesuffix("%")
    if tolerance == "near" and not (_is_number(size) and float(size) > 0):
        raise _error(
            path, line, "margin", f"'{margin}' is not a positive number, which tolerance near requires; write one"
        )
    if tolerance == "near" and maximum is not None:
        allowed = float(size) * (float(value) / 100.0 if margin.endswith("%") else 1.0)
        if allowed >= max(float(value), maximum - float(value)):
            problem = f"'{margin}' accepts every proportion, so that the row cannot fail; write it in {cells['unit']}"
            raise _error(path, line, "margin", problem)


def _is_number(text: str) -> bool:
    """Check that a text is a finite decimal number; ``float`` also accepts ``nan`` and ``1_0``."""
    return bool(_NUMBER.fullmatch(text)) and math.isfinite(float(text))


def read_checks(path: str | Path, schemas: str | Path, lists: RoleLists) -> dict[str, Check]:
    """Read ``checks.yaml`` as name -> check with expanded role lists; empty if the file does not exist."""
    entries = load_yaml_strict(path) if Path(path).is_file() else {}
    validate(entries, Path(schemas) / "checks.schema.yaml", str(path))
    return {name: _check(f"{path}: {name}", entry, lists) for name, entry in entries.items()}


def _check(location: str, entry: Check, lists: RoleLists) -> Check:
    """Expand the locators of an entry of ``checks.yaml``; reject keys that do not apply to its type."""
    needed, optional = CHECK_KINDS[entry["kind"]]
    for key in needed:
        if key not in entry:
            raise ConfigError(f"{location}: kind {entry['kind']} requires '{key}'; add it")
    for key in entry:
        if key not in ("text", "kind", *needed, *optional):
            raise ConfigError(f"{location}: kind {entry['kind']} has no '{key}'; remove it")
    sides = [side for side in ("left", "right") if side in entry]
    expanded = {side: _operands(entry[side], lists, f"{location}: {side}") for side in sides}
    if all(_is_proportion(text) for side in expanded.values() for text in side):
        for key, fits in (("margin", entry.get("margin", 0) < 1), ("bound", 0 <= entry.get("bound", 0) <= 1)):
            if not fits:
                problem = f"{entry[key]} decides nothing because scores are between 0 and 1"
                raise ConfigError(f"{location}: {key}: {problem}; write 1.5 percent as 0.015")
    return {**entry, **expanded}


def _is_proportion(text: str) -> bool:
    """Check whether a locator refers to a score between 0 and 1."""
    locator = parse_locator(text)
    return isinstance(locator, ScoreLocator) and locator.metric in METRICS and METRICS[locator.metric].is_share


def _operands(locators: Iterable[str], lists: RoleLists, location: str) -> list[str]:
    """Return the locators of one side of a check, with role lists expanded; reject locators of checks."""
    expanded = expand_locators(locators, lists, location)
    for text in expanded:
        if isinstance(parse_locator(text), CheckLocator):
            raise ConfigError(f"{location}: '{text}' is not a locator of a value; a check compares values")
    return expanded


def read_choices(path: str | Path, schemas: str | Path) -> tuple[Choice, ...]:
    """Read ``choices.yaml`` if it exists; raise ConfigError for an invalid entry."""
    entries = load_yaml_strict(path) if Path(path).is_file() else []
    validate(entries, Path(schemas) / "choices.schema.yaml", str(path))
    ids: set[str] = set()
    for entry in entries:
        if entry["id"] in ids:
            raise ConfigError(f"{path}: {entry['id']}: duplicate id; rename one of them")
        ids.add(entry["id"])
    return tuple(Choice(**entry) for entry in entries)


def _error(path: Path, line: int, column: str, problem: str) -> ConfigError:
    return ConfigError(f"{path}, line {line}, column {column}: {problem}")
