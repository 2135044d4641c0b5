"""One row of ``comparison.csv``: a published value or claim, the reproduced value and the verdict.

A row is judged from its `Evidence`, and can be written to CSV and read back without loss.  All numbers of a row are in
its unit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Self

from reproduction.flow.results import rounded
from reproduction.verdict.evidence import Evidence, margin_of
from reproduction.verdict.published import Published
from reproduction.verdict.wording import (
    JUDGED,
    NOT_RUN,
    REPRODUCED,
    UNCONVERGED,
    UNCONVERGED_SIGN,
    interval_text,
    join_clauses,
    number,
    percent_text,
    placebo_text,
    published_text,
    text_of,
    unconverged_reason,
    value_text,
)
from textmix.core import io
from textmix.core.errors import IntegrityError

#: Smaller relative differences are rounding errors.
_MIN_RELATIVE_DIFFERENCE = 1e-12

#: Columns that a comparison copies from ``published.csv``.
_COLUMNS_OF_PUBLISHED = (
    "id",
    "artefact",
    "kind",
    "dataset",
    "method",
    "metric",
    "unit",
    "tolerance",
    "where",
    "note",
)


@dataclass(frozen=True, kw_only=True)
class ComparisonRow:
    """A published value or claim, the reproduced value and the verdict; the columns of ``comparison.csv``.

    Parameters
    ----------
    id, artefact, kind, dataset, method, metric, unit, tolerance, where, note : str
        Cells of the published row, see `reproduction.verdict.published.Published`.
    paper : str
        Name of the paper.
    published, published_sd : str
        Published value and standard deviation, verbatim.
    reproduced : float, int, str or None
        Reproduced number or text of a setting; for a claim ``holds``, ``fails`` or ``undecided``, with the number of
        compared pairs if some values are missing.
    reproduced_sd : float or None
        Standard deviation of ``reproduced`` over trials.
    trials : int or None
        Number of trials averaged in ``reproduced``; None if it is not a mean.
    difference : float or None
        Reproduced minus published.
    ci_low, ci_high : float or None
        Limits of the 95 % interval of the difference; None without a standard deviation.
    std_error, degrees_of_freedom : float or None
        Standard error of the difference and degrees of freedom of its test; None without a standard deviation.
    margin : float or None
        Largest difference that the tolerance accepts; None if the row is not judged by a margin.
    verdict : str
        One of `reproduction.verdict.wording.VERDICTS`, from uncorrected tests.
    corrected : str
        The verdict with both tests corrected over the table by Holm's method.
    reason : str
        Clauses joined by semicolons; may be empty.
    difference_p, margin_p : float or None
        P-values of Welch's test and of the two one-sided tests for the margin, corrected over the table.
    margin_share : float or None
        Smallest fraction of the margin that would still give the verdict ``reproduced``.
    placebo : str
        Type of wrong values used in the placebo test of the row, see `reproduction.verdict.placebo`.
    n_placebo, n_placebo_passed : int or None
        Number of these values, and how many of them the row would accept.
    weak : str
        Reason why the row is too weak to be counted; may be empty.
    """

    id: str
    paper: str
    artefact: str
    kind: str
    dataset: str
    method: str
    metric: str
    unit: str
    published: str
    published_sd: str
    reproduced: float | int | str | None = None
    reproduced_sd: float | None = None
    trials: int | None = None
    difference: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    std_error: float | None = None
    degrees_of_freedom: float | None = None
    tolerance: str
    margin: float | None = None
    verdict: str = NOT_RUN
    corrected: str = ""
    reason: str = ""
    difference_p: float | None = None
    margin_p: float | None = None
    margin_share: float | None = None
    placebo: str = ""
    n_placebo: int | None = None
    n_placebo_passed: int | None = None
    weak: str = ""
    where: str
    note: str

    @classmethod
    def of(cls, printed: Published, paper: str, verdict: str = NOT_RUN, reason: str = "") -> Self:
        """Create the row of a published value that was not reproduced."""
        target = number(printed.value)
        margin = None
        if printed.tolerance == "near" and target is not None:
            margin = rounded(margin_of(printed, target))
        same_columns = {column: getattr(printed, column) for column in _COLUMNS_OF_PUBLISHED}
        return cls(
            **same_columns,
            paper=paper,
            published=printed.value,
            published_sd=printed.spread,
            margin=margin,
            verdict=verdict,
            reason=reason,
        )

    @classmethod
    def from_cells(cls, cells: Mapping[str, str]) -> Self:
        """Parse the cells of a row of ``comparison.csv``."""
        return cls(**{column: _PARSERS.get(column, str)(cell) for column, cell in cells.items()})

    @property
    def cells(self) -> dict[str, str]:
        """The cells of the row as text."""
        return {column: text_of(value) for column, value in asdict(self).items()}

    def judge(self, evidence: Evidence, shown_only: tuple[str, str] | None, clauses: Sequence[str] = ()) -> Self:
        """Return a copy of the row with the reproduced value and its verdict.

        Parameters
        ----------
        evidence : Evidence
            Published and reproduced value with their tests.
        shown_only : tuple of str or None
            Verdict and reason of a value that is shown but not judged.
        clauses : sequence of str, default=()
            Additional clauses for the reason of a judged value.
        """
        verdict, reason = shown_only or (evidence.verdict, evidence.reason)
        reason = join_clauses(reason, unconverged_reason(evidence.reproduced.unconverged))
        row = self._with_estimates(evidence)
        if verdict not in JUDGED:
            return replace(row, verdict=verdict, reason=reason)
        return replace(
            row,
            verdict=verdict,
            reason=join_clauses(reason, *clauses),
            difference_p=evidence.test.p if evidence.test else None,
            margin_p=evidence.bound,
            margin_share=rounded(evidence.proportion),
        )

    def _with_estimates(self, evidence: Evidence) -> Self:
        """Return a copy of the row with the reproduced value and its difference from the published one."""
        std_error, degrees_of_freedom = evidence.error
        row = replace(
            self,
            difference=rounded(evidence.difference),
            std_error=rounded(std_error),
            degrees_of_freedom=rounded(degrees_of_freedom),
        )
        if evidence.test is not None:
            row = replace(row, ci_low=rounded(evidence.test.low), ci_high=rounded(evidence.test.high))
        reproduced = evidence.reproduced
        return replace(
            row,
            reproduced=rounded(reproduced.value),
            reproduced_sd=rounded(reproduced.standard_deviation),
            trials=reproduced.n,
        )

    @property
    def is_judged(self) -> bool:
        return self.verdict in JUDGED

    @property
    def is_reproduced(self) -> bool:
        return self.verdict == REPRODUCED

    @property
    def published_text(self) -> str:
        return published_text(self.published, self.published_sd)

    @property
    def reproduced_text(self) -> str:
        return value_text(self.reproduced, self.reproduced_sd, self.published)

    @property
    def difference_text(self) -> str:
        """The difference as text; 0 if it is only a rounding error."""
        target = number(self.published)
        difference = self.difference
        if difference is not None and target is not None:
            noise = _MIN_RELATIVE_DIFFERENCE * max(1.0, abs(target))
            difference = 0 if abs(difference) <= noise else difference
        return value_text(difference, None, self.published)

    @property
    def interval_text(self) -> str:
        return interval_text(self.ci_low, self.ci_high)

    @property
    def relative_difference(self) -> float | None:
        """Reproduced minus published, relative to the published value; None if undefined."""
        target = number(self.published)
        if not target or self.difference is None:
            return None
        return self.difference / abs(target)

    @property
    def percent_text(self) -> str:
        return percent_text(self.relative_difference)

    @property
    def placebo_text(self) -> str:
        return placebo_text(self.n_placebo, self.n_placebo_passed, self.placebo)

    @property
    def unconverged_sign(self) -> str:
        return UNCONVERGED_SIGN if UNCONVERGED in self.reason else ""

    @property
    def title(self) -> str:
        """Data set, method and metric, or the text of the claim."""
        names = (self.dataset, self.method, self.metric)
        return " · ".join(filter(None, names)) or self.id


#: Columns of ``comparison.csv``.
COMPARISON_COLUMNS = tuple(field.name for field in fields(ComparisonRow))


def parse_value(cell: str) -> float | int | str | None:
    """Parse a cell as a number if this is lossless, otherwise as text; None if it is empty."""
    for number_type in (int, float):
        value = _as_number(cell, number_type)
        if value is not None and str(value) == cell:
            return value
    return cell or None


def _as_number(cell: str, number_type: type[int] | type[float]) -> float | int | None:
    try:
        return number_type(cell)
    except ValueError:
        return None


#: Column -> parser of its cells; the other columns are text.
_PARSERS: dict[str, Callable[[str], Any]] = {
    field.name: parse_value for field in fields(ComparisonRow) if field.type != "str"
}


def read_comparison(path: str | Path) -> list[ComparisonRow]:
    """Read a ``comparison.csv``; raise MissingResult if it is recorded as missing."""
    io.check_result(path)
    rows = io.read_csv(path)
    if rows and tuple(rows[0]) != COMPARISON_COLUMNS:
        raise IntegrityError(f"{path}: columns of another version; run the workflow again")
    return [ComparisonRow.from_cells(cells) for cells in rows]


def comparison_csv(rows: Iterable[ComparisonRow]) -> str:
    """Format rows as ``comparison.csv``."""
    return io.format_csv(map(asdict, rows), COMPARISON_COLUMNS)
