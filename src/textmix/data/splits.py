"""Temporal and group splits: the latest documents, or whole groups such as all texts of an author, are the test set."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from textmix.core.errors import DataFormatError
from textmix.data.corpus import TEST, TRAIN

#: Proportion of the documents in the test set.
TEST_PROPORTION = 0.2
#: Two-digit years greater than or equal to this value belong to the 20th century.
FIRST_YEAR_1900 = 69
_NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?", re.ASCII)
_DAY = re.compile(
    r"(?P<first>[0-9]{1,2})(?P<mark>[./-])(?P<second>[0-9]{1,2})(?P=mark)(?P<year>[0-9]{4}|[0-9]{2})"
    r"(?P<time>[ T][0-9:.+Z-]+)?",
    re.ASCII,
)
_FOLDS_NOTE = "The folds of the cross-validation are drawn at random, so that its scores may be optimistic."


def parse_number(text: str) -> float | None:
    """Parse a finite number in ASCII digits.

    Parameters
    ----------
    text : str
        A cell.

    Returns
    -------
    float or None
        The number; None for any other string, such as ``nan``.
    """
    if _NUMBER.fullmatch(text):
        number = float(text)
        return number if math.isfinite(number) else None
    return None


def parse_times(path: Path, lines: Sequence[int], dates: Sequence[str]) -> np.ndarray:
    """Parse a column of dates.

    Dates are in ISO 8601, such as 2024-05-31, or written as 31/05/2024.  Whether the day or the month comes first in
    5/6/2024 is inferred from the other dates of the column.

    Parameters
    ----------
    path : Path
        The table, for messages.
    lines : sequence of int
        The line of each row, for messages.
    dates : sequence of str
        The cells: all dates, or all numbers.

    Returns
    -------
    ndarray of shape (n_rows,), float64
        Seconds since 1970, or the numbers.

    Raises
    ------
    DataFormatError
        If a cell is not a date or number, or the order of day and month is ambiguous.
    """
    numbers = [parse_number(date) for date in dates]
    if None not in numbers:
        return np.array(numbers, dtype=float)
    first_is_date = numbers[0] is None
    for line, date, number in zip(lines, dates, numbers, strict=True):
        if number is None and not _is_date(date):
            raise DataFormatError(path, line, f"{date[:40]!r} is not a date; write 2024-05-31, or a number")
        if (number is None) != first_is_date:
            kinds = ("a date", "a number") if first_is_date else ("a number", "a date")
            problem = f"{date[:40]!r} is {kinds[1]}, but {dates[0][:40]!r} in line {lines[0]} is {kinds[0]}"
            raise DataFormatError(path, line, f"{problem}; write all as dates, such as 2024-05-31, or all as numbers")
    days = [_DAY.fullmatch(date) for date in dates]
    day_first = _is_day_first(path, lines, dates, days) if any(days) else True
    times = np.empty(len(dates))
    for row, (date, day) in enumerate(zip(dates, days, strict=True)):
        try:
            when = datetime.fromisoformat(date) if day is None else _parse_day(day, day_first)
        except ValueError as error:
            problem = f"{date[:40]!r} is not a date; write 2024-05-31, or a number"
            raise DataFormatError(path, lines[row], problem) from error
        times[row] = (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
    return times


def _parse_day(day: re.Match[str], day_first: bool) -> datetime:
    """Return the date of a match of `_DAY`; raise ValueError if it does not exist."""
    year = int(day["year"])
    if year <= 99:
        year += 2000 if year < FIRST_YEAR_1900 else 1900
    month = int(day["second"])
    day_of_month = int(day["first"])
    if not day_first:
        month, day_of_month = day_of_month, month
    return datetime.fromisoformat(f"{year:04}-{month:02}-{day_of_month:02}{day['time'] or ''}")


def _is_date(text: str) -> bool:
    with suppress(ValueError):
        return bool(_DAY.fullmatch(text) or datetime.fromisoformat(text))
    return False


def _is_day_first(path: Path, lines: Sequence[int], dates: Sequence[str], days: Sequence[re.Match[str] | None]) -> bool:
    """Infer whether the day or the month comes first from numbers above 12."""
    above_12 = {key: [row for row, day in enumerate(days) if day and int(day[key]) > 12] for key in ("first", "second")}
    if any(day and "." in day["mark"] for day in days) and not above_12["second"]:
        return True  # dates with full stops are always day first
    if bool(above_12["first"]) == bool(above_12["second"]):
        row = (above_12["second"] or [next(row for row, day in enumerate(days) if day)])[0]
        contradiction = f", and {dates[above_12['first'][0]]!r} has the other order" if above_12["first"] else ""
        problem = f"cannot infer whether {dates[row][:40]!r} has the day or the month first{contradiction}"
        raise DataFormatError(path, lines[row], f"{problem}; write 2024-05-31")
    return bool(above_12["first"])


def split_by_date(path: Path, times: np.ndarray, dates: Sequence[str]) -> tuple[np.ndarray, str]:
    """Assign the latest fifth of the rows to the test set; rows with equal dates are kept together.

    Parameters
    ----------
    path : Path
        The table, for messages.
    times : ndarray of shape (n_rows,), float64
        The times of `parse_times`.
    dates : sequence of str
        The dates as written, for messages.

    Returns
    -------
    split : ndarray of shape (n_rows,), int8
        `TRAIN` or `TEST`.
    note : str
        A sentence on the split.

    Raises
    ------
    DataFormatError
        If more than a fifth of the rows have the latest date.
    """
    last = np.sort(times)[max(round((1 - TEST_PROPORTION) * len(times)) - 1, 0)]
    is_test = times > last
    if not is_test.any():
        problem = f"the latest date, {dates[int(np.argmax(times))]}, is that of more than a fifth of the rows"
        raise DataFormatError(path, None, f"{problem}, so that no later ones are left for the test")
    last_date = dates[int(np.argmax(times == last))]
    note = f"The test documents are the {int(is_test.sum()):,} with a date after {last_date}. {_FOLDS_NOTE}"
    return np.where(is_test, TEST, TRAIN).astype(np.int8), note


def split_by_group(path: Path, groups: Sequence[str]) -> tuple[np.ndarray, str]:
    """Assign randomly drawn groups to the test set until it contains a fifth of the rows.

    Parameters
    ----------
    path : Path
        The table, for messages.
    groups : sequence of str
        The group of each row; one with more than a fifth of the rows is always used for training.

    Returns
    -------
    split : ndarray of shape (n_rows,), int8
        `TRAIN` or `TEST`.
    note : str
        A sentence on the split.

    Raises
    ------
    DataFormatError
        If all groups are too large, or there is only one.
    """
    names, group, sizes = np.unique(np.array(groups, dtype=object), return_inverse=True, return_counts=True)
    small = np.flatnonzero(sizes <= max(TEST_PROPORTION * len(groups), 1))
    if not len(small) or len(names) < 2:
        problem = f"has {len(names):,} group{'s' * (len(names) > 1)}, each with more than a fifth of the rows"
        raise DataFormatError(path, None, f"{problem}, so that none can be held out for the test")
    shuffled = np.random.default_rng(0).permutation(small)
    n_before = np.cumsum(sizes[shuffled]) - sizes[shuffled]
    test_groups = shuffled[n_before < TEST_PROPORTION * len(groups)]
    is_test = np.isin(group.ravel(), test_groups)
    counts = f"{int(is_test.sum()):,} in {len(test_groups):,} of {len(names):,} groups"
    return np.where(is_test, TEST, TRAIN).astype(np.int8), f"The test documents are {counts}. {_FOLDS_NOTE}"
