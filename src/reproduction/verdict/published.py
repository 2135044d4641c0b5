"""The published side of a paper: its numbers and claims, the checks of its claims, and the choices made here.

Each paper has up to three files in ``config/papers/<paper>/``, or in its folder outside the repository:

- ``published.csv``: one row for each number, claim, figure or equation;
- ``checks.yaml``: the claims as comparisons of rebuilt values; a paper without claims has none;
- ``choices.yaml``: the places that the paper leaves open or prints garbled, and the choice made here, if any.

A fault in one of them is a `ConfigError` that names file, line, column and remedy.  The module imports no NumPy, so the
files can be checked while the workflow is parsed.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from textmix.core.config import load_yaml_strict, validate
from textmix.core.errors import ConfigError, suggest
from textmix.metrics.registry import METRICS

PUBLISHED_COLUMNS = (
    *("id", "artefact", "kind", "dataset", "method", "metric", "unit", "value", "spread", "trials"),
    *("where", "tolerance", "margin", "source", "note"),
)
#: Kind of a row -> its meaning.  The counts of verdicts count the kinds of `COUNTED` alone;
#: facts stand in a line of their own.
KINDS: Mapping[str, str] = {
    "number": "a measured value as printed",
    "phrase": "a count of a phrase in the texts, as printed",
    "fact": "a fact of a data file, such as its number of documents: whether the data are the paper's",
    "claim": "a statement on measured values",
    "setting": "a choice of the experiment, such as a number of trials",
    "derived": "a value or claim made of other rows, or printed a second time",
    "equation": "a formula or property of a model, judged by a test",
    "context": "a fact that no experiment can rebuild, or one from outside the source",
    "beyond": "a number or claim of a later work on the same data, beside which a method of today is set",
    "identity": "a claim without power: it holds by arithmetic, or for words drawn at random too",
}
COUNTED = NUMBER, CLAIM, PHRASE = ("number", "claim", "phrase")
FACT = "fact"
IDENTITY = "identity"
#: Unit -> how a stored value is shown in it; the further ones are counts, which are shown as they are, and
#: ``units`` of a paper.yaml adds to them.
UNITS: Mapping[str, str] = {
    "": "no unit, as of a claim",
    "percent": "a share, multiplied by 100",
    "fraction": "a share as it is stored, from 0 to 1",
    "seconds": "a time as it is stored",
    "minutes": "a time, divided by 60",
    "times": "a ratio",
    **dict.fromkeys(
        (
            *("classes", "counts", "data sets", "documents", "evaluations", "features", "label sets", "labels"),
            *("occurrences", "pages", "problems", "reviews", "splits", "trials", "units", "vectors", "words"),
        ),
        "a number of them",
    ),
    **dict.fromkeys(("GHz", "open interval", "share for training", "version"), "a setting as it is printed"),
}
TOLERANCES = ("exact", "near", "range", "order", "test", "open")
#: Kind of check -> the keys that it must have and the keys that it may have, beside ``text`` and ``kind``.
CHECK_KINDS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "above": (("left", "right"), ("exceptions", "factor", "average")),
    "near": (("left", "right", "margin"), ("average",)),
    "largest": (("left", "right"), ()),
    "rising": (("left",), ()),
    "falling": (("left",), ()),
    "at_least": (("left", "bound"), ()),
    "at_most": (("left", "bound"), ()),
    "positive": (("left",), ()),
    "negative": (("left",), ()),
    "holds": (("left",), ()),
    "significant": (("left", "right"), ("exceptions", "factor", "average")),
}

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+, -]*[A-Za-z0-9]")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
#: Unit of a share -> the largest number that it can have.
_MOST = {"percent": 100.0, "fraction": 1.0}


@dataclass(frozen=True)
class Published:
    """One row of ``published.csv``: a number, claim, figure or equation as printed.

    Parameters
    ----------
    id : its name; parts of a composite value are named ``<id>.<part>``.
    artefact : the table, figure or passage to which it belongs.
    kind, tolerance : one of `KINDS`, and one of `TOLERANCES`.
    dataset, method : role of the data set and method as printed; may be empty.
    metric : the measured quantity, or the text of a claim; may be empty.
    unit : unit of value and spread, and of a margin of ``near`` without ``%``.  Rebuilt values are stored as fractions
        and seconds, so they are multiplied by 100 before they are compared with ``percent`` and divided by 60 before
        they are compared with ``minutes``.
    value : the value with its printed digits, which decide the meaning of ``exact``; a number unless the tolerance is
        ``open`` or ``order``; empty where nothing is printed.
    spread : the printed standard deviation, or empty.
    trials : number of independent values behind the printed mean and its standard deviation; 1 of a single run of a
        random method; empty where it is not known, or the method draws nothing.
    where : document and line or equation of the source, ``derived`` or ``public``.
    margin : for ``near`` the largest difference, in the row's unit or, written like ``5%``, relative to the value.
    source : locator of the rebuilt value or of a check, or empty.
    note : the uncertainty of the row, and the reason for its margin.
    line : line in the file, for messages.
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
        """Locator of the rebuilt value or of the check that judges this row, or None."""
        return parse_locator(self.source, self.id) if self.source else None

    @property
    def check(self) -> str | None:
        locator = self.locator
        return locator.check if isinstance(locator, CheckLocator) else None


