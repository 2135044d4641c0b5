"""The measures give what the files of the CBM slides name, and its figures draw it."""

from __future__ import annotations

import warnings

import pytest

from reproduction.figures.drawing import FigureData, draw
from reproduction.papers.cbm.figures import FIGURES
from tests.pages.drawings import assert_drawn
from tests.papers.cbm.conftest import SPEC
from tests.papers.files import assert_measured, results_of


def test_every_measured_number_that_the_paper_files_name_is_there(measured):
    assert_measured("cbm", measured[0], least=0)


def test_every_figure_has_an_entry_and_every_entry_a_figure():
    assert set(SPEC["figures"]) == set(FIGURES)


@pytest.mark.parametrize("name", ["components", "illustration", "em_path", "evaluations", "variants", "stopping"])
def test_figures_are_drawn_alike_each_time(name, measured):
    data = FigureData(results_of("cbm", measured[1]), {}, SPEC["figures"][name])
    assert len(assert_drawn("cbm", name, data)) > 5000


def test_the_example_has_room_for_all_its_panels(measured):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        draw("cbm", "illustration", FigureData(results_of("cbm", measured[1]), {}, SPEC["figures"]["illustration"]))
