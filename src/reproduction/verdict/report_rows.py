"""The items of the report: each row of a comparison in the form in which all pages show it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reproduction.flow.lineage import Origin
from reproduction.flow.results import Results, RoleEntry
from reproduction.verdict.provenance import place_in_paper
from reproduction.verdict.published import Check, Published, Record
from reproduction.verdict.recorded_run import ABSENT, RecordedRow, standing
from reproduction.verdict.resolve import roles_behind, roles_of_check
from reproduction.verdict.tables import TableCell, make_cell
from reproduction.verdict.wording import JUDGED, number, short, typeset
from textmix.pages.rendering import with_minus

#: Verdict of a number whose margin tells too little.
WEAK = "weak"
#: A difference of at most this share of the published number is the rounding of two numbers.
_NOISE = 1e-12
#: A share from the first on has no decimals, in per cent, one below the second two digits, and one below the last is 0.
_MUCH, _PERCENT, _NO_PERCENT = 1000, 0.05, 5e-4


@dataclass(frozen=True)
class Judged:
    """The judgement of a row, by this run or by the recorded one.

    Parameters
    ----------
    value : rebuilt value as text, with its standard deviation; a word of a claim.
    standing : of a recorded value, how this run's stands to it (`reproduction.verdict.recorded_run.standing`); may be
        empty.
    corrected : the verdict with both tests corrected over the table.
    margin_share : the least share of its margin by which the number would be reproduced; None where no margin judges
        it.
    """

    value: str
    verdict: str
    standing: str = ""
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
    row : of ``comparison.csv``; the next seven are its cells, ``paper`` to ``weak`` (why it tells too little to count,
        see `reproduction.verdict.placebo`).
    cell : published and rebuilt value with verdict and reason.
    difference : rebuilt less published, as text.
    where : its place in the source in words.
    roles : the roles on whose data the row rests.
    recorded : what the recorded run gave, or None where it has no such row.
    origin : what the rebuilt value came from, or None where this run read nothing for it.
    mark : that its margin or reading was chosen after test results had been seen, and where that stands; may be empty.
    """

    row: Mapping[str, Any]
    paper: str
    kind: str
    dataset: str
    method: str
    tolerance: str
    note: str
    weak: str
    cell: TableCell
    difference: str
    where: str
    roles: tuple[str, ...]
    recorded: Judged | None = None
    origin: Origin | None = None
    mark: str = ""

    @property
    def margin_p(self) -> float | None:
        """The p-value of the tests that bound a mean by its margin, corrected over its table; None without tests."""
        return number(self.row["margin_p"])

    @property
    def interval(self) -> str:
        """The 95 % interval of the difference, as text; may be empty."""
        low, high = number(self.row["low"]), number(self.row["high"])
        return "" if low is None or high is None else typeset(f"{short(low, '+')} to {short(high, '+')}")

    @property
    def relative(self) -> float | None:
        """Rebuilt less published as a share of the published number; None where one is missing, or this is 0."""
        target, difference = number(self.row["published"]), number(self.row["difference"])
        return difference / abs(target) if target and difference is not None else None

    @property
    def tried(self) -> str:
        """What the row was tried with, and the share that passed, in words; may be empty."""
        passed = number(self.row["passed"])
        return "" if passed is None else f"{100 * passed:.0f} % of {self.row['tried']} {self.row['placebo']} would pass"

    @property
    def now(self) -> Judged:
        return Judged(
            self.cell.rebuilt,
            self.cell.verdict,
            corrected=self.row["corrected"],
            margin_share=number(self.row["margin_share"]),
        )

    @property
    def known(self) -> Judged | None:
        """The judgement of this run, or of the recorded one where only that judged the row; None where neither did."""
        then = self.recorded
        return self.now if self.judged else then if then and then.verdict in JUDGED else None

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
        return " · ".join(part for part in (self.dataset, self.method, self.row["metric"]) if part) or self.cell.id


@dataclass(frozen=True)
class Beside:
    """Facts that stand beside the rows of a comparison, by id: the recorded row, what the rebuilt value came from, and
    that a margin or reading was chosen after test results had been seen.
    """

    recorded: Mapping[str, RecordedRow] = field(default_factory=dict)
    origins: Mapping[str, Origin] = field(default_factory=dict)
    marks: Mapping[str, str] = field(default_factory=dict)

    def recorded_of(self, row: Mapping[str, Any]) -> Judged | None:
        """Return what the recorded run gave for a row of a comparison; None where it has no such row."""
        found = self.recorded.get(row["id"])
        if found is None:
            return None
        place = standing(row, self.origins.get(row["id"]), found)
        cell = make_cell({**row, "rebuilt": found.rebuilt, "rebuilt_spread": found.rebuilt_spread})
        return Judged(cell.rebuilt, found.verdict, place, found.corrected, number(found.margin_share))


def make_items(record: Record, rows: Sequence[Mapping[str, Any]], results: Results, beside: Beside) -> list[Item]:
    """Return the items of a paper in the order of its comparison."""
    published = {row.id: row for row in record.rows}
    items = []
    for row in rows:
        printed = published[row["id"]]
        difference = make_cell({**row, "rebuilt": _without_noise(row), "rebuilt_spread": ""}).rebuilt
        cells = {name: str(row[name]) for name in ("paper", "kind", "dataset", "method", "tolerance", "note", "weak")}
        items.append(
            Item(
                row=row,
                cell=make_cell(row),
                difference=difference,
                where=place_in_paper(printed.artefact, printed.where),
                roles=roles_of(printed, record.checks, results),
                recorded=beside.recorded_of(row),
                origin=beside.origins.get(row["id"]),
                mark=beside.marks.get(row["id"], ""),
                **cells,
            )
        )
    return items


def roles_of(row: Published, checks: Mapping[str, Check], results: Results) -> tuple[str, ...]:
    """Return the roles on whose data a published row rests, sorted; its own where it names no rebuilt value."""
    if row.check is not None:
        found = roles_of_check(results, checks[row.check])
    else:
        found = set(roles_behind(results, row.locator)) if row.locator is not None else set()
    return tuple(sorted(found or {row.dataset} & results.roles.keys()))


def without_notes(rows: Iterable[Mapping[str, Any]], roles: Mapping[str, RoleEntry]) -> list[dict[str, Any]]:
    """Return the rows of a comparison with reasons that lack the notes on data sets (``(note)`` or ``: note``).  The
    list of data says each note once, where the reasons would say it hundreds of times.
    """
    notes = sorted({entry.note for entry in roles.values() if entry.note}, key=len, reverse=True)
    return [{**row, "reason": _without(row["reason"], notes)} for row in rows]


def _without(reason: str, notes: Iterable[str]) -> str:
    for note in notes:
        reason = reason.replace(f" ({note})", "").replace(f": {note}", "")
    return reason


def _without_noise(row: Mapping[str, Any]) -> Any:
    """Return the difference of a row, and 0 for one that is only the rounding of the two numbers."""
    difference, target = number(row["difference"]), number(row["published"])
    if difference is None or target is None or abs(difference) > _NOISE * max(1.0, abs(target)):
        return row["difference"]
    return 0