#: An entry of ``checks.yaml``: ``text``, ``kind``, ``left`` and the keys of `CHECK_KINDS`; ``checks.schema.yaml``
#: describes each.
Check = Mapping[str, Any]


@dataclass(frozen=True)
class Choice:
    """One entry of ``choices.yaml``: a place that the paper leaves open or prints garbled, and the choice made here.

    Parameters
    ----------
    where, source_says : place in the paper, or ``unsaid``, and what the paper says there.
    we_do, why : the choice made here and its reason.
    effect : change of the results by the choice, where it is known; its results are references, see
        `reproduction.verdict.quoted_values`.
    explains : the published rows that are not reproduced for this reason, see `reproduction.verdict.causes`.
    alternatives : what else the paper allows, see `reproduction.flow.alternatives`.
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
    """All that is published of one paper, and the choices made here, in the order of the files.  The check that a row
    names exists; locators of checks name roles only.
    """

    rows: tuple[Published, ...]
    checks: Mapping[str, Check]
    choices: tuple[Choice, ...]


def read_record(folder: str | Path, schemas: str | Path) -> Record:
    """Return all that is published of a paper, from its folder of configuration; ``schemas`` is a folder."""
    rows, checks = read_claims(folder, schemas)
    return Record(rows, checks, read_choices(Path(folder) / "choices.yaml", schemas))


def read_claims(folder: str | Path, schemas: str | Path) -> tuple[tuple[Published, ...], dict[str, Check]]:
    """Return the published rows of a paper and its checks by name: the part of `read_record` that verdicts need."""
    folder = Path(folder)
    rows = read_published(folder / "published.csv")
    checks = read_checks(folder / "checks.yaml", schemas, read_role_lists(folder / "paper.yaml"))
    for row in rows:
        if row.check is not None and row.check not in checks:
            remedy = suggest(row.check, checks) or "write it in checks.yaml"
            raise _fault(folder / "published.csv", row.line, "source", f"there is no check '{row.check}'; {remedy}")
    return rows, checks


def read_published(path: str | Path) -> tuple[Published, ...]:
    """Return the rows of ``published.csv`` in its order; ConfigError for a fault, or an id that stands twice."""
    path = Path(path)
    rows = tuple(_row(path, line, cells) for line, cells in _cells(path))
    first: dict[str, int] = {}
    for row in rows:
        if first.setdefault(row.id, row.line) != row.line:
            raise _fault(path, row.line, "id", f"'{row.id}' stands on line {first[row.id]} already; rename one of them")
    return rows


def _cells(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield (line number, column -> cell) of every row of a csv file with the header `PUBLISHED_COLUMNS`."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}); put the file there") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: is not UTF-8 text; save it as UTF-8") from error
    reader = csv.reader(lines, strict=True)
    try:
        header = next(reader, [])
        if tuple(header) != PUBLISHED_COLUMNS:
            raise ConfigError(f"{path}, line 1: the columns are {header}; write {','.join(PUBLISHED_COLUMNS)}")
        for cells in reader:
            if len(cells) != len(PUBLISHED_COLUMNS):
                fault = f"{len(cells)} cells, expected {len(PUBLISHED_COLUMNS)}; quote cells that hold a comma"
                raise ConfigError(f"{path}, line {reader.line_num}: {fault}")
            yield reader.line_num, dict(zip(PUBLISHED_COLUMNS, cells, strict=True))
    except csv.Error as error:
        raise ConfigError(f"{path}, line {reader.line_num}: not valid csv ({error}); mend the quotes") from error


def _row(path: Path, line: int, cells: Mapping[str, str]) -> Published:
    """Check the cells of one line and return them as a row."""
    for column, cell in cells.items():
        if cell != cell.strip():
            raise _fault(path, line, column, f"{cell!r} begins or ends with a blank; remove it")
    for column, allowed in (("kind", KINDS), ("tolerance", TOLERANCES)):
        if cells[column] not in allowed:
            raise _fault(path, line, column, f"'{cells[column]}' is unknown; {suggest(cells[column], allowed)}")
    if not _ID.fullmatch(cells["id"]):
        raise _fault(path, line, "id", f"'{cells['id']}' has not the form of edcm.t1.industry.c1; correct it")
    if not cells["where"] or not cells["where"].isprintable():
        fault = "is no place in the source; write one, such as Table 2, page 7, derived or public"
        raise _fault(path, line, "where", f"{cells['where']!r} {fault}")
    _check_numbers(path, line, cells)
    if cells["source"]:
        locator = parse_locator(cells["source"], f"{path}, line {line}, column source")
        for kind, tolerance in ((CheckLocator, "order"), (TestLocator, "test")):
            if isinstance(locator, kind) != (cells["tolerance"] == tolerance):
                fault = f"a {kind.kind} and tolerance {tolerance} go together; use both or neither"
                raise _fault(path, line, "source", fault)
    return Published(**cells, line=line)


def _check_numbers(path: Path, line: int, cells: Mapping[str, str]) -> None:
    """Refuse a value, standard deviation or margin that is not the number that the tolerance needs."""
    tolerance, value, margin = cells["tolerance"], cells["value"], cells["margin"]
    judged = tolerance in ("exact", "near", "range")
    if judged and not value:
        raise _fault(path, line, "value", f"is empty, but tolerance {tolerance} needs a number; write it or use open")
    if cells["trials"] and not re.fullmatch(r"[1-9][0-9]*", cells["trials"]):
        raise _fault(path, line, "trials", f"'{cells['trials']}' is not a whole number above 0; write one or empty it")
    if cells["trials"] == "1" and cells["spread"]:
        raise _fault(path, line, "spread", "one trial has no spread; empty the cell, or write the number of trials")
    for column, text in (("value", value if judged else ""), ("spread", cells["spread"])):
        if text and not _is_number(text):
            raise _fault(path, line, column, f"'{text}' is not a number; write digits with a decimal point")
    most = _MOST.get(cells["unit"])
    if judged and most is not None and not 0 <= float(value) <= most:
        raise _fault(path, line, "value", f"'{value}' is not from 0 to {most:g}; correct the number or its unit")
    if cells["spread"] and float(cells["spread"]) < 0:
        raise _fault(path, line, "spread", f"'{cells['spread']}' is below 0, as no standard deviation is; correct it")
    if margin and tolerance != "near":
        raise _fault(path, line, "margin", f"tolerance {tolerance} takes no margin; empty the cell")
    size = margin.removesuffix("%")
    if tolerance == "near" and not (_is_number(size) and float(size) > 0):
        raise _fault(path, line, "margin", f"'{margin}' is not a number above 0, as tolerance near needs; write one")
    if tolerance == "near" and most is not None:
        allowed = float(size) * (float(value) / 100.0 if margin.endswith("%") else 1.0)
        if allowed >= max(float(value), most - float(value)):
            fault = f"'{margin}' allows every share, so that the row cannot fail; write it in {cells['unit']}"
            raise _fault(path, line, "margin", fault)


def _is_number(text: str) -> bool:
    """Return whether a text is a finite decimal number; Python's ``float`` takes ``nan`` and ``1_0`` too."""
    return bool(_NUMBER.fullmatch(text)) and math.isfinite(float(text))


