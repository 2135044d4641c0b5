"""The figures of the CBM slides draw what the measures wrote."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any, cast

import pytest

from reproduction.flow.results import Results, RoleEntry
from reproduction.pages.figures import FigureData, draw
from reproduction.pages.style import Sheet, style
from reproduction.papers.cbm.figures import FIGURES
from tests.pages.drawings import assert_sound
from tests.papers.cbm.example import SPEC


def results(root: Path, dataset: str | None = "made") -> Results:
    return Results(root, "cbm", {role: RoleEntry(dataset) for role in ("yeast", "scene", "mediamill")}, SPEC)


@pytest.mark.parametrize("name", ["components", "illustration", "em_path", "evaluations", "variants"])
def test_figures_are_drawn_alike_each_time(name, measured):
    data = FigureData(results(measured[1]), {}, SPEC["figures"][name])
    first = draw("cbm", name, data)
    assert_sound(first)
    assert first == draw("cbm", name, data)
    assert len(first) > 5000


class Rows:
    """Results with made rows of one table."""

    paper = "cbm"

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.rows = [{key: str(value) for key, value in row.items()} for row in rows]

    def measure_table(self, measure: str, table: str) -> list[dict[str, str]]:
        """Return the rows."""
        return self.rows


def drawn(name: str, rows: list[dict[str, Any]]) -> Sheet:
    """Return a figure of made rows before it is written."""
    with style():
        return FIGURES[name](FigureData(cast("Results", Rows(rows)), {}, {"labels": {}}))


def test_the_number_of_all_sets_is_marked_up_to_fourteen_labels_and_told_beyond():
    rows = [
        {"role": "yeast", "components": 1, "labels": labels, "evaluations": 2.5, "largest": 9} for labels in (2, 14, 30)
    ]
    figure = drawn("evaluations", rows)
    (axes,) = figure.axes
    marks = {line.get_xdata()[0]: line.get_ydata()[0] for line in axes.lines if line.get_marker() == "_"}
    assert marks.items() >= {2.0: 4.0, 14.0: 2.0**14}.items() and 30.0 not in marks
    assert axes.get_ylim()[1] >= 2**14
    assert "There are 2^30 sets of 30 labels, too many for the axis." in figure.notes


def test_one_random_start_has_no_mean():
    def path(role: str, runs: int) -> list[dict[str, Any]]:
        return [
            {"role": role, "run": run, "iteration": step, "objective": step - 9.0, "subset_accuracy": 0.5 + step / 100}
            for run in range(runs)
            for step in (1, 2)
        ]

    labels = [axes.get_legend_handles_labels()[1] for axes in drawn("em_path", path("one", 1) + path("two", 2)).axes]
    assert "mean of the last accuracies" not in labels[1]
    assert "mean of the last accuracies" in labels[3]


def test_the_example_has_room_for_all_its_panels(measured):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        draw("cbm", "illustration", FigureData(results(measured[1]), {}, SPEC["figures"]["illustration"]))
