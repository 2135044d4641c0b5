"""The measures give what the files of the EDCM paper name, and its figures draw it."""

from __future__ import annotations

from pathlib import Path

import pytest

from reproduction.figures.drawing import FigureData
from reproduction.figures.figure_elements import PublishedValue
from reproduction.figures.style import Sheet, figure_style, render_svg
from reproduction.figures.svg_sanitize import inline_svg
from reproduction.papers.edcm.figures import FIGURES
from tests.pages.drawings import assert_drawn
from tests.papers.edcm.example import SPEC
from tests.papers.files import assert_measured, results_of

PRINTED = dict.fromkeys(
    [name for figure in SPEC["figures"].values() for name in figure.get("published", {}).values()], PublishedValue(0.5)
)


FROM_MEASURES = [name for name in FIGURES if "experiment" not in SPEC["figures"][name]]


@pytest.mark.parametrize("name", FROM_MEASURES)
def test_figures_draw_what_the_measures_wrote(measured, name):
    data = FigureData(results_of("edcm", measured[1]), PRINTED, SPEC["figures"][name])
    svg = assert_drawn("edcm", name, data)
    assert len(svg) < 400_000
    assert str(inline_svg(svg, "p", name)).startswith("<svg")


def test_every_measured_number_that_the_paper_files_name_is_there(measured):
    assert_measured("edcm", measured[0], least=20)


def test_every_figure_has_an_entry_and_every_entry_a_figure():
    assert set(FIGURES) == set(SPEC["figures"])


def drawn(root: Path, name: str) -> Sheet:
    """Return a figure before it is written."""
    with figure_style():
        return FIGURES[name](FigureData(results_of("edcm", root), PRINTED, SPEC["figures"][name]))


def test_the_exact_ratio_at_a_count_of_one_stands_on_the_axes(measured):
    (axes,) = drawn(measured[1], "gamma_ratio").axes
    (low, high), (bottom, _) = axes.get_xlim(), axes.get_ylim()
    curves = [line for line in axes.lines if str(line.get_label()).startswith("α =")]
    starts = [(line.get_xdata()[0], line.get_ydata()[0]) for line in curves]
    assert starts and all(start == (1.0, pytest.approx(0.0, abs=1e-6)) for start in starts)
    assert low < 1 and high > 50 and bottom < 0


def test_no_name_of_a_form_is_cut(measured):
    figure = drawn(measured[1], "tfidf_forms")
    (axes,) = figure.axes
    with figure_style():
        render_svg(figure, "forms")
        boxes = [label.get_window_extent() for label in (*axes.get_yticklabels(), axes.xaxis.label)]
    assert min(box.x0 for box in boxes) >= 0 and max(box.x1 for box in boxes) <= figure.bbox.x1