def read_checks(path: str | Path, schemas: str | Path, lists: RoleLists) -> dict[str, Check]:
    """Return name -> check of ``checks.yaml``, with its lists of roles expanded; none where there is no file."""
    entries = load_yaml_strict(path) if Path(path).is_file() else {}
    validate(entries, Path(schemas) / "checks.schema.yaml", str(path))
    return {name: _check(f"{path}: {name}", entry, lists) for name, entry in entries.items()}


def _check(place: str, entry: Check, lists: RoleLists) -> Check:
    """Return an entry of ``checks.yaml`` with its locators expanded; refuse keys that its kind does not take."""
    needed, optional = CHECK_KINDS[entry["kind"]]
    for key in needed:
        if key not in entry:
            raise ConfigError(f"{place}: kind {entry['kind']} needs '{key}'; add it")
    for key in entry:
        if key not in ("text", "kind", *needed, *optional):
            raise ConfigError(f"{place}: kind {entry['kind']} takes no '{key}'; remove it")
    sides = [side for side in ("left", "right") if side in entry]
    expanded = {side: _operands(entry[side], lists, f"{place}: {side}") for side in sides}
    if all(_is_share(text) for side in expanded.values() for text in side):
        for key, fits in (("margin", entry.get("margin", 0) < 1), ("bound", 0 <= entry.get("bound", 0) <= 1)):
            if not fits:
                fault = f"{entry[key]} decides nothing, for scores are shares from 0 to 1"
                raise ConfigError(f"{place}: {key}: {fault}; write 1.5 percent as 0.015")
    return {**entry, **expanded}


