"""The how-to on millions of documents: its tables and numbers are those of the target's output."""

from __future__ import annotations

from typing import Any

import pytest

from reproduction.bench.millions import COLUMNS
from reproduction.bench.millions_page import HOW_TO, LIMIT, MEASURED, made, section
from reproduction.bench.reckoning import reckon
from textmix.core.io import read_csv


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    """Return the committed table."""
    return list(read_csv(HOW_TO / MEASURED))


def test_the_page_and_the_table_on_paper_are_those_of_the_measured_table(rows: list[dict[str, Any]]) -> None:
    assert tuple(rows[0]) == COLUMNS
    for name, text in made(HOW_TO).items():
        told = (HOW_TO / name).read_text(encoding="utf-8")
        assert told == text, "run: python -m reproduction.bench.millions_page"


def test_other_times_give_other_words(rows: list[dict[str, Any]]) -> None:
    slower = [row | {"per_million": str(2 * float(row["per_million"]))} if row["per_million"] else row for row in rows]
    assert section(slower) != section(rows)


def test_what_breaks_first_is_what_the_page_says(rows: list[dict[str, Any]]) -> None:
    ends = [(one["ends_at"], one["stage"]) for one in reckon(rows, LIMIT) if one["ends_at"]]
    assert [stage for _, stage in sorted(ends)[:2]] == ["texts and counts in memory", "fit linear_svm"]
