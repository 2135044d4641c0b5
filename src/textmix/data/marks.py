"""Test documents by a mark of each row: the latest by their dates, or whole groups, such as all texts of an author."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from textmix.core.errors import DataFormatError
from textmix.data.corpus import TEST, TRAIN

#: Share of the documents that are for the test.
SHARE = 0.2
#: Parts that a split by marks leaves as they were.
FOLDS = "The folds of the cross-validation are drawn at random, so that validation may be better than the test."


def number_of(text: str) -> float | None:
    """Return a finite number; None of another text, such as ``nan``, which no order knows."""
    with suppress(ValueError):
        number = float(text)
        return number if math.isfinite(number) else None
    return None


def date_of(text: str) -> float | None:
    """Return a date as a number that grows with time: ISO 8601, such as 2024-05-31, or a number; None of others.

    The numbers of dates and numbers that stand for times, such as years, have no common order.
    """
    number = number_of(text)
    if number is not None:
        return number
    with suppress(ValueError):
        date = datetime.fromisoformat(text)
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    return None


def by_dates(path: Path, dates: Sequence[str]) -> tuple[np.ndarray, str]:
    """Return the part of each of N rows, int8 (N,), of which the latest are for the test, and a sentence on it.

    Rows of one date are in one part.

    Parameters
    ----------
    path : of the table, for messages.
    dates : as `date_of` reads them; all of them are numbers, or none.

    Raises
    ------
    DataFormatError : the latest date is that of more than a fifth of the rows.
    """
    times = np.array([date_of(date) for date in dates], dtype=float)
    last = np.sort(times)[max(round((1 - SHARE) * len(times)) - 1, 0)]
    later = times > last
    if not later.any():
        what = f"the latest date, {dates[int(np.argmax(times))]}, is that of more than a fifth of the rows"
        raise DataFormatError(path, None, f"{what}, so that no later ones are left for the test")
    cut = dates[int(np.argmax(times == last))]
    said = f"The test documents are the {int(later.sum()):,} with a date after {cut}. {FOLDS}"
    return np.where(later, TEST, TRAIN).astype(np.int8), said


def by_groups(path: Path, groups: Sequence[str]) -> tuple[np.ndarray, str]:
    """Return the part of each of N rows, int8 (N,), with each group in one part, and a sentence on it.

    Groups are drawn for the test until they hold a fifth of the rows; one that holds more is left in training.

    Parameters
    ----------
    path : of the table, for messages.
    groups : the name of the group of each row.

    Raises
    ------
    DataFormatError : there is one group, or each one holds more than a fifth of the rows.
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
    said = f"The test documents are {int(later.sum()):,} in {len(tested):,} of {len(names):,} groups. {FOLDS}"
    return np.where(later, TEST, TRAIN).astype(np.int8), said
