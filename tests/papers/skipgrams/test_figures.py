"""The figures of the skip-grams paper have the same bytes every time."""

from __future__ import annotations

from pathlib import Path

import pytest

from reproduction.flow.measures import Measure
from reproduction.flow.results import Results, RoleEntry
from reproduction.papers.figures import FigureData, draw
from reproduction.papers.skipgrams.figures import FIGURES
from tests.pages.drawings import assert_sound
from tests.papers.skipgrams.example import SPEC
from tests.verdict.reporting import META


@pytest.fixture
def drawn(measured: dict[str, Measure], tmp_path: Path) -> Results:
    """Return results with all measures saved."""
    for name, measure in measured.items():
        measure.save(tmp_path / "papers/skipgrams/measures" / name, META)
    roles = {role: RoleEntry("made_up") for role in SPEC["roles"]}
    return Results(tmp_path, "skipgrams", roles, SPEC)


@pytest.mark.parametrize("name", FIGURES)
def test_figures_are_the_same_bytes_every_time(name: str, drawn: Results) -> None:
    data = FigureData(drawn, {}, SPEC["figures"][name])
    first = draw("skipgrams", name, data)
    assert_sound(first)
    assert first == draw("skipgrams", name, data)
    assert first.startswith(b"<?xml")
    assert set(SPEC["figures"]) == set(FIGURES)