def _is_share(text: str) -> bool:
    """Return whether a locator is of a score from 0 to 1."""
    locator = parse_locator(text)
    return isinstance(locator, ScoreLocator) and locator.metric in METRICS and METRICS[locator.metric].is_share


def _operands(locators: Iterable[str], lists: RoleLists, place: str) -> list[str]:
    """Return the locators of one side of a check, with role lists expanded; refuse a locator of a check."""
    expanded = expand_locators(locators, lists, place)
    for text in expanded:
        if isinstance(parse_locator(text), CheckLocator):
            raise ConfigError(f"{place}: '{text}' is no locator of a value; a check compares values, so name a value")
    return expanded


def read_choices(path: str | Path, schemas: str | Path) -> tuple[Choice, ...]:
    """Return the entries of ``choices.yaml`` in its order, if there is one; ConfigError for a fault in it."""
    entries = load_yaml_strict(path) if Path(path).is_file() else []
    validate(entries, Path(schemas) / "choices.schema.yaml", str(path))
    seen: set[str] = set()
    for entry in entries:
        if entry["id"] in seen:
            raise ConfigError(f"{path}: {entry['id']}: stands twice; rename one of them")
        seen.add(entry["id"])
    return tuple(Choice(**entry) for entry in entries)


def _fault(path: Path, line: int, column: str, what: str) -> ConfigError:
    return ConfigError(f"{path}, line {line}, column {column}: {what}")
