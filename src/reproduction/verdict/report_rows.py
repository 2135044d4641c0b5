"""Items of the report: each row of a comparison with its location, roles and recorded counterpart."""

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

#: Category of numbers with too wide a margin in the counts.
WEAK = "weak"


@dataclass(frozen=True)
class Item:
    """One row of a comparison as shown in the report.

    Parameters
    ----------
    row : ComparisonRow
        Row of this run.
    location : str, default=""
        Description of its place in the paper.
    roles : tuple of str, default=()
        Roles of the data that the row depends on.
    recorded : ComparisonRow or None, default=None
        Row of the recorded run.
    standing : str, default=""
        Comparison of this row with the recorded one (`standing`).
    origin : Origin or None, default=None
        Provenance of the reproduced value; None if this run has no results for it.
    mark : str, default=""
        Note on a margin or interpretation that was chosen after seeing test results.
    printed : Published or None, default=None
        The published row.
    """

    row: ComparisonRow
    location: str = ""
    roles: tuple[str, ...] = ()
    recorded: ComparisonRow | None = None
    standing: str = ""
    origin: Origin | None = None
    mark: str = ""
    printed: Published | None = None

    @property
    def verdict(self) -> str:
        return self.row.verdict

    @property
    def is_only_recorded(self) -> bool:
        """Whether only the recorded run judged the row."""
        return self.standing == ABSENT

    @property
    def known(self) -> ComparisonRow | None:
        """The row of this run, or else the recorded row, if judged; None if neither run judged it."""
        if self.row.is_judged:
            return self.row
        if self.recorded and self.recorded.verdict in JUDGED:
            return self.recorded
        return None

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
        """Whether a published, reproduced or recorded value can be shown."""
        return bool(self.row.published_text or self.row.reproduced_text or self.standing)

    @property
    def recorded_text(self) -> str:
        """The recorded value as text if only the recorded run judged the row, otherwise ""."""
        if self.recorded and self.is_only_recorded:
            return self.recorded.reproduced_text
        return ""

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
    """Additional information on the rows of a comparison, by id.

    Parameters
    ----------
    recorded : mapping of str to RecordedRow
        Recorded rows.
    origins : mapping of str to Origin
        Provenance of the reproduced values.
    marks : mapping of str to str
        Notes on margins or interpretations that were chosen after seeing test results.
    """

    recorded: Mapping[str, RecordedRow] = field(default_factory=dict)
    origins: Mapping[str, Origin] = field(default_factory=dict)
    marks: Mapping[str, str] = field(default_factory=dict)


def make_items(record: Record, rows: Sequence[ComparisonRow], results: Results, context: Context) -> list[Item]:
    """Return the items of a paper in the order of its comparison."""
    published = {row.id: row for row in record.rows}
    items = []
    for row in rows:
        printed = published[row.id]
        roles = roles_of(printed, record.checks, results)
        item = Item(
            row=row,
            location=place_in_paper(row.artefact, row.where),
            roles=roles,
            origin=context.origins.get(row.id),
            mark=context.marks.get(row.id, ""),
            printed=printed,
        )
        recorded = context.recorded.get(row.id)
        if recorded is not None:
            comparison = standing(row, item.origin, recorded)
            item = replace(item, recorded=_as_row(row, recorded), standing=comparison)
        items.append(item)
    return items


def _as_row(row: ComparisonRow, recorded: RecordedRow) -> ComparisonRow:
    """Convert a row to the state in the recorded run."""
    n_trials = int(recorded.trials) if recorded.trials else None
    return replace(
        row,
        reproduced=parse_value(recorded.reproduced),
        reproduced_sd=number(recorded.reproduced_sd),
        trials=n_trials,
        verdict=recorded.verdict,
        corrected=recorded.corrected,
        margin_share=number(recorded.margin_share),
    )


def standing(row: ComparisonRow, origin: Origin | None, recorded: RecordedRow) -> str:
    """Compare a row with the recorded one.

    Parameters
    ----------
    row : ComparisonRow
        Row of this run.
    origin : Origin or None
        Provenance of the row; None if nothing was read for it.
    recorded : RecordedRow
        Row of the recorded run.

    Returns
    -------
    standing : str
        ``out of date`` if the protocol of the row was changed after the recorded run; ``equal`` or ``not equal`` at the
        published digits, for a value that both runs reproduced from the same data; otherwise ``other data``, ``a
        measured time``, or ``not rebuilt here`` if only the recorded run judged the row; "" if the recorded run did not
        judge it.
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
    is_equal = same_digits(row.reproduced, recorded.reproduced, row.published)
    return EQUAL if is_equal else UNEQUAL


def same_digits(reproduced: Any, recorded: Any, printed: str) -> bool:
    """Check that two values agree at the published digits (four digits if none is published), or as text."""
    first = number(reproduced)
    second = number(recorded)
    if first is None or second is None:
        return text_of(reproduced) == text_of(recorded)
    if number(printed) is None:
        return short(first) == short(second)
    half_unit = 0.5 * 10.0 ** -decimals(printed)
    return abs(first - second) <= half_unit


def roles_of(printed: Published, checks: Mapping[str, Check], results: Results) -> tuple[str, ...]:
    """Return the sorted roles that a published row depends on; its own role if it has no locator."""
    roles: set[str] = set()
    if printed.check is not None:
        roles = roles_of_check(results, checks[printed.check])
    elif printed.locator is not None:
        roles = set(roles_behind(results, printed.locator))
    return tuple(sorted(roles or {printed.dataset} & results.roles.keys()))


def shorten_reasons(rows: Iterable[ComparisonRow], roles: Mapping[str, RoleEntry]) -> list[ComparisonRow]:
    """Remove the notes on data sets from the reasons of rows.

    The list of data sets contains each note once; the reasons would repeat it hundreds of times.
    """
    notes = sorted({entry.note for entry in roles.values() if entry.note}, key=len, reverse=True)
    return [replace(row, reason=without_notes(row.reason, notes)) for row in rows]
