"""The items of the report: each row of a comparison with its location, roles and recorded counterpart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from reproduction.flow.lineage import Origin
from reproduction.flow.results import Results, RoleEntry
from reproduction.verdict.comparison_row import ComparisonRow, parse_value
from reproduction.verdict.published import Check, Published, Record
from reproduction.verdict.recorded_run import OUT_OF_DATE, RecordedRow
from reproduction.verdict.resolve import roles_behind, roles_of_check
from reproduction.verdict.wording import (
    ABSENT,
    EQUAL,
    JUDGED,
    OTHER_DATA,
    SIGNS,
    TIMED,
    UNEQUAL,
    decimals,
    number,
    place_in_paper,
    short,
    text_of,
    typeset,
    without_notes,
)

#: Kind under which a number with too wide a margin is counted.
WEAK = "weak"


@dataclass(frozen=True)
class Item:
    """One row of a comparison as the report shows it.

    Parameters
    ----------
    row : ComparisonRow
        The row of this run.
    location : str, default=""
        Its place in the paper in words.
    roles : tuple of str, default=()
        The roles on whose data the row rests.
    recorded : ComparisonRow or None, default=None
        The row as the recorded run gave it.
    standing : str, default=""
        How this row compares with the recorded one (`standing`).
    origin : Origin or None, default=None
        The results behind the reproduced value; None if this run read nothing for it.
    mark : str, default=""
        Remark on a margin or interpretation that was chosen after test results had been seen.
    """

    row: ComparisonRow
    location: str = ""
    roles: tuple[str, ...] = ()
    recorded: ComparisonRow | None = None
    standing: str = ""
    origin: Origin | None = None
    mark: str = ""

    @property
    def verdict(self) -> str:
        return self.row.verdict

    @property
    def is_only_recorded(self) -> bool:
        """Whether only the recorded run judged the row."""
        return self.standing == ABSENT

    @property
    def known(self) -> ComparisonRow | None:
        """The row of this run, or of the recorded one if only that judged it; None if neither did."""
        if self.row.is_judged:
            return self.row
        return self.recorded if self.recorded and self.recorded.verdict in JUDGED else None

    @property
    def counts_as(self) -> str:
        """The kind of the row, or ``weak`` for a number that is counted separately."""
        return WEAK if self.row.weak else self.row.kind

    @property
    def anchor(self) -> str:
        """The id of the row on the page of all numbers: its id in ``published.csv`` with ``_`` for spaces."""
        return self.row.id.replace(" ", "_")

    @property
    def has_value(self) -> bool:
        """Whether there is a published, reproduced or recorded value to show."""
        return bool(self.row.published_text or self.row.reproduced_text or self.standing)

    @property
    def recorded_text(self) -> str:
        """The recorded value as text, if only the recorded run judged the row; else empty."""
        return self.recorded.reproduced_text if self.recorded and self.is_only_recorded else ""

    @property
    def sign(self) -> str:
        """Sign of the verdict; a dagger marks fits that did not converge."""
        return SIGNS[self.row.verdict] + self.row.unconverged_sign

    @property
    def reason(self) -> str:
        """The reason of the verdict with typeset numbers."""
        return typeset(self.row.reason)


@dataclass(frozen=True)
class Context:
    """Facts about the rows of a comparison, by id.

    Parameters
    ----------
    recorded : mapping of str to RecordedRow
        The recorded rows.
    origins : mapping of str to Origin
        The results behind the reproduced values.
    marks : mapping of str to str
        Remarks on margins or interpretations that were chosen after test results had been seen.
    """

    recorded: Mapping[str, RecordedRow] = field(default_factory=dict)
    origins: Mapping[str, Origin] = field(default_factory=dict)
    marks: Mapping[str, str] = field(default_factory=dict)


def make_items(record: Record, rows: Sequence[ComparisonRow], results: Results, context: Context) -> list[Item]:
    """Return the items of a paper in the order of its comparison."""
    published = {row.id: row for row in record.rows}
    items = []
    for row in rows:
        origin = context.origins.get(row.id)
        recorded = context.recorded.get(row.id)
        items.append(
            Item(
                row=row,
                location=place_in_paper(row.artefact, row.where),
                roles=roles_of(published[row.id], record.checks, results),
                recorded=_as_row(row, recorded) if recorded else None,
                standing=standing(row, origin, recorded) if recorded else "",
                origin=origin,
                mark=context.marks.get(row.id, ""),
            )
        )
    return items


def _as_row(row: ComparisonRow, recorded: RecordedRow) -> ComparisonRow:
    """Return a row as the recorded run gave it."""
    return replace(
        row,
        reproduced=parse_value(recorded.reproduced),
        reproduced_sd=number(recorded.reproduced_sd),
        verdict=recorded.verdict,
        corrected=recorded.corrected,
        margin_share=number(recorded.margin_share),
    )


def standing(row: ComparisonRow, origin: Origin | None, recorded: RecordedRow) -> str:
    """Compare a row with the recorded one.

    Parameters
    ----------
    row : ComparisonRow
        The row of this run.
    origin : Origin or None
        The results behind it; None if nothing was read for the row.
    recorded : RecordedRow
        The row of the recorded run.

    Returns
    -------
    standing : str
        ``out of date`` if the protocol of the row was changed after the recorded run; ``equal`` or ``not equal`` at the
        published digits, for a value that both runs reproduced from the same data; else ``other data``, ``a measured
        time``, or ``not rebuilt here`` if only the recorded run judged the row; empty if the recorded run did not judge
        it.
    """
    if recorded.verdict == OUT_OF_DATE:
        return OUT_OF_DATE
    if recorded.verdict not in JUDGED:
        return ""
    if not row.is_judged:
        return ABSENT
    if origin is not None and origin.timed:
        return TIMED
    if (origin.data if origin else "") != recorded.data:
        return OTHER_DATA
    return EQUAL if same_digits(row.reproduced, recorded.reproduced, row.published) else UNEQUAL


def same_digits(value: Any, other: Any, printed: str) -> bool:
    """Check that values are equal at the digits of a published number, at four digits without one, or as words."""
    left = number(value)
    right = number(other)
    if left is None or right is None:
        return text_of(value) == text_of(other)
    if number(printed) is None:
        return short(left) == short(right)
    return abs(left - right) <= 0.5 * 10.0 ** -decimals(printed)


def roles_of(printed: Published, checks: Mapping[str, Check], results: Results) -> tuple[str, ...]:
    """Return the roles on whose data a published row rests, sorted; its own if it names no reproduced value."""
    roles: set[str] = set()
    if printed.check is not None:
        roles = roles_of_check(results, checks[printed.check])
    elif printed.locator is not None:
        roles = set(roles_behind(results, printed.locator))
    return tuple(sorted(roles or {printed.dataset} & results.roles.keys()))


def shorten_reasons(rows: Iterable[ComparisonRow], roles: Mapping[str, RoleEntry]) -> list[ComparisonRow]:
    """Return the rows with reasons that lack the notes on data sets.

    The list of data has each note once; the reasons would repeat it hundreds of times.
    """
    notes = sorted({entry.note for entry in roles.values() if entry.note}, key=len, reverse=True)
    return [replace(row, reason=without_notes(row.reason, notes)) for row in rows]
