"""The figures of the CBM slides draw what the measures wrote."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from reproduction.flow.results import Results, RoleEntry
from reproduction.papers.figures import FigureData, draw
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


def test_the_example_has_room_for_all_its_panels(measured):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        draw("cbm", "illustration", FigureData(results(measured[1]), {}, SPEC["figures"]["illustration"]))
