"""The measures give what the files of the CBM slides name, and its figures draw it."""

from __future__ import annotations

import warnings

import pytest

from reproduction.figures.drawing import FigureData, draw
from reproduction.papers.cbm.figures import FIGURES
from tests.pages.drawings import assert_drawn
from tests.papers.cbm.conftest import SPEC
from tests.papers.files import assert_measured, results_of
from tests.verdict.reporting import META
from textmix.core.io import format_csv, write_result
from textmix.experiment.trials import TIMINGS


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


def test_training_times_are_drawn_for_every_method(tmp_path):
    options = SPEC["figures"]["times"]
    for name in options["published"]:
        experiment, _, method = name.split("/")
        row = dict.fromkeys(TIMINGS) | {"variant": "", "trial": 0, "fit_seconds": 2.0, "predict_seconds": 0.1}
        path = tmp_path / "timings/cbm" / experiment / "made" / f"{method}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_result(path, format_csv([row], TIMINGS), META)
    assert len(assert_drawn("cbm", "times", FigureData(results_of("cbm", tmp_path), {}, options))) > 5000
