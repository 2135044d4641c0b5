"""Ten and a hundred million documents on paper: worked by hand."""

from __future__ import annotations

from typing import Any

import pytest

from reproduction.bench.millions import COLUMNS as MEASURED
from reproduction.bench.reckoning import COLUMNS, reckon


def row(program: str, stage: str, documents: int, **facts: Any) -> dict[str, str]:
    """Return a measured row, as texts."""
    texts = {name: str(value) for name, value in facts.items()}
    return {**dict.fromkeys(MEASURED, ""), "program": program, "stage": stage, "documents": str(documents), **texts}


MILLION = {"processor_seconds": 11.0, "slope": 1.0, "peak_mib": 1024, "mib_per_million": 102.4, "written_mb": 1000}
ROWS = [
    row("every stage", "start", 10**6, processor_seconds=1.0),
    row("made documents", "write", 10**6, **MILLION),
    row("textmix", "count", 10**6, **MILLION | {"mib_per_million": -3.0, "slope": 0.9}),
    row("textmix", "fit linear_svm", 10**6, **MILLION | {"slope": 2.0}),
    row("textmix", "fit pmm1", 10**6, **MILLION),
    row("textmix", "predict multinomial", 10**5, **MILLION),
]


def test_time_follows_the_power_law_and_memory_the_line() -> None:
    written, counted, fitted, _, _ = found = reckon(ROWS, 4.0)
    assert all(set(one) == set(COLUMNS) for one in found)
    assert written["hours_10"] * 3600 == pytest.approx(1 + 100) and fitted["hours_10"] * 3600 == pytest.approx(1001)
    assert written["gib_10"] == pytest.approx(1.9) and written["disk_gb_100"] == pytest.approx(100)
    assert written["ends_at"] == pytest.approx(31)
    # A slope below 1 and memory that shrinks are noise of the measurement.
    assert counted["hours_100"] * 3600 == pytest.approx(1 + 1000) and counted["gib_100"] == 1.0
    assert counted["ends_at"] is None


def test_a_study_holds_texts_and_counts() -> None:
    # 990 MB of 1.1 million texts and 1,000 MB of counts of a million documents: 1.9 GB a million.
    rows = [one | {"written_mb": "990"} if one["stage"] == "write" else one for one in ROWS]
    study = reckon(rows, 4.0)[-1]
    assert study["ends_at"] == pytest.approx(4 * 2**30 / 1.9e9)
    assert study["gib_10"] == pytest.approx(19e9 / 2**30)


def test_memory_of_a_stage_below_what_it_holds_at_a_time_says_nothing() -> None:
    smaller = row("textmix", "count", 10**5, processor_seconds=2.0)
    known, unknown = (reckon(rows, 4.0)[3] for rows in (ROWS, [smaller, *ROWS]))
    assert known["stage"] == unknown["stage"] == "fit pmm1" and known["ends_at"] == pytest.approx(31)
    assert unknown["ends_at"] is None and unknown["gib_10"] is None and unknown["hours_10"] == known["hours_10"]
