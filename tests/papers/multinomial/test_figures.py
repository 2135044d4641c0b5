"""The measures give what the files of the document on multinomial models name, and its figures draw it."""

from __future__ import annotations

import pytest

from reproduction.figures.drawing import FigureData, draw
from reproduction.figures.figure_elements import PublishedValue
from reproduction.papers.multinomial.figures import FIGURES
from tests.pages.drawings import assert_drawn
from tests.papers.files import assert_measured, results_of
from tests.papers.multinomial.example import SPEC
from tests.verdict.reporting import META
from textmix.core import io
from textmix.core.errors import MissingResult


def test_every_measured_number_that_the_paper_files_name_is_there(measured):
    assert_measured("multinomial", measured[0], least=15)


@pytest.mark.parametrize("name", list(FIGURES))
def test_figures_draw_what_the_measures_wrote(measured, name):
    data = FigureData(results_of("multinomial", measured[1]), {"vil.err": PublishedValue(8.56)}, SPEC["figures"][name])
    svg = assert_drawn("multinomial", name, data)
    assert svg.count(b"<path") > 15


def test_choices_leave_out_a_measure_that_is_missing(measured, tmp_path):
    measures = SPEC["figures"]["choices"]["labels"]
    for name in measures:
        io.write_missing(tmp_path / "papers/multinomial/measures" / name, MissingResult("no source answered"), META)
    options = {}, SPEC["figures"]["choices"]
    with pytest.raises(MissingResult, match="no source answered"):
        draw("multinomial", "choices", FigureData(results_of("multinomial", tmp_path), *options))
    measured[0]["single_label"].save(tmp_path / "papers/multinomial/measures/single_label", META)
    assert draw("multinomial", "choices", FigureData(results_of("multinomial", tmp_path), *options))
