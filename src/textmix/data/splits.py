"""Test documents by a mark of each row: the latest by their dates, or whole groups, such as all texts of an author."""

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

#: Share of the documents that are for the test.
SHARE = 0.2
_NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?", re.ASCII)
_DAY = re.compile(
    r"(?P<first>[0-9]{1,2})(?P<mark>[./-])(?P<second>[0-9]{1,2})(?P=mark)(?P<year>[0-9]{4}|[0-9]{2})"
    r"(?P<time>[ T][0-9:.+Z-]+)?",
    re.ASCII,
)
#: Parts that a split by marks leaves as they were.
FOLDS = "The folds of the cross-validation are drawn at random, so that validation may be better than the test."


def number_of(text: str) -> float | None:
    """Return a finite number in ASCII digits; None of another text, such as ``nan``, which no order knows."""
    if _NUMBER.fullmatch(text):
        number = float(text)
        return number if math.isfinite(number) else None
    return None


def times_of(path: Path, lines: Sequence[int], dates: Sequence[str]) -> np.ndarray:
    """Return numbers that grow with time, float64 (N,): of dates in ISO 8601 or as 31/05/2024, or of numbers alone.

    Whether the day or the month stands first in 5/6/2024 is told by the other dates of the column.  ``path`` and
    ``lines``, the line of each date, are for messages.
    """
    numbers = [number_of(date) for date in dates]
    if None not in numbers:
        return np.array(numbers, dtype=float)
    first = numbers[0] is None
    for line, date, number in zip(lines, dates, numbers, strict=True):
        if number is None and not _is_date(date):
            raise DataFormatError(path, line, f"{date[:40]!r} is no date; write 2024-05-31, or a number")
        if (number is None) != first:
            kinds = ("a date", "a number") if first else ("a number", "a date")
            what = f"{date[:40]!r} is {kinds[1]} and {dates[0][:40]!r}, in line {lines[0]}, {kinds[0]}"
            raise DataFormatError(path, line, f"{what}; write all as dates, such as 2024-05-31, or all as numbers")
    days = [_DAY.fullmatch(date) for date in dates]
    day_first = _day_first(path, lines, dates, days) if any(days) else True
    times = np.empty(len(dates))
    for row, (date, day) in enumerate(zip(dates, days, strict=True)):
        try:
            if day is None:
                when = datetime.fromisoformat(date)
            else:
                year, month, of_month = int(day["year"]), int(day["second"]), int(day["first"])
                month, of_month = (month, of_month) if day_first else (of_month, month)
                year += 0 if year > 99 else 2000 if year < 69 else 1900
                when = datetime.fromisoformat(f"{year:04}-{month:02}-{of_month:02}{day['time'] or ''}")
        except ValueError as error:
            what = f"{date[:40]!r} is no date; write 2024-05-31, or a number"
            raise DataFormatError(path, lines[row], what) from error
        times[row] = (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
    return times


def _is_date(text: str) -> bool:
    with suppress(ValueError):
        return bool(_DAY.fullmatch(text) or datetime.fromisoformat(text))
    return False


def _day_first(path: Path, lines: Sequence[int], dates: Sequence[str], days: Sequence[re.Match[str] | None]) -> bool:
    big = {key: [row for row, day in enumerate(days) if day and int(day[key]) > 12] for key in ("first", "second")}
    if any(day and "." in day["mark"] for day in days) and not big["second"]:
        return True  # with full stops the day stands first in every country
    if bool(big["first"]) == bool(big["second"]):
        row = (big["second"] or [next(row for row, day in enumerate(days) if day)])[0]
        other = f", and {dates[big['first'][0]]!r} is written the other way" if big["first"] else ""
        what = f"nothing tells whether {dates[row][:40]!r} has the day or the month first{other}"
        raise DataFormatError(path, lines[row], f"{what}; write 2024-05-31")
    return bool(big["first"])


def by_dates(path: Path, times: np.ndarray, dates: Sequence[str]) -> tuple[np.ndarray, str]:
    """Return the part of each of N rows, int8 (N,), the latest `TEST`, one date in one part; and a sentence on it."""
    last = np.sort(times)[max(round((1 - SHARE) * len(times)) - 1, 0)]
    later = times > last
    if not later.any():
        what = f"the latest date, {dates[int(np.argmax(times))]}, is that of more than a fifth of the rows"
        raise DataFormatError(path, None, f"{what}, so that no later ones are left for the test")
    cut = dates[int(np.argmax(times == last))]
    remark = f"The test documents are the {int(later.sum()):,} with a date after {cut}. {FOLDS}"
    return np.where(later, TEST, TRAIN).astype(np.int8), remark


def by_groups(path: Path, groups: Sequence[str]) -> tuple[np.ndarray, str]:
    """Return the part of each of N rows, int8 (N,), with each group in one part, and a sentence on it.

    Groups are drawn for the test until they hold a fifth of the rows; one that holds more is left in training.
    """
    names, place, sizes = np.unique(np.array(groups, dtype=object), return_inverse=True, return_counts=True)
    small = np.flatnonzero(sizes <= max(SHARE * len(groups), 1))
    if not len(small) or len(names) < 2:
        what = f"has {len(names):,} group{'s' * (len(names) > 1)}, each with more than a fifth of the rows"
        raise DataFormatError(path, None, f"{what}, so that none can be left out for the test")
    drawn = np.random.default_rng(0).permutation(small)
    before = np.cumsum(sizes[drawn]) - sizes[drawn]
    tested = drawn[before < SHARE * len(groups)]
    later = np.isin(place.ravel(), tested)
    remark = f"The test documents are {int(later.sum()):,} in {len(tested):,} of {len(names):,} groups. {FOLDS}"
    return np.where(later, TEST, TRAIN).astype(np.int8), remark
