"""The figures of the document on multinomial models draw what the measures wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from reproduction.flow.results import Results, RoleEntry
from reproduction.papers.figures import FigureData, draw
from reproduction.papers.marks import Printed
from reproduction.papers.multinomial.figures import FIGURES
from tests.pages.drawings import assert_drawn
from tests.papers.multinomial.example import SPEC
from tests.verdict.reporting import META
from textmix.core import io
from textmix.core.errors import MissingResult


@pytest.mark.parametrize("name", list(FIGURES))
def test_figures_draw_what_the_measures_wrote(measured, name):
    data = FigureData(_results(measured[1]), {"vil.err": Printed(8.56)}, SPEC["figures"][name])
    svg = assert_drawn("multinomial", name, data)
    assert svg.count(b"<path") > 15


def test_choices_leave_out_a_measure_that_is_missing(measured, tmp_path):
    measures = SPEC["figures"]["choices"]["labels"]
    for name in measures:
        io.write_missing(tmp_path / "papers/multinomial/measures" / name, MissingResult("no source answered"), META)
    data = FigureData(_results(tmp_path), {}, SPEC["figures"]["choices"])
    with pytest.raises(MissingResult, match="no source answered"):
        draw("multinomial", "choices", data)
    measured[0]["single_label"].save(tmp_path / "papers/multinomial/measures/single_label", META)
    assert draw("multinomial", "choices", FigureData(_results(tmp_path), {}, SPEC["figures"]["choices"]))


def _results(root: Path) -> Results:
    """Return the results of the paper below a folder."""
    return Results(root, "multinomial", {role: RoleEntry("made") for role in SPEC["roles"]}, SPEC)
