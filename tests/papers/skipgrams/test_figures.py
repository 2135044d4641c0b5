"""The figures of the skip-grams paper have the same bytes every time."""

from __future__ import annotations

from pathlib import Path

import pytest

from reproduction.figures.drawing import FigureData
from reproduction.flow.measures import Measure
from reproduction.flow.results import Results
from reproduction.papers.skipgrams.figures import FIGURES
from tests.pages.drawings import assert_drawn
from tests.papers.files import results_of
from tests.papers.skipgrams.example import SPEC
from tests.verdict.reporting import META


@pytest.fixture
def drawn(measured: dict[str, Measure], tmp_path: Path) -> Results:
    """Return results with all measures saved."""
    for name, measure in measured.items():
        measure.save(tmp_path / "papers/skipgrams/measures" / name, META)
    return results_of("skipgrams", tmp_path)


@pytest.mark.parametrize("name", FIGURES)
def test_figures_are_the_same_bytes_every_time(name: str, drawn: Results) -> None:
    data = FigureData(drawn, {}, SPEC["figures"][name])
    assert assert_drawn("skipgrams", name, data).startswith(b"<?xml")
    assert set(SPEC["figures"]) == set(FIGURES)
