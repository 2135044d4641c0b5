"""The figures of the EDCM paper draw what the measures wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from reproduction.pages.figures import FigureData
from reproduction.papers.edcm.figures import FIGURES
from reproduction.stored.results import Results, RoleEntry
from tests.pages.drawings import assert_drawn
from tests.papers.edcm.example import SPEC
from textmix.pages.drawing import inline_svg
from textmix.pages.marks import Printed

PRINTED = dict.fromkeys(
    [name for figure in SPEC["figures"].values() for name in figure.get("published", {}).values()], Printed(0.5)
)


FROM_MEASURES = [name for name in FIGURES if "experiment" not in SPEC["figures"][name]]


@pytest.mark.parametrize("name", FROM_MEASURES)
def test_figures_draw_what_the_measures_wrote(measured, name):
    data = FigureData(_results(measured[1]), PRINTED, SPEC["figures"][name])
    svg = assert_drawn("edcm", name, data)
    assert len(svg) < 400_000
    assert str(inline_svg(svg, "p", name)).startswith("<svg")


def test_every_figure_has_an_entry_and_every_entry_a_figure():
    assert set(FIGURES) == set(SPEC["figures"])


def _results(root: Path) -> Results:
    """Return the results of the paper below a folder."""
    return Results(root, "edcm", {role: RoleEntry("made") for role in SPEC["roles"]}, SPEC)
