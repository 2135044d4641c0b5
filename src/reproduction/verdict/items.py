"""The items of the report: each row of a comparison in the form in which all pages show it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reproduction.flow.locators import parse_locator
from reproduction.flow.origins import Origin
from reproduction.flow.results import Results, RoleEntry
from reproduction.verdict.locate import roles_behind
from reproduction.verdict.provenance import place_in_paper
from reproduction.verdict.published import Check, Published, Record
from reproduction.verdict.recorded import ABSENT, RecordedRow, standing
from reproduction.verdict.tables import TableCell, make_cell
from reproduction.verdict.words import JUDGED, number, short, typeset
from textmix.pages.rendering import with_minus

#: Verdict of a number whose margin tells too little.
WEAK = "weak"
#: A difference of at most this share of the published number is the rounding of two numbers.
_NOISE = 1e-12
#: A share from the first on has no decimals, in per cent, one below the second two digits, and one below the last is 0.
_MUCH, _PERCENT, _NO_PERCENT = 1000, 0.05, 5e-4


@dataclass(frozen=True)
class Recorded:
    """The values of the recorded run for a row.

    Parameters
    ----------
    value : as text, with its standard deviation.
    verdict : in the recorded run.
    standing : how this run's value stands to it, see `reproduction.verdict.recorded.standing`; may be empty.
    corrected, margin_share : as in `Item`.
    """

    value: str
    verdict: str
    standing: str
    corrected: str = ""
    margin_share: float | None = None

    @property
    def absent(self) -> bool:
        """Whether only the recorded run judged the row."""
        return self.standing == ABSENT


@dataclass(frozen=True)
class Item:
    """One row of a comparison as the pages show it.

    Parameters
    ----------
    cell : published and rebuilt value with verdict and reason.
    paper : name of the paper.
    kind : kind of the row, one of `reproduction.verdict.published.KINDS`.
    dataset, method, metric : as in the comparison.
    difference : rebuilt less published, as text.
    interval : 95 % interval of the difference, as text; may be empty.
    tolerance, where : tolerance of the published row, and its place in the source in words.
    relative : rebuilt less published as a share of the absolute published number, or None where one of the two is
        missing or the published one is 0.
    roles : the roles on whose data the row rests.
    margin_p : p-value of the tests that bound the difference of a judged mean over trials by its margin, after Holm's
        correction over its table; None where there are none.
    recorded : what the recorded run gave, or None where it has no such row.
    origin : what the rebuilt value came from, or None where this run read nothing for it.
    note : the note of the published row; may be empty.
    weak : why the row tells too little to count in the headline, see `reproduction.verdict.placebo`; may be empty.
    tried : what the row was tried with, and the share that passed, in words; may be empty.
    mark : that its margin or reading was chosen after test results had been seen, and where that stands; may be empty.
    margin_share : the least share of its margin by which the number would be reproduced; None where no margin judges
        it.
    corrected : the verdict with both tests corrected over the table.
    """

    cell: TableCell
    paper: str
    kind: str
    dataset: str
    method: str
    metric: str
    difference: str
    interval: str
    tolerance: str
    where: str
    relative: float | None
    roles: tuple[str, ...]
    margin_p: float | None = None
    recorded: Recorded | None = None
    origin: Origin | None = None
    note: str = ""
    weak: str = ""
    tried: str = ""
    mark: str = ""
    margin_share: float | None = None
    corrected: str = ""

    @property
    def counts_as(self) -> str:
        """The kind of the row, or ``weak`` for a number that counts apart."""
        return WEAK if self.weak else self.kind

    @property
    def anchor(self) -> str:
        """The id of the row on the page of all numbers: its id in ``published.csv`` with ``_`` for blanks."""
        return self.cell.id.replace(" ", "_")

    @property
    def valued(self) -> bool:
        """Whether there is a value to show: published, rebuilt or recorded."""
        return bool(self.cell.published or self.cell.rebuilt or (self.recorded and self.recorded.standing))

    @property
    def judged(self) -> bool:
        """Whether the row was judged."""
        return self.cell.verdict in JUDGED

    @property
    def share(self) -> str:
        """The difference in per cent of the published number, as text; empty where there is none."""
        if self.relative is None:
            return ""
        percent = 100 * self.relative
        if abs(percent) < _NO_PERCENT:
            return "0 %"
        digits = "+,.0f" if abs(percent) >= _MUCH else "+.1f" if abs(percent) >= _PERCENT else "+.2g"
        return with_minus(f"{percent:{digits}} %")

    @property
    def title(self) -> str:
        """Data, method and metric, or the claim in words."""
        return " · ".join(part for part in (self.dataset, self.method, self.metric) if part) or self.cell.id


@dataclass(frozen=True)
class Beside:
    """Facts that stand beside the rows of a comparison.

    Parameters
    ----------
    recorded : id -> row of the recorded run.
    origins : id -> what the rebuilt value came from.
    marks : id -> that a margin or reading was chosen after test results had been seen.
    """

    recorded: Mapping[str, RecordedRow] = field(default_factory=dict)
    origins: Mapping[str, Origin] = field(default_factory=dict)
    marks: Mapping[str, str] = field(default_factory=dict)

    def recorded_of(self, row: Mapping[str, Any]) -> Recorded | None:
        """Return what the recorded run gave for a row of a comparison; None where it has no such row."""
        found = self.recorded.get(row["id"])
        if found is None:
            return None
        place = standing(row, self.origins.get(row["id"]), found)
        cell = make_cell({**row, "rebuilt": found.rebuilt, "rebuilt_spread": found.rebuilt_spread})
        return Recorded(cell.rebuilt, found.verdict, place, found.corrected, number(found.margin_share))


def make_items(
    paper: str, record: Record, rows: Sequence[Mapping[str, Any]], results: Results, beside: Beside
) -> list[Item]:
    """Return the items of a paper in the order of its comparison.

    Parameters
    ----------
    paper : name of the paper.
    record : the published rows and checks of the paper.
    rows : the rows of its ``comparison.csv``.
    results : the results of the paper, which know its roles and measures; no result is read.
    beside : what stands beside the rows.
    """
    published = {row.id: row for row in record.rows}
    items = []
    for row in rows:
        printed = published[row["id"]]
        cell = make_cell(row)
        difference = make_cell({**row, "rebuilt": _without_noise(row), "rebuilt_spread": ""}).rebuilt
        roles = roles_of(printed, record.checks, results)
        names = (row["dataset"], row["method"], row["metric"])
        where = place_in_paper(printed.artefact, printed.where)
        places = (difference, _interval(row), row["tolerance"], where)
        place, bounded = _relative(row), number(row["margin_p"])
        found = beside.recorded_of(row), beside.origins.get(row["id"]), printed.note
        marks = {"weak": row["weak"], "tried": _tried(row), "mark": beside.marks.get(row["id"], "")}
        share = number(row["margin_share"])
        items.append(
            Item(
                cell,
                paper,
                row["kind"],
                *names,
                *places,
                place,
                roles,
                bounded,
                *found,
                **marks,
                margin_share=share,
                corrected=row["corrected"],
            )
        )
    return items


def _tried(row: Mapping[str, Any]) -> str:
    """Return what a row of a comparison was tried with, and the share that passed, in words."""
    passed = number(row["passed"])
    return "" if passed is None else f"{100 * passed:.0f} % of {row['tried']} {row['placebo']} would pass"


def roles_of(row: Published, checks: Mapping[str, Check], results: Results) -> tuple[str, ...]:
    """Return the roles on whose data a published row rests, sorted; its own where it names no rebuilt value."""
    if row.check is not None:
        check = checks[row.check]
        texts = [text for side in ("left", "right") for text in check.get(side, ())]
        locators = [parse_locator(text) for text in texts]
    else:
        locators = [row.locator] if row.locator is not None else []
    found = {role for locator in locators for role in roles_behind(results, locator)}
    return tuple(sorted(found or {row.dataset} & results.roles.keys()))


def without_notes(rows: Iterable[Mapping[str, Any]], roles: Mapping[str, RoleEntry]) -> list[dict[str, Any]]:
    """Return the rows of a comparison with reasons that lack the notes on data sets.

    The list of data says each note once, where the reasons would say it hundreds of times.

    Parameters
    ----------
    rows : rows of ``comparison.csv``.
    roles : role -> entry, whose notes stand in reasons as ``(note)`` or ``: note``.
    """
    notes = sorted({entry.note for entry in roles.values() if entry.note}, key=len, reverse=True)
    return [{**row, "reason": _without(row["reason"], notes)} for row in rows]


def _without(reason: str, notes: Iterable[str]) -> str:
    """Return a reason without the notes."""
    for note in notes:
        reason = reason.replace(f" ({note})", "").replace(f": {note}", "")
    return reason


def _relative(row: Mapping[str, Any]) -> float | None:
    """Return the difference of a row as a share of its published number, or None."""
    target, difference = number(row["published"]), number(row["difference"])
    return difference / abs(target) if target and difference is not None else None


def _without_noise(row: Mapping[str, Any]) -> Any:
    """Return the difference of a row, and 0 for one that is only the rounding of the two numbers."""
    difference, target = number(row["difference"]), number(row["published"])
    if difference is None or target is None or abs(difference) > _NOISE * max(1.0, abs(target)):
        return row["difference"]
    return 0


def _interval(row: Mapping[str, Any]) -> str:
    """Return the interval of a row's difference as text; empty where there is none."""
    low, high = number(row["low"]), number(row["high"])
    return "" if low is None or high is None else typeset(f"{short(low, '+')} to {short(high, '+')}")
